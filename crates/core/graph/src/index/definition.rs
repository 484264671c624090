//! The indexes of a space: one record, because there are few, and every writer and many readers need it.
//!
//! ```text
//! version u8 (1) | last number given | how many | each: number | type | flags | last concept covered
//!                                                        | keys | each: its bytes | key       varints
//! ```
//!
//! Flags: 1 a field of metadata, 2 made automatically, 4 ready, 8 being dropped. What is neither of the last
//! two is being built, and only then a concept is covered.

use cairn_access::Scope;
use cairn_base::{put_varint, take_varint};
use cairn_seam::{Reader, WriteTx, get};

use super::{Index, IndexId, IndexInfo, IndexOrigin, IndexState};
use crate::tables::INDEXES;
use crate::{ConceptId, GraphError, Part, Result, TypeId, limits};

const VERSION: u8 = 1;

const IN_METADATA: u64 = 1;
const AUTOMATIC: u64 = 2;
const READY: u64 = 4;
const DROPPING: u64 = 8;

/// Every index of a space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Indexes {
    /// The last number that was given.
    pub(super) last: u64,
    /// In the order of their numbers.
    pub(crate) all: Vec<IndexInfo>,
}

impl Indexes {
    pub(crate) fn read<R: Reader + ?Sized>(reader: &R, scope: &Scope) -> Result<Self> {
        let record = get(reader, INDEXES, &scope.key())?;
        record.as_deref().map_or_else(|| Ok(Indexes::default()), Indexes::decode)
    }

    pub(crate) fn write(&self, tx: &mut dyn WriteTx, scope: &Scope) -> Result<()> {
        Ok(tx.put(INDEXES, &scope.key(), &self.encode())?)
    }

    /// One that is not being dropped.
    pub(super) fn find_mut(&mut self, id: IndexId) -> Result<&mut IndexInfo> {
        let found =
            self.all.iter_mut().find(|info| info.index.id == id && info.state != IndexState::Dropping);
        found.ok_or(GraphError::NoIndex(id))
    }

    /// Whether there can be one more.
    pub(super) fn check_room(&self) -> Result<()> {
        let (max, held_max) = (limits::GRAPH_INDEXES_MAX, limits::GRAPH_INDEXES_HELD_MAX);
        let in_use = self.all.iter().filter(|info| info.state != IndexState::Dropping).count();
        if in_use >= max {
            return Err(GraphError::IndexesFull { max });
        }
        if self.all.len() >= held_max {
            return Err(GraphError::IndexesDropping { max: held_max });
        }
        Ok(())
    }

    /// No number up to this one is given any more.
    pub(crate) fn at_least(&mut self, last: u64) {
        self.last = self.last.max(last);
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        put_varint(&mut out, self.last);
        put_varint(&mut out, self.all.len() as u64);
        for IndexInfo { index, state, origin } in &self.all {
            let (state, covered) = match state {
                IndexState::Building { covered } => (0, covered.0),
                IndexState::Ready => (READY, 0),
                IndexState::Dropping => (DROPPING, 0),
            };
            let part = if index.part == Part::Metadata { IN_METADATA } else { 0 };
            let origin = if *origin == IndexOrigin::Automatic { AUTOMATIC } else { 0 };
            let numbers = [index.id.0, index.kind.0, part | origin | state, covered, index.path.len() as u64];
            numbers.into_iter().for_each(|number| put_varint(&mut out, number));
            for key in &index.path {
                put_varint(&mut out, key.len() as u64);
                out.extend_from_slice(key.as_bytes());
            }
        }
        out
    }

    pub(super) fn decode(record: &[u8]) -> Result<Self> {
        let (version, mut rest) = record.split_first().ok_or_else(|| bad("it is empty"))?;
        if *version != VERSION {
            return Err(bad("its version is not known here; use a newer cairn"));
        }
        let decoded = (|| {
            let last = take_varint(&mut rest)?;
            let count = bounded(&mut rest, limits::GRAPH_INDEXES_HELD_MAX)?;
            let all = (0..count).map(|_| info(&mut rest)).collect::<Option<Vec<IndexInfo>>>()?;
            rest.is_empty().then_some(Indexes { last, all })
        })();
        decoded.ok_or_else(|| bad("it ends too early or holds something that makes no sense"))
    }
}

