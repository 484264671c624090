//! Where a page begins: a place in the order of answers, not a count of rows.
//!
//! ```text
//! token     base64url of: version 1 | fingerprint of the query, 16 bytes | kind | place | checksum, 4 bytes
//! kind 0    place: all bytes of the place of the last row
//! kind 1    place: hash of the place, 16 bytes | its first 1,024 bytes
//! ```
//!
//! Long texts in ORDER BY make long places, and tokens have a bound. Of a long place only the beginning is
//! kept. The hash tells which row it was, if that still is where it was; if not, rows that begin alike are
//! shown again rather than left out.

use std::hash::{Hash, Hasher};

use cairn_base::{Base64Url, from_base64_url};
use cairn_kip::tree::Find;
use cairn_kip::{KipCode, KipError};

use super::page::Entry;
use crate::Result;

const VERSION: u8 = 1;
const WHOLE: u8 = 0;
const CUT: u8 = 1;
const HASH_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 4;
/// Bytes of a place that a token holds.
const PLACE_BYTES_MAX: usize = 1024;

/// The place that a page begins after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Position {
    /// After this place.
    After(Vec<u8>),
    /// After a place that begins like this.
    Cut {
        /// The hash of all of it.
        hash: [u8; HASH_BYTES],
        /// Its beginning.
        beginning: Vec<u8>,
    },
}

impl Position {
    /// The same position among these entries: if one of them is the row that it was, all of its place is known.
    pub(super) fn among(&self, entries: &[Entry]) -> Position {
        let Position::Cut { hash, beginning } = self else { return self.clone() };
        let mut alike = entries.iter().filter(|entry| entry.place.starts_with(beginning));
        let same = alike.find(|entry| hash_of(&entry.place) == *hash);
        same.map_or_else(|| self.clone(), |entry| Position::After(entry.place.clone()))
    }

    /// How that place begins, as far as it is known.
    pub(super) fn place(&self) -> &[u8] {
        let (Position::After(place) | Position::Cut { beginning: place, .. }) = self;
        place
    }

    /// Whether something at a place was not shown before, whatever is known of this position.
    pub(super) fn is_surely_before(&self, place: &[u8]) -> bool {
        match self {
            Position::After(last) => place > last.as_slice(),
            Position::Cut { beginning, .. } => place > beginning.as_slice() && !place.starts_with(beginning),
        }
    }

    /// Whether something at that place is still to be shown.
    pub(super) fn is_before(&self, place: &[u8]) -> bool {
        match self {
            Position::After(last) => place > last.as_slice(),
            Position::Cut { beginning, .. } => place >= beginning.as_slice(),
        }
    }
}

/// The position that a FIND asks for. Fails on a token that is none, or of another query.
pub(super) fn position(find: &Find) -> Result<Option<Position>> {
    let Some(cursor) = &find.cursor else { return Ok(None) };
    let refuse = |message: &str| {
        KipError::new(KipCode::InvalidSyntax, message)
            .hint("take next_cursor of the page before, with the same FIND, WHERE and ORDER BY")
            .at(cursor.span)
    };
    let malformed = || refuse("CURSOR is no token of a page");
    let bytes = from_base64_url(cursor.given()?).ok_or_else(malformed)?;
    let (bytes, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or_else(malformed)?;
    if *checksum != checksum_of(bytes) {
        return Err(malformed().into());
    }
    let (version, rest) = bytes.split_first().ok_or_else(malformed)?;
    let (of, rest) = rest.split_first_chunk::<HASH_BYTES>().ok_or_else(malformed)?;
    if *version != VERSION {
        return Err(malformed().into());
    }
    if *of != fingerprint(find) {
        return Err(refuse("CURSOR belongs to another query").into());
    }
    match rest.split_first() {
        Some((&WHOLE, place)) if place.len() <= PLACE_BYTES_MAX => Ok(Some(Position::After(place.to_vec()))),
        Some((&CUT, rest)) => {
            let (hash, beginning) = rest.split_first_chunk::<HASH_BYTES>().ok_or_else(malformed)?;
            if beginning.len() != PLACE_BYTES_MAX {
                return Err(malformed().into());
            }
            Ok(Some(Position::Cut { hash: *hash, beginning: beginning.to_vec() }))
        }
        _ => Err(malformed().into()),
    }
}

/// The token of the page after a place.
pub(super) fn token(find: &Find, last: &[u8]) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend_from_slice(&fingerprint(find));
    if last.len() <= PLACE_BYTES_MAX {
        bytes.push(WHOLE);
        bytes.extend_from_slice(last);
    } else {
        bytes.push(CUT);
        bytes.extend_from_slice(&hash_of(last));
        bytes.extend_from_slice(&last[..PLACE_BYTES_MAX]);
    }
    let checksum = checksum_of(&bytes);
    bytes.extend_from_slice(&checksum);
    Base64Url(&bytes).to_string()
}

/// What makes it this query: everything but how many rows are shown, and after which.
fn fingerprint(find: &Find) -> [u8; HASH_BYTES] {
    let Find { columns, pattern, order_by, limit: _, cursor: _ } = find;
    let mut hasher = Blake3(blake3::Hasher::new());
    (columns, pattern, order_by).hash(&mut hasher);
    first_bytes(&hasher.0.finalize())
}

fn hash_of(place: &[u8]) -> [u8; HASH_BYTES] {
    first_bytes(&blake3::hash(place))
}

/// Against tokens that were cut or mistyped: any bytes would be a place.
fn checksum_of(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    first_bytes(&blake3::hash(bytes))
}

fn first_bytes<const N: usize>(hash: &blake3::Hash) -> [u8; N] {
    let mut first = [0; N];
    first.copy_from_slice(&hash.as_bytes()[..N]);
    first
}

/// Takes what a tree says of itself.
struct Blake3(blake3::Hasher);

impl Hasher for Blake3 {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        u64::from_le_bytes(first_bytes(&self.0.finalize()))
    }
}
