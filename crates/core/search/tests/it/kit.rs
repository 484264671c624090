//! A collection for tests, and an index of it.

use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::SimulatedFs;
use cairn_base::{Position, SeededEntropy, SpaceId, SystemEntropy, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_seam::{DerivedSeal, LocalStore};
use cairn_search::SearchError;
use cairn_search::directory::{Protection, memory_directory, open_directory};
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
    Settings { store: "store".into(), collections: COLLECTIONS.iter().collect(), writer_bytes: 15_000_000 }
}

pub(crate) fn in_memory() -> SearchIndex {
    SearchIndex::open(memory_directory(), settings()).expect("an index")
}

/// How an index on disk is kept.
pub(crate) enum Kept {
    Plain,
    Sealed(Arc<dyn DerivedSeal>),
}

impl Kept {
    /// With the keys of a new sealed store.
    pub(crate) fn sealed() -> Self {
        let options = EmbeddedOptions {
            fs: Arc::new(SimulatedFs::new(1)),
            entropy: Arc::new(SeededEntropy::new(1)),
            key: Some(EncryptionKey::generate(&SeededEntropy::new(1))),
            segment_bytes: 16 << 10,
            reserve_bytes: 0,
            cache_bytes: 1 << 20,
            background: Background::Manual,
            ..EmbeddedOptions::default()
        };
        let store = EmbeddedStore::open(Path::new("store"), options).expect("a store");
        Kept::Sealed(store.derived_seal("search").expect("it is sealed"))
    }

    /// The index in a folder, or a new one there.
    pub(crate) fn open(&self, folder: &Path) -> Result<SearchIndex, SearchError> {
        let protection = match self {
            Kept::Plain => Protection::Checked(Arc::new(SystemEntropy)),
            Kept::Sealed(seal) => Protection::Sealed(Arc::clone(seal)),
        };
        let folder = open_directory(folder, protection);
        let folder = folder.map_err(|error| SearchError::Damaged(error.to_string()))?;
        SearchIndex::open(folder, settings())
    }
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
    let position = Position::from_stored(index.position().to_stored() + 1);
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
