//! Memories after a salvage: what is left answers as before, what is listed as lost is lost, and it goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_access::registry::{TeamName, UserId};
use cairn_access::{Action, Principal, Resource, Role, Roles};
use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{ContextId, Entropy, ManualClock, Position, SeededEntropy, SpaceId, TenantId, TurnId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_engine::{
    Act, Engine, EngineConfig, MEMORY_SPACE, NewToken, SalvageReport, Traces, rebuild_after_loss, tables,
};
use cairn_seam::{Blob, KeyRange, Maintenance, SalvagedStore, Snapshot, Store, Visit};
use cairn_turns::{Append, DeclaredType, TurnsError};

use crate::kip::kit::{DRUGS, one, send};
use crate::support::NOW_MS;

const FROM: &str = "data";
const TO: &str = "salvaged";
const TENANT: TenantId = TenantId::LOCAL;

fn options(fs: &SimulatedFs) -> EmbeddedOptions {
    EmbeddedOptions {
        fs: Arc::new(fs.clone()),
        clock: Arc::new(ManualClock::new(NOW_MS)),
        entropy: Arc::new(SeededEntropy::new(3)),
        segment_bytes: 64 << 10,
        reserve_bytes: 0,
        cache_bytes: 1 << 20,
        apply_bytes: 16 << 10,
        unapplied_bytes_max: 256 << 10,
        background: Background::Manual,
        ..EmbeddedOptions::default()
    }
}

/// An engine over the store in a directory.
fn open(fs: &SimulatedFs, dir: &str) -> (Arc<EmbeddedStore>, Arc<Engine>) {
    let store = Arc::new(EmbeddedStore::open(Path::new(dir), options(fs)).unwrap());
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let engine = Engine::open(
        Arc::clone(&store) as Arc<dyn Store>,
        clock,
        Arc::new(SeededEntropy::new(1)),
        EngineConfig::default(),
    );
    (store, engine.unwrap())
}

fn writing() -> Act {
    Act::new(Action::TurnsWrite, Resource::tenant(TENANT))
}

fn owner() -> Principal {
    Principal::local_owner()
}

fn append(engine: &Engine, context: ContextId, number: u64) -> Result<TurnId, cairn_engine::EngineError> {
    // A first turn says what the context is called.
    let text = format!("{{\"number\": {number}}}");
    let payload = Blob::new(text.into_bytes()).unwrap();
    let request = Append {
        context,
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: format!("com.example.Type{}", number % 3), version: 1 },
        encoding: 1,
        compression: 0,
        payload_bytes: u32::try_from(payload.len()).unwrap(),
        payload,
        tree: None,
        key: None,
        remember_ms: 0,
        now_ms: NOW_MS + number,
        strict: false,
    };
    let done =
        engine.transact(&owner(), writing(), move |tx, scope| Ok(cairn_turns::append(tx, scope, &request)?));
    done.map(|done| done.value.turn.id)
}

fn create(engine: &Engine, base: Option<TurnId>) -> ContextId {
    let made = engine
        .transact(&owner(), writing(), move |tx, scope| Ok(cairn_turns::create(tx, scope, base, NOW_MS)?));
    made.unwrap().value.id
}

/// A node with turns in forked contexts, a graph with an index, and people.
fn populate(fs: &SimulatedFs, turns: u64) {
    let (store, engine) = open(fs, FROM);
    let random = SeededEntropy::new(turns);
    let mut contexts = vec![create(&engine, None), create(&engine, None)];
    for number in 0..turns {
        let at = usize::try_from(random.next_u64() % contexts.len() as u64).unwrap();
        let turn = append(&engine, contexts[at], number).unwrap();
        if random.next_u64().is_multiple_of(9) {
            contexts.push(create(&engine, Some(turn)));
        }
        store.upkeep().unwrap();
    }
    send(&engine, &owner(), TENANT, &one(DRUGS)).unwrap();
    for number in 0..20 {
        let text = format!(
            r#"UPSERT {{ CONCEPT ?d {{ {{type: "Drug", name: "Drug {number}"}} SET ATTRIBUTES {{ risk: {number} }} SET PROPOSITIONS {{ ("treats", {{type: "Symptom", name: "Fever"}}) }} }} }}"#
        );
        send(&engine, &owner(), TENANT, &one(&text)).unwrap();
    }
    engine
        .create_ordered_index(&owner(), TENANT, MEMORY_SPACE, "Drug", "attributes.risk", &mut |_| true)
        .unwrap();
    let roles = Roles::NONE.with(Role::Writer);
    let team = TeamName::parse("writers").unwrap();
    engine.create_team(&owner(), TENANT, &team).unwrap();
    for name in ["ada", "bea", "cleo"] {
        let user = UserId::parse(name).unwrap();
        engine.put_user(&owner(), TENANT, &user, roles).unwrap();
        engine.set_member(&owner(), TENANT, &team, &user, true).unwrap();
        let wanted = NewToken { user, label: "laptop".into(), scope: roles, expires_at_ms: None };
        engine.issue_token(&owner(), TENANT, wanted).unwrap();
    }
    engine.close().unwrap();
}

