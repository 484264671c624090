//! Merging: what is not sent stays.

use cairn_base::Value;

use super::{Kb, NOW_MS, sent};
use crate::EntityType::{Req, Test};

#[test]
fn trap_6_created_at_never_moves_and_what_is_not_sent_stays() {
    let mut kb = Kb::new();
    kb.put(&sent(Req, "R", r#"{"title":"t","status":"open","owner":"ada","tags":["b","a","b"]}"#));
    let before = kb.stored("R").clone();
    kb.now_ms = NOW_MS + 60_000;
    kb.put(&sent(Req, "R", r#"{"status":"closed"}"#));
    let after = kb.stored("R");
    for name in ["title", "owner", "tags", "created_at", "source"] {
        assert_eq!(after.attributes.get(name), before.attributes.get(name), "{name}");
    }
    assert_eq!(after.text("status"), "closed");
    assert_ne!(after.text("updated_at"), before.text("updated_at"));
    let moved = kb.examine(&sent(Req, "R", r#"{"created_at":"2020-01-01T00:00:00Z"}"#));
    assert_eq!(moved.plan.entity.text("created_at"), before.text("created_at"));
    assert!(moved.warnings[0].contains("never moves"), "{:?}", moved.warnings);
    let removed = kb.examine(&sent(Req, "R", r#"{"created_at":null}"#));
    assert_eq!(removed.plan.entity.text("created_at"), before.text("created_at"));
}

#[test]
fn null_removes_lists_hold_each_once_and_defaults_come_back() {
    let mut kb = Kb::new();
    kb.put(&sent(
        Req,
        "R",
        r#"{"title":"t","status":"open","owner":"ada","tags":["b","a","b"],"source":"x.md"}"#,
    ));
    let tags = kb.stored("R").attributes.get("tags").map(Value::to_json);
    assert_eq!(tags.as_deref(), Some(r#"["b","a"]"#));
    let plan = kb.examine(&sent(Req, "R", r#"{"owner":null,"priority":null,"source":null}"#)).plan;
    assert_eq!(plan.removed, ["owner"]);
    assert_eq!(plan.entity.text("source"), "mcp://cairn/upsert");
    let plan = kb.examine(&sent(Req, "R", r#"{"source":" "}"#)).plan;
    assert_eq!(plan.entity.text("source"), "mcp://cairn/upsert");
}

#[test]
fn only_what_changes_is_stored() {
    let mut kb = Kb::new();
    kb.put(&sent(Req, "R", r#"{"title":"t","status":"open","owner":"ada"}"#));
    kb.now_ms += 1_000;
    let plan = kb.examine(&sent(Req, "R", r#"{"title":"t","owner":"eve"}"#)).plan;
    assert_eq!(plan.changed.keys().collect::<Vec<_>>(), ["owner", "updated_at"]);
    let plan = kb.examine(&sent(Req, "new", r#"{"title":"t","status":"open"}"#)).plan;
    assert_eq!(plan.changed, plan.entity.attributes);
}

#[test]
fn a_status_of_a_writer_is_not_that_of_a_run() {
    let mut kb = Kb::new();
    const RUN: [&str; 3] = ["result_run", "result_commit", "result_at"];
    let results = r#"{"title":"t","status":"passing","result_run":"ci-1","result_commit":"abc","result_at":"2026-05-01T10:00:00Z"}"#;
    kb.put(&sent(Test, "T", results));
    for kept in
        [r#"{"title":"other"}"#, r#"{"status":"passing"}"#, r#"{"status":"failing","result_run":"ci-1"}"#]
    {
        let entity = kb.examine(&sent(Test, "T", kept)).plan.entity;
        assert_eq!(RUN.map(|name| entity.text(name)), ["ci-1", "abc", "2026-05-01T10:00:00Z"], "{kept}");
    }
    let mut plan = kb.examine(&sent(Test, "T", r#"{"status":"failing"}"#)).plan;
    plan.removed.sort();
    assert_eq!(plan.removed, ["result_at", "result_commit", "result_run"]);
}

#[test]
fn a_time_of_results_is_at_most_a_day_ahead() {
    let kb = Kb::new();
    let at = |ms: u64| {
        let at = cairn_base::to_iso_utc(ms);
        sent(Test, "T", &format!(r#"{{"title":"t","status":"open","result_at":"{at}"}}"#))
    };
    kb.allows(&at(NOW_MS + 86_400_000));
    kb.refuses(&at(NOW_MS + 86_400_001), &["result_at", "more than a day ahead"]);
}
