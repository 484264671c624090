//! Export, import and pruning, against random histories.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use cairn_access::{Action, Resource};
use cairn_base::{ContentHash, ContextId, ErrorCode, Position, TenantId, TurnId};
use cairn_engine::{
    Act, AuditOutcome, EngineError, Export, ExportItem, ExportedTree, ExportedTurn, ImportCounts, ImportItem,
    TurnPayload,
};
use cairn_seam::{
    Blob, FaultPlan, FaultyStore, KeepChanges, KeyRange, Maintenance, Order, SeamFault, Stage, Store,
    StoreError, Visit,
};
use cairn_turns::prune::Rule;
use cairn_turns::registry::Bundle;
use cairn_turns::{Append, DeclaredType, ImportId, NewContext, NewTurn, Turn, TurnsError};
use proptest::prelude::*;

use crate::support::{World, open};

const TENANT: TenantId = TenantId::LOCAL;

#[derive(Debug, Clone)]
enum Step {
    Create,
    Fork(usize),
    Append(usize, bool),
    AppendBelow(usize, usize),
    Attach(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Create),
        2 => any::<usize>().prop_map(Step::Fork),
        8 => (any::<usize>(), proptest::bool::weighted(0.1)).prop_map(|(at, tree)| Step::Append(at, tree)),
        3 => any::<(usize, usize)>().prop_map(|(at, parent)| Step::AppendBelow(at, parent)),
        1 => any::<usize>().prop_map(Step::Attach),
    ]
}

fn act() -> Act {
    Act::new(Action::TurnsWrite, Resource::tenant(TENANT))
}

fn put(world: &World, bytes: Vec<u8>) -> ContentHash {
    let blob = Blob::new(bytes).unwrap();
    let hash = blob.hash();
    world.engine.transact(&world.owner, act(), move |tx, _| Ok(tx.put_blob(&blob)?)).unwrap();
    hash
}

/// A folder with a file in it.
fn tree(world: &World, number: usize) -> ContentHash {
    let file = put(world, format!("file {number}").into_bytes());
    let mut bytes = vec![0x91, 0x83, 1, 0xa1, b'f', 2, 0, 5, 0xc4, 32];
    bytes.extend(file.as_bytes());
    put(world, bytes)
}

fn create(world: &World, base: Option<TurnId>, at_ms: u64) -> ContextId {
    let made = world
        .engine
        .transact(&world.owner, act(), move |tx, scope| Ok(cairn_turns::create(tx, scope, base, at_ms)?));
    made.unwrap().value.id
}

/// Text, or sometimes a map with metadata that has a title.
fn payload(number: usize) -> Vec<u8> {
    match number % 7 {
        3 => vec![0x81, 30, 0x81, 2, 0xa1, b'a' + u8::try_from(number % 26).unwrap()],
        other => format!("payload {other}").into_bytes(),
    }
}

fn append(
    world: &World,
    context: ContextId,
    parent: Option<TurnId>,
    number: usize,
    tree: Option<ContentHash>,
) {
    let payload = Blob::new(payload(number)).unwrap();
    let request = Append {
        context,
        parent,
        expected_head: None,
        declared: DeclaredType { id: format!("t{}", number % 3), version: 2 },
        encoding: 1,
        compression: u32::try_from(number % 2).unwrap(),
        payload_bytes: u32::try_from(payload.len()).unwrap(),
        payload,
        tree,
        key: None,
        remember_ms: 0,
        now_ms: 1_000 + number as u64 * 10,
        strict: false,
    };
    let done = world
        .engine
        .transact(&world.owner, act(), move |tx, scope| Ok(cairn_turns::append(tx, scope, &request)?));
    done.unwrap();
}

