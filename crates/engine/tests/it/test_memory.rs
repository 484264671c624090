//! A memory that is defined here, in one file, and plugs into the engine with one row: everything that shared code
//! does for a memory, it does for this one.
//!
//! ```text
//! notes            (scope, number) → hash of an attached blob, 32 bytes | text
//! notes-by-length  (scope, length of the text, number) → nothing: derived
//! ```

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::fs::SimulatedFs;
use cairn_base::{ContentHash, KeyReader, ManualClock, Position, SeededEntropy, SpaceId, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_engine::{
    Act, Cleared, Engine, EngineConfig, EngineError, Filling, Memory, MetricKind, PrometheusText, Reference,
    Referring, SearchHome, SearchMode, Searchable, Taking, Track, VisitReference, Walk,
};
use cairn_seam::{
    Blob, Change as Commit, Event, EventKind, Finding, KeepChanges, KeyRange, Keyspace, Maintenance,
    MaintenanceReport, MemoryStore, OnStage, Reader, Snapshot, Store, StoreError, Visit, WriteTx,
};
use cairn_search::document::{Change, Collection, Document, Field, Partition, Role};
use cairn_search::query;
use cairn_search::request::{Filter, Recency, Request};
use parking_lot::Mutex;

use crate::support::{NOW_MS, owner};

const NOTES: Keyspace = Keyspace::new(900, "notes");
const BY_LENGTH: Keyspace = Keyspace::new(901, "notes-by-length");
const NOTED: EventKind = EventKind(900);
const HASH_BYTES: usize = 32;

const COLLECTION: Collection = Collection {
    number: 200,
    name: "notes",
    fields: &[Field { name: "text", weight: 1.0, role: Role::Text }],
};

/// The one row that plugs it in.
fn with_notes(notes: &Arc<Notes>) -> EngineConfig {
    EngineConfig { memories: vec![Arc::clone(notes) as Arc<dyn Memory>], ..EngineConfig::default() }
}

/// The memory of notes, with the texts that were written lately.
#[derive(Default)]
struct Notes {
    cache: Arc<Mutex<BTreeMap<u64, String>>>,
    upkeeps: AtomicU64,
}

impl Memory for Notes {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn keyspaces(&self) -> &'static [Keyspace] {
        &[NOTES, BY_LENGTH]
    }

    fn event_kinds(&self) -> &'static [(EventKind, &'static str)] {
        &[(NOTED, "noted")]
    }

    fn referring(&self) -> &'static [Referring] {
        &[Referring { keyspace: NOTES, called: Some("blob of note "), folder: None, references }]
    }

    fn search(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    fn tracked(&self) -> &'static [Keyspace] {
        &[NOTES]
    }

    fn track(&self) -> Option<Box<dyn Track>> {
        Some(Box::new(Writing { cache: Arc::clone(&self.cache), written: BTreeMap::new() }))
    }

    fn clear_caches(&self, after: Cleared) {
        if after == Cleared::Forgotten {
            self.cache.lock().clear();
        }
    }

    fn verify(
        &self,
        _: &Engine,
        _: bool,
        report: &mut MaintenanceReport,
        _: OnStage<'_>,
    ) -> Result<(), EngineError> {
        if self.upkeeps.load(Ordering::Relaxed) == 0 {
            let detail = "nobody looked after the notes".to_owned();
            report.findings.push(Finding { file: "records".into(), offset: 0, detail, repaired: false });
        }
        report.figures.push(("notes_verified", 1));
        Ok(())
    }

    fn upkeep(&self, _: &Engine, _: OnStage<'_>) {
        self.upkeeps.fetch_add(1, Ordering::Relaxed);
    }

    fn write_metrics(&self, text: &mut PrometheusText) {
        let cached = self.cache.lock().len() as u64;
        text.family("cairn_notes_cached", MetricKind::Gauge, "Notes in memory.").integer(&[], cached);
    }
}

fn references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    let hash =
        value.first_chunk::<HASH_BYTES>().ok_or(StoreError::Record { detail: "a note is cut".into() })?;
    visit(Reference::Blob(ContentHash::from_bytes(*hash)));
    Ok(())
}

/// Texts of a transaction: in the cache when they are durable.
struct Writing {
    cache: Arc<Mutex<BTreeMap<u64, String>>>,
    written: BTreeMap<u64, String>,
}

