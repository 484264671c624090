//! Bytes of this memory's records. Numbers are varints unless their length is said.
//!
//! ```text
//! concept  version 1 | flags | times written | created_at_ms | updated_at_ms - created_at_ms
//!          | bytes of the name | name | body
//! link     version 1 | flags | times written | created_at_ms | updated_at_ms - created_at_ms
//!          | subject | type of the subject | predicate | object | type of the object | body
//! body     bytes of the attributes | attributes | metadata
//!          or, with flag 1, the hash of a blob with that, 32 bytes
//! ```
//!
//! Flags: 1 the body is a blob, 2 there is text in the attributes. An end whose type is 0 is a link.
//! Attributes and metadata are msgpack maps, the keys of each map sorted and each value in its shortest form:
//! equal content has equal bytes.

mod decode;
mod encode;
mod head;
mod path;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use decode::{decode_concept, decode_link};
pub(crate) use encode::{Encoded, encode_body, encode_concept, encode_link};
pub(crate) use head::{Body, ConceptHead, Head, LinkHead};
pub use head::{blob_of_concept, blob_of_link};
pub(crate) use view::Blobs;
pub use view::RecordView;

use crate::GraphError;

const VERSION: u8 = 1;
/// Attributes and metadata are in a blob.
const IN_BLOB: u64 = 1;
/// There is text in the attributes.
const HAS_TEXT: u64 = 2;

const CONCEPT: &str = "concept";
const LINK: &str = "link";

fn bad(what: &'static str, detail: impl Into<String>) -> GraphError {
    GraphError::BadRecord { what, detail: detail.into() }
}
