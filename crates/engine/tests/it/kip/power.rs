//! Power cuts: what was answered stays, and of what was not there is all or nothing.

use std::path::Path;
use std::sync::Arc;

use cairn_access::Principal;
use cairn_base::fs::SimulatedFs;
use cairn_base::{ManualClock, SeededEntropy, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_engine::{Engine, EngineConfig, EngineError, KipImportOptions};

use super::kit::{DRUGS, code, codes, one, send, several};
use crate::support::NOW_MS;

/// Small segments and quick applies, so that a short life sees many of both.
fn open(fs: &SimulatedFs, seed: u64) -> Result<Arc<Engine>, EngineError> {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let entropy = Arc::new(SeededEntropy::new(seed));
    let options = EmbeddedOptions {
        fs: Arc::new(fs.clone()),
        clock: clock.clone(),
        entropy: entropy.clone(),
        segment_bytes: 64 << 10,
        reserve_bytes: 0,
        cache_bytes: 1 << 20,
        apply_bytes: 16 << 10,
        unapplied_bytes_max: 256 << 10,
        background: Background::Manual,
        ..EmbeddedOptions::default()
    };
    let store = EmbeddedStore::open(Path::new("data"), options)?;
    Engine::open(Arc::new(store), clock, entropy, EngineConfig::default())
}

fn ask(engine: &Engine, text: &str) -> Result<cairn_base::Value, EngineError> {
    let owner = Principal::local_owner();
    send(engine, &owner, TenantId::LOCAL, &one(text))
}

/// Two concepts and a link that always have the same number.
fn statement(number: u64) -> String {
    format!(
        r#"UPSERT {{ CONCEPT ?l {{ {{type: "Drug", name: "Left"}} SET ATTRIBUTES {{ n: {number} }} }}
            CONCEPT ?r {{ {{type: "Drug", name: "Right"}} SET ATTRIBUTES {{ n: {number}, text: "{}" }} }}
            CONCEPT {{ {{type: "Drug", name: "D{number}"}} }}
            PROPOSITION {{ (?l, "treats", ?r) SET ATTRIBUTES {{ n: {number} }} }} }}"#,
        "long ".repeat(if number.is_multiple_of(5) { 12_000 } else { 10 })
    )
}

#[test]
fn a_power_cut_leaves_whole_statements() {
    for seed in 0..24 {
        let fs = SimulatedFs::new(seed);
        let engine = open(&fs, seed).unwrap();
        assert_eq!(code(&ask(&engine, DRUGS).unwrap()), "ok");
        assert_eq!(code(&ask(&engine, &statement(0)).unwrap()), "ok");
        fs.cut_power_at(fs.operations() + 1 + seed * 3);
        let mut answered = 0;
        for number in 1..200 {
            match ask(&engine, &statement(number)) {
                Ok(answer) => {
                    assert_eq!(code(&answer), "ok", "seed {seed}: {}", answer.to_json());
                    answered = number;
                }
                // The node's trouble is no mistake of the command.
                Err(_) => break,
            }
        }
        assert!(answered < 199, "seed {seed}: the power never went");
        drop(engine);
        fs.power_cycle();
        let engine = open(&fs, seed + 1000).unwrap();
        let found = ask(
            &engine,
            r#"FIND(?l.attributes.n, ?r.attributes.n, ?t.attributes.n) WHERE {
                ?l {type: "Drug", name: "Left"} ?r {type: "Drug", name: "Right"} ?t (?l, "treats", ?r) }"#,
        );
        let found = found.unwrap().get("result").unwrap().clone();
        let columns = found.as_array().unwrap();
        assert!(columns.iter().all(|column| column == &columns[0]), "seed {seed}: {}", found.to_json());
        let number = columns[0].as_array().unwrap()[0].as_number().unwrap().as_u64().unwrap();
        assert!(number == answered || number == answered + 1, "seed {seed}: {number} after {answered}");
        let count =
            ask(&engine, r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} FILTER(STARTS_WITH(?d.name, "D")) }"#);
        let expected = format!(r#"{{"result":{}}}"#, number + 1);
        assert_eq!(count.unwrap().to_json(), expected, "seed {seed}");
        // And it goes on.
        assert_eq!(code(&ask(&engine, &statement(500)).unwrap()), "ok", "seed {seed}");
    }
}

#[test]
fn an_import_goes_on_after_power_cuts_and_misses_nothing() {
    const COUNT: usize = 2_500;
    let whole = super::bulk::text(COUNT);
    let owner = Principal::local_owner();
    let mut went_on = 0;
    for seed in 0..6 {
        let fs = SimulatedFs::new(seed);
        let mut engine = open(&fs, seed).unwrap();
        let mut lives = 0;
        loop {
            lives += 1;
            // A little later each time, so that it comes to an end.
            fs.cut_power_at(fs.operations() + lives * (2 + seed));
            let options = KipImportOptions::default();
            let outcome =
                engine.kip_import(&owner, TenantId::LOCAL, &mut whole.as_bytes(), &options, &mut |_| true);
            match outcome {
                Ok(report) => {
                    went_on += u64::from(report.bytes_skipped > 0);
                    break;
                }
                Err(error) => assert!(lives < 500, "seed {seed}: {error}"),
            }
            drop(engine);
            fs.power_cycle();
            engine = open(&fs, seed + 1000 * lives).unwrap();
        }
        fs.cut_power_at(u64::MAX);
        let found = ask(&engine, r#"FIND(COUNT(?l)) WHERE { ?l (?a, "leads_to", ?b) }"#).unwrap();
        assert_eq!(found.get("result").unwrap().to_json(), (COUNT - 1).to_string(), "seed {seed}");
    }
    assert!(went_on > 0, "none of them was in the middle when the power went");
}

#[test]
fn a_dry_run_of_a_batch_leaves_nothing_on_the_disk() {
    let fs = SimulatedFs::new(1);
    let engine = open(&fs, 1).unwrap();
    assert_eq!(code(&ask(&engine, DRUGS).unwrap()), "ok");
    let (position, operations) = (engine.position(), fs.operations());
    // Long texts are blobs, which are written beside the records.
    let count = r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#;
    let text = r#"FIND(?d.attributes.text) WHERE { ?d {type: "Drug", name: "Right"} }"#;
    let (first, second) = (statement(5), statement(10));
    let dry = several(&[&first, text, &second, count], r#","dry_run":true"#);
    let owner = Principal::local_owner();
    let answer = send(&engine, &owner, TenantId::LOCAL, &dry).unwrap();
    assert_eq!(codes(&answer), ["ok"; 4], "{}", answer.to_json());
    let shown = answer.to_json();
    assert!(
        shown.contains(&"long ".repeat(12_000)) && shown.ends_with(r#"{"result":6}]}"#),
        "{}",
        shown.len()
    );
    assert_eq!((engine.position(), fs.operations()), (position, operations));
    // What is written behind it is whole, also after the power went.
    assert_eq!(code(&ask(&engine, &statement(1)).unwrap()), "ok");
    drop(engine);
    fs.power_cycle();
    let engine = open(&fs, 1).unwrap();
    assert_eq!(ask(&engine, count).unwrap().to_json(), r#"{"result":5}"#);
}
