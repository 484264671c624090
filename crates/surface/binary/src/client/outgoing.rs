//! A request on its way out.

use std::fmt;

use super::error::ClientError;
use crate::frame::{HEADER_BYTES, Header, MessageType};
use crate::limits;

/// A request: its whole frame in one buffer, so that it is one write, however often it is sent.
pub(crate) struct Outgoing {
    kind: MessageType,
    flags: u16,
    frame: Vec<u8>,
}

impl Outgoing {
    /// A request whose body is what `body` writes.
    pub(crate) fn new(kind: MessageType, body: impl FnOnce(&mut Vec<u8>)) -> Result<Self, ClientError> {
        Outgoing::with_flags(kind, 0, 0, body)
    }

    /// The same with flags, and with room for so many bytes besides the usual.
    pub(crate) fn with_flags(
        kind: MessageType,
        flags: u16,
        room: usize,
        body: impl FnOnce(&mut Vec<u8>),
    ) -> Result<Self, ClientError> {
        let mut frame = Vec::with_capacity(HEADER_BYTES + 64 + room);
        frame.resize(HEADER_BYTES, 0);
        body(&mut frame);
        ClientError::check_size("request", frame.len() - HEADER_BYTES, limits::BINARY_FRAME_BYTES_MAX)?;
        Ok(Outgoing { kind, flags, frame })
    }

    pub(crate) fn kind(&self) -> MessageType {
        self.kind
    }

    /// Whether sending it twice does the same as sending it once.
    pub(crate) fn is_idempotent(&self) -> bool {
        !matches!(self.kind, MessageType::CreateContext | MessageType::ForkContext)
    }

    /// Its bytes, under the given request id.
    pub(crate) fn frame(&mut self, request_id: u64) -> &[u8] {
        let len = u32::try_from(self.frame.len() - HEADER_BYTES).unwrap_or(u32::MAX);
        let header = Header { len, kind: self.kind.number(), flags: self.flags, request_id };
        self.frame[..HEADER_BYTES].copy_from_slice(&header.encode());
        &self.frame
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A HELLO holds a token.
        f.debug_struct("Outgoing").field("kind", &self.kind).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Hello;

    #[test]
    fn what_is_sent_is_not_shown() {
        let hello = Hello::with_token(String::new(), Some("secret"));
        let request = Outgoing::new(MessageType::Hello, |out| hello.encode(out)).expect("it is short");
        assert_eq!(format!("{request:?}"), "Outgoing { kind: Hello, .. }");
    }
}
