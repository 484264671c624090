//! Numbers and bytes, as they stand in the bodies of frames: read from the front, written at the end.

use cairn_base::ContentHash;

use crate::error::WireError;

/// A body, read from its front.
pub(crate) struct Body<'a>(&'a [u8]);

impl<'a> Body<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Body(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn bytes(&mut self, count: usize, field: &'static str) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(WireError::Cut { field })?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], WireError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(WireError::Cut { field })?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self, field: &'static str) -> Result<u8, WireError> {
        self.array(field).map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self, field: &'static str) -> Result<u16, WireError> {
        self.array(field).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, field: &'static str) -> Result<u32, WireError> {
        self.array(field).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, field: &'static str) -> Result<u64, WireError> {
        self.array(field).map(u64::from_le_bytes)
    }

    pub(crate) fn hash(&mut self, field: &'static str) -> Result<ContentHash, WireError> {
        self.array(field).map(ContentHash::from_bytes)
    }

    /// Bytes behind their length.
    pub(crate) fn counted(&mut self, field: &'static str) -> Result<&'a [u8], WireError> {
        let count = self.u32(field)?;
        self.bytes(usize::try_from(count).unwrap_or(usize::MAX), field)
    }

    pub(crate) fn text(&mut self, count: usize, field: &'static str) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.bytes(count, field)?).map_err(|_| WireError::NotText { field })
    }
}

/// Something that fields are written to.
pub(crate) trait Put {
    fn put(&mut self, bytes: &[u8]) -> &mut Self;

    fn u8(&mut self, value: u8) -> &mut Self {
        self.put(&[value])
    }

    fn u16(&mut self, value: u16) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    /// Bytes behind their length; nothing here is longer than a frame.
    fn counted(&mut self, bytes: &[u8]) -> &mut Self {
        self.u32(u32::try_from(bytes.len()).unwrap_or(u32::MAX)).put(bytes)
    }
}

impl Put for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.extend_from_slice(bytes);
        self
    }
}
