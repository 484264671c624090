//! Answers: the whole frame in one buffer, so that it is one write. How clients read them is in `read.rs`.

mod read;

use cairn_base::{ContentHash, TurnId};
use cairn_turns::registry::Published;
use cairn_turns::{Context, Turn};

use crate::error::WireError;
use crate::fields::Put;
use crate::frame::{FLAG_CUT, HEADER_BYTES, Header, MessageType};
use crate::memory::Share;
use crate::payload::NONE;

pub use read::{Appended, Head, TurnRecord, TurnWindow};
pub(crate) use read::{Attached, Greeting, Stored, blob, published, window};

/// The status of a bundle that is new.
const PUBLISHED_NEW: u32 = 201;
/// The status of a bundle that was there already.
const PUBLISHED_KNOWN: u32 = 204;

/// A frame that is being made.
pub(crate) struct Answer {
    bytes: Vec<u8>,
    kind: u16,
    flags: u16,
    request_id: u64,
    /// Memory that it holds until it is sent.
    share: Share,
}

impl Answer {
    /// An empty answer to a request.
    pub(crate) fn to(request: &Header) -> Self {
        Answer {
            bytes: vec![0; HEADER_BYTES],
            kind: request.kind,
            flags: 0,
            request_id: request.request_id,
            share: None,
        }
    }

    /// The same, with room for so many bytes.
    pub(crate) fn with_capacity(request: &Header, bytes: usize) -> Self {
        let mut answer = Answer::to(request);
        answer.bytes.reserve(bytes);
        answer
    }

    /// The bytes so far, to which others append before it is [an answer](Answer::of_bytes) again.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// An answer of bytes that began as those of one.
    pub(crate) fn of_bytes(request: &Header, bytes: Vec<u8>) -> Self {
        Answer { bytes, ..Answer::to(request) }
    }

    /// Whether nothing was put in yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.len() == HEADER_BYTES
    }

    pub(crate) fn error(request: &Header, error: &WireError) -> Self {
        let mut answer = Answer::to(request);
        answer.kind = MessageType::Error.number();
        error.encode(&mut answer.bytes);
        answer
    }

    pub(crate) fn greeting(&mut self, session: u64, version: u16) -> &mut Self {
        self.u64(session).u16(version)
    }

    pub(crate) fn head(&mut self, context: &Context) -> &mut Self {
        self.u64(context.id.0).u64(context.head.0).u32(context.head_depth)
    }

    pub(crate) fn appended(&mut self, turn: &Turn) -> &mut Self {
        self.u64(turn.context.0).u64(turn.id.0).u32(turn.depth).put(turn.hash.as_bytes())
    }

    pub(crate) fn attached(&mut self, turn: TurnId, root: &ContentHash) -> &mut Self {
        self.u64(turn.0).put(root.as_bytes())
    }

    pub(crate) fn stored(&mut self, hash: &ContentHash, was_new: bool) -> &mut Self {
        self.put(hash.as_bytes()).u8(u8::from(was_new))
    }

    /// As HTTP has it: 201 or 204.
    pub(crate) fn published(&mut self, published: Published) -> &mut Self {
        self.u32(match published {
            Published::New => PUBLISHED_NEW,
            Published::Known => PUBLISHED_KNOWN,
        })
    }

    /// One turn of a window; without its payload the length is 0, so that clients find the next one.
    pub(crate) fn turn(&mut self, turn: &Turn, type_name: &str, payload: Option<&[u8]>) {
        self.u64(turn.id.0).u64(turn.parent.0).u32(turn.depth);
        self.counted(type_name.as_bytes()).u32(turn.type_version).u32(turn.encoding);
        // Served payloads are plain.
        self.u32(if payload.is_some() { NONE } else { turn.compression });
        self.u32(turn.payload_bytes).put(turn.hash.as_bytes());
        self.counted(payload.unwrap_or_default());
    }

    /// Says that turns were left out at a limit of the server.
    pub(crate) fn cut(&mut self) {
        self.flags |= FLAG_CUT;
    }

    /// Holds on to memory until it is sent.
    pub(crate) fn hold(&mut self, share: Share) {
        self.share = share;
    }

    /// The finished frame, and the memory it holds.
    pub(crate) fn into_frame(mut self) -> (Vec<u8>, Share) {
        let len = u32::try_from(self.bytes.len() - HEADER_BYTES).unwrap_or(u32::MAX);
        let header = Header { len, kind: self.kind, flags: self.flags, request_id: self.request_id };
        self.bytes[..HEADER_BYTES].copy_from_slice(&header.encode());
        (self.bytes, self.share)
    }
}

impl Put for Answer {
    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }
}
