//! Tree objects: a msgpack array of maps, one per entry, sorted by name.
//!
//! ```text
//! 1 name | 2 kind (0 file, 1 folder, 2 link) | 3 mode | 4 size | 5 hash, 32 bytes
//! ```
//!
//! Keys are integers, or the same as digits in text: the Go client writes the latter.

use cairn_base::{ContentHash, MsgpackReader, Token};

use crate::error::TurnsError;
use crate::limits;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// Bytes.
    File,
    /// Another tree object.
    Folder,
    /// The path that a symbolic link leads to.
    Link,
}

impl EntryKind {
    /// What people and JSON call it.
    pub fn name(self) -> &'static str {
        match self {
            EntryKind::File => "file",
            EntryKind::Folder => "dir",
            EntryKind::Link => "symlink",
        }
    }
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Permission bits.
    pub mode: u32,
    /// Bytes of the file, or of the path a link leads to; 0 for folders.
    pub size: u64,
    /// The blob with its content.
    pub hash: ContentHash,
}

/// The entries of a folder, sorted by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeObject {
    /// The entries.
    pub entries: Vec<Entry>,
}

impl TreeObject {
    /// Reads the blob called `hash` as a tree object.
    pub fn parse(hash: &ContentHash, bytes: &[u8]) -> Result<Self, TurnsError> {
        parse(bytes).map_err(|why| TurnsError::BadTree(*hash, why))
    }

    /// The entry of a name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.name.as_bytes().cmp(name.as_bytes()));
        at.ok().map(|at| &self.entries[at])
    }
}

fn parse(bytes: &[u8]) -> Result<TreeObject, &'static str> {
    let mut reader = MsgpackReader::new(bytes);
    let Ok(Token::Array(count)) = reader.token() else { return Err("it is no msgpack array") };
    if count > limits::TREE_ENTRIES_MAX {
        return Err("it has too many entries");
    }
    let mut entries: Vec<Entry> = Vec::new();
    for _ in 0..count {
        let entry = entry(&mut reader)?;
        if entries.last().is_some_and(|last| last.name.as_bytes() >= entry.name.as_bytes()) {
            return Err("its entries are not sorted by name");
        }
        entries.push(entry);
    }
    if reader.rest().is_empty() { Ok(TreeObject { entries }) } else { Err("something follows its entries") }
}