/// Every record of a store.
fn dump(store: &dyn Store) -> BTreeMap<(u16, Vec<u8>), Vec<u8>> {
    let mut found = BTreeMap::new();
    for keyspace in tables::keyspaces() {
        let all = KeyRange::prefix(&[]);
        let snapshot = store.snapshot(Position::START).unwrap();
        snapshot
            .multi_scan(keyspace, &[all], &mut |_, key, value| {
                found.insert((keyspace.id, key.to_vec()), value.to_vec());
                Visit::Continue
            })
            .unwrap();
    }
    found
}

fn ids(records: &BTreeMap<(u16, Vec<u8>), Vec<u8>>, keyspace: u16) -> BTreeSet<u64> {
    let of = records.keys().filter(|(id, _)| *id == keyspace);
    of.map(|(_, key)| u64::from_be_bytes(*key.last_chunk().unwrap())).collect()
}

fn salvage(fs: &SimulatedFs) -> (SalvagedStore, SalvageReport, Arc<EmbeddedStore>, Arc<Engine>) {
    let mut traces = Traces::default();
    let (from, to) = (Path::new(FROM), Path::new(TO));
    let salvaged = cairn_embedded::salvage(from, to, options(fs), &mut traces, &mut |_| true).unwrap();
    let store = EmbeddedStore::open(to, options(fs)).unwrap();
    let clock = ManualClock::new(NOW_MS);
    let report = rebuild_after_loss(&store, &traces, &salvaged, &clock, &mut |_| true).unwrap();
    store.close().unwrap();
    drop(store);
    let (store, engine) = open(fs, TO);
    (salvaged, report, store, engine)
}

fn segments(fs: &SimulatedFs) -> Vec<PathBuf> {
    let names = fs.list(Path::new(FROM)).unwrap();
    names.iter().filter(|name| name.starts_with("segment-")).map(|name| Path::new(FROM).join(name)).collect()
}

/// What the memories would change of a store that is whole: nothing but what is always begun anew.
fn check_derived(engine: &Engine) {
    let whole = SalvagedStore::default();
    let act = |space| Act::new(Action::GraphRead, Resource::space(TENANT, space));
    let of_turns = |snapshot: &dyn Snapshot, scope: &cairn_access::Scope| {
        Ok(cairn_turns::salvage::rebuild(&Unsized(snapshot), scope, &Default::default(), &whole)?)
    };
    let turns = engine.read(&owner(), act(SpaceId::NONE), Position::START, of_turns).unwrap();
    assert_eq!((turns.fixes, turns.moved), (Vec::new(), Vec::new()));
    let of_people = |snapshot: &dyn Snapshot, scope: &cairn_access::Scope| {
        Ok(cairn_access::salvage::rebuild(&Unsized(snapshot), scope)?)
    };
    let people = engine.read(&owner(), act(SpaceId::NONE), Position::START, of_people).unwrap();
    assert_eq!(people.fixes, []);
    let of_graph = |snapshot: &dyn Snapshot, scope: &cairn_access::Scope| {
        let reader = Unsized(snapshot);
        let mut all = cairn_graph::salvage::rebuild(&reader, scope, &Default::default(), &whole)?;
        all.fixes.extend(cairn_graph::salvage::recount(&reader, scope)?.fixes);
        Ok(all)
    };
    let graph = engine.read(&owner(), act(SpaceId::MEMORY), Position::START, of_graph).unwrap();
    let anew =
        [cairn_graph::tables::COUNTERS, cairn_graph::tables::INDEXES, cairn_graph::tables::INDEX_ENTRIES];
    let fixes: Vec<_> = graph
        .fixes
        .iter()
        .filter(|fix| {
            let (cairn_seam::Fix::Put(keyspace, ..) | cairn_seam::Fix::Delete(keyspace, _)) = fix;
            !anew.contains(keyspace)
        })
        .collect();
    assert!(fixes.is_empty(), "{fixes:?}");
}