fn play(world: &World, steps: &[Step]) {
    let (mut contexts, mut turns) = (Vec::new(), 0_u64);
    for (number, step) in steps.iter().enumerate() {
        let some = |at: usize| contexts.get(at.checked_rem(contexts.len())?).copied();
        let turn = |at: usize| Some(TurnId((at as u64).checked_rem(turns)? + 1));
        match *step {
            Step::Create => contexts.push(create(world, None, number as u64)),
            Step::Fork(at) => {
                if let Some(turn) = turn(at) {
                    contexts.push(create(world, Some(turn), number as u64));
                }
            }
            Step::Append(at, with_tree) => {
                let Some(context) = some(at) else { continue };
                append(world, context, None, number, with_tree.then(|| tree(world, number)));
                turns += 1;
            }
            Step::AppendBelow(at, parent) => {
                let (Some(context), Some(parent)) = (some(at), turn(parent)) else { continue };
                append(world, context, Some(parent), number, None);
                turns += 1;
            }
            Step::Attach(at) => {
                let Some(turn) = turn(at) else { continue };
                play_attach(world, turn, number);
            }
        }
    }
}

/// Gives a turn a tree.
fn play_attach(world: &World, turn: TurnId, number: usize) {
    let root = tree(world, number);
    let done = world
        .engine
        .transact(&world.owner, act(), move |tx, scope| Ok(cairn_turns::attach(tx, scope, turn, &root)?));
    done.unwrap();
}

/// Everything about a turn but its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    type_name: String,
    type_version: u32,
    encoding: u32,
    compression: u32,
    payload: Vec<u8>,
    created_at_ms: u64,
    depth: u32,
    tree: Option<ContentHash>,
}

/// A context as its readers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    created_at_ms: u64,
    active_at_ms: u64,
    base_depth: Option<u32>,
    title: Option<String>,
    chain: Vec<Said>,
}

fn look(world: &World) -> BTreeMap<ContextId, Seen> {
    let act = Act::new(Action::TurnsRead, Resource::tenant(TENANT));
    let read = world.engine.read(&world.owner, act, Position::START, |snapshot, scope| {
        let mut seen = BTreeMap::new();
        for context in cairn_turns::contexts(snapshot, scope, None, usize::MAX)? {
            let all = &mut |_: &Turn| Visit::Continue;
            let (_, turns) = cairn_turns::last(snapshot, scope, context.id, usize::MAX, all)?;
            let mut chain = Vec::new();
            for turn in &turns {
                let mut payload = Vec::new();
                snapshot.blobs(TENANT, &[turn.hash], &mut |_, bytes| payload = bytes.unwrap().to_vec())?;
                chain.push(Said {
                    type_name: cairn_turns::type_name(snapshot, scope, turn.type_number)?,
                    type_version: turn.type_version,
                    encoding: turn.encoding,
                    compression: turn.compression,
                    payload,
                    created_at_ms: turn.created_at_ms,
                    depth: turn.depth,
                    tree: cairn_turns::tree_root(snapshot, scope, turn)?.map(|(_, root)| root),
                });
            }
            let base = Some(context.base).filter(|base| *base != TurnId::NONE);
            let base = base.map(|base| cairn_turns::turn(snapshot, scope, base)).transpose()?;
            seen.insert(
                context.id,
                Seen {
                    created_at_ms: context.created_at_ms,
                    active_at_ms: context.active_at_ms,
                    base_depth: base.map(|turn| turn.depth),
                    title: cairn_turns::metadata(snapshot, scope, &[context.id])?.remove(0).title,
                    chain,
                },
            );
        }
        Ok(seen)
    });
    read.unwrap()
}

/// The histories alone, in the order in which contexts were made.
fn histories(world: &World) -> Vec<Seen> {
    look(world).into_values().collect()
}

fn export(world: &World, contexts: &[ContextId], after: TurnId) -> Vec<ExportItem> {
    let mut export = Export::new(TENANT, contexts, after);
    let mut items = Vec::new();
    while !export.is_done() {
        items.extend(world.engine.export_page(&world.owner, &mut export).unwrap());
    }
    items
}

fn turn_of(item: &ExportItem) -> Option<&ExportedTurn> {
    if let ExportItem::Turn(turn) = item { Some(turn) } else { None }
}

fn payload_of(turn: &ExportedTurn) -> &[u8] {
    match &turn.payload {
        TurnPayload::Bytes(bytes) => bytes,
        TurnPayload::Unreadable(reason) => panic!("{reason}"),
    }
}

