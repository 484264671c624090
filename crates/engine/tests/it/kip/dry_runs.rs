//! Dry runs of batches: one transaction from the first change on, which is given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cairn_access::{Principal, Role};
use cairn_base::{Clock, Position, SeededEntropy, TenantId, Value};
use cairn_engine::{Engine, EngineConfig, SearchHome};
use cairn_seam::{MemoryStore, Store};

use super::kit::{ACME, DRUGS, Kip, code, codes, one, send, several, user};
use crate::search::until;
use crate::support::NOW_MS;

const DRY: &str = r#","dry_run":true"#;
const COUNT: &str = r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#;

fn drug(name: &str) -> String {
    format!(r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "{name}"}} SET ATTRIBUTES {{ risk: 9 }} }} }}"#)
}

fn answers(answer: &Value) -> Vec<String> {
    let answers = answer.get("result").unwrap().as_array().unwrap();
    answers.iter().map(|answer| answer.get("result").unwrap_or(&Value::Null).to_json()).collect()
}

#[test]
fn later_commands_see_what_earlier_ones_would_change() {
    let kip = Kip::new();
    let position = kip.engine().position();
    let commands = [
        COUNT,
        r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Herb"} } CONCEPT { {type: "$PropositionType", name: "eases"} } }"#,
        r#"UPSERT { CONCEPT ?w { {type: "Herb", name: "Willow"} SET PROPOSITIONS { ("eases", {type: "Symptom", name: "Fever"}) } } }"#,
        r#"FIND(?h.name, ?s.name) WHERE { ?h {type: "Herb"} (?h, "eases", ?s) }"#,
        r#"DESCRIBE CONCEPT TYPE "Herb""#,
        r#"UPSERT { CONCEPT { {type: "Herb", name: "Willow"} SET ATTRIBUTES { bark: true } } }"#,
        r#"FIND(?h.metadata._version) WHERE { ?h {type: "Herb"} }"#,
        r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "Aspirin"} }"#,
        COUNT,
        r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Aspirin"} }"#,
        r#"EXPLAIN FIND(?h) WHERE { ?h {type: "Herb"} }"#,
    ];
    let answer = kip.ask(&several(&commands, DRY));
    let expected = ["ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok", "KIP_3002", "ok"];
    assert_eq!(codes(&answer), expected, "{}", answer.to_json());
    let shown = answers(&answer);
    assert_eq!((shown[0].as_str(), shown[8].as_str()), ("2", "1"));
    assert_eq!(shown[3], r#"[["Willow"],["Fever"]]"#);
    assert_eq!(shown[6], "[2]");
    assert_eq!(shown[7], r#"{"deleted_concepts":1,"deleted_propositions":1}"#);
    assert!(shown[2].contains(r#""created":{"concepts":1,"propositions":1}"#), "{}", shown[2]);
    assert!(shown[2].contains(r#""upsert_concept_nodes":[]"#), "ids are not given away: {}", shown[2]);
    // Nothing of it is there.
    assert_eq!(kip.engine().position(), position);
    assert_eq!(kip.ok(COUNT).to_json(), "2");
    assert_eq!(kip.code(r#"FIND(?h) WHERE { ?h {type: "Herb"} }"#), "KIP_2001");
    // The same in earnest comes to the same, but for the ids.
    let earnest = answers(&kip.ask(&several(&commands, "")));
    for at in [0, 3, 6, 7, 8] {
        assert_eq!(earnest[at], shown[at], "{}", commands[at]);
    }
}

#[test]
fn mistakes_end_a_dry_run_where_they_would_end_the_batch() {
    let kip = Kip::new();
    let wrong = r#"UPSERT { CONCEPT { {type: "Nothing", name: "x"} } }"#;
    let unbound = r#"UPSERT { CONCEPT { {type: "Drug", name: :name} } }"#;
    let commands = [
        drug("X"),
        "NONSENSE".to_owned(),
        unbound.to_owned(),
        r#"FIND(?d) WHERE { ?d {type: "drug"} }"#.to_owned(),
        COUNT.to_owned(),
        wrong.to_owned(),
        COUNT.to_owned(),
    ];
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let dry = kip.ask(&several(&commands, DRY));
    assert_eq!(
        codes(&dry),
        ["ok", "KIP_1001", "KIP_1001", "KIP_2001", "ok", "KIP_2001"],
        "{}",
        dry.to_json()
    );
    assert_eq!(answers(&dry)[4], "3");
    assert_eq!(codes(&kip.ask(&several(&commands, ""))), codes(&dry));
    // Places in the text are named as ever.
    let message = dry.get("result").unwrap().as_array().unwrap()[5].to_json();
    assert!(message.contains("line 1, column"), "{message}");
    // A protected target ends it too.
    let protected = r#"DELETE CONCEPT ?t DETACH WHERE { ?t {type: "$ConceptType", name: "Event"} }"#;
    assert_eq!(codes(&kip.ask(&several(&[&drug("X"), protected, COUNT], DRY))), ["ok", "KIP_3004"]);
    // What only reads is refused its changes one by one, and reads.
    let readonly = kip.ask(&several(&[&drug("X"), COUNT], r#","dry_run":true,"readonly":true"#));
    assert_eq!(
        (codes(&readonly), answers(&readonly)[1].as_str()),
        (vec!["KIP_1001".into(), "ok".into()], "3")
    );
}

#[test]
fn a_space_that_is_not_there_is_made_and_given_up() {
    let kip = Kip::new();
    let position = kip.engine().position();
    let more = r#","dry_run":true,"space":"notes""#;
    let answer = kip.ask(&several(&[COUNT, DRUGS, COUNT, "DESCRIBE PRIMER"], more));
    assert_eq!(codes(&answer), ["KIP_3002", "ok", "ok", "ok"], "{}", answer.to_json());
    assert_eq!(answers(&answer)[2], "2");
    let delete = r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug"} }"#;
    assert_eq!(codes(&kip.ask(&several(&[delete, COUNT], more))), ["KIP_3002"], "deleting makes no space");
    let unbound = r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: :t} }"#;
    let answer = kip.ask(&several(&[unbound, COUNT, DRUGS, COUNT], more));
    assert_eq!(codes(&answer), ["KIP_1001", "KIP_3002", "ok", "ok"], "{}", answer.to_json());
    let bad = kip.ask(&several(&[DRUGS, COUNT], r#","dry_run":true,"space":" notes""#));
    assert_eq!(codes(&bad), ["KIP_1002"], "{}", bad.to_json());
    assert_eq!(codes(&kip.ask(&several(&["DESCRIBE PRIMER"], r#","space":"notes""#))), ["KIP_3002"]);
    assert_eq!(kip.engine().position(), position);
}

#[test]
fn nothing_is_audited_announced_or_found_and_the_log_says_that_it_was_dry() {
    let kip = Kip::new();
    let trail = kip.world.trail(TenantId::LOCAL).len();
    let listener = kip.engine().subscribe(&kip.world.owner, TenantId::LOCAL).unwrap();
    kip.ask(&several(&[&drug("Quince"), COUNT], DRY));
    assert_eq!(kip.world.trail(TenantId::LOCAL).len(), trail);
    assert!(listener.try_recv().is_none());
    let changes = kip.world.store.changes(Position::START, None, 1000).unwrap();
    let last = changes.changes.last().map(|change| change.position);
    assert_eq!(last, Some(kip.engine().position()), "the feed has nothing of it");
    let logs = kip.engine().kip_logs(&kip.world.owner, TenantId::LOCAL, &Value::Null).unwrap();
    let logs = logs.to_value().get("result").unwrap().as_array().unwrap().to_vec();
    let kinds: Vec<_> = logs.iter().take(2).map(|line| line.get("kind").unwrap().as_str().unwrap()).collect();
    assert_eq!(kinds, ["FIND", "UPSERT"]);
    assert!(logs.iter().take(2).all(|line| line.get("dry_run").is_some()), "{logs:?}");
    // And whoever may not write may not try it either.
    let reader = user("ada", ACME, Role::Reader);
    let refused = kip.send(&reader, &several(&["DESCRIBE DOMAINS", &drug("X")], DRY)).unwrap_err();
    assert_eq!(refused.code(), cairn_base::ErrorCode::Forbidden, "{refused}");
}

#[test]
fn searching_comes_before_the_first_change() {
    let kip = Kip::new();
    let home = SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
    kip.engine().start_search(home).unwrap();
    until("the index is ready", || kip.engine().search_status().state == "ready");
    let search = r#"SEARCH CONCEPT "aspirin""#;
    let answer = kip.ask(&several(&[search, &drug("X"), search, COUNT], DRY));
    assert_eq!(codes(&answer), ["ok", "ok", "KIP_1001", "ok"], "{}", answer.to_json());
    let hint = answer.get("result").unwrap().as_array().unwrap()[2].to_json();
    assert!(hint.contains("in front of the first change"), "{hint}");
    assert_eq!(answers(&answer)[3], "3");
    kip.engine().close().unwrap();
}

#[test]
fn what_is_too_much_for_one_transaction_is_too_much_for_a_dry_run() {
    let kip = Kip::new();
    // Each is fine alone: the limits of a transaction count all of them together.
    let long = "x".repeat(900_000);
    let upserts: Vec<String> = (0..100)
        .map(|n| {
            format!(r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "D{n}"}} SET ATTRIBUTES {{ text: "{n}{long}" }} }} }}"#)
        })
        .collect();
    let commands: Vec<&str> = upserts.iter().map(String::as_str).collect();
    let answer = kip.ask(&several(&commands, DRY));
    let codes = codes(&answer);
    assert_eq!(codes.last().map(String::as_str), Some("KIP_4002"), "{codes:?}");
    assert!(codes.len() > 1 && codes[..codes.len() - 1].iter().all(|code| code == "ok"), "{codes:?}");
    assert_eq!(kip.ok(COUNT).to_json(), "2");
}

/// A clock on which looking takes time.
#[derive(Debug)]
struct Slow {
    looks: AtomicU64,
    per_look: AtomicU64,
}

impl Clock for Slow {
    fn now_ms(&self) -> u64 {
        NOW_MS
    }

    fn monotonic(&self) -> Duration {
        let per_look = self.per_look.load(Ordering::Relaxed);
        Duration::from_millis(self.looks.fetch_add(per_look, Ordering::Relaxed))
    }
}

#[test]
fn a_dry_run_ends_with_its_time_and_others_write_on() {
    let clock = Arc::new(Slow { looks: AtomicU64::new(0), per_look: AtomicU64::new(0) });
    let store = Arc::new(MemoryStore::new(Arc::clone(&clock) as _));
    let shared = Arc::clone(&clock) as Arc<dyn Clock>;
    let engine = Engine::open(
        Arc::clone(&store) as Arc<dyn Store>,
        shared,
        Arc::new(SeededEntropy::new(1)),
        EngineConfig::default(),
    )
    .unwrap();
    let owner = Principal::local_owner();
    let ask = |request: &str| send(&engine, &owner, TenantId::LOCAL, request).unwrap();
    ask(&one(DRUGS));
    let position = engine.position();
    let upserts: Vec<String> = (0..200).map(|n| drug(&format!("D{n}"))).collect();
    let commands: Vec<&str> = upserts.iter().map(String::as_str).collect();
    // Each command looks a few times, and a batch has 20 s.
    clock.per_look.store(200, Ordering::Relaxed);
    let answer = ask(&several(&commands, DRY));
    clock.per_look.store(0, Ordering::Relaxed);
    let codes = codes(&answer);
    assert_eq!(codes.len(), 200, "what was not tried is told so");
    let tried = codes.iter().take_while(|code| *code == "ok").count();
    assert!((5..100).contains(&tried), "{tried}");
    assert!(codes[tried..].iter().all(|code| code == "KIP_4001"), "{codes:?}");
    assert_eq!(engine.position(), position);
    assert_eq!(code(&ask(&one(&drug("X")))), "ok");
}
