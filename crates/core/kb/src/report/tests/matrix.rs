//! Traceability matrices: rows, gaps, filters, pages.

use super::{branch, input};
use crate::report::matrix;
use crate::tools::{MatrixInput, MatrixOutput, MatrixRow, StatusOutput, TraceCells};
use crate::{Branch, Edge, KbError, NodeKey, Relation};

/// Two requirements with everything, one that was superseded, and code and a test that nobody asked for.
const KB: &str = "
    req R-1 title=one status=open priority=must tags=auth source=docs/a.md#R-1
    req R-2 title=two status=draft priority=p-Must
    req R-3 title=three status=open
    req R-0 title=old status=open
    scenario SC-1 title=s status=active
    scenario SC-2 title=unused status=active
    test T-1 title=t status=passing source=tests/a.rs::t
    test T-2 title=u status=failing
    test T-3 title=v status=pending
    symbol S-1 title=run status=active source_file=src/run.rs
    symbol S-2 title=idle status=active
    symbol S-3 title=check status=active
    R-1 specified_by SC-1
    SC-1 verified_by T-1
    T-1 validates R-1
    R-2 verified_by T-2
    S-1 implements R-1
    S-1 covered_by T-1
    S-3 executable_for T-1
    R-1 supersedes R-0";

fn report(kb: &Branch, json: &str) -> MatrixOutput {
    matrix(kb, &input::<MatrixInput>(json), StatusOutput::default()).unwrap()
}

/// A row as `id proof gaps | requirements | scenarios | tests | symbols`; `<` names what leads to a cell.
fn line(row: &MatrixRow) -> String {
    let cells = |cells: &TraceCells| {
        let cell = |cell: &crate::tools::TraceCell| {
            let direct = if cell.direct { "" } else { "~" };
            let through = if cell.through.is_empty() { "" } else { &format!("<{}", cell.through.join("<")) };
            format!("{direct}{}{through}", cell.id)
        };
        cells.items.iter().map(cell).collect::<Vec<_>>().join(" ")
    };
    let gaps: Vec<&str> = row.gaps.iter().map(|gap| gap.text()).collect();
    let columns = [&row.requirements, &row.scenarios, &row.tests, &row.symbols].map(cells).join("|");
    format!("{} {} {}|{columns}", row.id, row.proof, gaps.join(","))
}

#[track_caller]
fn check(json: &str, expected: &[&str]) {
    let lines: Vec<String> = report(&branch(KB), json).rows.iter().map(line).collect();
    assert_eq!(lines, expected, "{json}");
}

const FIRST: &str = "R-1 passing ||SC-1|T-1<SC-1|S-1<T-1";
const SECOND: &str = "R-2 failing missing_scenario,missing_symbol|||T-2|";
const THIRD: &str = "R-3 untested missing_scenario,missing_test,missing_symbol||||";

