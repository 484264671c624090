//! `cairn kb results import`: reports of test runs become statuses of tests.

use std::fs;

use serde_json::json;

use crate::program::stderr;
use crate::project::Project;

const PYTEST: &str = r#"<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest"
timestamp="2026-05-01T10:00:00+00:00"><testcase classname="tests.test_session" name="test_ends[1]" time="0.1"/><testcase
classname="tests.test_session" name="test_ends[2]"><failure message="no"/></testcase><testcase
classname="tests.test_session" name="test_login"><properties><property name="kb" value="TEST-LOGIN"/></properties>
</testcase><testcase classname="tests.test_other" name="test_nothing"/></testsuite></testsuites>"#;

const GO: &str = "{\"Time\":\"2026-05-02T10:00:00Z\",\"Action\":\"pass\",\"Package\":\"example.com/a\",\
                  \"Test\":\"TestA/TEST-LOGIN\"}\n";

/// A project with two tests, one of which verifies a requirement.
fn project() -> Project {
    let project = Project::new();
    project.said(&["kb", "init"]);
    let test = |id: &str, source: &str| {
        let arguments =
            ["kb", "upsert", "test", id, "--title", id, "--status", "pending", "--source", source];
        project.said(&arguments);
    };
    test("TEST-ENDS", "tests/test_session.py::test_ends");
    test("TEST-LOGIN", "manual");
    project.requirement("REQ-1");
    project.said(&["kb", "upsert", "req", "REQ-1", "--link", "verified_by:TEST-LOGIN"]);
    project
}

fn depth(project: &Project) -> String {
    let report = project.json(&["kb", "coverage", "--all"]);
    report["rows"][0]["coverageDepth"].as_str().expect("a depth").to_owned()
}

#[test]
fn reports_become_statuses_of_tests() {
    let project = project();
    project.said(&["kb", "upsert", "test", "TEST-LOGIN", "--field", "verification_scope=end_to_end"]);
    assert_eq!(depth(&project), "open_or_nonpassing_tests_only");
    fs::write(project.root.join("report.xml"), PYTEST).expect("it is written");
    let arguments = ["kb", "results", "import", "report.xml", "--run", "ci-1", "--commit", "abc"];
    let said = project.said(&arguments);
    assert_eq!(
        said,
        "TEST-ENDS   pending -> failing\nTEST-LOGIN  pending -> passing\ncases that belong to no test:\n  passing  \
         tests.test_other::test_nothing\n4 test cases, 3 matched; 2 tests with results, 2 updated\n"
    );
    assert_eq!(depth(&project), "direct_passing_e2e");
    let test = project.json(&["kb", "query", "--id", "TEST-ENDS"])["entities"][0].clone();
    let fields = ["status", "result_run", "result_commit", "result_at"].map(|name| test[name].clone());
    assert_eq!(json!(fields), json!(["failing", "ci-1", "abc", "2026-05-01T10:00:00+00:00"]));

    // The same once more changes nothing, and a run before it does not count.
    let before = project.json(&["kb", "status"])["snapshotId"].clone();
    let again = project.json(&arguments);
    assert_eq!((&again["updatedCount"], &again["tests"]), (&json!(0), &json!(2)));
    let older = project.said(&["kb", "results", "import", "report.xml", "--at", "2026-04-01T10:00:00Z"]);
    assert!(older.contains("TEST-ENDS   kept: its results are of 2026-05-01T10:00:00+00:00\n"), "{older}");
    assert_eq!(project.json(&["kb", "status"])["snapshotId"], before);

    // Standard input, another format, a later time.
    let piped = project.piped(&["kb", "results", "import", "-", "--json"], GO);
    assert_eq!(piped.status.code(), Some(0), "{}", stderr(&piped));
    let test = project.json(&["kb", "query", "--id", "TEST-LOGIN"])["entities"][0].clone();
    assert_eq!((&test["result_at"], &test["result_run"]), (&json!("2026-05-02T10:00:00Z"), &json!(null)));
}

#[test]
fn a_report_that_was_cut_off_is_told() {
    let project = project();
    let cut = "{\"Action\":\"run\",\"Package\":\"example.com/a\",\"Test\":\"TestX\"}\n";
    let said = project.piped(&["kb", "results", "import", "-"], cut);
    assert!(
        stderr(&said)
            .contains("warning: -: began and did not end, so without a result: example.com/a::TestX"),
        "{said:?}"
    );
    let broken = "{\"Action\":\"fail\",\"Package\":\"example.com/a\",\"FailedBuild\":\"example.com/a\"}\n";
    let said = project.piped(&["kb", "results", "import", "-"], broken);
    assert!(crate::program::stdout(&said).contains("  failing  example.com/a::(build failed)\n"), "{said:?}");
}

#[test]
fn an_absolute_path_below_the_root_is_one_of_the_tree() {
    let project = project();
    let file = project.root.join("tests/test_session.py");
    let report = format!("<testsuite file='{}'><testcase name='test_ends'/></testsuite>", file.display());
    let said = project.piped(&["kb", "results", "import", "-"], &report);
    assert!(crate::program::stdout(&said).contains("TEST-ENDS  pending -> passing"), "{said:?}");
}

#[test]
fn reports_that_cannot_be_read_change_nothing() {
    let project = project();
    fs::write(project.root.join("good.xml"), PYTEST).expect("it is written");
    fs::write(project.root.join("bad.xml"), "<testsuite>\n</testcase>").expect("it is written");
    let (code, said) = project.failed(&["kb", "results", "import", "good.xml", "bad.xml"]);
    assert_eq!(code, 2);
    assert!(said.contains("bad.xml:2: invalid XML") && said.contains("hint: "), "{said}");
    let (code, said) = project.failed(&["kb", "results", "import", "missing.xml"]);
    assert!(code == 1 && said.contains("could not read missing.xml"), "{said}");
    let (code, said) = project.failed(&["kb", "results", "import", "good.xml", "--at", "yesterday"]);
    assert!(code != 0 && said.contains("at: \"yesterday\" is no time"), "{said}");
    let tests = project.json(&["kb", "query", "--type", "test"]);
    let statuses: Vec<_> =
        tests["entities"].as_array().expect("tests").iter().map(|test| &test["status"]).collect();
    assert_eq!(json!(statuses), json!(["pending", "pending"]));
}
