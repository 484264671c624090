//! Reports of a small branch in every format, and hostile text in all of them.

use super::{ReportData, ReportFilter, html, markdown, page, text};
use crate::report::tests::{branch, input};
use crate::report::{coverage, matrix, suspect};
use crate::tools::{CheckInput, CoverageInput, MatrixBy, MatrixInput, StatusOutput, SuspectInput};
use crate::{Branch, CheckRequest, CheckState, Edge, Rule};

const KB: &str = "
    req R-1 title=Sessions_end status=open priority=must source=docs/a.md#R-1
    req R-2 title=Logs_are_kept status=closed priority=must
    scenario SC-1 title=Idle status=active
    test T-1 title=idle_ends status=passing verification_scope=end_to_end
    test T-2 title=keeps status=failing
    symbol S-1 title=run status=active source_file=src/run.rs
    symbol S-2 title=lost status=active source_file=src/lost.rs
    fact F-S title=s status=active fact_kind=subject subject_key=s
    fact F-X title=x status=active fact_kind=property_value subject_key=s property_key=p operator=eq value_type=string value_string=x
    fact F-Y title=y status=active fact_kind=property_value subject_key=s property_key=p operator=eq value_type=string value_string=y
    R-1 constrains F-S
    R-2 constrains F-S
    R-1 requires_property F-X
    R-2 requires_property F-Y
    R-1 specified_by SC-1
    SC-1 verified_by T-1
    R-2 verified_by T-2
    S-1 implements R-1
    S-1 covered_by T-1";

