//! Cases as test runners report them, and the tests that they belong to.

use cairn_base::Value;
use cairn_graph::Map;
use proptest::prelude::*;

use super::{Assigned, assign_results, check_results, plan_results};
use crate::branch::{Branch, Edge, Node, NodeKey};
use crate::limits::{RESULT_CASES_MAX, RESULT_PROPERTIES_MAX, RESULT_TESTS_MAX, RESULT_TEXT_BYTES_MAX};
use crate::tools::{
    CaseProperty, CoverageInput, CoverageRow, ResultCase, ResultStatus, ResultsInput, StatusOutput,
};
use crate::{Entity, EntityType, KbError, Relation, report};

use ResultStatus::{Failing, Passing, Skipped};

const REQUIREMENT: NodeKey = NodeKey(1_000_000);
const NOW_MS: u64 = 1_777_630_000_000;
const AT: &str = "2026-05-01T10:00:00Z";

fn attributes(properties: &[(&str, &str)]) -> Map {
    properties.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect()
}

fn entity(kind: EntityType, id: &str, properties: &[(&str, &str)]) -> Entity {
    Entity { id: id.to_owned(), kind, attributes: attributes(properties) }
}

/// A branch with tests, given by id and source, and their entities.
fn branch(tests: &[(&str, &str)]) -> (Branch, Vec<(NodeKey, Entity)>) {
    let mut branch = Branch::default();
    let mut entities = Vec::new();
    for (key, (id, source)) in (1..).map(NodeKey).zip(tests) {
        let entity =
            entity(EntityType::Test, id, &[("title", id), ("status", "pending"), ("source", source)]);
        branch.put(key, entity.node());
        entities.push((key, entity));
    }
    let requirement = [("title", "r"), ("status", "open"), ("source", "tests/test_auth.py::test_login")];
    branch.put(REQUIREMENT, Node::of("REQ-1", EntityType::Req, &attributes(&requirement)));
    (branch, entities)
}

fn assigned(branch: &Branch, cases: &[ResultCase]) -> Assigned {
    assign_results(branch, cases).expect("there are not too many")
}

fn case(class: &str, file: &str, name: &str) -> ResultCase {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let (class, file) = (some(class), some(file));
    ResultCase { name: name.to_owned(), class, suite: None, file, status: Passing, properties: Vec::new() }
}

/// Sources of tests, a case by class, file and name, and the tests that it belongs to: by place in the list.
#[track_caller]
fn check(sources: &[&str], (class, file, name): (&str, &str, &str), expected: &[u64]) {
    let tests: Vec<(String, &str)> =
        sources.iter().enumerate().map(|(at, source)| (format!("T-{}", at + 1), *source)).collect();
    let tests: Vec<(&str, &str)> = tests.iter().map(|(id, source)| (id.as_str(), *source)).collect();
    let (branch, _) = branch(&tests);
    let assigned = assigned(&branch, &[case(class, file, name)]);
    let found: Vec<u64> = assigned.tests.keys().map(|key| key.0).collect();
    assert_eq!(found, expected, "{class} {file} {name}");
    assert_eq!(assigned.matched, u64::from(!expected.is_empty()));
    assert_eq!(assigned.unmatched_count, u64::from(expected.is_empty()));
}

#[test]
fn pytest_cases_are_found_by_file_or_class() {
    let sources =
        ["tests/test_auth.py::test_login", "tests/test_auth.py::TestAuth::test_logout", "x.py::test_login"];
    check(&sources, ("tests.test_auth", "", "test_login"), &[1]);
    check(&sources, ("tests.test_auth", "", "test_login[admin-1]"), &[1]);
    check(&sources, ("tests.test_auth", "./tests/test_auth.py", "test_login"), &[1]);
    check(&sources, ("tests.test_auth.TestAuth", "", "test_logout"), &[2]);
    check(&sources, ("tests.test_auth.TestAuth", "tests/test_auth.py", "test_logout[x]"), &[2]);
    check(&sources, ("x", "", "test_login"), &[3]);
    check(&sources, ("tests.test_auth", "", "test_login_twice"), &[]);
    check(&sources, ("other.test_auth", "", "test_login"), &[]);
}

