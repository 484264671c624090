//! Pages of random reports are parts of the whole, and no report depends on the numbers of entities.

use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;

use super::models::{graph_input, seeded};
use super::random::plan;
use crate::report::{Ranked, coverage, find_gaps, graph, query, rank, search_in_memory};
use crate::tools::{CoverageBy, CoverageInput, FindGapsInput, QueryInput, SearchInput, StatusOutput};
use crate::{Branch, NodeKey, Relation};

/// A page of a report: its rows as JSON, and what it says of all rows.
type Rows = (Vec<String>, String);

fn shown(rows: &[impl Serialize], all: &impl Serialize) -> Rows {
    let json = |row: &_| serde_json::to_string(row).unwrap();
    (rows.iter().map(json).collect(), serde_json::to_string(all).unwrap())
}

fn meta() -> StatusOutput {
    StatusOutput::default()
}

fn query_page(branch: &Branch, limit: Option<u32>, offset: Option<u32>) -> Rows {
    let input = QueryInput { limit, offset, ..QueryInput::default() };
    let (keys, count) = query(branch, &input).unwrap();
    let ids: Vec<&str> = keys.iter().map(|key| &*branch.node(*key).unwrap().id).collect();
    shown(&ids, &count)
}

fn gaps_page(branch: &Branch, limit: Option<u32>, offset: Option<u32>) -> Rows {
    let missing_relationships = vec![Relation::Implements];
    let input = FindGapsInput { limit, offset, missing_relationships, ..FindGapsInput::default() };
    let found = find_gaps(branch, &input, meta()).unwrap();
    shown(&found.rows, &found.count)
}

fn coverage_page(by: CoverageBy) -> impl Fn(&Branch, Option<u32>, Option<u32>) -> Rows {
    move |branch, limit, offset| {
        let input = CoverageInput { by, limit, offset, ..CoverageInput::default() };
        let found = coverage(branch, &input, meta()).unwrap();
        shown(&found.rows, &found.summary)
    }
}

fn ranked(branch: &Branch, found: &Ranked) -> Rows {
    let rows: Vec<_> = found
        .page
        .iter()
        .map(|hit| (&branch.node(hit.key).unwrap().id, hit.score.to_bits(), &hit.reasons))
        .collect();
    shown(&rows, &found.count)
}

fn search_page(branch: &Branch, limit: Option<u32>, offset: Option<u32>) -> Rows {
    let input = SearchInput { query: "log".into(), limit, offset, ..SearchInput::default() };
    ranked(branch, &search_in_memory(branch, &input).unwrap())
}

fn rank_page(branch: &Branch, limit: Option<u32>, offset: Option<u32>) -> Rows {
    let input = SearchInput { query: "log out".into(), limit, offset, ..SearchInput::default() };
    let hits: Vec<(NodeKey, f64)> = branch
        .nodes()
        .filter(|(_, node)| node.id.len() % 2 == 0)
        .map(|(key, node)| (key, node.id.len() as f64 / 8.0))
        .collect();
    ranked(branch, &rank(branch, &input, &hits, hits.len() as u64).unwrap())
}

/// Returns a page of a branch, by limit and offset.
type Report = Box<dyn Fn(&Branch, Option<u32>, Option<u32>) -> Rows>;

/// Every report that has pages.
fn reports() -> Vec<Report> {
    vec![
        Box::new(query_page),
        Box::new(gaps_page),
        Box::new(coverage_page(CoverageBy::Req)),
        Box::new(coverage_page(CoverageBy::Symbol)),
        Box::new(coverage_page(CoverageBy::Type)),
        Box::new(search_page),
        Box::new(rank_page),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn pages_concatenate_to_the_whole(plan in plan(), limit in 1..9_u32) {
        let branch = plan.branch();
        for report in reports() {
            let whole = report(&branch, Some(1000), None);
            let mut rows = Vec::new();
            for offset in (0..=branch.len() as u32).step_by(limit as usize) {
                let page = report(&branch, Some(limit), Some(offset));
                prop_assert!(page.0.len() <= limit as usize);
                prop_assert_eq!(&page.1, &whole.1);
                rows.extend(page.0);
            }
            prop_assert_eq!(rows, whole.0);
        }
    }

    #[test]
    fn other_numbers_give_the_same_bytes(
        plan in plan(),
        limit in select(vec![2, 1000]),
        asked in graph_input(),
    ) {
        let (branch, other) = (plan.branch(), plan.other_branch());
        for report in reports() {
            prop_assert_eq!(report(&branch, Some(limit), Some(1)), report(&other, Some(limit), Some(1)));
        }
        let input = seeded(&branch, asked);
        let json = |branch| serde_json::to_string(&graph(branch, &input, meta()).unwrap()).unwrap();
        prop_assert_eq!(json(&branch), json(&other));
    }
}
