//! What was read of the graph lately is served from memory, and never as it was before.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use cairn_access::{Action, Resource};
use cairn_base::{SpaceId, TenantId, Value};
use cairn_engine::{Act, Prepared};
use cairn_graph::{ConceptWrite, Target, View, Writer};

use super::kit::{Kip, code};

const WRITERS: usize = 3;
const READERS: usize = 3;
const ROUNDS: u64 = 40;

const ONE_HOP: &str =
    r#"FIND(?s.name, ?d.attributes.risk) WHERE { ?d {type: "Drug", name: "Aspirin"} (?d, "treats", ?s) }"#;

/// With so many links that nobody reads all of them to find those of one drug.
fn with_many_links() -> Kip {
    let kip = Kip::new();
    let blocks: String = (0..12)
        .map(|number| {
            format!(
                r#"CONCEPT {{ {{type: "Drug", name: "D{number}"}} SET PROPOSITIONS {{ ("treats", {{type: "Symptom", name: "Fever"}}) }} }}"#
            )
        })
        .collect();
    kip.ok(&format!("UPSERT {{ {blocks} }}"));
    kip
}

#[test]
fn a_question_that_was_asked_before_reads_nothing_of_the_store() {
    let kip = with_many_links();
    for question in [
        r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Aspirin"} }"#,
        ONE_HOP,
        r#"FIND(?d, ?l) WHERE { ?s {type: "Symptom", name: "Fever"} ?l (?d, "treats", ?s) }"#,
    ] {
        let first = kip.ok(question);
        let before = kip.engine().graph_cache_stats();
        assert_eq!(kip.ok(question), first);
        let after = kip.engine().graph_cache_stats();
        assert_eq!(after.misses, before.misses, "{question}");
        assert!(after.hits > before.hits, "{question}");
    }
}

#[test]
fn without_room_nothing_is_kept() {
    let kip = Kip::new();
    kip.engine().set_graph_cache_bytes(0);
    let before = kip.engine().graph_cache_stats();
    assert_eq!((before.bytes, before.entries), (0, 0));
    kip.ok(ONE_HOP);
    assert_eq!(kip.engine().graph_cache_stats(), before);
}

#[test]
fn whatever_changes_the_graph_is_seen_at_once() {
    let kip = with_many_links();
    let risk = |expected: &str| {
        let found = kip.ok(ONE_HOP);
        assert_eq!(found.as_array().unwrap()[1].to_json(), format!("[{expected}]"));
    };
    let upsert = |risk: u64| {
        format!(
            r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "Aspirin"}} SET ATTRIBUTES {{ risk: {risk} }} }} }}"#
        )
    };
    risk("2");
    kip.ok(&upsert(5));
    risk("5");
    let dry = Value::String(upsert(6)).to_json();
    assert_eq!(code(&kip.ask(&format!(r#"{{"command":{dry},"dry_run":true}}"#))), "ok");
    risk("5");

    // Neither does it matter which way it came.
    let act = || Act::new(Action::GraphWrite, Resource::space(TenantId::LOCAL, SpaceId::MEMORY));
    let owner = &kip.world.owner;
    kip.engine().transact(owner, act(), move |tx, scope| Ok(set_risk(tx, *scope, "7")?)).unwrap();
    risk("7");
    let (done, wait) = mpsc::channel();
    let body =
        move |tx: &mut dyn cairn_seam::WriteTx, scope: &cairn_access::Scope| Ok(set_risk(tx, *scope, "8")?);
    let write = Prepared::new(owner, act(), body);
    kip.engine().submit(write, move |outcome| done.send(outcome.is_ok()).unwrap());
    assert!(wait.recv().unwrap());
    risk("8");

    kip.ok(r#"DELETE PROPOSITIONS ?l WHERE { ?l ({type: "Drug", name: "Aspirin"}, "treats", ?s) }"#);
    assert_eq!(kip.ok(ONE_HOP).to_json(), "[[],[]]");
}

fn set_risk(
    tx: &mut dyn cairn_seam::WriteTx,
    scope: cairn_access::Scope,
    risk: &str,
) -> cairn_graph::Result<()> {
    let kind = View::new(&*tx, scope).type_id("Drug")?.expect("it is defined");
    let mut writer = Writer::new(tx, scope, 1);
    let attributes = Value::parse_json(format!(r#"{{"risk":{risk}}}"#).as_bytes()).unwrap();
    writer.upsert_concept(ConceptWrite {
        target: Target::Named(kind, "Aspirin".into()),
        expect_version: None,
        attributes: attributes.as_object().unwrap().clone(),
        metadata: Default::default(),
    })?;
    writer.finish()
}

/// Each round of a writer gives its two drugs the same number, and the first of them one more symptom.
fn round(writer: usize, round: u64) -> String {
    format!(
        r#"UPSERT {{
            CONCEPT ?s {{ {{type: "Symptom", name: "S{writer}-{round}"}} }}
            CONCEPT {{ {{type: "Drug", name: "Left{writer}"}} SET ATTRIBUTES {{ n: {round} }} SET PROPOSITIONS {{ ("treats", ?s) }} }}
            CONCEPT {{ {{type: "Drug", name: "Right{writer}"}} SET ATTRIBUTES {{ n: {round} }} }}
        }}"#
    )
}

/// The number of a writer's drugs, which has to be the number of symptoms too.
fn seen(kip: &Kip, writer: usize) -> u64 {
    let found = kip.ok(&format!(
        r#"FIND(?l.attributes.n, ?r.attributes.n, COUNT(?s)) WHERE {{
            ?l {{type: "Drug", name: "Left{writer}"}} ?r {{type: "Drug", name: "Right{writer}"}} (?l, "treats", ?s) }}"#
    ));
    let columns = found.as_array().unwrap();
    let [left, right, count] = columns else { panic!("{}", found.to_json()) };
    assert_eq!((left, left), (right, count), "{}", found.to_json());
    left.to_json().trim_matches(['[', ']']).parse().unwrap()
}

#[test]
fn readers_see_neither_old_nor_half_versions_while_others_write() {
    let kip = Kip::new();
    (0..WRITERS).for_each(|writer| drop(kip.ok(&round(writer, 1))));
    let (running, looks) = (AtomicUsize::new(WRITERS), AtomicUsize::new(0));
    thread::scope(|scope| {
        let (kip, running, looks) = (&kip, &running, &looks);
        for writer in 0..WRITERS {
            scope.spawn(move || {
                let _ended = Ended(running);
                for number in 2..=ROUNDS {
                    kip.ok(&round(writer, number));
                    assert_eq!(seen(kip, writer), number, "what was written is read");
                }
            });
        }
        for _ in 0..READERS {
            scope.spawn(move || {
                let mut last = [1; WRITERS];
                while running.load(Ordering::Acquire) > 0 {
                    for (writer, last) in last.iter_mut().enumerate() {
                        let number = seen(kip, writer);
                        assert!(number >= *last, "{number} after {last}");
                        *last = number;
                        looks.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    (0..WRITERS).for_each(|writer| assert_eq!(seen(&kip, writer), ROUNDS));
    let stats = kip.engine().graph_cache_stats();
    assert!(looks.into_inner() > 0 && stats.hits > stats.misses / 2, "{stats:?}");
}

/// Says that a writer has ended, also if it failed: readers wait for that.
struct Ended<'a>(&'a AtomicUsize);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