#[test]
fn a_class_in_a_file_is_not_the_file() {
    let sources = ["tests/test_auth.py::test_x", "tests/test_auth.py::TestA::test_x"];
    for file in ["", "tests/test_auth.py", "/builds/shop/tests/test_auth.py", "auth/tests/test_auth.py"] {
        let is_far = file.len() > "tests/test_auth.py".len();
        // A file of elsewhere is none of the tree; the class still is.
        check(&sources, ("tests.test_auth.TestA", file, "test_x"), &[2]);
        check(&sources, ("tests.test_auth.TestZ", file, "test_x"), &[]);
        check(&sources, ("tests.test_auth.TestA.TestZ", file, "test_x"), &[]);
        check(&sources, ("tests.test_auth", file, "test_x"), &[1]);
        check(&sources, ("", file, "test_x"), if file.is_empty() || is_far { &[] } else { &[1] });
    }
    check(&sources, ("TestA", "tests/test_auth.py", "test_x"), &[2]);
    check(&sources, ("TestZ", "tests/test_auth.py", "test_x"), &[]);
    check(&sources, ("test_auth", "tests/test_auth.py", "test_x[1]"), &[1]);
    // Titles around a name are in the name as well.
    let titles = ["a.test.ts::auth > logs in", "a.test.ts::logs in"];
    check(&titles, ("a.test.ts", "", "auth > logs in"), &[1]);
    check(&titles, ("a.test.ts", "", "admin > logs in"), &[2]);
    // A suite is around the class as a file is.
    let (branch, _) = branch(&[("T-1", "com.shop.LoginTest::works")]);
    let nested =
        ResultCase { suite: Some("com.shop.LoginTest".into()), ..case("com.shop.Other", "", "works") };
    assert_eq!(assigned(&branch, &[nested]).matched, 0);
}

#[test]
fn nested_classes_of_java_fall_back_to_the_one_around_them() {
    let sources =
        ["src/test/java/com/shop/LoginTest.java::works", "src/test/java/com/shop/LoginTest.java::Deep::ends"];
    check(&sources, ("com.shop.LoginTest$Deep", "", "works"), &[1]);
    check(&sources, ("com.shop.LoginTest$Deep", "", "ends"), &[2]);
    check(&sources, ("com.shop.LoginTest$Deep$Deeper", "", "ends"), &[2]);
    check(&sources, ("com.shop.LoginTest$Deep$Deeper", "LoginTest.java", "works"), &[1]);
    check(&sources, ("com.shop.LoginTest.Deep", "", "works"), &[]);
    let (branch, _) = branch(&[("T-1", sources[0])]);
    let both = |one: &str, other: &str| {
        let cases = [case(one, "", "works"), case(other, "", "works")];
        assigned(&branch, &cases).unmatched.into_iter().map(|unmatched| unmatched.case).collect::<Vec<_>>()
    };
    assert_eq!(both("com.shop.LoginTest$A", "com.shop.LoginTest"), ["com.shop.LoginTest$A::works"]);
    assert_eq!(both("com.shop.LoginTest$A", "com.shop.LoginTest$B").len(), 2);
    assert_eq!(both("com.shop.LoginTest$A", "com.shop.LoginTest$A"), [""; 0]);
}

/// Sources, classes and names of the cases of one run, and the number of cases of each test. Cases that belong to none
/// name the tests that they may belong to.
#[track_caller]
fn check_run(sources: &[&str], cases: &[(&str, &str)], expected: &[(u64, u64)], candidates: &[&[&str]]) {
    let tests: Vec<(String, &str)> =
        sources.iter().enumerate().map(|(at, source)| (format!("T-{}", at + 1), *source)).collect();
    let tests: Vec<(&str, &str)> = tests.iter().map(|(id, source)| (id.as_str(), *source)).collect();
    let cases: Vec<_> = cases.iter().map(|(class, name)| case(class, "", name)).collect();
    let assigned = assigned(&branch(&tests).0, &cases);
    let counts: Vec<(u64, u64)> = assigned.tests.iter().map(|(key, (_, count))| (key.0, *count)).collect();
    assert_eq!(counts, expected);
    let unmatched: Vec<_> = assigned.unmatched.iter().map(|unmatched| &unmatched.candidates[..]).collect();
    assert_eq!(unmatched, candidates);
}

