//! Requests, out of the bodies of frames and into them. Lengths are checked against what is there before
//! anything is taken; bytes behind a request are ignored, as clients of other versions may send some.

use cairn_access::Token;
use cairn_base::{ContentHash, ContextId, TurnId};
use zeroize::Zeroizing;

use crate::error::WireError;
use crate::fields::{Body, Put};
use crate::frame::{MessageType, PROTOCOL_VERSION};

/// Who a client says it is.
#[derive(Clone, PartialEq, Eq, Default)]
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
        if Token::is_in(&tag) {
            return Err(WireError::TokenInTag);
        }
        let meta = body.counted("client_meta_json")?;
        let meta = std::str::from_utf8(meta).map_err(|_| WireError::NotText { field: "client_meta_json" })?;
        Ok(Hello { tag, meta: meta.to_owned() })
    }

    /// The token in `{"token": "…"}`. Whatever else the text is, it is the client's own business.
    pub(crate) fn token(&self) -> Option<Zeroizing<String>> {
        #[derive(serde::Deserialize)]
        struct Meta {
            token: Option<String>,
        }
        serde_json::from_str::<Meta>(&self.meta).ok()?.token.map(Zeroizing::new)
    }

    /// One that shows a token.
    pub(crate) fn with_token(tag: String, token: Option<&str>) -> Self {
        let meta = token.map(|token| serde_json::json!({ "token": token }).to_string());
        Hello { tag, meta: meta.unwrap_or_default() }
    }

    /// Whoever makes one sees to it that its tag has at most 65,535 bytes.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.u16(PROTOCOL_VERSION).u16(u16::try_from(self.tag.len()).unwrap_or(u16::MAX));
        out.put(self.tag.as_bytes()).counted(self.meta.as_bytes());
    }
}

impl std::fmt::Debug for Hello {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The rest may hold a token.
        f.debug_struct("Hello").field("tag", &self.tag).finish_non_exhaustive()
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

    /// The flags of its frame.
    pub(crate) fn flags(&self) -> u16 {
        if self.tree.is_some() { WITH_TREE } else { 0 }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.u64(self.context.0).u64(self.parent.unwrap_or(TurnId::NONE).0);
        out.counted(self.type_id.as_bytes()).u32(self.type_version);
        out.u32(self.encoding).u32(self.compression).u32(self.uncompressed_len).put(self.hash.as_bytes());
        out.counted(self.payload).counted(self.key);
        if let Some(tree) = &self.tree {
            out.put(tree.as_bytes());
        }
    }
}

/// A bundle of types, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PutBundle<'a> {
    pub(crate) id: &'a str,
    pub(crate) bytes: &'a [u8],
}

impl<'a> PutBundle<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        let id = body.counted("bundle_id")?;
        let id = std::str::from_utf8(id).map_err(|_| WireError::NotText { field: "bundle_id" })?;
        Ok(PutBundle { id, bytes: body.counted("bundle_json")? })
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.counted(self.id.as_bytes()).counted(self.bytes);
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

    /// The message type that asks for it.
    pub(crate) fn kind(&self) -> MessageType {
        match self.from {
            From::Head => MessageType::GetLast,
            From::Before(_) => MessageType::GetBefore,
            From::Depth(_) => MessageType::GetRangeByDepth,
        }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.u64(self.context.0);
        match self.from {
            From::Head => &mut *out,
            From::Before(turn) => out.u64(turn.0),
            From::Depth(depth) => out.u32(depth),
        };
        out.u32(self.limit).u32(u32::from(self.with_payload));
    }
}

/// A file tree for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttachTree {
    pub(crate) turn: TurnId,
    pub(crate) root: ContentHash,
}

impl AttachTree {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        Ok(AttachTree { turn: TurnId(body.u64("turn_id")?), root: body.hash("fs_root_hash")? })
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.u64(self.turn.0).put(self.root.as_bytes());
    }
}

/// A blob to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PutBlob<'a> {
    pub(crate) hash: ContentHash,
    pub(crate) data: &'a [u8],
}

impl<'a> PutBlob<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        Ok(PutBlob { hash: body.hash("hash")?, data: body.counted("data")? })
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.put(self.hash.as_bytes()).counted(self.data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(encode: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        encode(&mut out);
        out
    }

    #[test]
    fn a_token_is_shown_by_no_hello_and_taken_in_no_tag() {
        let token = format!("cairn_{}", "Ab3-".repeat(12));
        let hello = Hello::with_token("a tag".into(), Some(&token));
        let shown = format!("{hello:?}");
        assert!(shown.contains("a tag") && !shown.contains("Ab3-"), "{shown}");
        assert_eq!(hello.token().as_deref().map(String::as_str), Some(token.as_str()));
        let hello = Hello { tag: format!("agent {token}"), meta: String::new() };
        let refused = Hello::parse(&encoded(|out| hello.encode(out))).unwrap_err();
        assert!(matches!(refused, WireError::TokenInTag) && !refused.to_string().contains("Ab3-"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let hello = Hello { tag: "a tag".into(), meta: "{}".into() };
        assert_eq!(Hello::parse(&encoded(|out| hello.encode(out))).unwrap(), hello);
        for tree in [None, Some(ContentHash::of(b"tree"))] {
            let append = AppendTurn {
                context: ContextId(1),
                parent: tree.map(|_| TurnId(2)),
                type_id: "a.Type",
                type_version: 3,
                encoding: 4,
                compression: 1,
                uncompressed_len: 6,
                hash: ContentHash::of(b"7"),
                payload: b"eight",
                key: b"nine",
                tree,
            };
            let bytes = encoded(|out| append.encode(out));
            assert_eq!(AppendTurn::parse(&bytes, append.flags()).unwrap(), append);
        }
        let window = |from| Window { context: ContextId(1), from, limit: 3, with_payload: true };
        type Parse = fn(&[u8]) -> Result<Window, WireError>;
        let windows: [(From, Parse); 3] = [
            (From::Head, Window::last),
            (From::Before(TurnId(2)), Window::before),
            (From::Depth(4), Window::by_depth),
        ];
        for (from, parse) in windows {
            let bytes = encoded(|out| window(from).encode(out));
            assert_eq!(parse(&bytes).unwrap(), window(from));
        }
        let attach = AttachTree { turn: TurnId(1), root: ContentHash::of(b"root") };
        assert_eq!(AttachTree::parse(&encoded(|out| attach.encode(out))).unwrap(), attach);
        let put = PutBlob { hash: ContentHash::of(b"data"), data: b"data" };
        assert_eq!(PutBlob::parse(&encoded(|out| put.encode(out))).unwrap(), put);
    }
}