/// A snapshot as a reader of a known size.
struct Unsized<'a>(&'a dyn Snapshot);

impl cairn_seam::Reader for Unsized<'_> {
    fn multi_get(
        &self,
        keyspace: cairn_seam::Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), cairn_seam::StoreError> {
        self.0.multi_get(keyspace, keys, visit)
    }

    fn multi_scan(
        &self,
        keyspace: cairn_seam::Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), cairn_seam::StoreError> {
        self.0.multi_scan(keyspace, ranges, visit)
    }

    fn hashed_get(
        &self,
        keyspace: cairn_seam::HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), cairn_seam::StoreError> {
        self.0.hashed_get(keyspace, tenant, keys, visit)
    }

    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[cairn_base::ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), cairn_seam::StoreError> {
        self.0.blobs(tenant, hashes, visit)
    }
}

#[test]
fn memories_find_nothing_to_change_in_a_store_that_is_whole() {
    let fs = SimulatedFs::new(1);
    populate(&fs, 60);
    let (_, engine) = open(&fs, FROM);
    check_derived(&engine);
}

#[test]
fn random_damage_costs_what_it_touched_and_ids_are_never_given_again() {
    let fs = SimulatedFs::new(1);
    populate(&fs, 150);
    let (store, engine) = open(&fs, FROM);
    let before = dump(&*store);
    engine.close().unwrap();
    drop((store, engine));
    let all_turns = ids(&before, cairn_turns::tables::TURNS.id);
    let all_contexts = ids(&before, cairn_turns::tables::CONTEXTS.id);
    let whole: Vec<(PathBuf, Vec<u8>)> = fs
        .list(Path::new(FROM))
        .unwrap()
        .into_iter()
        .map(|name| {
            let path = Path::new(FROM).join(name);
            (path.clone(), fs.read_all(&path).unwrap())
        })
        .collect();
    for seed in 0..30 {
        let random = SeededEntropy::new(seed);
        let below = |end: usize| usize::try_from(random.next_u64() % end.max(1) as u64).unwrap();
        let fs = SimulatedFs::new(1);
        fs.create_dir(Path::new(FROM)).unwrap();
        whole.iter().for_each(|(path, bytes)| fs.write_raw(path, bytes));
        // Without the index what the log lost is lost.
        let has_index = seed % 3 == 0;
        if !has_index {
            fs.remove(&Path::new(FROM).join("index.redb")).unwrap();
        }
        let segments = segments(&fs);
        for _ in 0..=below(4) {
            let path = &segments[below(segments.len())];
            let len = fs.read_all(path).unwrap().len();
            if len < 200 {
                continue;
            }
            let start = 64 + below(len - 64);
            (start..(start + 1 + below(80)).min(len)).for_each(|at| fs.flip(path, at as u64));
        }
        let (salvaged, report, store, engine) = salvage(&fs);
        let after = dump(&*store);
        let turns = ids(&after, cairn_turns::tables::TURNS.id);
        // What is there is what was there.
        for ((keyspace, key), value) in &after {
            let is_turn = *keyspace == cairn_turns::tables::TURNS.id;
            assert!(!is_turn || before.get(&(*keyspace, key.clone())) == Some(value), "seed {seed}");
        }
        let lost = |kind: &str| -> BTreeSet<u64> {
            let of_kind = report.lost.iter().filter(|item| item.kind == kind);
            of_kind.map(|item| item.id.parse().unwrap()).collect()
        };
        assert_eq!(
            lost("turn"),
            all_turns.difference(&turns).copied().collect(),
            "seed {seed}: {salvaged:?}"
        );
        assert!(!has_index || lost("turn").is_empty());
        let contexts = ids(&after, cairn_turns::tables::CONTEXTS.id);
        let gone: BTreeSet<u64> = all_contexts.difference(&contexts).copied().collect();
        assert!(gone.is_subset(&lost("context")), "seed {seed}");
        for item in &report.orphans {
            assert!(item.kind != "turn" || turns.contains(&item.id.parse().unwrap()));
        }
        check_derived(&engine);
        // Everything that is wrong is a blob that is lost.
        let verified =
            engine.maintain(&owner(), &Maintenance::Verify { repair: false }, &mut |_| true).unwrap();
        let blobs: BTreeSet<&str> =
            report.lost.iter().filter(|item| item.kind == "blob").map(|item| item.id.as_str()).collect();
        for finding in &verified.findings {
            assert!(blobs.iter().any(|hash| finding.detail.contains(hash)), "seed {seed}: {finding:?}");
        }
        goes_on(&engine, &contexts, &all_turns, &all_contexts);
    }
}