#[test]
fn a_case_of_another_package_is_no_case_of_a_test() {
    let auth = "auth/login_test.go::TestLogin";
    let internal = "internal/auth/login_test.go::TestLogin";
    let both = [("example.com/shop/auth", "TestLogin"), ("example.com/shop/internal/auth", "TestLogin")];
    // The module is what all packages begin with.
    check_run(&[auth], &both, &[(1, 1)], &[&[]]);
    check_run(&[auth, internal], &both, &[(1, 1), (2, 1)], &[]);
    check_run(&[internal], &both, &[(1, 1)], &[&[]]);
    let inner = [("example.com/shop/internal/auth", "TestLogin"), ("example.com/shop/internal/api", "TestX")];
    check_run(&[internal], &inner, &[(1, 1)], &[&[]]);
    check_run(&[auth, internal], &inner, &[], &[&["T-1", "T-2"], &[]]);
    check_run(&[auth, internal], &inner[..1], &[(2, 1)], &[]);
    let modules = [("example.com/shop/auth", "TestLogin"), ("example.org/grpc/auth", "TestLogin")];
    check_run(&[auth], &modules, &[], &[&["T-1"], &["T-1"]]);

    let rust = "crates/auth/src/login.rs::tests::works";
    let packages = [("shop-auth", "login::tests::works"), ("grpc-auth", "login::tests::works")];
    check_run(&[rust], &packages, &[], &[&["T-1"], &["T-1"]]);
    check_run(&[rust], &packages[..1], &[(1, 1)], &[]);
    // A library and a binary of one package may share a file.
    check_run(&[rust], &[packages[0], ("shop-auth::bin/tool", "login::tests::works")], &[(1, 2)], &[]);
    let parameters = [("tests.test_auth", "test_x[1]"), ("tests.test_auth", "test_x[2]")];
    check_run(&["api/tests/test_auth.py::test_x"], &parameters, &[(1, 2)], &[]);
    let folders = [("tests.test_auth", "test_x"), ("api.tests.test_auth", "test_x")];
    check_run(&["api/tests/test_auth.py::test_x"], &folders, &[(1, 1)], &[&["T-1"]]);
}

#[test]
fn rust_cases_are_found_by_package_and_modules() {
    let sources = [
        "crates/core/kb/src/report/search.rs::tests::finds",
        "crates/core/kb/src/report/graph.rs::walks",
        "crates/core/kb/tests/it/traps.rs::no_trap",
        "crates/core/kb/src/lib.rs::works",
        "crates/other/src/lib.rs::works",
        "cairn-kb::it::traps::named",
    ];
    check(&sources, ("cairn-kb", "", "report::search::tests::finds"), &[1]);
    check(&sources, ("cairn-kb", "", "report::graph::tests::walks"), &[2]);
    check(&sources, ("cairn-kb::it", "", "traps::no_trap"), &[3]);
    check(&sources, ("cairn-kb", "", "works"), &[4]);
    check(&sources, ("cairn-other", "", "tests::works"), &[5]);
    check(&sources, ("cairn-third", "", "works"), &[]);
    check(&sources, ("cairn-third", "", "report::search::tests::finds"), &[]);
    check(&sources, ("cairn-kb::it", "", "traps::named"), &[6]);
    check(&["src/session.rs::tests::ends"], ("shop", "", "session::tests::ends"), &[1]);
    check(&["tests/it/main.rs::ends"], ("shop::it", "", "ends"), &[1]);
    check(&["tests/session.rs::ends"], ("shop::session", "", "ends"), &[1]);
    check(&["src/bin/tool.rs::tests::ends"], ("shop::bin/tool", "", "tests::ends"), &[1]);
    check(&["src/a/mod.rs::tests::ends"], ("shop", "", "a::tests::ends"), &[1]);
}

#[test]
fn a_file_in_the_root_is_of_the_only_package() {
    let (branch, _) = branch(&[("T-1", "src/session.rs::tests::ends")]);
    let cases = [case("shop", "", "session::tests::ends"), case("tools", "", "tests::other")];
    assert_eq!(assigned(&branch, &cases[..1]).matched, 1);
    assert_eq!(assigned(&branch, &cases).matched, 0);
}

