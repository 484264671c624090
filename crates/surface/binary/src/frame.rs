//! Frames: a header of 16 bytes and a body. All numbers are little endian.
//!
//! ```text
//! len u32 | message type u16 | flags u16 | request id u64 | len bytes
//! ```

/// The version of the protocol.
pub(crate) const PROTOCOL_VERSION: u16 = 1;
/// Bit of a response's flags: turns that were asked for were left out at a limit of the server.
pub(crate) const FLAG_CUT: u16 = 1;
/// Bytes of a header.
pub const HEADER_BYTES: usize = 16;

/// What a frame is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum MessageType {
    /// Says who the client is. Optional.
    Hello = 1,
    /// Makes a context.
    CreateContext = 2,
    /// Makes a context whose head is a given turn.
    ForkContext = 3,
    /// Reads the head of a context.
    GetHead = 4,
    /// Appends a turn.
    AppendTurn = 5,
    /// Reads the newest turns of a context.
    GetLast = 6,
    /// Reads the turns before a given one.
    GetBefore = 7,
    /// Reads turns from a depth on.
    GetRangeByDepth = 8,
    /// Reads a blob.
    GetBlob = 9,
    /// Gives a turn a file tree.
    AttachTree = 10,
    /// Uploads a blob.
    PutBlob = 11,
    /// Publishes a bundle of types.
    PutBundle = 12,
    /// Says what went wrong.
    Error = 255,
}

impl MessageType {
    const ALL: [MessageType; 13] = [
        MessageType::Hello,
        MessageType::CreateContext,
        MessageType::ForkContext,
        MessageType::GetHead,
        MessageType::AppendTurn,
        MessageType::GetLast,
        MessageType::GetBefore,
        MessageType::GetRangeByDepth,
        MessageType::GetBlob,
        MessageType::AttachTree,
        MessageType::PutBlob,
        MessageType::PutBundle,
        MessageType::Error,
    ];

    /// What a number stands for.
    pub fn from_number(number: u16) -> Option<Self> {
        MessageType::ALL.into_iter().find(|known| known.number() == number)
    }

    /// Its number.
    pub const fn number(self) -> u16 {
        self as u16
    }
}

/// What stands before every body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the body.
    pub len: u32,
    /// The message type, known or not.
    pub kind: u16,
    /// Flags of the request or of the answer.
    pub flags: u16,
    /// What the client calls the request; the answer has the same.
    pub request_id: u64,
}

impl Header {
    /// Reads a header.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Self {
        let [l0, l1, l2, l3, k0, k1, f0, f1, id @ ..] = *bytes;
        Header {
            len: u32::from_le_bytes([l0, l1, l2, l3]),
            kind: u16::from_le_bytes([k0, k1]),
            flags: u16::from_le_bytes([f0, f1]),
            request_id: u64::from_le_bytes(id),
        }
    }

    /// Its bytes.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&self.len.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.kind.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.flags.to_le_bytes());
        bytes[8..].copy_from_slice(&self.request_id.to_le_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_round_trip_and_stand_where_clients_look() {
        let header = Header { len: 0x0102_0304, kind: 5, flags: 1, request_id: 0x1112_1314_1516_1718 };
        let bytes = header.encode();
        assert_eq!(bytes, [4, 3, 2, 1, 5, 0, 1, 0, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]);
        assert_eq!(Header::decode(&bytes), header);
        assert_eq!(MessageType::from_number(255), Some(MessageType::Error));
        assert_eq!((MessageType::from_number(0), MessageType::from_number(13)), (None, None));
    }
}
