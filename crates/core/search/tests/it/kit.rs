//! A collection for tests, and an index of it.

use cairn_base::{Position, SpaceId, TenantId};
use cairn_search::directory::memory_directory;
use cairn_search::document::{Change, Collection, Document, Field, Partition, Role};
use cairn_search::found::Found;
use cairn_search::index::{SearchIndex, Settings};
use cairn_search::query;
use cairn_search::request::{Filter, Recency, Request};

pub(crate) const NOTES: Collection = Collection {
    number: 7,
    name: "notes",
    fields: &[
        Field { name: "name", weight: 2.0, role: Role::Name },
        Field { name: "text", weight: 1.0, role: Role::Text },
    ],
};

pub(crate) const COLLECTIONS: &[Collection] = &[NOTES];

pub(crate) fn partition(tenant: u32) -> Partition {
    Partition { tenant: TenantId(tenant), space: SpaceId::NONE, collection: NOTES.number }
}

pub(crate) fn settings() -> Settings {
    Settings { store: "store".into(), collections: COLLECTIONS, writer_bytes: 15_000_000 }
}

pub(crate) fn in_memory() -> SearchIndex {
    SearchIndex::open(memory_directory(), settings()).expect("an index")
}

pub(crate) fn note(id: u64, name: &str, text: &str) -> Document {
    Document {
        id: id.to_be_bytes().to_vec(),
        kind: "note".into(),
        texts: vec![(0, name.to_owned()), (1, text.to_owned())],
        time_ms: id,
        ..Document::default()
    }
}

pub(crate) fn add(index: &SearchIndex, documents: impl IntoIterator<Item = Document>) {
    let changes: Vec<_> =
        documents.into_iter().map(|document| (partition(1), Change::Add(document))).collect();
    let position = Position(index.position().0 + 1);
    index.apply(&changes, position).expect("they are taken");
}

pub(crate) fn request(text: &str, limit: usize) -> Request {
    Request {
        partitions: vec![partition(1)],
        query: query::parse(text, &["name", "text"]).expect("it parses"),
        filter: Filter::default(),
        limit,
        recency: Recency::default(),
    }
}

pub(crate) fn search(index: &SearchIndex, text: &str) -> Found {
    index.search(&request(text, 100)).expect("an answer")
}

pub(crate) fn ids(found: &Found) -> Vec<u64> {
    found.hits.iter().map(|hit| u64::from_be_bytes(hit.id.as_slice().try_into().expect("8 bytes"))).collect()
}