#[test]
fn go_java_and_javascript_cases_are_found() {
    let go =
        ["auth/login_test.go::TestLogin", "auth/login_test.go::TestLogin/admin", "login_test.go::TestRoot"];
    check(&go, ("example.com/shop/auth", "", "TestLogin"), &[1]);
    check(&go, ("example.com/shop/auth", "", "TestLogin/admin"), &[2]);
    check(&go, ("example.com/shop/auth", "", "TestLogin/user"), &[]);
    check(&go, ("example.com/shop/oauth", "", "TestLogin"), &[]);
    check(&go, ("example.com/shop", "", "TestRoot"), &[]);
    let java = ["src/test/java/com/shop/LoginTest.java::logsIn", "com.shop.LoginTest::logsOut"];
    check(&java, ("com.shop.LoginTest", "", "logsIn"), &[1]);
    check(&java, ("com.shop.LoginTest", "", "logsIn(String)[2]"), &[1]);
    check(&java, ("com.shop.LoginTest", "", "logsOut"), &[2]);
    check(&java, ("org.shop.LoginTest", "", "logsIn"), &[]);
    check(&java, ("LoginTest", "", "logsIn"), &[]);
    let js = ["src/auth.test.ts::auth > logs in", "src/auth.test.ts::logs out"];
    check(&js, ("src/auth.test.ts", "", "auth > logs in"), &[1]);
    check(&js, ("auth", "src/auth.test.ts", "auth > logs out"), &[2]);
    check(&js, ("auth", "src\\auth.test.ts", "auth > logs out"), &[2]);
}

#[test]
fn a_case_that_may_belong_to_tests_in_several_files_belongs_to_none() {
    let sources = ["a/tests/test_auth.py::test_login", "b/tests/test_auth.py::test_login"];
    check(&sources, ("tests.test_auth", "", "test_login"), &[]);
    check(&sources, ("", "tests/test_auth.py", "test_login"), &[]);
    check(&sources, ("a.tests.test_auth", "", "test_login"), &[1]);
    let (branch, _) = branch(&[("T-1", sources[0]), ("T-2", sources[1])]);
    let assigned = assigned(&branch, &[case("tests.test_auth", "", "test_login")]);
    assert_eq!(assigned.unmatched[0].candidates, ["T-1", "T-2"]);
    assert_eq!(assigned.unmatched[0].case, "tests.test_auth::test_login");
    // An absolute path is that of another machine, and its end may be another file.
    check(&["test_auth.py::test_login"], ("", "/builds/shop/tests/test_auth.py", "test_login"), &[]);
}

#[test]
fn tests_with_the_same_source_have_the_same_results() {
    let source = "tests/test_auth.py::test_login";
    check(&[source, source], ("tests.test_auth", "", "test_login"), &[1, 2]);
}

#[test]
fn ids_are_found_as_whole_words_of_names_and_properties() {
    let (branch, _) = branch(&[("TEST-1", "a"), ("TEST-10", "b"), ("shop/login 1", "c")]);
    let found = |name: &str, property: &str| -> Vec<u64> {
        let property = CaseProperty { name: "requirement".into(), value: property.into() };
        let case = ResultCase { properties: vec![property], ..case("", "", name) };
        assigned(&branch, &[case]).tests.keys().map(|key| key.0).collect()
    };
    assert_eq!(found("ends [TEST-1]", ""), [1]);
    assert_eq!(found("TEST-10: ends", ""), [2]);
    assert_eq!(found("ends", "TEST-1, TEST-10"), [1, 2]);
    assert_eq!(found("TEST-1-2 xTEST-1 TEST-1x TEST-100 test-1", "TEST_1"), [0; 0]);
    assert_eq!(found("it is shop/login 1", ""), [3]);
    // Names of Go have underscores in place of spaces.
    assert_eq!(found("TestIdle/TEST-10_ends", ""), [2]);
    assert_eq!(found("TestIdle/short_TEST-1", ""), [1]);
    assert_eq!(found("shop/login 12", ""), [0; 0]);
    // The id of a requirement is none of a test.
    assert_eq!(found("REQ-1", ""), [0; 0]);
}

