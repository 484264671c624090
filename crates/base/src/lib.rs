//! What every tier of cairn stands on: ids, hashes, values, ordered keys, error codes,
//! and the seams through which time, randomness and the disk come in.
//!
//! No crate of cairn is below this one. Nothing here knows stores, protocols or sockets.

mod base64;
mod calendar;
mod canonical;
mod clock;
mod entropy;
mod error_code;
pub mod fs;
mod harmless;
mod hash;
mod id;
mod key;
pub mod limits;
mod msgpack;
mod near;
mod pacer;
mod position;
mod size;
mod span;
mod step_back;
mod value;
mod varint;

pub use base64::{Base64, Base64Url, Hex, from_base64, from_base64_url, from_hex};
pub use calendar::{civil_date, from_iso, to_iso, to_iso_utc};
pub use canonical::{CanonicalError, CanonicalObject, canonical_json};
pub use clock::{Clock, ManualClock, SystemClock};
pub use entropy::{Entropy, SeededEntropy, SystemEntropy};
pub use error_code::{ErrorCode, ErrorRow, Retry};
pub use harmless::Harmless;
pub use hash::{ContentHash, HashParseError};
pub use id::{ContextId, SpaceId, TenantId, TurnId};
pub use key::{
    KeyBuf, KeyDecodeError, KeyReader, NULL_VALUE_KEY, prefix_end, text_prefix_key, value_key, value_key_len,
    value_kind_key,
};
pub use msgpack::{MsgpackError, MsgpackReader, MsgpackWriter, Token, msgpack_text, value_from_msgpack};
pub use near::{Nearest, most_alike, nearest};
pub use pacer::Pacer;
pub use position::Position;
pub use size::{KIB, MIB};
pub use span::time_span;
pub use step_back::step_back;
pub use value::{Number, Value, ValueError};
pub use varint::{put_varint, take_varint};
