//! What indexes have to hold, out of the records alone.

use std::collections::BTreeSet;

use cairn_base::{KeyBuf, Value, value_key};
use cairn_graph::{CheckPlace, ConceptId, IndexInfo, IndexState, View, limits, tables};
use cairn_seam::{KeyRange, Visit};

use crate::kit::Kit;

/// Every entry of a space, as its key.
pub(crate) fn stored_entries(kit: &Kit) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    let range = KeyRange::prefix(&kit.scope.key());
    kit.snapshot()
        .multi_scan(tables::INDEX_ENTRIES, &[range], &mut |_, key, value| {
            assert!(value.is_empty());
            found.insert(key.to_vec());
            Visit::Continue
        })
        .unwrap();
    found
}

/// Compares every index with the records, also those that are not ready. What is being dropped counts for
/// nothing, and is left out.
pub(crate) fn check(kit: &Kit) {
    let indexes = kit.read(|view| view.indexes()).unwrap();
    let mut stored = stored_entries(kit);
    for info in indexes {
        let front = kit.scope.key().u64(info.index.id.0);
        let own: BTreeSet<_> = stored.iter().filter(|key| key.starts_with(&front)).cloned().collect();
        stored.retain(|key| !key.starts_with(&front));
        if info.state != IndexState::Dropping {
            let expected = kit.read(|view| expected(&view, &info, &front));
            assert_eq!(own, expected, "{info:?}");
            assert_eq!(wrong(kit, &info), 0, "{info:?}");
        }
    }
    assert!(stored.is_empty(), "entries of no index: {stored:?}");
}

/// What a verification of an index finds.
pub(crate) fn wrong(kit: &Kit, info: &IndexInfo) -> u64 {
    let (mut place, mut wrong) = (CheckPlace::Concepts(ConceptId(0)), 0);
    loop {
        let page = kit.read(|view| view.check_index(info, &place, 3)).unwrap();
        wrong += page.wrong;
        let Some(next) = page.next else { return wrong };
        place = next;
    }
}

fn expected(view: &View<'_>, info: &IndexInfo, front: &KeyBuf) -> BTreeSet<Vec<u8>> {
    let path: Vec<&str> = info.index.path.iter().map(String::as_str).collect();
    let last = match info.state {
        IndexState::Building { covered } => covered.0,
        IndexState::Ready => u64::MAX,
        IndexState::Dropping => 0,
    };
    let mut found = BTreeSet::new();
    view.concepts_of_type(info.index.kind, None, &mut |id, record| {
        if id.0 <= last {
            let value = record.value(info.index.part, &path).unwrap().unwrap_or(Value::Null);
            let bytes = value_key(&value).into_vec();
            let kept = bytes.len().min(limits::GRAPH_INDEX_VALUE_BYTES_MAX);
            found.insert([front, &bytes[..kept], &id.0.to_be_bytes()].concat());
        }
        Visit::Continue
    })
    .unwrap();
    found
}