fn data(kb: &Branch) -> ReportData {
    let meta = StatusOutput {
        workspace: "shop".into(),
        branch: "main".into(),
        snapshot_id: "2.1f".into(),
        synced_at: Some("2026-05-01T10:00:00Z".into()),
        entities: kb.len() as u64,
        relationships: kb.edge_count() as u64,
        ..StatusOutput::default()
    };
    let trace = |by, only_gaps| {
        let input = MatrixInput { by, only_gaps, ..MatrixInput::default() };
        matrix(kb, &input, meta.clone()).unwrap()
    };
    let rules = input::<CheckInput>(r#"{"rules":["domain-contradictions"]}"#);
    let request = CheckRequest::new(&rules, &Rule::defaults(), false).unwrap();
    let report = CheckState::build(kb, &mut |_, _| {}).report(kb, &request);
    let check = crate::tools::CheckOutput {
        violations: report.violations,
        count: report.count,
        counts: report.counts,
        diagnostics: report.diagnostics,
        snapshot_id: String::new(),
    };
    let all = CoverageInput { include_passing: true, ..CoverageInput::default() };
    ReportData {
        filters: Vec::new(),
        matrix: Some(trace(MatrixBy::Req, false)),
        untraced: [MatrixBy::Scenario, MatrixBy::Test, MatrixBy::Symbol].map(|by| trace(by, true)).into(),
        suspect: Some(suspect(kb, &SuspectInput::default(), meta.clone()).unwrap()),
        coverage: Some(coverage(kb, &all, meta.clone()).unwrap()),
        contradictions: Some(check),
        meta,
    }
}

fn changed() -> Branch {
    let mut kb = branch(KB);
    let edges: Vec<Edge> = kb.edges().collect();
    edges.iter().for_each(|edge| kb.note_ends(*edge, kb.present_ends(*edge)));
    let key = kb.find("SC-1").unwrap().0;
    kb.put(key, crate::report::tests::node("scenario SC-1 title=Idle_for_long status=active"));
    kb
}

#[test]
fn every_format() {
    let page = page(&data(&changed()));
    insta::assert_snapshot!("text", text(&page));
    insta::assert_snapshot!("markdown", markdown(&page));
    let html = html(&page);
    // The style and the script are files of their own.
    let (head, rest) = html.split_once("<style>").unwrap();
    let body = rest.split_once("</style>").unwrap().1.split_once("<script>").unwrap().0;
    insta::assert_snapshot!("html", format!("{head}{body}"));
}

#[test]
fn an_empty_branch_has_a_page() {
    let page = page(&data(&Branch::default()));
    let html = html(&page);
    for none in ["No requirements.", "No symbols.", "No tests.", "No scenarios."] {
        assert!(html.contains(none), "{none} in {html}");
    }
    assert!(!html.contains("<tbody>"), "{html}");
    assert!(text(&page).contains("No current requirements contradict each other."));
    assert!(markdown(&page).contains("No end of a link has changed."));
}

#[test]
fn filters_are_those_of_their_sections() {
    let filters =
        [(ReportFilter::Tags, "billing"), (ReportFilter::Priorities, "must"), (ReportFilter::Rows, "gaps")];
    let filters: Vec<(ReportFilter, String)> =
        filters.map(|(filter, value)| (filter, value.to_owned())).into();
    let mut data = data(&branch(KB));
    data.filters = filters.clone();
    let whole = text(&page(&data));
    let (head, sections) = whole.split_once("\n\n").unwrap();
    assert!(!head.contains("Tags") && !head.contains("must"), "{head}");
    let part = |title: &str| {
        let found =
            sections.split(&format!("{title}\n=")).nth(1).unwrap_or_else(|| panic!("{title} in {sections}"));
        found.split("\n=").next().unwrap().to_owned()
    };
    assert!(part("Traceability matrix").contains("Tags: billing\nPriorities: must\nRows: gaps\n"));
    assert!(part("Coverage").contains("Tags: billing\nNot filtered by: Priorities, Rows\n"));
    for title in ["Contradictions", "Suspect links"] {
        assert!(part(title).contains("Not filtered by: Tags, Priorities, Rows\n"), "{title}");
    }
    for rendered in [html(&page(&data)), markdown(&page(&data))] {
        assert_eq!(rendered.matches("Not filtered by: Priorities, Rows").count(), 4);
    }

    // Nothing is true of all where there is nothing.
    let mut data = self::data(&Branch::default());
    data.filters = filters;
    let empty = text(&page(&data));
    for none in ["requirements", "symbols", "tests", "scenarios"] {
        assert!(empty.contains(&format!("No {none} pass the filters.")), "{none} in {empty}");
    }
    assert!(!empty.contains("Every "), "{empty}");
    let mut data = self::data(&branch("symbol S-1 title=run status=active"));
    let untraced = data.untraced.iter_mut().find(|matrix| matrix.by == MatrixBy::Symbol).unwrap();
    untraced.rows.clear();
    assert!(text(&page(&data)).contains("Every symbol implements a requirement"));
    data.filters = vec![(ReportFilter::Tags, "billing".into())];
    assert!(text(&page(&data)).contains("Every symbol that passes the filters implements a requirement"));
}

#[test]
fn evidence_does_not_contradict_the_matrix() {
    let kb = branch(
        "
        req R-1 title=one status=open priority=must
        req R-2 title=two status=open priority=must
        test T-1 title=t status=passing
        test T-2 title=u status=open
        R-1 verified_by T-1
        R-2 verified_by T-2",
    );
    let page = text(&page(&data(&kb)));
    for evidence in ["evidence    passing, not end-to-end\n", "evidence    no passing test\n"] {
        assert_eq!(page.matches(evidence).count(), 1, "{page}");
    }
    assert!(!page.contains("open or nonpassing"), "{page}");
}

#[test]
fn a_printed_table_repeats_its_head() {
    let html = html(&page(&data(&branch(KB))));
    let print = html.split("@media print").nth(1).unwrap();
    for rule in [
        "thead { display: table-header-group; }",
        "thead button { display: contents; }",
        "tbody tr { break-inside: avoid; }",
    ] {
        assert!(print.contains(rule), "{rule}");
    }
}

#[test]
fn no_figure_is_printed_twice() {
    let markdown = markdown(&page(&data(&branch(KB))));
    assert!(!markdown.contains("\\`"), "{markdown}");
    let figures = markdown.lines().find(|line| line.contains("must be covered")).unwrap();
    assert_eq!(figures.matches("fully covered").count(), 1, "{figures}");
}

#[test]
fn hostile_text_stays_text_in_every_format() {
    const HOSTILE: [&str; 5] = [
        "</script><script>alert(1)</script>",
        "\"><img/src=x/onerror=alert(1)>'",
        "\u{202e}gnp.exe\u{1b}[2J\u{7}\u{0}",
        "a|b`c`[x](javascript:alert(1))",
        "</title></style><!--",
    ];
    let lines = HOSTILE.iter().enumerate().map(|(at, evil)| {
        format!("req R-{at}{evil} title={evil} status={evil} priority={evil} source={evil}\n")
    });
    let kb = branch(&lines.collect::<String>());
    let mut data = data(&kb);
    data.meta.branch = HOSTILE.concat();
    data.filters = vec![(ReportFilter::Tags, HOSTILE.concat())];
    let page = page(&data);
    let html = html(&page);
    for (tag, expected) in
        [("<script", 1), ("</script", 1), ("<img", 0), ("<!--", 0), ("</style", 1), ("</title", 1)]
    {
        assert_eq!(html.matches(tag).count(), expected, "{tag}");
    }
    assert!(html.contains("&lt;/script&gt;"));
    for rendered in [html, text(&page), markdown(&page)] {
        let hidden = rendered.chars().find(|character| {
            (character.is_control() && *character != '\n') || ('\u{202a}'..='\u{202e}').contains(character)
        });
        assert_eq!(hidden, None);
    }
    let markdown = markdown(&page);
    assert!(!markdown.contains("<script") && !markdown.contains("<img") && markdown.contains("\\[x\\]"));
    // No cell ends early: every row of the matrix has as many bars as its head.
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let rows: Vec<usize> = markdown.lines().filter(|line| line.starts_with("| **R-")).map(bars).collect();
    assert!(!rows.is_empty() && rows.iter().all(|bars| *bars == 9), "{rows:?}");
}

#[test]
fn what_was_cut_is_said() {
    let kb = branch(KB);
    let mut data = data(&kb);
    let matrix = data.matrix.as_mut().unwrap();
    matrix.rows.truncate(1);
    let page = page(&data);
    let note = "1 of 2 rows are shown";
    for rendered in [html(&page), text(&page), markdown(&page)] {
        assert!(rendered.contains(note));
    }
}

#[test]
fn the_page_asks_nothing_of_elsewhere() {
    let html = html(&page(&data(&changed())));
    for outside in
        ["http:", "https:", "//", "@import", "url(", "src=", "fetch", "XMLHttpRequest", "innerHTML"]
    {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn the_same_state_gives_the_same_bytes() {
    let (one, other) = (changed(), changed());
    assert_eq!(html(&page(&data(&one))), html(&page(&data(&other))));
}