fn item(exported: &ExportItem) -> Option<ImportItem> {
    Some(match exported {
        ExportItem::Header { .. } | ExportItem::End(..) => return None,
        ExportItem::Bundle(bytes) => {
            let bundle = Bundle::parse(bytes).unwrap();
            ImportItem::Bundle(Box::new(bundle), Blob::new(bytes.clone()).unwrap())
        }
        ExportItem::Context(context) => ImportItem::Context(NewContext {
            id: context.id,
            base: context.base,
            created_at_ms: context.created_at_ms,
        }),
        ExportItem::Blob(hash, bytes) => {
            let blob = Blob::new(bytes.clone()).unwrap();
            assert_eq!(blob.hash(), *hash);
            ImportItem::Blob(blob)
        }
        ExportItem::Turn(exported) => ImportItem::Turn(Box::new(NewTurn {
            id: exported.turn.id,
            context: exported.turn.context,
            parent: exported.turn.parent,
            declared: DeclaredType {
                id: exported.type_name.to_string(),
                version: exported.turn.type_version,
            },
            encoding: exported.turn.encoding,
            compression: exported.turn.compression,
            payload_bytes: exported.turn.payload_bytes,
            payload: Blob::new(payload_of(exported).to_vec()).unwrap(),
            tree: exported.tree.as_ref().map(|tree| match tree {
                ExportedTree::Root(root) => *root,
                ExportedTree::Unreadable(reason) => panic!("{reason}"),
            }),
            created_at_ms: exported.turn.created_at_ms,
        })),
        ExportItem::Head(context, turn, as_of) => ImportItem::Head(*context, *turn, *as_of),
    })
}

fn import(world: &World, id: &str, items: &[ExportItem]) -> Result<ImportCounts, EngineError> {
    let items = items.iter().enumerate();
    let items = items.filter_map(|(at, exported)| Some((at as u64 + 1, item(exported)?))).collect();
    world.engine.import(&world.owner, TENANT, ImportId::parse(id).unwrap(), items)
}

/// Turns that are stored, and those that contexts which are there reach.
fn stored_and_reached(world: &World) -> (BTreeSet<TurnId>, BTreeSet<TurnId>) {
    let act = Act::new(Action::TurnsRead, Resource::tenant(TENANT));
    let read = world.engine.read(&world.owner, act, Position::START, |snapshot, scope| {
        let range = (TurnId::NONE, TurnId(u64::MAX));
        let turns = cairn_turns::turns_between(snapshot, scope, range, Order::Ascending, usize::MAX)?;
        let contexts = cairn_turns::contexts(snapshot, scope, None, usize::MAX)?;
        let ids: BTreeSet<_> = contexts.iter().map(|context| context.id).collect();
        let parents: BTreeMap<_, _> = turns.iter().map(|turn| (turn.id, turn.parent)).collect();
        let mut reached = BTreeSet::new();
        let mut left: Vec<_> = contexts.iter().flat_map(|context| [context.head, context.base]).collect();
        left.extend(turns.iter().filter(|turn| ids.contains(&turn.context)).map(|turn| turn.id));
        while let Some(turn) = left.pop() {
            if turn != TurnId::NONE && reached.insert(turn) {
                left.push(parents[&turn]);
            }
        }
        Ok((parents.into_keys().collect(), reached))
    });
    read.unwrap()
}

/// Keyspaces about contexts and turns that are not empty.
fn left(world: &World) -> Vec<&'static str> {
    use cairn_turns::tables::{BRANCHES, CONTEXTS, FORKS, METADATA, ROOTS, TERMS, TREES, TURNS};
    let snapshot = world.store.snapshot(Position::START).unwrap();
    let mut found = Vec::new();
    for keyspace in [CONTEXTS, TURNS, TREES, BRANCHES, METADATA, ROOTS, TERMS, FORKS] {
        let all = KeyRange::new(Bound::Unbounded, Bound::Unbounded);
        snapshot
            .multi_scan(keyspace, &[all], &mut |_, key, _| {
                // Turn 0 says of all trees that one came late.
                if keyspace != TREES || !key.ends_with(&[0; 8]) {
                    found.push(keyspace.name);
                }
                Visit::Continue
            })
            .unwrap();
    }
    found
}