#[test]
fn rows_of_every_type() {
    check("{}", &[FIRST, SECOND, THIRD]);
    check(r#"{"includeRetired":true}"#, &["R-0 not_applicable ||||", FIRST, SECOND, THIRD]);
    check(
        r#"{"by":"scenario"}"#,
        &["SC-1 passing |R-1||T-1|~S-1<T-1 ~S-3<T-1", "SC-2 untested missing_requirement,missing_test||||"],
    );
    check(
        r#"{"by":"test"}"#,
        &["T-1 passing |R-1<SC-1|SC-1||S-1 S-3", "T-2 failing |R-2|||", "T-3 open missing_requirement||||"],
    );
    check(
        r#"{"by":"symbol"}"#,
        &[
            "S-1 passing |R-1||T-1|",
            "S-2 untested missing_requirement,missing_test||||",
            "S-3 not_applicable |||T-1|",
        ],
    );
}

#[test]
fn filters() {
    check(r#"{"priorities":["MUST"]}"#, &[FIRST]);
    check(r#"{"priorities":["must","p-must"]}"#, &[FIRST, SECOND]);
    check(r#"{"tags":["auth"]}"#, &[FIRST]);
    check(r#"{"sourceFile":"docs/"}"#, &[FIRST]);
    check(r#"{"onlyGaps":true}"#, &[SECOND, THIRD]);
    check(r#"{"by":"symbol","onlyGaps":true}"#, &["S-2 untested missing_requirement,missing_test||||"]);
    check(r#"{"limit":1,"offset":1}"#, &[SECOND]);
}

#[test]
fn the_summary_counts_all_rows_that_pass_the_filters() {
    let kb = branch(KB);
    for json in [r#"{"limit":1}"#, r#"{"onlyGaps":true}"#] {
        let MatrixOutput { summary, .. } = report(&kb, json);
        let shown = format!("{:?} {:?}", summary.proofs, summary.gaps);
        assert_eq!((summary.total, summary.with_gaps), (3, 2), "{json}");
        assert_eq!(
            shown,
            r#"{"failing": 1, "passing": 1, "untested": 1} {"missing_scenario": 2, "missing_symbol": 2, "missing_test": 1}"#
        );
    }
    assert_eq!(report(&kb, r#"{"limit":1}"#).count, 3);
    assert_eq!(report(&kb, r#"{"onlyGaps":true,"limit":1}"#).count, 2);
    // Links of a test have no digests.
    assert_eq!(report(&kb, "{}").summary.unknown_links, 8);
}

#[test]
fn entities_that_do_not_count_satisfy_no_trace() {
    let kb = branch(
        "
        req R-1 title=one status=open
        req R-2 title=two status=deprecated
        scenario SC-1 title=s status=active
        scenario SC-2 title=old status=archived
        test T-1 title=t status=deprecated
        test T-2 title=u status=passing
        symbol S-1 title=run status=removed
        symbol S-2 title=idle status=active
        symbol S-3 title=kept status=active
        R-1 specified_by SC-2
        R-1 verified_by T-1
        SC-2 verified_by T-2
        S-1 implements R-1
        S-2 implements R-2
        S-2 covered_by T-1
        S-3 implements R-1
        S-1 supersedes S-3
        R-2 specified_by SC-1
        SC-1 verified_by T-1",
    );
    let lines = |json: &str| report(&kb, json).rows.iter().map(line).collect::<Vec<_>>();
    assert_eq!(lines("{}"), ["R-1 untested missing_scenario,missing_test,missing_symbol||||"]);
    assert_eq!(lines(r#"{"by":"symbol"}"#), ["S-2 untested missing_requirement,missing_test||||"]);
    assert_eq!(lines(r#"{"by":"test"}"#), ["T-2 passing missing_requirement||||"]);
    assert_eq!(lines(r#"{"by":"scenario"}"#), ["SC-1 untested missing_requirement,missing_test||||"]);
}

#[test]
fn suspect_links_are_shown_at_the_row_and_at_the_cell() {
    let mut kb = branch(KB);
    let edges: Vec<Edge> = kb.edges().collect();
    edges.iter().for_each(|edge| kb.note_ends(*edge, kb.present_ends(*edge)));
    let key = kb.find("SC-1").unwrap().0;
    kb.put(key, super::node("scenario SC-1 title=changed status=active"));
    let output = report(&kb, "{}");
    assert_eq!((output.summary.suspect_links, output.summary.unknown_links), (2, 0));
    let row = &output.rows[0];
    // The link from SC-1 to T-1 is none of R-1, but it leads to T-1.
    assert_eq!((row.suspect, row.scenarios.items[0].suspect, row.tests.items[0].suspect), (1, true, true));
    assert!(!row.symbols.items[0].suspect);
    let gaps = report(&kb, r#"{"onlyGaps":true}"#);
    assert_eq!((gaps.count, gaps.summary.with_gaps), (3, 3));
}

#[test]
fn a_row_lists_so_many_entities_and_counts_all() {
    let mut kb = branch("req R title=r status=open");
    let to = kb.find("R").unwrap().0;
    for at in 0..250 {
        let from = NodeKey(at);
        kb.put(from, super::node(&format!("symbol S-{at:03} title=s status=active")));
        kb.link(Edge { relation: Relation::Implements, from, to });
    }
    let symbols = &report(&kb, "{}").rows[0].symbols;
    assert_eq!((symbols.count, symbols.items.len()), (250, crate::limits::MATRIX_CELLS_MAX));
    assert_eq!((symbols.items[0].id.as_str(), symbols.items[99].id.as_str()), ("S-000", "S-099"));
}

#[test]
fn arguments_out_of_bounds_are_refused() {
    let kb = branch(KB);
    let refused = |json: &str| {
        super::parameter(matrix(&kb, &input::<MatrixInput>(json), StatusOutput::default()).unwrap_err())
    };
    assert_eq!(refused(r#"{"limit":0}"#), "limit");
    assert_eq!(refused(r#"{"limit":1001}"#), "limit");
    assert_eq!(refused(r#"{"priorities":[" "]}"#), "priorities");
    assert_eq!(refused(r#"{"tags":[""]}"#), "tags");
    let many = MatrixInput { priorities: vec!["x".into(); 65], ..MatrixInput::default() };
    let refused = matrix(&kb, &many, StatusOutput::default()).unwrap_err();
    assert!(matches!(refused, KbError::Argument { parameter: "priorities", .. }));
}
