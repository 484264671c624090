//! The schema version in the text of a settings file; everything else stays as it is.

use cairn_worktree::ConfigOrigin;
use toml::de::DeTable;

/// Returns the text with another version. `None` if there is no file, it has another shape than it had when it was read,
/// or more or less than the version would change, as with a key that is there twice.
pub(super) fn with_version(text: &str, origin: ConfigOrigin, version: u64) -> Option<String> {
    match origin {
        ConfigOrigin::Defaults => None,
        ConfigOrigin::Toml => {
            let new = in_toml(text, version)?;
            let (mut expected, found) = (text.parse::<toml::Table>().ok()?, new.parse::<toml::Table>().ok()?);
            expected.insert("schema_version".to_owned(), i64::try_from(version).ok()?.into());
            (expected == found).then_some(new)
        }
        ConfigOrigin::Json => {
            let new = in_json(text, version)?;
            let mut expected: JsonObject = serde_json::from_str(text).ok()?;
            let found: JsonObject = serde_json::from_str(&new).ok()?;
            expected.insert("schemaVersion".to_owned(), version.into());
            (expected == found).then_some(new)
        }
    }
}

type JsonObject = serde_json::Map<String, serde_json::Value>;

fn in_toml(text: &str, version: u64) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    match table.get_ref().get("schema_version") {
        Some(value) => Some(replaced(text, value.span(), version)),
        // Keys of the root stand before the first table.
        None => Some(format!("schema_version = {version}\n{text}")),
    }
}

fn replaced(text: &str, place: std::ops::Range<usize>, version: u64) -> String {
    format!("{}{version}{}", &text[..place.start], &text[place.end..])
}

fn in_json(text: &str, version: u64) -> Option<String> {
    let root: JsonObject = serde_json::from_str(text).ok()?;
    if root.contains_key("schemaVersion") {
        return Some(replaced(text, value_of(text, "schemaVersion")?, version));
    }
    let open = text.find('{')? + 1;
    let comma = if root.is_empty() { "" } else { "," };
    // The indentation of the next key, if it is on a line of its own.
    let rest = &text[open..];
    let gap = &rest[..rest.len() - rest.trim_start().len()];
    let gap = if root.is_empty() { "" } else { gap };
    Some(format!("{}{gap}\"schemaVersion\": {version}{comma}{rest}", &text[..open]))
}

/// The place of the value of a key of the root. The text is valid JSON.
fn value_of(text: &str, wanted: &str) -> Option<std::ops::Range<usize>> {
    let mut depth = 0;
    let mut key = "";
    let mut start = None;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at)?;
                if depth == 1 && start.is_none() {
                    key = &text[at + 1..end];
                }
                at = end;
            }
            b'{' | b'[' => depth += 1,
            b':' if depth == 1 && key == wanted => start = Some(at + 1),
            b',' | b'}' if depth == 1 => {
                if let Some(start) = start {
                    let value = &text[start..at];
                    let start = start + value.len() - value.trim_start().len();
                    return Some(start..start + value.trim().len());
                }
                depth -= usize::from(*byte == b'}');
            }
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The place of the quote that ends a string.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_version_changes() {
        let toml = |text: &str, expected: &str| {
            assert_eq!(with_version(text, ConfigOrigin::Toml, 2).as_deref(), Some(expected));
        };
        toml("# Mine.\nschema_version = 1 # old\n[paths]\n", "# Mine.\nschema_version = 2 # old\n[paths]\n");
        toml("# schema_version = 1\n[paths]\n", "schema_version = 2\n# schema_version = 1\n[paths]\n");
        toml("", "schema_version = 2\n");
        let json = |text: &str, expected: &str| {
            assert_eq!(with_version(text, ConfigOrigin::Json, 2).as_deref(), Some(expected));
        };
        json(
            "{\"a\": {\"schemaVersion\": 7}, \"schemaVersion\" :\t1 , \"b\": \"}\"}",
            "{\"a\": {\"schemaVersion\": 7}, \"schemaVersion\" :\t2 , \"b\": \"}\"}",
        );
        json(
            "{\"x\": \"schemaVersion\", \"y\": [1, {}], \"schemaVersion\": null}",
            "{\"x\": \"schemaVersion\", \"y\": [1, {}], \"schemaVersion\": 2}",
        );
        json("{\n  \"a\": 1\n}\n", "{\n  \"schemaVersion\": 2,\n  \"a\": 1\n}\n");
        json("{}", "{\"schemaVersion\": 2}");
        json("{ \"a\\\"\": \"\\\\\", \"schemaVersion\": 1}", "{ \"a\\\"\": \"\\\\\", \"schemaVersion\": 2}");
        assert_eq!(with_version("", ConfigOrigin::Defaults, 2), None);
        assert_eq!(with_version("[", ConfigOrigin::Json, 2), None);
        let odd = [
            r#"{"schemaVersion": 1, "schemaVersion": 1}"#,
            r#"{"schemaVersion": 1, "schema\u0056ersion": 1}"#,
        ];
        odd.iter().for_each(|text| assert_eq!(with_version(text, ConfigOrigin::Json, 2), None, "{text}"));
    }
}