/// Every context can be read and written to, and new numbers are new.
fn goes_on(engine: &Engine, contexts: &BTreeSet<u64>, turns: &BTreeSet<u64>, all: &BTreeSet<u64>) {
    let mut last = *turns.last().unwrap();
    for &id in contexts {
        let act = Act::new(Action::TurnsRead, Resource::tenant(TENANT));
        let window = engine.read(&owner(), act, Position::START, |snapshot, scope| {
            let admit = &mut |_: &cairn_turns::Turn| Visit::Continue;
            let (context, turns) = cairn_turns::last(snapshot, scope, ContextId(id), 1000, admit)?;
            // Where history ends early, going on says why.
            if let Some(first) = turns.first().filter(|first| first.parent != TurnId::NONE) {
                let next = cairn_turns::before(snapshot, scope, ContextId(id), first.id, 1, admit);
                assert!(matches!(next, Err(TurnsError::AncestorLost { .. })), "{next:?}");
            }
            Ok((context, turns))
        });
        let (context, turns) = window.unwrap();
        assert_eq!(turns.last().map_or(TurnId::NONE, |turn| turn.id), context.head);
        let turn = append(engine, ContextId(id), 1000 + id).unwrap();
        assert!(turn.0 > last, "{turn} was given before");
        last = turn.0;
    }
    assert!(create(engine, None).0 > *all.last().unwrap());
    send(engine, &owner(), TENANT, &one(r#"FIND(?d) WHERE { ?d {type: "Drug"} } LIMIT 5"#)).unwrap();
}

#[test]
fn one_bit_in_the_first_segment_loses_one_turn() {
    let fs = SimulatedFs::new(1);
    populate(&fs, 40);
    let (store, engine) = open(&fs, FROM);
    let before = dump(&*store);
    engine.close().unwrap();
    drop((store, engine));
    fs.remove(&Path::new(FROM).join("index.redb")).unwrap();
    // In the record of turn 10, found by its payload's hash.
    let record = before.iter().find(|((keyspace, key), _)| {
        *keyspace == cairn_turns::tables::TURNS.id && key.ends_with(&10_u64.to_be_bytes())
    });
    let hash = &record.unwrap().1[record.unwrap().1.len() - 32..];
    let (path, offset) = segments(&fs)
        .into_iter()
        .find_map(|path| {
            let bytes = fs.read_all(&path).unwrap();
            let at = bytes.windows(32).rposition(|window| window == hash)?;
            Some((path, at))
        })
        .unwrap();
    fs.flip(&path, offset as u64);
    let (salvaged, report, store, engine) = salvage(&fs);
    assert_eq!(salvaged.lost.len(), 1);
    let lost: Vec<(&str, &str)> = report.lost.iter().map(|item| (item.kind, item.id.as_str())).collect();
    assert_eq!(lost, [("turn", "10")]);
    assert_eq!(salvaged.lost[0].tenants, [TENANT]);
    let orphans: Vec<&str> = report.orphans.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(orphans.len(), 1, "the turn that was appended below it: {orphans:?}");
    check_derived(&engine);
    let after = dump(&*store);
    let turns = cairn_turns::tables::TURNS.id;
    assert_eq!(ids(&after, turns).len() + 1, ids(&before, turns).len());
}
