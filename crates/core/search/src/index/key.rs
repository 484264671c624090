//! The keys of postings: what kind of term, of which partition, and its text.
//!
//! ```text
//! partition number in hexadecimal | 0x01 | text        in one of the fields for words
//! kind | partition number in hexadecimal | 0x01 | ...  in the field for everything else
//! ```
//!
//! Partitions are part of every key, so a query reads nothing of another one, and how many documents
//! hold a term is a count of one partition.

/// The number a partition got when its first document came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PartitionNumber(pub(crate) u32);

/// In which of the index's fields a key is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Words of one of the texts, with how often and where they occur.
    Words(u8),
    /// Everything else, for which it only counts whether a document has it.
    Marks,
}

/// A key and where it is looked up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) place: Place,
    pub(crate) bytes: Vec<u8>,
}

/// Ends the number of a partition: no number is the beginning of another one.
const END: u8 = 1;

impl PartitionNumber {
    fn prefix(self, kind: Option<u8>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16);
        bytes.extend(kind);
        bytes.extend_from_slice(format!("{:x}", self.0).as_bytes());
        bytes.push(END);
        bytes
    }

    /// A word of one of the texts.
    pub(crate) fn word(self, field: u8, text: &str) -> Key {
        let mut bytes = self.prefix(None);
        bytes.extend_from_slice(text.as_bytes());
        Key { place: Place::Words(field), bytes }
    }

    /// What all words of this partition begin with.
    pub(crate) fn word_prefix(self) -> String {
        format!("{:x}{}", self.0, char::from(END))
    }

    fn mark(self, kind: u8, parts: &[&[u8]]) -> Key {
        let mut bytes = self.prefix(Some(kind));
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        Key { place: Place::Marks, bytes }
    }

    /// A word as it is written, folded but not brought to its stem: prefixes and near misses are looked
    /// for among these.
    pub(crate) fn surface(self, field: u8, text: &str) -> Key {
        self.mark(b's', &[&[b'0' + field], text.as_bytes()])
    }

    /// The whole of a name, folded.
    pub(crate) fn name(self, name: &str) -> Key {
        self.mark(b'n', &[name.as_bytes()])
    }

    /// The document of an id.
    pub(crate) fn document(self, id: &[u8]) -> Key {
        self.mark(b'd', &[id])
    }

    /// Every document.
    pub(crate) fn all(self) -> Key {
        self.mark(b'a', &[])
    }

    /// Documents of a kind.
    pub(crate) fn kind(self, kind: &str) -> Key {
        self.mark(b'k', &[kind.as_bytes()])
    }

    /// Documents with a tag.
    pub(crate) fn tag(self, tag: &str) -> Key {
        self.mark(b't', &[tag.as_bytes()])
    }

    /// Documents that somebody may see. Those that everybody of the tenant may see have the empty one.
    pub(crate) fn visible(self, to: &str) -> Key {
        self.mark(b'v', &[to.as_bytes()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_partition_sees_keys_of_another() {
        let (one, eleven) = (PartitionNumber(1), PartitionNumber(0x11));
        assert!(!eleven.word(0, "a").bytes.starts_with(&one.word(0, "").bytes));
        assert!(!eleven.surface(0, "a").bytes.starts_with(&one.surface(0, "").bytes));
        assert_eq!(one.word(0, "ab").bytes, [one.word_prefix().as_bytes(), b"ab"].concat());
    }

    #[test]
    fn what_is_told_apart_has_keys_of_its_own() {
        let one = PartitionNumber(1);
        let keys = [
            one.word(0, "x"),
            one.word(1, "x"),
            one.surface(0, "x"),
            one.surface(1, "x"),
            one.name("x"),
            one.document(b"x"),
            one.kind("x"),
            one.tag("x"),
            one.visible("x"),
            one.all(),
        ];
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
    }
}
