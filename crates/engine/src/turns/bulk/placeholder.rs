//! What an import stores in place of something that the exporting store could not read.
//!
//! A turn without its payload is still the parent of others: with a placeholder it keeps its place, its time
//! and its context, and nothing below it is lost or gets another parent.

use cairn_base::{ContentHash, MsgpackWriter};
use cairn_turns::DeclaredType;

/// The type of placeholders.
const TYPE: &str = "cairn.unreadable";
/// The version of their layout.
const VERSION: u32 = 1;

/// The file in a placeholder for a file tree.
const FILE: &str = "cairn-unreadable.txt";
const FILE_TEXT: &[u8] =
    b"The file tree of this turn was damaged where it was exported, and is missing here.\n";

/// A turn whose payload could not be read, as its export describes it.
#[derive(Debug, Clone, Copy)]
pub struct Placeholder<'a> {
    /// Why it could not be read.
    pub reason: &'a str,
    /// The type that the payload has.
    pub type_id: &'a str,
    /// The version of that type.
    pub type_version: u32,
    /// The encoding of the payload.
    pub encoding: u32,
    /// Its length.
    pub payload_bytes: u32,
    /// Its hash, by which a copy of it is recognized elsewhere.
    pub hash: ContentHash,
}

impl Placeholder<'_> {
    /// The encoding of placeholders: msgpack.
    pub const ENCODING: u32 = 1;

    /// The type that the turn has instead.
    pub fn declared() -> DeclaredType {
        DeclaredType { id: TYPE.to_owned(), version: VERSION }
    }

    /// The payload that it has instead.
    pub fn payload(&self) -> Vec<u8> {
        let mut out = MsgpackWriter::new();
        out.map(6);
        out.text("unreadable");
        out.text(self.reason);
        out.text("type_id");
        out.text(self.type_id);
        for (name, number) in [
            ("type_version", self.type_version),
            ("encoding", self.encoding),
            ("payload_bytes", self.payload_bytes),
        ] {
            out.text(name);
            out.unsigned(number.into());
        }
        out.text("content_hash_b3");
        out.text(&self.hash.to_string());
        out.into_bytes()
    }
}

/// The blobs of a tree for a turn whose own tree could not be read, the root last. Without a tree the turn
/// would inherit an older one, whose files are not those it had.
pub fn placeholder_tree() -> [Vec<u8>; 2] {
    let mut root = MsgpackWriter::new();
    root.array(1);
    root.map(3);
    root.unsigned(1);
    root.text(FILE);
    root.unsigned(2);
    root.unsigned(0);
    root.unsigned(5);
    root.binary(ContentHash::of(FILE_TEXT).as_bytes());
    [FILE_TEXT.to_vec(), root.into_bytes()]
}

#[cfg(test)]
mod tests {
    use cairn_base::msgpack_text;
    use cairn_turns::{EntryKind, TreeObject};

    use super::*;

    #[test]
    fn a_placeholder_says_what_is_missing() {
        let hash = ContentHash::of(b"lost");
        let lost = Placeholder {
            reason: "damaged",
            type_id: "t",
            type_version: 3,
            encoding: 7,
            payload_bytes: 4,
            hash,
        };
        let expected = format!(
            "{{\"unreadable\": \"damaged\", \"type_id\": \"t\", \"type_version\": 3, \"encoding\": 7, \
             \"payload_bytes\": 4, \"content_hash_b3\": \"{hash}\"}}"
        );
        assert_eq!(msgpack_text(&lost.payload(), usize::MAX).unwrap(), expected);
    }

    #[test]
    fn a_placeholder_tree_is_a_tree_with_one_file() {
        let [file, root] = placeholder_tree();
        let tree = TreeObject::parse(&ContentHash::of(&root), &root).unwrap();
        let entry = &tree.entries[0];
        assert_eq!(
            (tree.entries.len(), entry.kind, entry.hash),
            (1, EntryKind::File, ContentHash::of(&file))
        );
    }
}