#[test]
fn a_test_fails_if_one_of_its_cases_does() {
    let (branch, _) = branch(&[("T-1", "t.py::test_x")]);
    let status = |statuses: &[ResultStatus]| {
        let cases =
            statuses.iter().map(|status| ResultCase { status: *status, ..case("t", "", "test_x[1]") });
        let cases: Vec<_> = cases.collect();
        assigned(&branch, &cases).tests[&NodeKey(1)]
    };
    assert_eq!(status(&[Passing, Failing, Skipped]), (Failing, 3));
    assert_eq!(status(&[Skipped, Passing]), (Passing, 2));
    assert_eq!(status(&[Skipped, Skipped]), (Skipped, 2));
    // A case that names a test by id and by source counts once.
    let both = ResultCase { status: Failing, ..case("t", "", "test_x[T-1]") };
    assert_eq!(assigned(&branch, &[both, case("", "", "T-1")]).tests[&NodeKey(1)], (Failing, 2));
}

fn input(run: Option<&str>, at: &str, cases: Vec<ResultCase>) -> ResultsInput {
    let (run, at) = (run.map(str::to_owned), Some(at.to_owned()));
    ResultsInput { run, commit: None, at, cases, request_id: None }
}

#[test]
fn a_plan_changes_what_differs_and_keeps_later_results() {
    let (branch, mut tests) = branch(&[("T-1", "t.py::test_x"), ("T-2", "t.py::test_y")]);
    tests[1].1.attributes.insert("result_at".into(), "2026-05-01T14:00:00+02:00".into());
    let first = input(Some("ci-1"), AT, vec![case("t", "", "test_x"), case("t", "", "test_y")]);
    let assigned = assigned(&branch, &first.cases);
    let plan = plan_results(&assigned, tests.clone(), &first, AT);
    assert_eq!(plan.older.iter().map(|older| older.id.as_str()).collect::<Vec<_>>(), ["T-2"]);
    assert_eq!((plan.older_count, plan.changes.len(), plan.updated[0].from.as_str()), (1, 1, "pending"));
    let stored = &plan.changes[0].entity;
    assert_eq!(["status", "result_run", "result_at"].map(|name| stored.text(name)), ["passing", "ci-1", AT]);

    // The same once more changes nothing; a run without an id removes that of the one before.
    tests[0].1 = stored.clone();
    assert_eq!(plan_results(&assigned, tests.clone(), &first, AT).changes, []);
    let second = input(None, AT, Vec::new());
    let plan = plan_results(&assigned, tests, &second, AT);
    assert_eq!(plan.changes[0].removed, ["result_run"]);
    assert_eq!(plan.changes[0].changed, Map::new());
}

#[test]
fn shards_of_a_run_are_combined() {
    let (branch, mut tests) = branch(&[("T-1", "t.py::test_x")]);
    let mut import = |run: &str, commit: Option<&str>, at: &str, status: ResultStatus| {
        let case = ResultCase { status, ..case("t", "", "test_x") };
        let input = ResultsInput { commit: commit.map(str::to_owned), ..input(Some(run), at, vec![case]) };
        let assigned = assigned(&branch, &input.cases);
        let plan = plan_results(&assigned, tests.clone(), &input, at);
        assert_eq!(plan.older_count, 0);
        plan.changes.into_iter().for_each(|change| tests[0].1 = change.entity);
        ["status", "result_commit", "result_at"].map(|name| tests[0].1.text(name).to_owned())
    };
    const EARLIER: &str = "2026-05-01T09:00:00Z";
    assert_eq!(import("ci-9", Some("abc"), AT, Skipped), ["skipped", "abc", AT]);
    assert_eq!(import("ci-9", None, EARLIER, Failing), ["failing", "abc", AT]);
    assert_eq!(import("ci-9", Some("abc"), AT, Passing), ["failing", "abc", AT]);
    assert_eq!(import("ci-10", None, AT, Passing), ["passing", "", AT]);
    // Runs without an id are not one and the same.
    assert_eq!(import("", None, AT, Failing), ["failing", "", AT]);
    assert_eq!(import("", None, AT, Passing), ["passing", "", AT]);
}

