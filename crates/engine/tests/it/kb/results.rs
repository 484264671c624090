//! Imports of test results.

use cairn_access::Principal;
use cairn_engine::{Engine, EngineError};
use cairn_kb::limits::RESULT_TESTS_MAX;
use cairn_kb::sync::{SyncHeader, SyncInput};
use cairn_kb::tools::{ResultsInput, ResultsOutput};
use serde_json::{Value, json};

use super::kit::{Kb, code, elsewhere, input, query, reports, target};

/// Imports cases at a time.
pub(super) fn import(engine: &Engine, at: &str, cases: Value) -> Result<ResultsOutput, EngineError> {
    import_run(engine, "ci-1", at, cases)
}

fn import_run(engine: &Engine, run: &str, at: &str, cases: Value) -> Result<ResultsOutput, EngineError> {
    let input: ResultsInput =
        serde_json::from_value(json!({"run": run, "commit": "abc", "at": at, "cases": cases})).unwrap();
    engine.kb_import_results(&Principal::local_owner(), &target("main"), &input)
}

fn test(engine: &Engine, id: &str) -> Value {
    let found = query(engine, &target("main"), json!({"id": id})).unwrap();
    serde_json::to_value(&found.entities[0]).unwrap()
}

const AT: &str = "2023-11-01T10:00:00Z";

#[test]
fn results_are_stored_in_one_write_and_say_what_they_changed() {
    let kb = Kb::filled();
    kb.put(&input("test", "T-2", json!({"title": "x", "status": "pending", "source": "t.py::test_x"}), &[]));
    let before = super::kit::writes(&kb.snapshot_id());
    let updated_at = test(kb.engine(), "T-2")["updated_at"].clone();
    let cases = json!([
        {"name": "ends [T-1]", "status": "failing"},
        {"name": "test_x[1]", "class": "t", "status": "passing"},
        {"name": "test_y", "class": "t", "status": "passing"},
    ]);
    let output = import(kb.engine(), AT, cases.clone()).unwrap();
    assert_eq!((output.cases, output.matched, output.tests, output.updated_count), (3, 2, 2, 2));
    assert_eq!(output.unmatched[0].case, "t::test_y");
    assert_eq!(output.updated.iter().map(|test| test.id.as_str()).collect::<Vec<_>>(), ["T-1", "T-2"]);
    assert_eq!(super::kit::writes(&output.snapshot_id), before + 1);
    assert_eq!(output.snapshot_id, kb.snapshot_id());
    let stored = test(kb.engine(), "T-1");
    let fields = ["status", "result_run", "result_commit", "result_at"].map(|name| stored[name].clone());
    assert_eq!(json!(fields), json!(["failing", "ci-1", "abc", AT]));
    // A result is no change of the content.
    assert_eq!(test(kb.engine(), "T-2")["updated_at"], updated_at);

    // The same is no write, an older one is ignored, an unknown branch is an error.
    assert_eq!(import(kb.engine(), AT, cases.clone()).unwrap().updated_count, 0);
    let older = import_run(kb.engine(), "ci-0", "2023-10-01T10:00:00Z", cases.clone()).unwrap();
    assert_eq!((older.older_count, older.tests, older.older[0].result_at.as_str()), (2, 0, AT));
    assert_eq!(kb.snapshot_id(), output.snapshot_id);
    assert_eq!(code(import(kb.engine(), "never", cases)), "KbInvalidArgument");

    // A shard of the same run counts, whenever it ran.
    let shard = json!([{"name": "ends [T-1]", "status": "passing"}, {"name": "test_x", "class": "t", "status": "failing"}]);
    let shard = import(kb.engine(), "2023-10-01T10:00:00Z", shard).unwrap();
    assert_eq!((shard.updated_count, shard.updated[0].id.as_str()), (1, "T-2"));
    assert_eq!(["T-1", "T-2"].map(|id| test(kb.engine(), id)["status"].clone()), ["failing", "failing"]);

    // Memory and store agree, and an upsert keeps the results.
    kb.put(&input("test", "T-1", json!({"title": "other"}), &[]));
    assert_eq!(test(kb.engine(), "T-1")["result_run"], "ci-1");
    let there = elsewhere(kb.store());
    assert_eq!(reports(kb.engine(), &target("main")).unwrap(), reports(&there, &target("main")).unwrap());
}

#[test]
fn results_of_as_many_tests_as_are_allowed_are_one_transaction() {
    let kb = Kb::new();
    let properties = json!({"title": "x", "status": "pending", "source": "t.py::test_x"});
    let tests = (0..RESULT_TESTS_MAX)
        .map(|at| json!({"entity": {"type": "test", "id": format!("T-{at}"), "properties": properties}}));
    let tests: Vec<Value> = tests.collect();
    let file = serde_json::from_value(json!({"path": "tests.md", "hash": "1", "entities": tests})).unwrap();
    let files = SyncInput { header: SyncHeader::default(), files: vec![file] };
    kb.engine().kb_sync(&Principal::local_owner(), &target("main"), &files, &mut |_| true).unwrap();
    let before = super::kit::writes(&kb.snapshot_id());
    let output =
        import(kb.engine(), AT, json!([{"name": "test_x", "class": "t", "status": "passing"}])).unwrap();
    assert_eq!((output.updated_count, output.updated.len()), (RESULT_TESTS_MAX as u64, 1_000));
    assert_eq!(super::kit::writes(&output.snapshot_id), before + 1);
}
