//! A turn, from what the caller has to what is sent.

use std::fmt::Write;

use cairn_base::{ContentHash, ContextId, Entropy, TurnId};
use cairn_engine::limits;

use super::config::ClientConfig;
use super::error::ClientError;
use super::outgoing::Outgoing;
use crate::frame::MessageType;
use crate::payload::{NONE, ZSTD};
use crate::request;

/// The number of MessagePack among encodings.
pub const MSGPACK: u32 = 1;

/// How hard payloads are compressed: quickly, as a turn is waited for.
const LEVEL: i32 = 1;

/// A turn to be appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendTurn {
    /// The context that it becomes the head of.
    pub context: ContextId,
    /// The turn before it; without one, what is the head when it arrives.
    pub parent: Option<TurnId>,
    /// Its declared type.
    pub type_id: String,
    /// The version of that.
    pub type_version: u32,
    /// How the payload is encoded.
    pub encoding: u32,
    /// What it says, plain.
    pub payload: Vec<u8>,
    /// What makes it one turn, however often it is sent. Without one the client makes one up, which is
    /// enough for its own retries; those of a caller need the caller's.
    pub idempotency_key: Option<Vec<u8>>,
    /// The root of a file tree that is on the server.
    pub tree_root: Option<ContentHash>,
}

impl AppendTurn {
    /// A turn in MessagePack behind the head of a context.
    pub fn new(
        context: ContextId,
        type_id: impl Into<String>,
        type_version: u32,
        payload: impl Into<Vec<u8>>,
    ) -> Self {
        AppendTurn {
            context,
            parent: None,
            type_id: type_id.into(),
            type_version,
            encoding: MSGPACK,
            payload: payload.into(),
            idempotency_key: None,
            tree_root: None,
        }
    }

    /// Hashes and compresses it. Takes a while for a long payload.
    pub(crate) fn prepare(self, config: &ClientConfig) -> Result<(Outgoing, ContentHash), ClientError> {
        ClientError::check_size("payload", self.payload.len(), limits::BINARY_BLOB_BYTES_MAX)?;
        let hash = ContentHash::of(&self.payload);
        let packed = packed(&self.payload, config.compress_from);
        let given = self.idempotency_key.filter(|key| !key.is_empty());
        let key = given.unwrap_or_else(|| random_key(&*config.entropy).into_bytes());
        let append = request::AppendTurn {
            context: self.context,
            parent: self.parent,
            type_id: &self.type_id,
            type_version: self.type_version,
            encoding: self.encoding,
            compression: if packed.is_some() { ZSTD } else { NONE },
            uncompressed_len: u32::try_from(self.payload.len()).unwrap_or(u32::MAX),
            hash,
            payload: packed.as_deref().unwrap_or(&self.payload),
            key: &key,
            tree: self.tree_root,
        };
        let room = append.payload.len() + append.type_id.len() + append.key.len() + 64;
        let encode = |out: &mut Vec<u8>| append.encode(out);
        Ok((Outgoing::with_flags(MessageType::AppendTurn, append.flags(), room, encode)?, hash))
    }
}

/// The payload compressed, if it is long enough for that and gets shorter.
fn packed(payload: &[u8], from: Option<usize>) -> Option<Vec<u8>> {
    if payload.len() < from? {
        return None;
    }
    // Compressing is no must: what does not work out is sent as it is.
    zstd::bulk::compress(payload, LEVEL).ok().filter(|packed| packed.len() < payload.len())
}

/// 128 random bits in hexadecimal digits.
fn random_key(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    let mut key = String::with_capacity(32);
    for byte in bytes {
        let _ = write!(key, "{byte:02x}");
    }
    key
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cairn_base::SeededEntropy;

    use super::*;
    use crate::frame::HEADER_BYTES;
    use crate::payload;

    fn config(compress_from: Option<usize>) -> ClientConfig {
        ClientConfig { compress_from, entropy: Arc::new(SeededEntropy::new(1)), ..ClientConfig::default() }
    }

    #[test]
    fn payloads_are_compressed_where_it_pays_and_hashed_before() {
        let noise = {
            let mut bytes = vec![0; 5_000];
            SeededEntropy::new(7).fill(&mut bytes);
            bytes
        };
        for (payload, from, compression) in [
            (vec![7; 5_000], None, NONE),
            (vec![7; 5_000], Some(5_001), NONE),
            (vec![7; 5_000], Some(5_000), ZSTD),
            (noise, Some(1), NONE),
            (Vec::new(), Some(0), NONE),
        ] {
            let turn = AppendTurn::new(ContextId(1), "t", 1, payload.clone());
            let (mut request, hash) = turn.prepare(&config(from)).unwrap();
            let frame = request.frame(1);
            let sent = request::AppendTurn::parse(&frame[HEADER_BYTES..], 0).unwrap();
            assert_eq!((sent.compression, sent.hash), (compression, ContentHash::of(&payload)));
            assert_eq!(hash, sent.hash);
            assert_eq!(
                payload::plain(sent.compression, sent.payload, sent.uncompressed_len).unwrap(),
                payload
            );
        }
    }

    #[test]
    fn every_turn_has_a_key_and_no_two_the_same() {
        let config = config(None);
        let key = |given: Option<&[u8]>| {
            let mut turn = AppendTurn::new(ContextId(1), "t", 1, *b"x");
            turn.idempotency_key = given.map(<[u8]>::to_vec);
            let (mut request, _) = turn.prepare(&config).unwrap();
            request::AppendTurn::parse(&request.frame(1)[HEADER_BYTES..], 0).unwrap().key.to_vec()
        };
        assert_eq!(key(Some(b"mine")), b"mine");
        let (one, other) = (key(None), key(Some(b"")));
        assert_ne!(one, other);
        for key in [one, other] {
            assert!(key.len() == 32 && key.iter().all(u8::is_ascii_hexdigit), "{key:?}");
        }
    }

    #[test]
    fn what_is_too_long_is_not_sent() {
        let max = limits::BINARY_BLOB_BYTES_MAX;
        let long = AppendTurn::new(ContextId(1), "t", 1, vec![0; max + 1]);
        assert!(matches!(long.prepare(&config(None)), Err(ClientError::TooLarge { what: "payload", .. })));
        let name = "t".repeat(2 << 20);
        let long = AppendTurn::new(ContextId(1), name, 1, vec![0; max]);
        assert!(matches!(long.prepare(&config(None)), Err(ClientError::TooLarge { what: "request", .. })));
    }
}
