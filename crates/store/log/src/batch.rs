//! What a transaction frame's body says: changes and events, one after the other.
//!
//! ```text
//! put     1 | keyspace u16 | key len u16 | value len u32 | key | value
//! delete  2 | keyspace u16 | key len u16 | key
//! hashed  3 | hash 16 bytes | expires_at_ms u64 (0: never) | value len u16 | value
//! event   4 | kind u16 | body len u32 | body
//! ```

use cairn_seam::EventKind;

use crate::frame::{u32_at, u64_at};
use crate::hashed::HashedName;

const PUT: u8 = 1;
const DELETE: u8 = 2;
const HASHED: u8 = 3;
const EVENT: u8 = 4;

/// One entry of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op<'a> {
    /// Sets a key.
    Put {
        /// The keyspace's number.
        keyspace: u16,
        /// The key, tenant first.
        key: &'a [u8],
        /// The value.
        value: &'a [u8],
    },
    /// Removes a key.
    Delete {
        /// The keyspace's number.
        keyspace: u16,
        /// The key, tenant first.
        key: &'a [u8],
    },
    /// Sets an entry of a hashed keyspace.
    Hashed {
        /// The keyed hash of keyspace, tenant and key.
        name: HashedName,
        /// When it expires; 0 for never.
        expires_at_ms: u64,
        /// The value.
        value: &'a [u8],
    },
    /// Something the transaction told the change feed.
    Event {
        /// What kind of thing.
        kind: EventKind,
        /// Its description.
        body: &'a [u8],
    },
}

impl Op<'_> {
    /// Appends the entry to a body.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Op::Put { keyspace, key, value } => {
                out.push(PUT);
                out.extend_from_slice(&keyspace.to_le_bytes());
                push_len16(out, key.len());
                push_len32(out, value.len());
                out.extend_from_slice(key);
                out.extend_from_slice(value);
            }
            Op::Delete { keyspace, key } => {
                out.push(DELETE);
                out.extend_from_slice(&keyspace.to_le_bytes());
                push_len16(out, key.len());
                out.extend_from_slice(key);
            }
            Op::Hashed { name, expires_at_ms, value } => {
                out.push(HASHED);
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(&expires_at_ms.to_le_bytes());
                push_len16(out, value.len());
                out.extend_from_slice(value);
            }
            Op::Event { kind, body } => {
                out.push(EVENT);
                out.extend_from_slice(&kind.0.to_le_bytes());
                push_len32(out, body.len());
                out.extend_from_slice(body);
            }
        }
    }
}

fn push_len16(out: &mut Vec<u8>, len: usize) {
    out.extend_from_slice(&u16::try_from(len).expect("checked against the limits before").to_le_bytes());
}

fn push_len32(out: &mut Vec<u8>, len: usize) {
    out.extend_from_slice(&u32::try_from(len).expect("checked against the limits before").to_le_bytes());
}

/// Reads a transaction's body entry by entry; ends with `Err` where the bytes make no sense.
#[derive(Debug, Clone)]
pub struct Ops<'a> {
    rest: &'a [u8],
}

/// A transaction's body does not decode although its checksum is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadBatch;

impl<'a> Ops<'a> {
    /// Starts at the first entry.
    pub fn new(body: &'a [u8]) -> Self {
        Ops { rest: body }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], BadBatch> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(BadBatch)?;
        self.rest = rest;
        Ok(taken)
    }

    fn u16(&mut self) -> Result<u16, BadBatch> {
        self.take(2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn u32(&mut self) -> Result<usize, BadBatch> {
        self.take(4).map(|bytes| u32_at(bytes, 0) as usize)
    }

    fn op(&mut self) -> Result<Op<'a>, BadBatch> {
        match self.take(1)?[0] {
            PUT => {
                let keyspace = self.u16()?;
                let key_len = self.u16()?.into();
                let value_len = self.u32()?;
                Ok(Op::Put { keyspace, key: self.take(key_len)?, value: self.take(value_len)? })
            }
            DELETE => {
                let keyspace = self.u16()?;
                let key_len = self.u16()?.into();
                Ok(Op::Delete { keyspace, key: self.take(key_len)? })
            }
            HASHED => {
                let name = HashedName::read(self.take(HashedName::BYTES)?);
                let expires_at_ms = u64_at(self.take(8)?, 0);
                let value_len = self.u16()?.into();
                Ok(Op::Hashed { name, expires_at_ms, value: self.take(value_len)? })
            }
            EVENT => {
                let kind = EventKind(self.u16()?);
                let len = self.u32()?;
                Ok(Op::Event { kind, body: self.take(len)? })
            }
            _ => Err(BadBatch),
        }
    }
}

impl<'a> Iterator for Ops<'a> {
    type Item = Result<Op<'a>, BadBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let op = self.op();
        if op.is_err() {
            self.rest = &[];
        }
        Some(op)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn entries_read_back_in_order() {
        let ops = [
            Op::Put { keyspace: 1, key: b"key", value: b"value" },
            Op::Delete { keyspace: 2, key: b"" },
            Op::Hashed { name: HashedName::read(&[9; 16]), expires_at_ms: 5, value: b"v" },
            Op::Event { kind: EventKind(7), body: b"what happened" },
        ];
        let mut body = Vec::new();
        ops.iter().for_each(|op| op.encode(&mut body));
        assert_eq!(Ops::new(&body).collect::<Result<Vec<_>, _>>().unwrap(), ops);
        assert!(Ops::new(&body[..body.len() - 1]).any(|op| op.is_err()));
    }

    proptest! {
        #[test]
        fn garbage_ends(bytes in proptest::collection::vec(0u8..6, 0..400)) {
            prop_assert!(Ops::new(&bytes).count() <= bytes.len());
        }
    }
}
