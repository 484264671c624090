//! Rules of `kb_coverage`: one row of a table per rule.

use super::{branch, input};
use crate::Branch;
use crate::report::coverage;
use crate::tools::{CoverageOutput, CoverageRow, CoverageStatus, ReqRow, StatusOutput};

fn report(branch: &Branch, json: &str) -> CoverageOutput {
    coverage(branch, &input(json), StatusOutput::default()).unwrap()
}

/// The row of `R` among all.
fn row(text: &str) -> ReqRow {
    let branch = branch(text);
    let rows = report(&branch, r#"{"includePassing": true}"#).rows.into_iter();
    let rows = rows.filter_map(|row| match row {
        CoverageRow::Req(row) => Some(*row),
        CoverageRow::Symbol(_) | CoverageRow::Type(_) => None,
    });
    rows.into_iter().find(|row| row.id == "R").unwrap()
}

#[test]
fn a_requirement_that_must_be_covered_needs_a_scenario_and_a_test() {
    let all = "scenario S\n scenario S2\n test T status=passing\n";
    let rows = [
        ("req R priority=must", "", "missing_scenario_and_test"),
        ("req R priority=must", "R specified_by S", "missing_test"),
        ("req R priority=must", "R verified_by T", "missing_scenario"),
        ("req R priority=must", "T validates R", "missing_scenario"),
        ("req R priority=must", "T validates R\n R specified_by S", ""),
        ("req R priority=must", "R specified_by S\n S verified_by T", ""),
        ("req R priority=must", "R specified_by S\n T validates S", ""),
        ("req R priority=must", "R specified_by S\n T validates S2", "missing_test"),
        ("req R priority=must", "S verified_by T", "missing_scenario_and_test"),
        ("req R priority=must", "R verified_by GONE\n R specified_by S", "missing_test"),
        ("req R priority=must", "R specified_by GONE\n T validates R", "missing_scenario"),
        ("req R priority=P-MUST", "", "missing_scenario_and_test"),
        ("req R priority=must status=deprecated", "", "missing_scenario_and_test"),
    ];
    for (requirement, links, gap) in rows {
        let row = row(&format!("{all}{requirement}\n{links}"));
        let status = if gap.is_empty() { CoverageStatus::FullyCovered } else { CoverageStatus::Uncovered };
        let expected = Vec::from_iter((!gap.is_empty()).then(|| gap.to_owned()));
        assert_eq!((row.gaps, row.coverage_status, row.evaluated), (expected, status, true), "{links}");
    }
    for priority in ["musty", "should", "must_", ""] {
        let row = row(&format!("req R priority={priority}"));
        let found = (row.gaps.len(), row.coverage_status, row.evaluated);
        assert_eq!(found, (0, CoverageStatus::NotApplicable, false), "{priority}");
    }
    assert!(!row("req R").evaluated);
}

#[test]
fn depth_is_the_first_that_matches() {
    let unit = "verification_scope=unit";
    let e2e = "verification_scope=end_to_end";
    let rows = [
        ("passing", e2e, "R verified_by T", "direct_passing_e2e"),
        ("passing", "tags=e2e", "R verified_by T", "direct_passing_e2e"),
        ("passing", "source=tests/e2e/a.rs", "T validates R", "direct_passing_e2e"),
        ("passing", "tags=e2e verification_scope=unit", "T validates R", "unit_only"),
        ("passing", "tags=e2e2", "T validates R", "open_or_nonpassing_tests_only"),
        ("failing", e2e, "R verified_by T", "open_or_nonpassing_tests_only"),
        ("passing", e2e, "R specified_by S\n T validates S", "scenario_passing_e2e"),
        ("passing", e2e, "R specified_by S\n T validates S\n T validates R", "direct_passing_e2e"),
        ("passing", unit, "T validates R", "unit_only"),
        ("passing", unit, "R specified_by S\n T validates S", "unit_only"),
        ("passing", unit, "T validates R\n U validates R", "unit_only"),
        ("passing", unit, "T validates R\n V validates R", "open_or_nonpassing_tests_only"),
        ("passing", "verification_scope=integration", "T validates R", "open_or_nonpassing_tests_only"),
        ("failing", unit, "T validates R", "open_or_nonpassing_tests_only"),
        ("passing", e2e, "R specified_by S", "scenario_only_no_test"),
        ("passing", e2e, "S verified_by T", "no_test_evidence"),
        ("passing", e2e, "", "no_test_evidence"),
    ];
    for (status, more, links, expected) in rows {
        let row = row(&format!(
            "req R\n scenario S\n test T status={status} {more}\n test U status=failing verification_scope=end_to_end\n \
             test V status=passing verification_scope=integration\n {links}"
        ));
        assert_eq!(row.coverage_depth, expected, "{status} {more} {links}");
    }
}

#[test]
fn tests_are_listed_and_counted_once() {
    let row = row("req R
        scenario S1
        scenario S2
        test T1 status=passing
        test T2 status=failing verification_scope=unit
        test T3 status=passing tags=e2e
        R verified_by T2
        T2 validates R
        T1 validates R
        R specified_by S1
        R specified_by S2
        S1 verified_by T3
        S2 verified_by T3
        T2 validates S2");
    assert_eq!((row.scenario_count, row.test_count), (2, 3));
    assert_eq!((row.direct_tests.join(" "), row.scenario_tests.join(" ")), ("T1 T2".into(), "T2 T3".into()));
    assert_eq!(row.test_statuses, ["failing", "passing"]);
    assert_eq!(row.verification_scopes, ["end_to_end", "unit", "unknown"]);
}

#[test]
fn transitive_symbols_come_from_dependents_and_tests() {
    let all = "req R\n req D\n req E\n req UP\n test T\n scenario S\n symbol A\n symbol B\n";
    let rows = [
        ("", (0, 0)),
        ("A implements R", (1, 1)),
        ("A implements D\n D depends_on R", (0, 1)),
        ("A implements UP\n R depends_on UP", (0, 0)),
        ("A implements E\n E depends_on D\n D depends_on R", (0, 1)),
        ("A implements R\n A implements D\n D depends_on R", (1, 1)),
        ("A implements R\n B implements D\n D depends_on R", (1, 2)),
        ("A implements D\n D depends_on R\n R depends_on D\n B implements UP\n D depends_on UP", (0, 1)),
        ("A implements D\n R depends_on R\n D depends_on D", (0, 0)),
        ("A covered_by T\n R verified_by T", (0, 1)),
        ("A covered_by T\n R specified_by S\n T validates S", (0, 1)),
        ("A covered_by T\n D verified_by T\n D depends_on R", (0, 0)),
        ("A executable_for T\n R verified_by T", (0, 0)),
    ];
    for (links, expected) in rows {
        let row = row(&format!("{all}{links}"));
        assert_eq!((row.direct_symbol_count, row.transitive_symbol_count), expected, "{links}");
    }
    let branch = branch(&format!("{all}A implements D\n D depends_on R\n B implements R"));
    let found = report(&branch, r#"{"includeTransitive": false}"#);
    let CoverageRow::Req(row) = &found.rows[2] else { panic!("{found:?}") };
    assert_eq!((row.id.as_str(), row.direct_symbol_count, row.transitive_symbol_count), ("R", 1, 1));
}

#[test]
fn symbols_need_a_requirement_unless_they_are_code_of_tests() {
    let branch = branch(
        "req R\n test T\n symbol A\n symbol B tags=x\n symbol C\n symbol D\n A implements R\n A covered_by T
         C executable_for T\n D implements GONE\n D covered_by GONE",
    );
    let shown = |json: &str| -> String {
        let rows = report(&branch, json).rows.into_iter().map(|row| match row {
            CoverageRow::Symbol(row) => {
                let (requirements, tests) = (row.direct_requirement_count, row.test_count);
                let (status, gaps) = (row.coverage_status, row.gaps.join(","));
                format!("{} {requirements} {tests} {status:?} {gaps}", row.id).trim_end().to_owned()
            }
            CoverageRow::Req(_) | CoverageRow::Type(_) => panic!("{row:?}"),
        });
        rows.collect::<Vec<_>>().join("; ")
    };
    let rest =
        "B 0 0 Uncovered missing_requirement; C 0 0 NotApplicable; D 0 0 Uncovered missing_requirement";
    assert_eq!(shown(r#"{"by": "symbol"}"#), rest);
    assert_eq!(shown(r#"{"by": "symbol", "includePassing": true}"#), format!("A 1 1 FullyCovered; {rest}"));
    assert_eq!(shown(r#"{"by": "symbol", "tags": ["x"]}"#), "B 0 0 Uncovered missing_requirement");
    let summary = report(&branch, r#"{"by": "symbol", "limit": 1}"#).summary;
    assert_eq!((summary.total, summary.fully_covered, summary.uncovered), (4, Some(1), Some(2)));
    assert_eq!((summary.not_applicable, summary.evaluated), (Some(1), None));
}

#[test]
fn types_are_counted_if_there_are_any() {
    let branch = branch("test T\n req B\n req A tags=x\n symbol S");
    let found = report(&branch, r#"{"by": "type"}"#);
    let rows = serde_json::to_string(&found.rows).unwrap();
    let expected = r#"[{"id":"req","type":"req","count":2},{"id":"symbol","type":"symbol","count":1},{"id":"test","type":"test","count":1}]"#;
    assert_eq!((rows.as_str(), found.summary.total), (expected, 3));
    assert_eq!(report(&branch, r#"{"by": "type", "tags": ["x"]}"#).summary.total, 1);
}

#[test]
fn passing_rows_are_hidden_but_counted() {
    let text = "req A priority=must\n req B priority=must\n req C\n scenario S\n test T\n A specified_by S\n A verified_by T";
    let branch = branch(text);
    for (json, expected) in [("{}", 2), (r#"{"includePassing": true}"#, 3), (r#"{"limit": 1}"#, 1)] {
        let found = report(&branch, json);
        let summary = &found.summary;
        assert_eq!((found.rows.len(), summary.total, summary.evaluated), (expected, 3, Some(2)), "{json}");
        let counts = (summary.fully_covered, summary.uncovered, summary.not_applicable);
        assert_eq!(counts, (Some(1), Some(1), Some(1)));
        assert_eq!(summary.missing_scenario_and_test, Some(1));
    }
    assert!(coverage(&branch, &input(r#"{"limit": 1001}"#), StatusOutput::default()).is_err());
}
