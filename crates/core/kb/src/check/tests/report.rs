//! Reports: order, pages, progress and limits.

use super::{Builder, build};
use crate::check::{CheckReport, CheckRequest, CheckState, Rule};
use crate::testing::Synthetic;
use crate::{Branch, EntityType};

fn request(limit: u32, offset: u32) -> CheckRequest {
    CheckRequest { rules: Rule::ALL.to_vec(), require_adr: true, limit, offset }
}

fn synthetic() -> Branch {
    Synthetic { entities: 600, relationships: 1_000, seed: 7 }.branch()
}

#[test]
fn pages_together_are_the_whole() {
    let branch = synthetic();
    let state = build(&branch);
    let whole = state.report(&branch, &request(100_000, 0));
    assert!(whole.counts.iter().all(|count| count.count > 0), "{:?}", whole.counts);
    assert_eq!(whole.count as usize, whole.violations.len());
    assert_eq!(whole.counts.iter().map(|count| count.count).sum::<u64>(), whole.count);
    for limit in [1, 7, 100] {
        let pages =
            (0..).step_by(limit as usize).map(|offset| state.report(&branch, &request(limit, offset)));
        let pages: Vec<CheckReport> = pages.take_while(|page| !page.violations.is_empty()).collect();
        assert!(pages.iter().all(|page| page.count == whole.count && page.counts == whole.counts));
        let together: Vec<_> = pages.into_iter().flat_map(|page| page.violations).collect();
        assert_eq!(together, whole.violations);
    }
    assert_eq!(state.report(&branch, &request(0, 0)).violations, []);
}

#[test]
fn violations_are_in_the_order_of_rules_and_then_of_ids_whatever_the_keys_are() {
    let branch = synthetic();
    let whole = build(&branch).report(&branch, &request(100_000, 0));
    let order: Vec<_> = whole.violations.iter().map(|found| (found.rule, found.entity_id.clone())).collect();
    assert!(order.is_sorted());
    assert_eq!(build(&branch).report(&branch, &request(100_000, 0)), whole);
}

#[test]
fn progress_ends_at_the_total() {
    let branch = synthetic();
    let mut calls = Vec::new();
    CheckState::build(&branch, &mut |done, total| calls.push((done, total)));
    assert!(calls.is_sorted());
    assert!(calls.last().is_some_and(|(done, total)| done == total && *done > branch.len()));
}

#[test]
fn an_empty_branch_has_no_violations() {
    let report = build(&Branch::default()).report(&Branch::default(), &request(100, 0));
    assert_eq!((report.count, report.diagnostics.len(), report.counts.len()), (0, 0, 10));
}

#[test]
fn rules_without_a_row_are_not_reported_and_a_decision_is_asked_for_only_on_request() {
    let branch = Builder::new("symbol:F req:R").link("F implements R").branch();
    let state = build(&branch);
    let only = |rule: Rule, require_adr: bool| {
        let request = CheckRequest { rules: vec![rule], require_adr, limit: 10, offset: 0 };
        let report = state.report(&branch, &request);
        assert_eq!(report.counts.len(), 1);
        report.count
    };
    assert_eq!(only(Rule::SymbolTraceability, false), 0);
    assert_eq!(only(Rule::SymbolTraceability, true), 1);
    assert_eq!(only(Rule::SymbolCoverage, true), 1);
}

#[test]
fn violations_beyond_the_limit_are_counted_and_come_back() {
    let ids: Vec<String> = (0..9).map(|at| format!("symbol:F{at}")).collect();
    let mut branch = Builder::new(&ids.join(" ")).branch();
    let mut state = CheckState::with_room(&branch, &mut |_, _| {}, 4);
    let request =
        CheckRequest { rules: vec![Rule::SymbolTraceability], require_adr: false, limit: 10, offset: 0 };
    let report = state.report(&branch, &request);
    assert_eq!((report.count, report.violations.len(), report.diagnostics.len()), (9, 4, 1));
    assert!(report.diagnostics[0].message.contains("4 of 9"), "{}", report.diagnostics[0].message);

    let keys: Vec<_> = branch.by_type(Some(EntityType::Symbol)).map(|(key, _)| key).collect();
    for (gone, key) in keys.into_iter().enumerate() {
        let undo = branch.apply([crate::Change::Remove(key)]);
        state.update(&branch, &undo);
        let report = state.report(&branch, &request);
        assert_eq!(report.count as usize, 8 - gone);
        assert!(report.violations.len() >= 2.min(8 - gone), "{gone}");
        assert_eq!(report.diagnostics.is_empty(), report.violations.len() as u64 == report.count);
    }
}
