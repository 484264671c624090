//! The paths of exported documents.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::limits::EXPORT_NAME_BYTES_MAX;

/// Paths for documents of entities, none of which is given twice, also where case does not count.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Paths that are taken, in lower case.
    taken: BTreeSet<String>,
}

/// Names that some file systems keep for devices.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "com", "lpt"];
const ENDING: &str = ".md";

impl Places {
    /// Notes that a path belongs to another document.
    pub fn occupy(&mut self, path: &str) {
        self.taken.insert(path.to_lowercase());
    }

    /// Returns a free path for the document of an entity, and occupies it. `lane` is the configured folder of its type,
    /// or a glob, of which the folder counts.
    ///
    /// The name is the id; where that is no safe name, or is taken, it is a part of the id and of its hash.
    pub fn place(&mut self, lane: &str, id: &str) -> String {
        let folder = folder_of(lane);
        let name = safe_name(id);
        let is_same = name == id && !is_device(&name);
        let plain = join(&folder, &format!("{name}{ENDING}"));
        if is_same && self.taken.insert(plain.to_lowercase()) {
            return plain;
        }
        let hash: String = Sha256::digest(id).iter().map(|byte| format!("{byte:02x}")).collect();
        // Longer pieces of the hash until one is free; with all of it, other documents would have to be named so.
        for length in [8, 16, 32, 64] {
            let path = join(&folder, &format!("{name}-{}{ENDING}", &hash[..length]));
            if self.taken.insert(path.to_lowercase()) {
                return path;
            }
        }
        let mut number = 2_u64;
        loop {
            let path = join(&folder, &format!("{name}-{hash}-{number}{ENDING}"));
            if self.taken.insert(path.to_lowercase()) {
                return path;
            }
            number += 1;
        }
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The folder of a lane: the whole path, or the folders of a glob before the first part that is a pattern.
fn folder_of(lane: &str) -> String {
    let lane = lane.trim_end_matches('/');
    let is_pattern = |part: &str| part.contains(['*', '?', '[', '{']);
    if !is_pattern(lane) {
        // A lane may also be one file.
        let (folder, name) = lane.rsplit_once('/').unwrap_or(("", lane));
        return if name.ends_with(ENDING) { folder.to_owned() } else { lane.to_owned() };
    }
    lane.split('/').take_while(|part| !is_pattern(part)).collect::<Vec<_>>().join("/")
}

/// A file name of letters, digits, `.`, `_` and `-` alone.
fn safe_name(id: &str) -> String {
    let letters = id.chars().map(|letter| {
        let is_safe = letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
        if is_safe { letter } else { '-' }
    });
    let name: String = letters.take(EXPORT_NAME_BYTES_MAX - ENDING.len() - 65).collect();
    let name = name.trim_matches(|letter| matches!(letter, '.' | '-'));
    if name.is_empty() { "entity".to_owned() } else { name.to_owned() }
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let without_digit = stem.strip_suffix(|last: char| last.is_ascii_digit()).unwrap_or(&stem);
    DEVICES[..4].contains(&stem.as_str()) || DEVICES[4..].contains(&without_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lane: &str, ids: &[&str], expected: &[&str]) {
        let mut places = Places::default();
        let found: Vec<String> = ids.iter().map(|id| places.place(lane, id)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_document_has_the_name_of_its_entity() {
        check("docs/req", &["REQ-001", "auth.login_2"], &["docs/req/REQ-001.md", "docs/req/auth.login_2.md"]);
        check("docs/**/*.md", &["A"], &["docs/A.md"]);
        check("docs/req/*.md", &["A"], &["docs/req/A.md"]);
        check("*.md", &["A"], &["A.md"]);
        check("docs/all.md", &["A"], &["docs/A.md"]);
        check("docs/", &["A"], &["docs/A.md"]);
    }

    #[test]
    fn names_that_are_not_safe_or_taken_get_a_piece_of_the_hash() {
        check("d", &["REQ-a", "REQ-A"], &["d/REQ-a.md", "d/REQ-A-8d67a65d.md"]);
        let mut places = Places::default();
        places.occupy("d/Req-1.md");
        assert!(places.place("d", "REQ-1").starts_with("d/REQ-1-"));
        for id in ["../../etc/passwd", "a/b", ".hidden", "con", "COM1.x", "ends.", "日本", " ", "a\nb", "-rf"]
        {
            let path = Places::default().place("d", id);
            let name = path.strip_prefix("d/").expect("it is in the lane");
            assert!(name.len() > ENDING.len() + 9 && !name.starts_with(['.', '-']), "{path}");
            assert!(
                name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter)),
                "{path}"
            );
        }
        let long = "x".repeat(256);
        assert!(Places::default().place("d", &long).len() <= EXPORT_NAME_BYTES_MAX + 2);
        // Two ids with the same safe name.
        let mut places = Places::default();
        assert_ne!(places.place("d", "a/b"), places.place("d", "a:b"));
    }
}