fn info(rest: &mut &[u8]) -> Option<IndexInfo> {
    let (id, kind) = (IndexId(take_varint(rest)?), TypeId(take_varint(rest)?));
    let flags =
        take_varint(rest).filter(|flags| flags & !(IN_METADATA | AUTOMATIC | READY | DROPPING) == 0)?;
    let covered = take_varint(rest)?;
    let state = match (flags & (READY | DROPPING), covered) {
        (0, covered) => IndexState::Building { covered: ConceptId(covered) },
        (READY, 0) => IndexState::Ready,
        (DROPPING, 0) => IndexState::Dropping,
        _ => return None,
    };
    let keys = bounded(rest, limits::GRAPH_INDEX_PATH_KEYS_MAX).filter(|keys| *keys > 0)?;
    let path = (0..keys).map(|_| key(rest)).collect::<Option<Vec<String>>>()?;
    let part = if flags & IN_METADATA == 0 { Part::Attributes } else { Part::Metadata };
    let origin = if flags & AUTOMATIC == 0 { IndexOrigin::Asked } else { IndexOrigin::Automatic };
    Some(IndexInfo { index: Index { id, kind, part, path }, state, origin })
}

fn key(rest: &mut &[u8]) -> Option<String> {
    let bytes = bounded(rest, limits::ELEMENT_KEY_BYTES_MAX)?;
    let (key, behind) = rest.split_at_checked(bytes)?;
    *rest = behind;
    String::from_utf8(key.to_vec()).ok()
}

fn bounded(rest: &mut &[u8], max: usize) -> Option<usize> {
    usize::try_from(take_varint(rest)?).ok().filter(|number| *number <= max)
}

fn bad(detail: &str) -> GraphError {
    GraphError::BadRecord { what: "list of indexes", detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn any_info() -> impl Strategy<Value = IndexInfo> {
        let state = prop_oneof![
            any::<u64>().prop_map(|covered| IndexState::Building { covered: ConceptId(covered) }),
            Just(IndexState::Ready),
            Just(IndexState::Dropping),
        ];
        let path = vec(".{1,20}", 1..=limits::GRAPH_INDEX_PATH_KEYS_MAX);
        (any::<u64>(), any::<u64>(), any::<bool>(), any::<bool>(), state, path).prop_map(
            |(id, kind, in_metadata, is_automatic, state, path)| IndexInfo {
                index: Index {
                    id: IndexId(id),
                    kind: TypeId(kind),
                    part: if in_metadata { Part::Metadata } else { Part::Attributes },
                    path,
                },
                state,
                origin: if is_automatic { IndexOrigin::Automatic } else { IndexOrigin::Asked },
            },
        )
    }

    proptest! {
        #[test]
        fn lists_round_trip_and_no_cut_decodes(
            last: u64,
            all in vec(any_info(), 0..5),
            bytes: Vec<u8>,
        ) {
            let indexes = Indexes { last, all };
            let encoded = indexes.encode();
            prop_assert_eq!(Indexes::decode(&encoded).unwrap(), indexes);
            for cut in 0..encoded.len() {
                prop_assert!(Indexes::decode(&encoded[..cut]).is_err());
            }
            prop_assert!(Indexes::decode(&[&encoded[..], &[0]].concat()).is_err());
            let _ = Indexes::decode(&bytes);
            let _ = Indexes::decode(&[&[VERSION, 1, 1][..], &bytes].concat());
        }
    }

    #[test]
    fn the_longest_list_fits_into_a_record() {
        let path = vec!["k".repeat(limits::ELEMENT_KEY_BYTES_MAX); limits::GRAPH_INDEX_PATH_KEYS_MAX];
        let index = Index { id: IndexId(u64::MAX), kind: TypeId(u64::MAX), part: Part::Metadata, path };
        let state = IndexState::Building { covered: ConceptId(u64::MAX) };
        let info = IndexInfo { index, state, origin: IndexOrigin::Automatic };
        let longest = Indexes { last: u64::MAX, all: vec![info; limits::GRAPH_INDEXES_HELD_MAX] };
        assert!(longest.encode().len() <= cairn_seam::limits::VALUE_BYTES_MAX);
        let more =
            Indexes { all: vec![longest.all[0].clone(); limits::GRAPH_INDEXES_HELD_MAX + 1], ..longest };
        assert!(Indexes::decode(&more.encode()).is_err());
    }
}