impl Track for Writing {
    fn restart(&mut self) {
        self.written.clear();
    }

    fn put(&mut self, _: Keyspace, key: &[u8], value: &[u8]) {
        self.cache.lock().remove(&number_of(key));
        self.written.insert(number_of(key), text_of(value));
    }

    fn delete(&mut self, _: Keyspace, key: &[u8]) {
        self.cache.lock().remove(&number_of(key));
    }

    fn delete_range(&mut self, _: Keyspace) {
        self.cache.lock().clear();
    }

    fn committed(&mut self, _: TenantId, _: Position) {
        self.cache.lock().append(&mut self.written);
    }
}

impl Searchable for Notes {
    fn collections(&self) -> &'static [Collection] {
        &[COLLECTION]
    }

    fn take(
        &self,
        _: &Engine,
        tenant: TenantId,
        commits: &[Commit],
        snapshot: &dyn Snapshot,
        taking: &mut Taking<'_>,
    ) -> Result<(), EngineError> {
        for event in commits.iter().flat_map(|commit| &commit.events).filter(|event| event.kind == NOTED) {
            let key = [&tenant.0.to_be_bytes()[..], &SpaceId::NONE.0.to_be_bytes(), &event.body].concat();
            let value = cairn_seam::get(snapshot, NOTES, &key)?;
            let removed = || Change::Remove(Document::id_of(number_of(&key)));
            let change = value.map_or_else(removed, |value| Change::Replace(document(&key, &value)));
            taking.add([(partition(tenant), change)]);
        }
        Ok(())
    }

    fn walk<'a>(&'a self, _: &'a Engine, _: &dyn Snapshot) -> Result<Box<dyn Walk + 'a>, EngineError> {
        Ok(Box::new(EveryNote))
    }
}

struct EveryNote;

impl Walk for EveryNote {
    fn size(&self) -> u64 {
        1
    }

    fn run(&mut self, filling: &Filling<'_>) -> Result<(), EngineError> {
        let mut found = Vec::new();
        scan(&*filling.snapshot()?, NOTES, &mut |key, value| {
            let tenant = KeyReader::new(key).tenant().unwrap();
            found.push((partition(tenant), Change::Replace(document(key, value))));
        })?;
        filling.add(&found, found.len() as u64)
    }
}

fn partition(tenant: TenantId) -> Partition {
    COLLECTION.partition(tenant, SpaceId::NONE)
}

fn document(key: &[u8], value: &[u8]) -> Document {
    Document { id: Document::id_of(number_of(key)), texts: vec![(0, text_of(value))], ..Document::default() }
}

fn number_of(key: &[u8]) -> u64 {
    key.last_chunk().map_or(0, |number| u64::from_be_bytes(*number))
}

fn text_of(value: &[u8]) -> String {
    String::from_utf8_lossy(value.get(HASH_BYTES..).unwrap_or_default()).into_owned()
}

fn scan(
    reader: &(impl Reader + ?Sized),
    keyspace: Keyspace,
    visit: &mut dyn FnMut(&[u8], &[u8]),
) -> Result<(), StoreError> {
    let everything = [KeyRange::new(Bound::Unbounded, Bound::Unbounded)];
    reader.multi_scan(keyspace, &everything, &mut |_, key, value| {
        visit(key, value);
        Visit::Continue
    })
}

fn act(tenant: TenantId) -> Act {
    Act::new(Action::ArtifactPublish, Resource::tenant(tenant))
}

const TENANT: TenantId = TenantId::LOCAL;

/// The use case of this memory: notes a text with an attachment.
fn write_note(engine: &Engine, tenant: TenantId, number: u64, text: &'static str) {
    let attached = Blob::new(format!("attached to {text}").into_bytes()).unwrap();
    let write = move |tx: &mut dyn WriteTx, scope: &Scope| {
        tx.put_blob(&attached)?;
        let value = [&attached.hash().as_bytes()[..], text.as_bytes()].concat();
        tx.put(NOTES, &scope.key().u64(number), &value)?;
        let length = u32::try_from(text.len()).unwrap();
        tx.put(BY_LENGTH, &scope.key().u32(length).u64(number), &[])?;
        Ok(tx.emit(Event { kind: NOTED, body: number.to_be_bytes().to_vec() })?)
    };
    engine.transact(&owner(), act(tenant), write).unwrap();
}

