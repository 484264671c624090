//! Keys of front matter and of entries of `symbols.yaml`.

use cairn_base::nearest;
use cairn_kb::{FIELDS, Field};

/// The meaning of a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Key {
    /// `id`.
    Id,
    /// `type`.
    Type,
    /// `links`: relationships, or other material.
    Links,
    /// `relationships`.
    Relationships,
    /// A property.
    Field(&'static Field),
    /// Coordinates that a program wrote, which are not kept.
    Generated,
    /// A scenario or a test within a requirement.
    Embedded,
    /// `value`, which is no field: there is one per type.
    Value,
    /// A misspelt key, and the one that was probably meant.
    Near(&'static str),
    /// Any other key.
    Unknown,
}

const GENERATED: &[&str] =
    &["sourceLine", "sourceColumn", "sourceEndLine", "sourceEndColumn", "coordinatesGeneratedAt"];
const EMBEDDED: &[&str] =
    &["scenarios", "given", "when", "then", "steps", "tests", "testCases", "assertions", "testSteps"];
const OWN: &[(&str, Key)] =
    &[("id", Key::Id), ("type", Key::Type), ("relationships", Key::Relationships), ("value", Key::Value)];

impl Key {
    /// The meaning of a key. Case and punctuation do not count.
    pub(super) fn of(key: &str) -> Key {
        if let Some(found) = exact(key) {
            return found;
        }
        let plain = plain(key);
        let others = GENERATED.iter().chain(EMBEDDED).copied();
        let renamed = names().chain(others).find(|name| self::plain(name) == plain).and_then(exact);
        if let Some(found) = renamed {
            return found;
        }
        nearest(key, names()).map_or(Key::Unknown, Key::Near)
    }

    /// The present spelling of a key, if the document has another one.
    pub(super) fn renamed(self, key: &str) -> Option<&'static str> {
        let name = match self {
            Key::Id => "id",
            Key::Type => "type",
            Key::Links => "links",
            Key::Relationships => "relationships",
            Key::Field(field) => field.name,
            Key::Generated | Key::Embedded | Key::Value | Key::Near(_) | Key::Unknown => return None,
        };
        (name != key).then_some(name)
    }
}

fn exact(key: &str) -> Option<Key> {
    if key == "links" {
        return Some(Key::Links);
    }
    if let Some((_, found)) = OWN.iter().find(|(name, _)| *name == key) {
        return Some(*found);
    }
    if GENERATED.contains(&key) {
        return Some(Key::Generated);
    }
    if EMBEDDED.contains(&key) {
        return Some(Key::Embedded);
    }
    cairn_kb::field(key).filter(|field| !field.is_read_only).map(Key::Field)
}

/// Every key that entities are read from.
fn names() -> impl Iterator<Item = &'static str> {
    let own = OWN.iter().map(|(name, _)| *name).filter(|name| *name != "value");
    own.chain(FIELDS.iter().filter(|field| !field.is_read_only).map(|field| field.name))
}

/// A key without what does not count.
fn plain(key: &str) -> String {
    key.chars().filter(|letter| letter.is_alphanumeric()).take(80).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: &str, expected: &str) {
        let found = Key::of(key);
        let shown = match found {
            Key::Field(field) => field.name.to_owned(),
            Key::Near(near) => format!("near {near}"),
            Key::Id
            | Key::Type
            | Key::Links
            | Key::Relationships
            | Key::Generated
            | Key::Embedded
            | Key::Value
            | Key::Unknown => format!("{found:?}"),
        };
        let renamed = found.renamed(key).map(|name| format!(", now {name}")).unwrap_or_default();
        assert_eq!(format!("{shown}{renamed}"), expected, "{key}");
    }

    #[test]
    fn keys_have_one_meaning_and_older_spellings_are_read() {
        check("title", "title");
        check("id", "Id");
        check("type", "Type");
        check("links", "Links");
        check("relationships", "Relationships");
        check("subjectKey", "subject_key, now subject_key");
        check("text-ref", "text_ref, now text_ref");
        check("Title", "title, now title");
        check("source_file", "sourceFile, now sourceFile");
        check("sourceLine", "Generated");
        check("testCases", "Embedded");
        check("given", "Embedded");
        check("value", "Value");
    }

    #[test]
    fn misspelt_keys_are_told_from_unknown_ones() {
        check("titel", "near title");
        check("staus", "near status");
        check("link", "near links");
        check("layout", "Unknown");
        check("permalink", "Unknown");
        check("", "Unknown");
        check(&"x".repeat(10_000), "Unknown");
    }
}
