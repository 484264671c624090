//! Answers, as clients read them. What a message says about its content is checked against the content.

use cairn_base::{ContentHash, ContextId, TurnId};

use crate::error::WireError;
use crate::fields::Body;
use crate::frame::FLAG_CUT;

/// What a server answers to HELLO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(crate) session: u64,
    pub(crate) version: u16,
}

impl Greeting {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        Ok(Greeting { session: body.u64("session_id")?, version: body.u16("protocol_version")? })
    }
}

/// Whether a bundle was new.
pub(crate) fn published(bytes: &[u8]) -> Result<bool, WireError> {
    Ok(Body::new(bytes).u32("status")? == super::PUBLISHED_NEW)
}

/// A context and the newest turn of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The context.
    pub context: ContextId,
    /// Its newest turn, if it has one.
    pub turn: Option<TurnId>,
    /// How many turns are before that one.
    pub depth: u32,
}

impl Head {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        Ok(Head {
            context: ContextId(body.u64("context_id")?),
            turn: some_turn(body.u64("head_turn_id")?),
            depth: body.u32("head_depth")?,
        })
    }
}

/// A turn that is on the server's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The context that it is the head of.
    pub context: ContextId,
    /// The turn.
    pub turn: TurnId,
    /// How many turns are before it.
    pub depth: u32,
    /// The hash of its payload.
    pub hash: ContentHash,
}

impl Appended {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        Ok(Appended {
            context: ContextId(body.u64("context_id")?),
            turn: TurnId(body.u64("new_turn_id")?),
            depth: body.u32("new_depth")?,
            hash: body.hash("content_hash")?,
        })
    }
}

/// A turn that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRecord {
    /// The turn.
    pub turn: TurnId,
    /// The one before it, if there is one.
    pub parent: Option<TurnId>,
    /// How many turns are before it.
    pub depth: u32,
    /// Its declared type.
    pub type_id: String,
    /// The version of that.
    pub type_version: u32,
    /// How the payload is encoded; 1 is MessagePack.
    pub encoding: u32,
    /// How long the payload is.
    pub payload_bytes: u32,
    /// The hash of the payload.
    pub hash: ContentHash,
    /// The payload, if it was asked for.
    pub payload: Option<Vec<u8>>,
}

impl TurnRecord {
    fn take(body: &mut Body<'_>, with_payload: bool) -> Result<Self, WireError> {
        let turn = TurnId(body.u64("turn_id")?);
        let parent = some_turn(body.u64("parent_turn_id")?);
        let depth = body.u32("depth")?;
        let type_bytes = body.u32("type_id_len")?;
        let type_id = body.text(usize::try_from(type_bytes).unwrap_or(usize::MAX), "type_id")?.to_owned();
        let (type_version, encoding) = (body.u32("type_version")?, body.u32("encoding")?);
        // Of what was sent once; what is served is plain.
        body.u32("compression")?;
        let (payload_bytes, hash) = (body.u32("uncompressed_len")?, body.hash("content_hash")?);
        let payload = body.counted("payload")?;
        if with_payload {
            if payload.len() as u64 != u64::from(payload_bytes) {
                return Err(WireError::WrongLength { found: payload.len() as u64, said: payload_bytes });
            }
            is(payload, &hash)?;
        }
        let payload = with_payload.then(|| payload.to_vec());
        Ok(TurnRecord { turn, parent, depth, type_id, type_version, encoding, payload_bytes, hash, payload })
    }
}

/// Turns of a context's history, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnWindow {
    /// The turns.
    pub turns: Vec<TurnRecord>,
    /// Whether the server left out turns that were asked for, because of its limits on bytes and turns: the
    /// older ones of [`last`](crate::client::Client::last) and [`before`](crate::client::Client::before), which
    /// go on before the oldest turn that is here, the newer ones of
    /// [`range_by_depth`](crate::client::Client::range_by_depth).
    pub is_cut: bool,
}

impl std::ops::Deref for TurnWindow {
    type Target = [TurnRecord];

    fn deref(&self) -> &[TurnRecord] {
        &self.turns
    }
}

impl IntoIterator for TurnWindow {
    type Item = TurnRecord;
    type IntoIter = std::vec::IntoIter<TurnRecord>;

    fn into_iter(self) -> Self::IntoIter {
        self.turns.into_iter()
    }
}

/// The turns of a window.
pub(crate) fn window(bytes: &[u8], flags: u16, with_payload: bool) -> Result<TurnWindow, WireError> {
    let mut body = Body::new(bytes);
    let count = body.u32("count")?;
    // Nothing is made for turns that are not there: one that is missing ends this.
    let turns: Result<_, _> = (0..count).map(|_| TurnRecord::take(&mut body, with_payload)).collect();
    Ok(TurnWindow { turns: turns?, is_cut: flags & FLAG_CUT != 0 })
}

/// The bytes of a blob.
pub(crate) fn blob(bytes: &[u8], hash: &ContentHash) -> Result<Vec<u8>, WireError> {
    let found = Body::new(bytes).counted("raw")?;
    is(found, hash)?;
    Ok(found.to_vec())
}

/// A turn and the file tree that it has now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attached {
    pub(crate) turn: TurnId,
    pub(crate) root: ContentHash,
}

impl Attached {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        Ok(Attached { turn: TurnId(body.u64("turn_id")?), root: body.hash("fs_root_hash")? })
    }
}

/// A blob that is there now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) hash: ContentHash,
    pub(crate) was_new: bool,
}

impl Stored {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        Ok(Stored { hash: body.hash("hash")?, was_new: body.u8("was_new")? != 0 })
    }
}

fn some_turn(number: u64) -> Option<TurnId> {
    (number != TurnId::NONE.0).then_some(TurnId(number))
}

fn is(bytes: &[u8], hash: &ContentHash) -> Result<(), WireError> {
    if ContentHash::of(bytes) == *hash { Ok(()) } else { Err(WireError::WrongHash) }
}