/// Another one: removes a note.
fn remove_note(engine: &Engine, tenant: TenantId, number: u64) {
    let remove = move |tx: &mut dyn WriteTx, scope: &Scope| {
        tx.delete(NOTES, &scope.key().u64(number))?;
        Ok(tx.emit(Event { kind: NOTED, body: number.to_be_bytes().to_vec() })?)
    };
    engine.transact(&owner(), act(tenant), remove).unwrap();
}

/// The notes that words find.
fn found(engine: &Engine, words: &str) -> Vec<u64> {
    while engine.search_status().state != "ready" || engine.search_status().detail.is_some() {
        thread::sleep(Duration::from_millis(1));
    }
    let read = Act::new(Action::ArtifactRead, Resource::tenant(TENANT));
    let consulted = engine.consult(&Principal::local_owner(), &read, |index, _, scope| {
        let (query, filter) = (query::parse(words, &["text"]).unwrap(), Filter::default());
        let partitions = vec![partition(scope.tenant())];
        let request = Request { partitions, query, filter, limit: 10, recency: Recency::default() };
        let hits = index.search(&request)?.hits;
        Ok(hits.iter().map(|hit| Document::number_of(&hit.id)).collect::<Vec<_>>())
    });
    let consulted = consulted.unwrap();
    assert!(!consulted.behind, "{words}");
    consulted.answer
}

fn search_in_memory() -> SearchMode {
    SearchMode::Kept(SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 })
}

fn maintain(engine: &Engine, job: &Maintenance) -> MaintenanceReport {
    engine.maintain(&owner(), job, &mut |_| true).unwrap()
}

/// An engine over a store in memory that knows of notes.
fn in_memory(notes: &Arc<Notes>) -> (Arc<Engine>, Arc<MemoryStore>, ManualClock) {
    let clock = ManualClock::new(NOW_MS);
    let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let config = EngineConfig { search: search_in_memory(), ..with_notes(notes) };
    let entropy = Arc::new(SeededEntropy::new(1));
    let opened = Engine::open(Arc::clone(&store) as Arc<dyn Store>, Arc::new(clock.clone()), entropy, config);
    (opened.unwrap(), store, clock)
}

#[test]
fn its_documents_are_found_and_walked_when_the_index_is_rebuilt() {
    let notes = Arc::new(Notes::default());
    let (engine, _, _) = in_memory(&notes);
    write_note(&engine, TENANT, 7, "a heron on the pier");
    write_note(&engine, TenantId(9), 8, "another heron");
    assert_eq!(found(&engine, "heron"), [7]);
    engine.search_rebuild(&owner(), &mut |_| true).unwrap();
    assert_eq!(found(&engine, "heron"), [7]);
    assert_eq!(found(&engine, "pier"), [7]);
    write_note(&engine, TENANT, 9, "a grey heron");
    let mut both = found(&engine, "heron");
    both.sort_unstable();
    assert_eq!(both, [7, 9]);
    engine.close().unwrap();
}

#[test]
fn its_blobs_survive_a_sweep_and_lost_ones_are_found_by_the_doctor() {
    let notes = Arc::new(Notes::default());
    let (engine, store, clock) = in_memory(&notes);
    engine.upkeep_once().unwrap();
    write_note(&engine, TENANT, 7, "a heron");
    let unreferred = Blob::new(b"nobody refers to it".to_vec()).unwrap();
    let hash = unreferred.hash();
    engine.transact(&owner(), act(TENANT), move |tx, _| Ok(tx.put_blob(&unreferred)?)).unwrap();
    clock.advance(Duration::from_secs(3 * 24 * 60 * 60));
    let compact = Maintenance::Compact { keep_changes: KeepChanges::AsConfigured, forget: Vec::new() };
    assert_eq!(maintain(&engine, &compact).figures, [("blobs_removed", 1)]);
    let attached = ContentHash::of(b"attached to a heron");
    assert!(store.open_blob(TENANT, &attached).unwrap().is_some());
    assert!(!matches!(store.open_blob(TENANT, &hash), Ok(Some(_))));

    let verify = Maintenance::Verify { repair: false };
    assert_eq!(maintain(&engine, &verify).findings, []);
    let dangle = move |tx: &mut dyn WriteTx, scope: &Scope| {
        let value = [&hash.as_bytes()[..], b"its blob is gone"].concat();
        Ok(tx.put(NOTES, &scope.key().u64(8), &value)?)
    };
    engine.transact(&owner(), act(TENANT), dangle).unwrap();
    let findings = maintain(&engine, &verify).findings;
    assert_eq!(findings.len(), 1);
    assert!(findings[0].detail.contains(&hash.to_string()), "{findings:?}");
    engine.close().unwrap();
}