fn assert_nothing_dangles(world: &World) {
    let verify = Maintenance::Verify { repair: false };
    let report = world.engine.maintain(&world.owner, &verify, &mut |_| true).unwrap();
    assert_eq!(report.findings, []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn what_was_exported_and_imported_reads_the_same(
        steps in proptest::collection::vec(step(), 1..60),
        cuts in proptest::collection::vec(any::<usize>(), 3),
    ) {
        let world = World::new();
        create(&world, None, 0);
        play(&world, &steps);
        let (items, before) = (export(&world, &[], TurnId::NONE), histories(&world));
        let other = World::new();
        // Other things are there already, so that numbers differ.
        play(&other, &[Step::Create, Step::Append(0, false), Step::Append(0, false)]);
        let first = import(&other, "a", &items).unwrap();
        let ExportItem::End(counts, _) = items.last().unwrap() else { panic!("no end") };
        prop_assert_eq!((first.contexts, first.turns), (counts.contexts, counts.turns));
        prop_assert_eq!(first.skipped, 0);
        prop_assert_eq!(&histories(&other)[1..], &before[..]);

        // The same again, whole or cut anywhere, doubles nothing.
        let again = import(&other, "a", &items).unwrap();
        prop_assert_eq!((again.contexts, again.turns, again.blobs), (0, 0, 0));
        prop_assert_eq!(&histories(&other)[1..], &before[..]);
        for cut in cuts {
            let other = World::new();
            let cut = cut % items.len();
            import(&other, "a", &items[..cut]).unwrap();
            import(&other, "a", &items).unwrap();
            prop_assert_eq!(&histories(&other), &before);

            // An export that was cut goes on behind its last turn.
            let other = World::new();
            let last = items[..cut].iter().rev().find_map(turn_of).map(|turn| turn.turn.id);
            import(&other, "a", &items[..cut]).unwrap();
            import(&other, "a", &export(&world, &[], last.unwrap_or(TurnId::NONE))).unwrap();
            prop_assert_eq!(&histories(&other), &before);
        }
        // What came since is added, and the older export afterwards takes nothing back.
        let newest = before.len() - 1;
        append(&world, ContextId(newest as u64 + 1), None, 500, None);
        let later = histories(&world);
        import(&other, "a", &export(&world, &[], TurnId::NONE)).unwrap();
        import(&other, "a", &items).unwrap();
        prop_assert_eq!(&histories(&other)[1..], &later[..]);
        let before = later;
        let items = export(&world, &[], TurnId::NONE);
        let ExportItem::End(counts, _) = items.last().unwrap() else { panic!("no end") };
        // Under another name they are others.
        let doubled = import(&other, "b", &items).unwrap();
        prop_assert_eq!(doubled.turns, counts.turns);
        prop_assert_eq!(&histories(&other)[1 + before.len()..], &before[..]);
        assert_nothing_dangles(&other);
    }

    #[test]
    fn some_contexts_come_with_all_that_they_reach(
        steps in proptest::collection::vec(step(), 1..60), picks: u64,
    ) {
        let world = World::new();
        play(&world, &steps);
        let mut seen = look(&world);
        seen.retain(|id, _| picks >> (id.0 % 64) & 1 == 1);
        prop_assume!(!seen.is_empty());
        let ids: Vec<_> = seen.keys().copied().collect();
        let other = World::new();
        import(&other, "a", &export(&world, &ids, TurnId::NONE)).unwrap();
        prop_assert_eq!(histories(&other), seen.into_values().collect::<Vec<_>>());
    }

    #[test]
    fn pruning_leaves_what_others_reach_and_nothing_else(
        steps in proptest::collection::vec(step(), 1..60), picks: u64, stop_at in 0..12_usize,
    ) {
        let world = World::new();
        play(&world, &steps);
        let mut kept = look(&world);
        let goes: BTreeSet<_> =
            kept.keys().copied().filter(|id| picks >> (id.0 % 64) & 1 == 1).collect();
        kept.retain(|id, _| !goes.contains(id));
        let rule = Rule::Named(goes.clone());
        let items = export(&world, &[], TurnId::NONE);
        let all = histories(&world);

        let dry = world.engine.prune(&world.owner, TENANT, &rule, false, &mut |_| true).unwrap();
        prop_assert_eq!(&histories(&world), &all, "a dry run changes nothing");

        // Stopped anywhere it leaves nothing that leads nowhere, and the next run does the rest.
        let mut stages = 0;
        let stopped = world.engine.prune(&world.owner, TENANT, &rule, true, &mut |_| {
            stages += 1;
            stages <= stop_at
        });
        if let Err(error) = &stopped {
            prop_assert!(matches!(error, EngineError::Store(StoreError::Stopped)), "{}", error);
        }
        stored_and_reached(&world);
        let done = world.engine.prune(&world.owner, TENANT, &rule, true, &mut |_| true).unwrap();
        prop_assert_eq!(&look(&world), &kept);
        let (stored, reached) = stored_and_reached(&world);
        prop_assert_eq!(&stored, &reached);
        prop_assert_eq!((done.contexts_kept, done.turns_kept), (dry.contexts_kept, dry.turns_kept));
        prop_assert_eq!(dry.contexts as usize, goes.len());
        prop_assert_eq!(dry.turns + dry.turns_kept, items.iter().filter(|item| matches!(item, ExportItem::Turn(_))).count() as u64);
        prop_assert_eq!(stored.len() as u64, dry.turns_kept);
        prop_assert_eq!(counted(&world), (kept.len() as u64, stored.len() as u64));
        assert_nothing_dangles(&world);

        // Without any context nothing is left of it all.
        let nobody = World::new();
        play(&nobody, &steps);
        nobody.engine.prune(&nobody.owner, TENANT, &Rule::AllBut(0), true, &mut |_| true).unwrap();
        prop_assert_eq!(left(&nobody), Vec::<&str>::new());

        // What is left is exported and imported as it is.
        let other = World::new();
        import(&other, "a", &export(&world, &[], TurnId::NONE)).unwrap();
        prop_assert_eq!(histories(&other), kept.into_values().collect::<Vec<_>>());
    }

    #[test]
    fn what_was_pruned_after_an_import_comes_back_with_the_next(
        steps in proptest::collection::vec(step(), 1..60), picks: u64,
    ) {
        let world = World::new();
        play(&world, &steps);
        let (items, before) = (export(&world, &[], TurnId::NONE), histories(&world));
        let other = World::new();
        import(&other, "a", &items).unwrap();
        let goes = look(&other).into_keys().filter(|id| picks >> (id.0 % 64) & 1 == 1).collect();
        other.engine.prune(&other.owner, TENANT, &Rule::Named(goes), true, &mut |_| true).unwrap();
        import(&other, "a", &items).unwrap();
        prop_assert_eq!(&histories(&other), &before);
        prop_assert_eq!(counted(&other), (before.len() as u64, stored_and_reached(&other).0.len() as u64));
        // Numbers are in another order now, and it can be exported all the same; contexts may then be
        // numbered in another order too.
        let third = World::new();
        import(&third, "a", &export(&other, &[], TurnId::NONE)).unwrap();
        let sorted = |histories: Vec<Seen>| {
            let mut texts: Vec<_> = histories.iter().map(|seen| format!("{seen:?}")).collect();
            texts.sort();
            texts
        };
        prop_assert_eq!(sorted(histories(&third)), sorted(before));
    }
}

#[test]
fn a_line_that_does_not_fit_is_named_and_takes_its_batch_with_it() {
    let world = World::new();
    play(&world, &[Step::Create, Step::Append(0, false), Step::Append(0, false)]);
    let mut items = export(&world, &[], TurnId::NONE);
    items.retain(|item| !matches!(item, ExportItem::Turn(turn) if turn.turn.id == TurnId(1)));
    let other = World::new();
    let error = import(&other, "a", &items).unwrap_err();
    let EngineError::ImportLine { line: 3, error: TurnsError::NotImported(TurnId(1)) } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(error.code(), ErrorCode::InvalidRequest);
    assert!(histories(&other).is_empty());
}

/// How many contexts and turns there are said to be.
fn counted(world: &World) -> (u64, u64) {
    let counters = world.engine.figures(&world.owner, TENANT).unwrap().counters;
    (counters.contexts, counters.turns)
}

/// A context with so many turns.
fn long(world: &World, count: usize) -> ContextId {
    let context = create(world, None, 0);
    (0..count).for_each(|number| append(world, context, None, number, None));
    context
}

#[test]
fn a_history_of_many_pages_stays_up_to_where_a_fork_starts() {
    let world = World::new();
    let context = long(&world, 1_200);
    let fork = create(&world, Some(TurnId(1_150)), 5);
    let rule = Rule::Named([context].into());
    let report = world.engine.prune(&world.owner, TENANT, &rule, true, &mut |_| true).unwrap();
    assert_eq!((report.contexts, report.turns, report.turns_kept), (1, 50, 1_150));
    assert_eq!(look(&world)[&fork].chain.len(), 1_150);
    let items = export(&world, &[], TurnId::NONE);
    assert_eq!(items.iter().filter_map(turn_of).count(), 1_150);
}

#[test]
fn a_fork_made_while_it_prunes_saves_what_is_left_of_its_history() {
    for (stage_of_fork, base, turns) in [
        ("removing contexts", 1_150, 50),
        ("finding what stays", 1_150, 50),
        // By then a page of 500 is gone.
        ("removing turns", 600, 600),
    ] {
        let world = World::new();
        let context = long(&world, 1_200);
        create(&world, None, 0);
        let rule = Rule::Named([context].into());
        let mut forked = None;
        let report = world.engine.prune(&world.owner, TENANT, &rule, true, &mut |stage| {
            if stage.name == stage_of_fork && forked.is_none() {
                forked = Some(create(&world, Some(TurnId(base)), 5));
            }
            true
        });
        let report = report.unwrap();
        assert_eq!((report.contexts, report.turns, report.turns_kept), (1, turns, base), "{stage_of_fork}");
        assert_eq!(look(&world)[&forked.unwrap()].chain.len() as u64, base);
    }
}

/// What the trail says of pruning.
fn prunes(world: &World) -> Vec<(String, AuditOutcome)> {
    let lines = world.trail(TENANT).into_iter().filter(|line| line.action == Action::TurnsPrune);
    lines.map(|line| (line.subject, line.outcome)).collect()
}

#[test]
fn pruning_leaves_its_audit_lines_and_a_dry_run_none() {
    let world = World::new();
    play(&world, &[Step::Create, Step::Append(0, false)]);
    let rule = Rule::InactiveSince(u64::MAX);
    world.engine.prune(&world.owner, TENANT, &rule, false, &mut |_| true).unwrap();
    assert_eq!(prunes(&world), []);
    let mut before = None;
    let report = world.engine.prune(&world.owner, TENANT, &rule, true, &mut |_| {
        before.get_or_insert_with(|| prunes(&world));
        true
    });
    let report = report.unwrap();
    assert_eq!((report.contexts, report.turns, report.payload_bytes), (1, 1, 9));
    let line = |outcome| (format!("contexts inactive since {}", u64::MAX), outcome);
    assert_eq!(before, Some(vec![line(AuditOutcome::Begun)]));
    assert_eq!(prunes(&world), [AuditOutcome::Begun, AuditOutcome::Done].map(line));
}

#[test]
fn a_prune_that_is_stopped_half_way_says_so() {
    let world = World::new();
    let context = long(&world, 1_200);
    let rule = Rule::Named([context].into());
    let stop = &mut |stage: Stage<'_>| stage.name != "removing turns";
    let stopped = world.engine.prune(&world.owner, TENANT, &rule, true, stop);
    assert!(matches!(stopped, Err(EngineError::Store(StoreError::Stopped))), "{stopped:?}");
    let line = |outcome| ("contexts 1".to_owned(), outcome);
    assert_eq!(prunes(&world), [AuditOutcome::Begun, AuditOutcome::Stopped].map(line));
    assert_eq!(counted(&world), (0, 700), "part of it was done");
}

/// Prunes everything through a store that fails at its n-th operation; says if it has that many.
fn prune_with_trouble(fault: SeamFault, n: u64) -> bool {
    let world = World::new();
    play(&world, &[Step::Create, Step::Append(0, false), Step::Create, Step::Append(1, false)]);
    let inner = Arc::clone(&world.store) as Arc<dyn Store>;
    let opening = Arc::new(FaultyStore::new(Arc::clone(&inner), FaultPlan::none()));
    open(Arc::clone(&opening) as Arc<dyn Store>, &world.clock).unwrap();
    let at = opening.operations() + n;
    let faulty = Arc::new(FaultyStore::new(inner, FaultPlan::at(at, fault)));
    let engine = open(Arc::clone(&faulty) as Arc<dyn Store>, &world.clock).unwrap();
    let outcome = engine.prune(&world.owner, TENANT, &Rule::AllBut(0), true, &mut |_| true);

    let is_whole = counted(&world) == (2, 2);
    let said: Vec<_> = prunes(&world).into_iter().map(|(_, outcome)| outcome).collect();
    match (&outcome, &said[..]) {
        (Ok(_), [AuditOutcome::Begun, AuditOutcome::Done]) => assert_eq!(counted(&world), (0, 0)),
        // Whoever asked is told that it was done, whatever becomes of the last line.
        (Ok(_), [AuditOutcome::Begun]) => assert!(faulty.operations() > at && counted(&world) == (0, 0)),
        (Err(EngineError::NoLine(_)), [] | [AuditOutcome::Begun]) => assert!(is_whole),
        (Err(error), [AuditOutcome::Begun, AuditOutcome::Failed { code }]) => {
            assert_eq!(*code, error.code());
        }
        told => panic!("{fault:?} at operation {n}: {told:?}"),
    }
    faulty.operations() > at
}

#[test]
fn whatever_fails_nothing_is_pruned_without_its_line() {
    for fault in [SeamFault::Fail, SeamFault::LoseAnswer] {
        let operations = (0..).take_while(|n| prune_with_trouble(fault, *n)).count();
        assert!(operations > 10, "it has operations to fail");
    }
}

#[test]
fn payloads_of_pruned_turns_are_swept_and_those_that_others_have_stay() {
    let world = World::new();
    // The third payload is the first one again, and so are the trees.
    play(&world, &[Step::Create, Step::Append(0, true), Step::Append(0, false), Step::Create]);
    append(&world, ContextId(2), None, 1, Some(tree(&world, 1)));
    let [shared, own] = [1, 2].map(|number| ContentHash::of(&payload(number)));
    let is_there = |hash: ContentHash| {
        let mut found = false;
        let snapshot = world.store.snapshot(Position::START).unwrap();
        match snapshot.blobs(TENANT, &[hash], &mut |_, bytes| found = bytes.is_some()) {
            Ok(()) | Err(StoreError::BlobGone { .. }) => found,
            Err(error) => panic!("{error}"),
        }
    };
    let compact = || {
        let compact = Maintenance::Compact { keep_changes: KeepChanges::All, forget: Vec::new() };
        let report = world.engine.maintain(&world.owner, &compact, &mut |_| true).unwrap();
        assert_nothing_dangles(&world);
        report.figures
    };
    let rule = Rule::Named([ContextId(1)].into());
    world.clock.advance(Duration::from_secs(25 * 60 * 60));
    assert_eq!(compact(), [("blobs_removed", 0)]);
    world.engine.prune(&world.owner, TENANT, &rule, true, &mut |_| true).unwrap();
    assert!(is_there(own), "pruning itself leaves blobs to the sweep");
    assert_eq!(compact(), [("blobs_removed", 1)]);
    assert_eq!((is_there(shared), is_there(own)), (true, false));
    let rule = Rule::Named([ContextId(2)].into());
    world.engine.prune(&world.owner, TENANT, &rule, true, &mut |_| true).unwrap();
    // The payload, the folder and the file in it.
    assert_eq!(compact(), [("blobs_removed", 3)]);
    assert!(!is_there(shared));
}

#[test]
fn a_tree_that_a_turn_got_after_it_was_imported_comes_with_the_next_import() {
    let world = World::new();
    play(&world, &[Step::Create, Step::Append(0, false), Step::Append(0, false)]);
    let early = export(&world, &[], TurnId::NONE);
    let other = World::new();
    import(&other, "a", &early).unwrap();
    play_attach(&world, TurnId(1), 5);
    let late = export(&world, &[], TurnId::NONE);
    let counts = import(&other, "a", &late).unwrap();
    assert_eq!((counts.turns, counts.blobs), (0, 2));
    assert_eq!(histories(&other), histories(&world));
    // Nothing takes it back, and a tree that a turn has here stays.
    import(&other, "a", &early).unwrap();
    assert_eq!(histories(&other), histories(&world));
    let before = histories(&world);
    play_attach(&world, TurnId(1), 6);
    import(&other, "a", &export(&world, &[], TurnId::NONE)).unwrap();
    assert_eq!(histories(&other), before);
    assert_nothing_dangles(&other);
}

#[test]
fn bundles_come_in_the_order_in_which_they_were_taken() {
    let world = World::new();
    let bundle = |id: &str, versions: &str| {
        format!(
            r#"{{"registry_version":1,"bundle_id":"{id}","types":{{"t":{{"versions":{{{versions}}}}}}},"enums":{{}}}}"#
        )
    };
    let one = r#""1":{"fields":{"1":{"name":"a","type":"string"}}}"#;
    let two = r#""2":{"fields":{"1":{"name":"a","type":"string"}}}"#;
    // Whatever their names hash to, both orders of names are there.
    for (id, text) in [("b", bundle("b", one)), ("a", bundle("a", two)), ("c", bundle("c", one))] {
        let parsed = Bundle::parse(text.as_bytes()).unwrap_or_else(|wrong| panic!("{id}: {wrong:?}"));
        let blob = Blob::new(text.into_bytes()).unwrap();
        let done = world.engine.transact(&world.owner, act(), move |tx, scope| {
            Ok(cairn_turns::registry::publish(tx, scope, &parsed, &blob)?)
        });
        done.unwrap();
    }
    let items = export(&world, &[], TurnId::NONE);
    let other = World::new();
    assert_eq!(import(&other, "a", &items).unwrap().bundles, 3);
    assert_eq!(import(&other, "b", &items).unwrap().skipped, 3);
}

#[test]
fn a_large_payload_takes_a_page_of_its_own() {
    let world = World::new();
    let context = create(&world, None, 1);
    let bytes = vec![7; 9 << 20];
    let blob = world.engine.blob(&world.owner, TENANT, bytes.clone()).unwrap();
    append(&world, context, None, 1, None);
    let request = Append {
        context,
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: "large".into(), version: 1 },
        encoding: 1,
        compression: 0,
        payload_bytes: u32::try_from(blob.len()).unwrap(),
        payload: blob,
        tree: None,
        key: None,
        remember_ms: 0,
        now_ms: 9,
        strict: false,
    };
    let done = world
        .engine
        .transact(&world.owner, act(), move |tx, scope| Ok(cairn_turns::append(tx, scope, &request)?));
    done.unwrap();
    append(&world, context, None, 2, None);
    let mut export = Export::new(TENANT, &[], TurnId::NONE);
    let mut turns = Vec::new();
    while !export.is_done() {
        let page = world.engine.export_page(&world.owner, &mut export).unwrap();
        let payloads: Vec<_> = page.iter().filter_map(turn_of).map(|turn| payload_of(turn).len()).collect();
        assert!(payloads.len() == 1 || payloads.iter().sum::<usize>() <= 8 << 20, "{payloads:?}");
        turns.extend(payloads);
    }
    assert_eq!(turns, [9, 9 << 20, 9]);
}

#[test]
fn a_tree_with_entries_that_were_never_uploaded_is_incomplete_and_no_damage() {
    let world = World::new();
    let context = create(&world, None, 1);
    let missing = ContentHash::of(b"nobody uploaded this");
    let mut bytes = vec![0x91, 0x83, 1, 0xa1, b'f', 2, 0, 5, 0xc4, 32];
    bytes.extend(missing.as_bytes());
    let root = put(&world, bytes);
    append(&world, context, None, 1, Some(root));
    let verify = Maintenance::Verify { repair: false };
    let report = world.engine.maintain(&world.owner, &verify, &mut |_| true).unwrap();
    assert_eq!(report.findings, []);
    let [warning] = &report.warnings[..] else { panic!("{:?}", report.warnings) };
    assert!(warning.detail.contains(&root.to_string()) && warning.detail.contains(&missing.to_string()));
    assert!(report.figures.contains(&("incomplete_tree_entries", 1)), "{:?}", report.figures);

    put(&world, b"nobody uploaded this".to_vec());
    let report = world.engine.maintain(&world.owner, &verify, &mut |_| true).unwrap();
    assert_eq!((report.findings, report.warnings), (Vec::new(), Vec::new()), "it was uploaded later");
}