fn entry(reader: &mut MsgpackReader<'_>) -> Result<Entry, &'static str> {
    let Ok(Token::Map(pairs)) = reader.token() else { return Err("an entry is no map") };
    let (mut name, mut kind, mut mode, mut size, mut hash) = (None, None, 0, 0, None);
    for _ in 0..pairs {
        let key = reader.token().map_err(|_| "an entry ends too early")?;
        let number = if let Token::Unsigned(number) = key {
            Some(number)
        } else if let Token::Text([digit @ b'0'..=b'9']) = key {
            Some(u64::from(digit - b'0'))
        } else {
            None
        };
        match number {
            Some(1) => name = Some(name_from(reader)?),
            Some(2) => kind = Some(kind_from(reader)?),
            Some(3) => mode = u32::try_from(unsigned(reader)?).map_err(|_| "a mode is too large")?,
            Some(4) => size = unsigned(reader)?,
            Some(5) => hash = Some(hash_from(reader)?),
            // Of a later version.
            Some(_) | None => reader.skip(LEVELS).map_err(|_| "an entry ends too early")?,
        }
    }
    let name = name.ok_or("an entry has no name")?;
    let (kind, hash) = (kind.ok_or("an entry has no kind")?, hash.ok_or("an entry has no hash")?);
    Ok(Entry { name, kind, mode, size, hash })
}

/// How deep values of unknown keys may be.
const LEVELS: usize = 8;

fn name_from(reader: &mut MsgpackReader<'_>) -> Result<String, &'static str> {
    let Ok(Token::Text(name)) = reader.token() else { return Err("a name is no text") };
    let name = std::str::from_utf8(name).map_err(|_| "a name is not UTF-8")?;
    if name.is_empty() || name.len() > limits::TREE_NAME_BYTES_MAX {
        return Err("a name is empty or too long");
    }
    if matches!(name, "." | "..") || name.contains(['/', '\0']) {
        return Err("a name is no name of a file");
    }
    Ok(name.into())
}

fn kind_from(reader: &mut MsgpackReader<'_>) -> Result<EntryKind, &'static str> {
    match unsigned(reader)? {
        0 => Ok(EntryKind::File),
        1 => Ok(EntryKind::Folder),
        2 => Ok(EntryKind::Link),
        _ => Err("a kind is none of 0, 1 and 2"),
    }
}

fn unsigned(reader: &mut MsgpackReader<'_>) -> Result<u64, &'static str> {
    match reader.token() {
        Ok(Token::Unsigned(value)) => Ok(value),
        _ => Err("a number is none"),
    }
}

fn hash_from(reader: &mut MsgpackReader<'_>) -> Result<ContentHash, &'static str> {
    match reader.token() {
        Ok(Token::Binary(bytes)) => {
            bytes.try_into().map(ContentHash::from_bytes).map_err(|_| "a hash has not 32 bytes")
        }
        _ => Err("a hash is no binary"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encode(name: &str, kind: u8, text_keys: bool) -> Vec<u8> {
        let key = |number: u8| if text_keys { vec![0xa1, b'0' + number] } else { vec![number] };
        let mut out = vec![0x85];
        out.extend(key(1));
        out.push(0xa0 | u8::try_from(name.len()).unwrap());
        out.extend(name.as_bytes());
        out.extend(key(2));
        out.extend([0xcc, kind]);
        out.extend(key(3));
        out.extend([0xce, 0, 0, 1, 0xa4]);
        out.extend(key(4));
        out.extend([0xcf, 0, 0, 0, 0, 0, 0, 0, 5]);
        out.extend(key(5));
        out.extend([0xc4, 32]);
        out.extend([7; 32]);
        out
    }

    fn read(bytes: &[u8]) -> Result<TreeObject, &'static str> {
        parse(bytes)
    }

    #[test]
    fn integer_and_text_keys_are_the_same() {
        for text_keys in [true, false] {
            let bytes = [&[0x92][..], &encode("a.txt", 0, text_keys), &encode("b", 1, text_keys)].concat();
            let tree = read(&bytes).unwrap();
            let file = tree.entry("a.txt").unwrap();
            assert_eq!((file.kind, file.mode, file.size), (EntryKind::File, 0o644, 5));
            assert_eq!(tree.entry("b").unwrap().kind, EntryKind::Folder);
            assert_eq!(tree.entry("c"), None);
        }
        assert_eq!(read(&[0x90]).unwrap(), TreeObject::default());
    }

    #[test]
    fn what_is_no_tree_says_why() {
        let pair = |first: &str, second: &str| {
            [&[0x92][..], &encode(first, 0, false), &encode(second, 0, false)].concat()
        };
        let one = |name: &str, kind| [&[0x91][..], &encode(name, kind, false)].concat();
        for (bytes, why) in [
            (pair("b", "a"), "its entries are not sorted by name"),
            (pair("a", "a"), "its entries are not sorted by name"),
            (one("..", 0), "a name is no name of a file"),
            (one("a/b", 0), "a name is no name of a file"),
            (one("", 0), "a name is empty or too long"),
            (one("a", 3), "a kind is none of 0, 1 and 2"),
            (vec![0x80], "it is no msgpack array"),
            (vec![0x91, 0x80], "an entry has no name"),
            (vec![0xdd, 255, 255, 255, 255], "it has too many entries"),
            ([&one("a", 0)[..], &[0]].concat(), "something follows its entries"),
        ] {
            assert_eq!(read(&bytes), Err(why), "{bytes:x?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let _ = read(&bytes);
        }
    }
}
