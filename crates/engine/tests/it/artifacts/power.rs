//! Power cuts: what was acknowledged stays and is found, and of what was not there is all or nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use cairn_access::{Principal, Role, Roles};
use cairn_artifacts::ArtifactId;
use cairn_base::fs::SimulatedFs;
use cairn_base::{ManualClock, SeededEntropy, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_engine::{
    ArtifactDeletion, ArtifactQuestion, ArtifactSelection, Engine, EngineError, SearchHome, SearchMode,
};
use cairn_seam::Store;

use super::kit::{ADA_SEED, World, id, identity, open, publish, register_people, signed_body};
use super::whole::{Blobs, announced, check};
use crate::search::until;
use crate::support::NOW_MS;

/// Publishes of one life; a cut comes before that.
const STEPS: u8 = 150;
/// Artifacts in the bundle, behind those that are published.
const BUNDLED: std::ops::Range<u8> = 201..204;

/// Small segments and quick applies, so that a short life sees many of both.
pub(super) fn options(fs: &SimulatedFs, seed: u64) -> EmbeddedOptions {
    EmbeddedOptions {
        fs: Arc::new(fs.clone()),
        clock: Arc::new(ManualClock::new(NOW_MS)),
        entropy: Arc::new(SeededEntropy::new(seed)),
        segment_bytes: 64 << 10,
        reserve_bytes: 0,
        cache_bytes: 1 << 20,
        apply_bytes: 16 << 10,
        unapplied_bytes_max: 256 << 10,
        background: Background::Manual,
        ..EmbeddedOptions::default()
    }
}

/// A node over the store in a directory.
pub(super) fn open_in(
    fs: &SimulatedFs,
    dir: &str,
    seed: u64,
    search: SearchMode,
) -> (Arc<EmbeddedStore>, Arc<Engine>) {
    let store = Arc::new(EmbeddedStore::open(Path::new(dir), options(fs, seed)).unwrap());
    let clock = ManualClock::new(NOW_MS);
    let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock, search).unwrap();
    (store, engine)
}

pub(super) fn ada(tenant: TenantId) -> Principal {
    Principal::new("ada", tenant, Roles::NONE.with(Role::Writer)).known_as("acme", Vec::new())
}

pub(super) fn searched() -> SearchMode {
    SearchMode::Kept(SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 })
}

/// A body with content of every length that is stored in its own way, each a child of the one before.
pub(super) fn body(number: u8) -> Vec<u8> {
    let key = identity(ADA_SEED);
    let bytes = match number % 16 {
        7 => (1 << 20) + 1,
        3 | 11 => 90 << 10,
        _ => 40,
    };
    let content = format!("kingfisher {number} ").repeat(1 + bytes / 13);
    let parent = format!("{{\"parent_reports\":[\"{}\"]}}", id(number.saturating_sub(1)));
    let long = format!("\"{}\"", "x".repeat(if number.is_multiple_of(5) { 40 << 10 } else { 1 }));
    let more = [("lineage", parent.as_str()), ("unknown", &long)];
    signed_body(&key, number, NOW_MS, content.as_bytes(), &more)
}

/// A bundle of other artifacts, with a tombstone of the first.
fn bundle() -> Vec<u8> {
    let world = World::without_search();
    for number in BUNDLED {
        world.publish(&world.ada(), &body(number)).unwrap();
    }
    world.publish(&world.ada(), &body(1)).unwrap();
    let write = world.engine.delete_artifact(&world.ada(), id(1), &ArtifactDeletion::default()).unwrap();
    world.engine.commit(write).unwrap();
    let mut bytes = Vec::new();
    world
        .engine
        .export_artifacts(&world.ada(), &ArtifactSelection::default(), &mut bytes, &mut |_| true)
        .unwrap();
    bytes
}

/// What was acknowledged, and what was under way.
#[derive(Debug, Default)]
struct Model {
    /// Whether each is live.
    known: BTreeMap<ArtifactId, bool>,
    in_doubt: BTreeSet<ArtifactId>,
}

impl Model {
    /// Publishes, deletes and imports until the power goes; returns whether it did.
    fn live(&mut self, store: &EmbeddedStore, engine: &Engine, ada: &Principal, bundle: &[u8]) -> bool {
        for number in 1..STEPS {
            let step = self.step(engine, ada, number, bundle);
            let applied = if number % 8 == 0 { store.upkeep().map(drop) } else { Ok(()) };
            if step.is_err() || applied.is_err() {
                return true;
            }
        }
        false
    }

    fn step(
        &mut self,
        engine: &Engine,
        ada: &Principal,
        number: u8,
        bundle: &[u8],
    ) -> Result<(), EngineError> {
        self.in_doubt = [id(number)].into();
        publish(engine, ada, &body(number))?;
        self.known.insert(id(number), true);
        if number.is_multiple_of(3) {
            let gone = id(number - 1);
            self.in_doubt = [gone].into();
            let prepared = engine.delete_artifact(ada, gone, &ArtifactDeletion::default())?;
            engine.commit(prepared)?;
            self.known.insert(gone, false);
        }
        if number % 20 == 10 {
            self.in_doubt = BUNDLED.map(id).chain([id(1)]).collect();
            let report = engine.import_artifacts(ada, bundle, &mut |_| true)?;
            assert_eq!((report.imported + report.known, report.refused), (3, 0), "{report:?}");
            self.known.extend(BUNDLED.map(|number| (id(number), true)));
            self.known.insert(id(1), false);
        }
        self.in_doubt.clear();
        Ok(())
    }
}

