//! Through the cache, snapshots old and new give the answers of the naive evaluator, while others write.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cairn_base::Value;
use cairn_kip::tree::Find;
use cairn_query::{Allowance, Budget, Format, Options, Pass, Passes, find_with};
use cairn_seam::Snapshot;
use proptest::collection::vec;
use proptest::prelude::*;

use super::case::{AnyCase, Case};
use super::differential::{config, rows_of};
use super::graph::{Graph, Size};
use super::load::Loaded;
use crate::naive::{self, Answer};

/// Snapshots that are held.
const HELD: usize = 3;
/// Questions that are asked of each.
const ASKED: usize = 4;

/// What one snapshot answers, with and without the cache, is what the naive evaluator says of it.
fn check(
    loaded: &Loaded,
    snapshot: &dyn Snapshot,
    find: &Find,
    options: &Options,
) -> Result<(), TestCaseError> {
    let world = loaded.stored.world_of(snapshot);
    let view = loaded.stored.cached(snapshot);
    let mut budget = Budget::new(loaded.clock(), Allowance::default());
    let found = find_with(&view, find, Format::Rows, options, &mut budget);
    let found = found.map(|found| found.result.to_json()).map_err(|error| error.into_kip().code);
    let query = || cairn_kip::format(&cairn_kip::tree::Command::Find(find.clone()));
    match naive::find(&world, find) {
        Answer::TooMany => {}
        Answer::Refused(codes) => {
            prop_assert!(found.as_ref().is_err_and(|code| codes.contains(code)), "{found:?}\n{}", query());
        }
        Answer::Rows { rows, .. } => {
            let expected: Value = rows_of(&rows);
            prop_assert_eq!(found, Ok(expected.to_json()), "{:?}\n{}", options, query());
        }
    }
    Ok(())
}

/// One pass after the other is left out.
fn options(turn: usize) -> Options {
    let passes = match turn % (Pass::ALL.len() + 1) {
        0 => Passes::ALL,
        nth => Passes::ALL.without(Pass::ALL[nth - 1]),
    };
    // Small pages and many lookups: lists of links come out of the cache.
    Options { passes, page_rows: 1 + turn % 3, ..Options::default() }
}

fn finds(loaded: &Loaded, cases: &[Case]) -> Vec<Find> {
    cases.iter().map(|case| loaded.named(&case.find)).collect()
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn snapshots_that_are_asked_between_writes_are_not_disturbed(
        cases in vec(AnyCase(Size::SMALL), ASKED),
        others in vec((AnyCase(Size::SMALL), 2_usize..6), 2..5),
    ) {
        let loaded = Loaded::new(&cases[0].graph);
        let finds = finds(&loaded, &cases);
        let mut held: Vec<Box<dyn Snapshot>> = Vec::new();
        for (turn, (other, nth)) in others.iter().enumerate() {
            if held.len() == HELD {
                held.remove(0);
            }
            held.push(loaded.stored.snapshot());
            // What one of them reads and keeps is there for the others.
            for snapshot in held.iter().rev().chain(&held) {
                for (at, find) in finds.iter().enumerate() {
                    check(&loaded, &**snapshot, find, &options(turn + at))?;
                }
            }
            loaded.stored.change(&other.graph, *nth);
        }
        let last = loaded.stored.snapshot();
        for (turn, find) in finds.iter().enumerate() {
            check(&loaded, &*last, find, &options(turn))?;
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn snapshots_that_are_asked_during_writes_are_not_disturbed(
        cases in vec(AnyCase(Size::SMALL), ASKED),
        others in vec(AnyCase(Size::SMALL), 3),
    ) {
        let loaded = Loaded::new(&cases[0].graph);
        let finds = finds(&loaded, &cases);
        let graphs: Vec<Graph> = others.into_iter().map(|other| other.graph).collect();
        let (stored, is_over) = (&loaded.stored, AtomicBool::new(false));
        let outcome = thread::scope(|scope| {
            scope.spawn(|| {
                // Until everything was asked, and for a bounded while.
                for (turn, graph) in graphs.iter().cycle().take(200).enumerate() {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    stored.change(graph, 2 + turn % 4);
                }
            });
            let asked = (0..3 * ASKED).try_for_each(|turn| {
                let snapshot = loaded.stored.snapshot();
                check(&loaded, &*snapshot, &finds[turn % ASKED], &options(turn))?;
                check(&loaded, &*snapshot, &finds[turn % ASKED], &options(0))
            });
            is_over.store(true, Ordering::Relaxed);
            asked
        });
        outcome?;
    }
}

#[test]
fn the_cache_is_really_asked() {
    let case = |find: &str| match cairn_kip::parse(find) {
        Ok(cairn_kip::tree::Command::Find(find)) => find,
        other => panic!("{other:?}"),
    };
    let loaded = Loaded::new(&Graph::default());
    let snapshot = loaded.stored.snapshot();
    let find = case(
        r#"FIND(?d.name) WHERE { ?t {type: "$ConceptType", name: "Domain"} (?t, "belongs_to_domain", ?d) }"#,
    );
    check(&loaded, &*snapshot, &find, &Options::default()).unwrap();
    let before = loaded.stored.hits();
    check(&loaded, &*snapshot, &find, &Options::default()).unwrap();
    assert!(loaded.stored.hits() > before + 2, "{} and {before}", loaded.stored.hits());
}
