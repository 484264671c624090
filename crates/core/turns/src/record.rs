//! Bytes of this memory's records. Numbers are varints unless their length is said.
//!
//! ```text
//! counters  version 2 | last context | last turn | contexts | turns
//!           version 1 | last context | last turn
//! context   version 1 | head | head depth | base | created_at_ms | active_at_ms - created_at_ms
//! turn      version 1 | flags | context | id - parent, or 0 for the first | depth | type number
//!           | type version | encoding | compression | payload bytes | created_at_ms
//!           | [id - jump] | [id - tree_above] | hash 32 bytes | [tree 32 bytes]
//! ```
//!
//! Flags of a turn: 1 has a jump, 2 has a tree above, 4 has a tree of its own.

use cairn_base::{ContentHash, ContextId, TurnId, put_varint, take_varint};

use crate::context::Context;
use crate::error::TurnsError;
use crate::intern::TypeNumber;
use crate::turn::Turn;

const VERSION: u8 = 1;
const COUNTERS_VERSION: u8 = 2;
const HAS_JUMP: u64 = 1;
const HAS_TREE_ABOVE: u64 = 2;
const HAS_TREE: u64 = 4;

/// The last numbers that were given, and how much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// The last context that got a number.
    pub context: u64,
    /// The last turn that did.
    pub turn: u64,
    /// Contexts there are: those that were pruned are none of them.
    pub contexts: u64,
    /// Turns there are.
    pub turns: u64,
}

pub(crate) fn encode_counters(counters: Counters) -> Vec<u8> {
    let mut out = vec![COUNTERS_VERSION];
    let Counters { context, turn, contexts, turns } = counters;
    [context, turn, contexts, turns].into_iter().for_each(|number| put_varint(&mut out, number));
    out
}

pub(crate) fn decode_counters(bytes: &[u8]) -> Result<Counters, TurnsError> {
    // The first version did not say how much there is: as much as numbers were given, if nothing was pruned.
    if bytes.first() == Some(&VERSION) {
        return decode(VERSION, "turn counters", bytes, |rest| {
            let (context, turn) = (take_varint(rest)?, take_varint(rest)?);
            Some(Counters { context, turn, contexts: context, turns: turn })
        });
    }
    decode(COUNTERS_VERSION, "turn counters", bytes, |rest| {
        let (context, turn) = (take_varint(rest)?, take_varint(rest)?);
        Some(Counters { context, turn, contexts: take_varint(rest)?, turns: take_varint(rest)? })
    })
}

pub(crate) fn encode_context(context: &Context) -> Vec<u8> {
    encode(&[
        context.head.0,
        u64::from(context.head_depth),
        context.base.0,
        context.created_at_ms,
        context.active_at_ms.saturating_sub(context.created_at_ms),
    ])
}

pub(crate) fn decode_context(id: ContextId, bytes: &[u8]) -> Result<Context, TurnsError> {
    decode(VERSION, "context", bytes, |rest| {
        let (head, head_depth) = (TurnId(take_varint(rest)?), take_u32(rest)?);
        let (base, created_at_ms) = (TurnId(take_varint(rest)?), take_varint(rest)?);
        let active_at_ms = created_at_ms.checked_add(take_varint(rest)?)?;
        Some(Context { id, head, head_depth, base, created_at_ms, active_at_ms })
    })
}

pub(crate) fn encode_turn(turn: &Turn) -> Vec<u8> {
    let jumps = turn.jump != turn.parent;
    let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
    let flags = flag(jumps, HAS_JUMP)
        | flag(turn.tree_above != TurnId::NONE, HAS_TREE_ABOVE)
        | flag(turn.tree.is_some(), HAS_TREE);
    let mut out = encode(&[
        flags,
        turn.context.0,
        if turn.parent == TurnId::NONE { 0 } else { turn.id.0 - turn.parent.0 },
        u64::from(turn.depth),
        u64::from(turn.type_number.0),
        u64::from(turn.type_version),
        u64::from(turn.encoding),
        u64::from(turn.compression),
        u64::from(turn.payload_bytes),
        turn.created_at_ms,
    ]);
    for (is_set, above) in [(jumps, turn.jump), (turn.tree_above != TurnId::NONE, turn.tree_above)] {
        if is_set {
            put_varint(&mut out, turn.id.0 - above.0);
        }
    }
    out.extend_from_slice(turn.hash.as_bytes());
    if let Some(tree) = &turn.tree {
        out.extend_from_slice(tree.as_bytes());
    }
    out
}