#[test]
fn a_power_cut_leaves_whole_artifacts_that_are_found_once() {
    let bundle = bundle();
    let mut cuts = 0;
    for seed in 0..24 {
        let fs = SimulatedFs::new(seed);
        let (store, engine) = open_in(&fs, "data", seed, SearchMode::Off);
        let (acme, _) = register_people(&engine);
        let ada = ada(acme);
        fs.cut_power_at(fs.operations() + 1 + seed * 18);
        let mut model = Model::default();
        cuts += u64::from(model.live(&store, &engine, &ada, &bundle));
        drop((store, engine));
        fs.power_cycle();

        let (store, engine) = open_in(&fs, "data", seed + 1000, searched());
        let what = format!("seed {seed}");
        let artifacts = check(&*store, &engine, Blobs::All, &what);
        let found: BTreeMap<_, _> = artifacts.iter().map(|known| (known.id, known.is_live())).collect();
        for (id, is_live) in model.known.iter().filter(|(id, _)| !model.in_doubt.contains(id)) {
            assert_eq!(found.get(id), Some(is_live), "{what}: {id} was acknowledged");
        }
        for id in found.keys() {
            let is_meant = model.known.contains_key(id) || model.in_doubt.contains(id);
            assert!(is_meant, "{what}: nobody published {id}");
        }
        let told = announced(&*store);
        for known in &artifacts {
            assert_eq!(told[&known.id], (1, u64::from(!known.is_live())), "{what}: events of {}", known.id);
        }
        let live: BTreeSet<_> = found.iter().filter(|(_, is_live)| **is_live).map(|(id, _)| *id).collect();
        assert_eq!(listed(&engine, &ada, None), live.iter().copied().collect::<Vec<_>>(), "{what}");
        assert_eq!(listed(&engine, &ada, Some("kingfisher")), live.iter().copied().collect::<Vec<_>>());

        // And it goes on: what was under way can be asked for again.
        fs.cut_power_at(u64::MAX);
        for number in model.in_doubt.iter().filter(|id| !found.contains_key(id)) {
            let number = number.as_bytes()[0];
            assert!(publish(&engine, &ada, &body(number)).unwrap().is_new, "{what}");
        }
        assert!(publish(&engine, &ada, &body(250)).unwrap().is_new, "{what}");
        let report = engine.import_artifacts(&ada, &bundle[..], &mut |_| true).unwrap();
        assert_eq!(report.imported + report.known, 3, "{what}: {report:?}");
        check(&*store, &engine, Blobs::All, &what);
        engine.close().unwrap();
    }
    assert!(cuts > 20, "the power went only {cuts} times");
}

/// Everything that a caller is shown, in pages, the smallest id first.
pub(super) fn listed(engine: &Engine, principal: &Principal, text: Option<&str>) -> Vec<ArtifactId> {
    until("the index is ready", || engine.search_status().state == "ready");
    let mut ids = Vec::new();
    loop {
        let question = ArtifactQuestion {
            text: text.map(str::to_owned),
            limit: 7,
            offset: ids.len(),
            ..ArtifactQuestion::default()
        };
        let page = engine.artifact_list(principal, &question).unwrap();
        assert!(!page.behind && !page.rebuilding);
        if page.items.is_empty() {
            assert_eq!(page.total, ids.len() as u64);
            ids.sort_unstable();
            return ids;
        }
        ids.extend(page.items.iter().map(|item| item.artifact.id));
    }
}

#[test]
fn an_import_that_was_cut_short_is_completed_by_the_next() {
    let bundle = bundle();
    for seed in 0..12 {
        let fs = SimulatedFs::new(seed);
        let (mut store, mut engine) = open_in(&fs, "data", seed, SearchMode::Off);
        let (acme, _) = register_people(&engine);
        let ada = ada(acme);
        publish(&engine, &ada, &body(1)).unwrap();
        let mut lives = 0;
        loop {
            lives += 1;
            // A little later each time, so that it comes to an end.
            fs.cut_power_at(fs.operations() + lives * 2 + seed % 3);
            match engine.import_artifacts(&ada, &bundle[..], &mut |_| true) {
                Ok(report) => {
                    assert_eq!((report.imported + report.known, report.refused), (3, 0), "{report:?}");
                    break;
                }
                Err(error) => assert!(lives < 100, "seed {seed}: {error}"),
            }
            drop((store, engine));
            fs.power_cycle();
            (store, engine) = open_in(&fs, "data", seed + 1000 * lives, SearchMode::Off);
            check(&*store, &engine, Blobs::All, &format!("seed {seed}, life {lives}"));
        }
        assert!(lives > 1, "seed {seed}: the power never went");
        fs.cut_power_at(u64::MAX);
        let artifacts = check(&*store, &engine, Blobs::All, &format!("seed {seed}"));
        let live: Vec<_> = artifacts.iter().filter(|known| known.is_live()).map(|known| known.id).collect();
        assert_eq!((live, artifacts.len()), (BUNDLED.map(id).collect(), 4), "seed {seed}");
        assert!(announced(&*store).values().all(|(published, deleted)| *published == 1 && *deleted < 2));
    }
}