#[test]
fn the_doctor_upkeep_metrics_and_events_ask_it() {
    let notes = Arc::new(Notes::default());
    let (engine, _, _) = in_memory(&notes);
    let verify = Maintenance::Verify { repair: false };
    let report = maintain(&engine, &verify);
    assert_eq!(report.findings.len(), 1, "{report:?}");
    engine.upkeep_once().unwrap();
    let report = maintain(&engine, &verify);
    assert!(report.findings.is_empty() && report.figures.contains(&("notes_verified", 1)), "{report:?}");

    write_note(&engine, TENANT, 7, "a heron");
    assert!(engine.render_prometheus().contains("\ncairn_notes_cached 1\n"));
    let events: Vec<_> = engine.memories().iter().flat_map(|memory| memory.event_kinds()).collect();
    assert!(events.contains(&&(NOTED, "noted")));
    engine.close().unwrap();
}

#[test]
fn a_transaction_that_fails_does_not_reach_its_cache() {
    let notes = Arc::new(Notes::default());
    let (engine, _, _) = in_memory(&notes);
    write_note(&engine, TENANT, 7, "a heron");
    let cached = || notes.cache.lock().clone();
    assert_eq!(cached(), BTreeMap::from([(7, "a heron".to_owned())]));
    let fail = |tx: &mut dyn WriteTx, scope: &Scope| {
        tx.put(NOTES, &scope.key().u64(7), &[b'x'; 40])?;
        Err::<(), _>(EngineError::Store(StoreError::Aborted))
    };
    engine.transact(&owner(), act(TENANT), fail).unwrap_err();
    assert_eq!(cached(), BTreeMap::new(), "neither the old text nor the new one");
    engine.close().unwrap();
}

#[test]
fn forgetting_clears_its_cache_and_its_keyspaces_can_be_named() {
    let (fs, clock) = (SimulatedFs::new(5), ManualClock::new(NOW_MS));
    let options = EmbeddedOptions {
        fs: Arc::new(fs),
        clock: Arc::new(clock.clone()),
        entropy: Arc::new(SeededEntropy::new(3)),
        background: Background::Manual,
        reserve_bytes: 0,
        ..EmbeddedOptions::default()
    };
    let store = Arc::new(EmbeddedStore::open(Path::new("data"), options).unwrap());
    let notes = Arc::new(Notes::default());
    let config = EngineConfig { search: search_in_memory(), ..with_notes(&notes) };
    let entropy = Arc::new(SeededEntropy::new(1));
    let engine =
        Engine::open(Arc::clone(&store) as Arc<dyn Store>, Arc::new(clock), entropy, config).unwrap();
    write_note(&engine, TENANT, 7, "a heron");
    write_note(&engine, TENANT, 8, "a grebe");
    assert_eq!(found(&engine, "heron"), [7]);
    remove_note(&engine, TENANT, 7);
    assert_eq!(*notes.cache.lock(), BTreeMap::from([(8, "a grebe".to_owned())]));
    let forget = vec![format!("tenant:{TENANT}/notes/{:08x}{:016x}", SpaceId::NONE.0, 7)];
    maintain(&engine, &Maintenance::Compact { keep_changes: KeepChanges::All, forget });
    assert!(notes.cache.lock().is_empty());
    assert_eq!(found(&engine, "heron"), [0; 0]);
    assert_eq!(found(&engine, "grebe"), [8]);
    let mut left = Vec::new();
    scan(&*store.snapshot(Position::START).unwrap(), NOTES, &mut |key, _| left.push(number_of(key))).unwrap();
    assert_eq!(left, [8]);
    engine.close().unwrap();
}