#[track_caller]
fn refused(input: &ResultsInput, parameter: &str) {
    let error = check_results(input, NOW_MS).expect_err("it is refused");
    let KbError::Argument { parameter: found, .. } = error else { panic!("{error}") };
    assert_eq!(found, parameter);
}

#[test]
fn inputs_have_limits() {
    let one = || case("t", "", "test_x");
    let with = |case: ResultCase| input(None, AT, vec![case]);
    assert!(check_results(&input(None, AT, vec![one(); RESULT_CASES_MAX]), NOW_MS).is_ok());
    refused(&input(None, AT, vec![one(); RESULT_CASES_MAX + 1]), "cases");
    let long = |bytes: usize| with(case("t", "", &"x".repeat(bytes)));
    assert!(check_results(&long(RESULT_TEXT_BYTES_MAX), NOW_MS).is_ok());
    refused(&long(RESULT_TEXT_BYTES_MAX + 1), "cases");
    let property = CaseProperty { name: "a".into(), value: "b".into() };
    let properties = |count: usize| with(ResultCase { properties: vec![property.clone(); count], ..one() });
    assert!(check_results(&properties(RESULT_PROPERTIES_MAX), NOW_MS).is_ok());
    refused(&properties(RESULT_PROPERTIES_MAX + 1), "cases");
    refused(&input(None, "yesterday", Vec::new()), "at");
    refused(&input(None, "2036-05-01T10:00:00Z", Vec::new()), "at");
    refused(&input(Some(&"x".repeat(5_000)), AT, Vec::new()), "run");
    let now = ResultsInput { at: None, ..input(None, AT, Vec::new()) };
    assert_eq!(check_results(&now, NOW_MS).ok().as_deref(), Some("2026-05-01T10:06:40.000Z"));
}

#[test]
fn one_import_changes_as_many_tests_as_fit() {
    let of = |count: usize| {
        let ids: Vec<String> = (0..count).map(|at| format!("T-{at}")).collect();
        let tests: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "t.py::test_x")).collect();
        assign_results(&branch(&tests).0, &[case("t", "", "test_x")])
    };
    assert!(of(RESULT_TESTS_MAX).is_ok());
    assert!(matches!(of(RESULT_TESTS_MAX + 1), Err(KbError::Argument { .. })));
}

#[test]
fn results_change_the_depth_of_coverage() {
    let (mut branch, tests) = branch(&[("T-1", "tests/e2e/test_auth.py::test_login")]);
    branch.link(Edge { relation: Relation::VerifiedBy, from: REQUIREMENT, to: NodeKey(1) });
    let depth = |branch: &Branch| {
        let by = CoverageInput { include_passing: true, ..CoverageInput::default() };
        let rows = report::coverage(branch, &by, StatusOutput::default()).expect("a report").rows;
        rows.into_iter().find_map(|row| match row {
            CoverageRow::Req(row) => Some(row.coverage_depth),
            CoverageRow::Symbol(_) | CoverageRow::Type(_) => None,
        })
    };
    let before = depth(&branch);
    let input = input(None, AT, vec![case("tests.e2e.test_auth", "", "test_login")]);
    let plan = plan_results(&assigned(&branch, &input.cases), tests, &input, AT);
    branch.apply(plan.changes());
    assert_eq!(before.as_deref(), Some("open_or_nonpassing_tests_only"));
    assert_eq!(depth(&branch).as_deref(), Some("direct_passing_e2e"));
}

proptest! {
    #[test]
    fn arbitrary_cases_do_no_harm(
        texts in prop::collection::vec("[a-zA-Z0-9_.:/\\\\\\[\\](){}<> $é-]{0,40}", 4),
        source in "[a-z/.:]{0,30}",
    ) {
        let (branch, _) = branch(&[("T-1", &source), ("T-2", "tests/test_auth.py::test_login")]);
        let case = case(&texts[0], &texts[1], &texts[2]);
        let case = ResultCase { suite: Some(texts[3].clone()), ..case };
        let assigned = assigned(&branch, &[case]);
        prop_assert_eq!(assigned.matched + assigned.unmatched_count, 1);
    }
}
