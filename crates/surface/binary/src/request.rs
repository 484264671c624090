//! Requests, out of the bodies of frames. Lengths are checked against what is there before anything is
//! taken; bytes behind a request are ignored, as clients of other versions may send some.

use cairn_base::{ContentHash, ContextId, TurnId};

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

    fn text(&mut self, count: usize, field: &'static str) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.bytes(count, field)?).map_err(|_| WireError::NotText { field })
    }
}

/// Who a client says it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Hello {
    pub(crate) tag: String,
    /// JSON by convention; not every client keeps to it.
    pub(crate) meta: String,
}

impl Hello {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        if body.is_empty() {
            return Ok(Hello::default());
        }
        body.u16("protocol_version")?;
        let tag_bytes = body.u16("client_tag_len")?;
        let tag = body.text(usize::from(tag_bytes), "client_tag")?.to_owned();
        let meta = body.counted("client_meta_json")?;
        let meta = std::str::from_utf8(meta).map_err(|_| WireError::NotText { field: "client_meta_json" })?;
        Ok(Hello { tag, meta: meta.to_owned() })
    }
}

/// A turn to be appended, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppendTurn<'a> {
    pub(crate) context: ContextId,
    pub(crate) parent: Option<TurnId>,
    pub(crate) type_id: &'a str,
    pub(crate) type_version: u32,
    pub(crate) encoding: u32,
    pub(crate) compression: u32,
    pub(crate) uncompressed_len: u32,
    pub(crate) hash: ContentHash,
    pub(crate) payload: &'a [u8],
    pub(crate) key: &'a [u8],
    pub(crate) tree: Option<ContentHash>,
}

/// The flag that says that the root of a file tree follows.
const WITH_TREE: u16 = 1;

impl<'a> AppendTurn<'a> {
    pub(crate) fn parse(bytes: &'a [u8], flags: u16) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        let context = ContextId(body.u64("context_id")?);
        let parent = TurnId(body.u64("parent_turn_id")?);
        let type_id = body.counted("type_id")?;
        let type_id = std::str::from_utf8(type_id).map_err(|_| WireError::NotText { field: "type_id" })?;
        Ok(AppendTurn {
            context,
            parent: (parent != TurnId::NONE).then_some(parent),
            type_id,
            type_version: body.u32("type_version")?,
            encoding: body.u32("encoding")?,
            compression: body.u32("compression")?,
            uncompressed_len: body.u32("uncompressed_len")?,
            hash: body.hash("content_hash")?,
            payload: body.counted("payload")?,
            key: body.counted("idempotency_key")?,
            tree: if flags & WITH_TREE == 0 { None } else { Some(body.hash("fs_root_hash")?) },
        })
    }
}

/// Which turns to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) context: ContextId,
    pub(crate) from: From,
    pub(crate) limit: u32,
    pub(crate) with_payload: bool,
}

/// Where a window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    Head,
    Before(TurnId),
    Depth(u32),
}

impl Window {
    pub(crate) fn last(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        let context = ContextId(body.u64("context_id")?);
        Window::ending(body, context, From::Head)
    }

    pub(crate) fn before(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        let context = ContextId(body.u64("context_id")?);
        let from = From::Before(TurnId(body.u64("before_turn_id")?));
        Window::ending(body, context, from)
    }

    pub(crate) fn by_depth(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        let context = ContextId(body.u64("context_id")?);
        let from = From::Depth(body.u32("start_depth")?);
        Window::ending(body, context, from)
    }

    fn ending(mut body: Body<'_>, context: ContextId, from: From) -> Result<Self, WireError> {
        let (limit, with_payload) = (body.u32("limit")?, body.u32("include_payload")? != 0);
        Ok(Window { context, from, limit, with_payload })
    }
}