pub(crate) fn decode_turn(id: TurnId, bytes: &[u8]) -> Result<Turn, TurnsError> {
    decode(VERSION, "turn", bytes, |rest| {
        let flags = take_varint(rest)?;
        let context = ContextId(take_varint(rest)?);
        let above = |distance: u64| id.0.checked_sub(distance).filter(|_| distance > 0).map(TurnId);
        let parent = match take_varint(rest)? {
            0 => TurnId::NONE,
            distance => above(distance)?,
        };
        let depth = take_u32(rest)?;
        let type_number = TypeNumber(take_u32(rest)?);
        let (type_version, encoding, compression) = (take_u32(rest)?, take_u32(rest)?, take_u32(rest)?);
        let (payload_bytes, created_at_ms) = (take_u32(rest)?, take_varint(rest)?);
        let jump = if flags & HAS_JUMP == 0 { parent } else { above(take_varint(rest)?)? };
        let tree_above = if flags & HAS_TREE_ABOVE == 0 { TurnId::NONE } else { above(take_varint(rest)?)? };
        let hash = take_hash(rest)?;
        let tree = if flags & HAS_TREE == 0 { None } else { Some(take_hash(rest)?) };
        Some(Turn {
            id,
            context,
            parent,
            depth,
            jump,
            type_number,
            type_version,
            encoding,
            compression,
            payload_bytes,
            hash,
            created_at_ms,
            tree,
            tree_above,
        })
    })
}

/// The blobs that a turn's record refers to: its payload, and the root of the tree it came with.
pub fn blobs_of_turn(record: &[u8]) -> Result<(ContentHash, Option<ContentHash>), TurnsError> {
    // Its number only says how far away others are, and none is further than this.
    let turn = decode_turn(TurnId(u64::MAX), record)?;
    Ok((turn.hash, turn.tree))
}

/// The root that a record of [`TREES`](crate::tables::TREES) names; one of them names none.
pub fn root_of_tree(record: &[u8]) -> Result<Option<ContentHash>, TurnsError> {
    if record.is_empty() {
        return Ok(None);
    }
    let bad = |_| TurnsError::BadRecord { what: "tree of a turn", detail: "it has not 32 bytes".into() };
    <[u8; 32]>::try_from(record).map(ContentHash::from_bytes).map(Some).map_err(bad)
}

fn encode(numbers: &[u64]) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + numbers.len() * 3);
    out.push(VERSION);
    numbers.iter().for_each(|number| put_varint(&mut out, *number));
    out
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    u32::try_from(take_varint(rest)?).ok()
}

fn take_hash(rest: &mut &[u8]) -> Option<ContentHash> {
    let (hash, behind) = rest.split_first_chunk::<32>()?;
    *rest = behind;
    Some(ContentHash::from_bytes(*hash))
}

fn decode<T>(
    known: u8,
    what: &'static str,
    bytes: &[u8],
    body: impl FnOnce(&mut &[u8]) -> Option<T>,
) -> Result<T, TurnsError> {
    let bad = |detail: &str| TurnsError::BadRecord { what, detail: detail.into() };
    let (version, mut rest) = bytes.split_first().ok_or_else(|| bad("it is empty"))?;
    if *version != known {
        return Err(bad("its version is not known here; use a newer cairn"));
    }
    let value =
        body(&mut rest).ok_or_else(|| bad("it ends too early or holds a number that makes no sense"))?;
    if rest.is_empty() { Ok(value) } else { Err(bad("it is too long")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn turns_and_contexts_round_trip_and_no_cut_decodes(
            id in 3..u64::MAX, parent: u64, jump: u64, tree_above: u64, numbers: [u32; 6], hash: [u8; 32],
            tree: Option<[u8; 32]>, times: [u32; 2], context: u64
        ) {
            let parent = TurnId(parent % id);
            let turn = Turn {
                id: TurnId(id),
                context: ContextId(context),
                parent,
                depth: numbers[0],
                jump: if jump % 2 == 0 { parent } else { TurnId(jump % id) },
                type_number: TypeNumber(numbers[1]),
                type_version: numbers[2],
                encoding: numbers[3],
                compression: numbers[4],
                payload_bytes: numbers[5],
                hash: ContentHash::from_bytes(hash),
                created_at_ms: u64::from(times[0]),
                tree: tree.map(ContentHash::from_bytes),
                tree_above: TurnId(tree_above % id),
            };
            let bytes = encode_turn(&turn);
            prop_assert_eq!(decode_turn(turn.id, &bytes).unwrap(), turn);
            for cut in 0..bytes.len() {
                prop_assert!(decode_turn(turn.id, &bytes[..cut]).is_err());
            }
            prop_assert!(decode_turn(turn.id, &[&bytes[..], &[0]].concat()).is_err());

            let context = Context {
                id: ContextId(context),
                head: turn.id,
                head_depth: numbers[0],
                base: parent,
                created_at_ms: u64::from(times[0]),
                active_at_ms: u64::from(times[0]) + u64::from(times[1]),
            };
            prop_assert_eq!(decode_context(context.id, &encode_context(&context)).unwrap(), context);

            let [context, turn, contexts, turns] = [id, parent.0, jump, tree_above];
            let counters = Counters { context, turn, contexts, turns };
            prop_assert_eq!(decode_counters(&encode_counters(counters)).unwrap(), counters);
            let first_version = encode(&[context, turn]);
            let as_many = Counters { context, turn, contexts: context, turns: turn };
            prop_assert_eq!(decode_counters(&first_version).unwrap(), as_many);
        }

        #[test]
        fn any_bytes_decode_or_fail(bytes: Vec<u8>) {
            let _ = decode_turn(TurnId(9), &bytes);
            let _ = decode_context(ContextId(9), &bytes);
            let _ = decode_counters(&bytes);
        }
    }
}
