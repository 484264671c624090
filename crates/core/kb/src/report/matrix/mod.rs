//! `kb_matrix`: the traceability matrix of requirements, scenarios, tests and symbols.

mod trace;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use self::trace::trace;
use self::verdict::{Verdict, Verdicts, is_retired};
use super::filter::{Filter, check_items};
use super::page::Page;
use super::suspect::{counts, suspect_at};
use crate::branch::{Branch, Node, NodeKey};
use crate::limits::PAGE_DEFAULT;
use crate::tools::has_gap;
use crate::tools::{MatrixInput, MatrixOutput, MatrixRow, MatrixSummary, Proof, StatusOutput, TraceGap};
use crate::{KbError, Result};

/// Returns a traceability matrix, ordered by id.
///
/// The filters decide what the report is about; the summary counts all of that, whatever the rows of the page are.
/// Only the rows of the page are worked out in full.
pub fn matrix(branch: &Branch, input: &MatrixInput, meta: StatusOutput) -> Result<MatrixOutput> {
    let page = Page::parse(input.limit, input.offset, PAGE_DEFAULT)?;
    let filter = Filter::parse(Some(input.by.kind()), &input.tags, input.source_file.as_deref())?;
    let priorities = priorities(input)?;
    let mut verdicts = Verdicts::of(branch);
    let mut tally = Tally::default();
    let mut shown = Vec::new();
    for (key, node) in filter.of(branch).filter(|(_, node)| has_priority(node, &priorities)) {
        let retired = is_retired(branch, key, node);
        if retired && !input.include_retired {
            continue;
        }
        let verdict = if retired { Verdict::RETIRED } else { verdicts.judge(key, node) };
        let suspect = suspect_at(branch, key);
        let is_gap = has_gap(&verdict.gaps, verdict.proof, suspect);
        tally.add(&verdict, is_gap);
        if is_gap || !input.only_gaps {
            shown.push((key, node, verdict, suspect));
        }
    }
    let (shown, count) = page.of(shown.into_iter());
    let rows =
        shown.into_iter().map(|(key, node, verdict, suspect)| row(branch, key, node, verdict, suspect));
    let rows = rows.collect();
    let links = counts(branch);
    let summary =
        MatrixSummary { suspect_links: links.suspect, unknown_links: links.unknown, ..tally.summary() };
    Ok(MatrixOutput { by: input.by, summary, rows, count, meta })
}

fn priorities(input: &MatrixInput) -> Result<BTreeSet<String>> {
    check_items("priorities", input.priorities.len())?;
    let priorities: BTreeSet<String> =
        input.priorities.iter().map(|priority| priority.trim().to_lowercase()).collect();
    if priorities.contains("") {
        return Err(KbError::argument("priorities", "a priority is blank; leave it out"));
    }
    Ok(priorities)
}

fn has_priority(node: &Node, priorities: &BTreeSet<String>) -> bool {
    let own = node.priority.as_deref().unwrap_or_default();
    priorities.is_empty() || priorities.contains(own.trim().to_lowercase().as_str())
}

/// Counts of verdicts.
#[derive(Debug, Default)]
struct Tally {
    total: u64,
    with_gaps: u64,
    proofs: BTreeMap<Proof, u64>,
    gaps: BTreeMap<TraceGap, u64>,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict, is_gap: bool) {
        self.total += 1;
        self.with_gaps += u64::from(is_gap);
        *self.proofs.entry(verdict.proof).or_default() += 1;
        verdict.gaps.iter().for_each(|gap| *self.gaps.entry(*gap).or_default() += 1);
    }

    fn summary(self) -> MatrixSummary {
        MatrixSummary {
            total: self.total,
            with_gaps: self.with_gaps,
            proofs: self.proofs.into_iter().map(|(proof, count)| (proof.text().to_owned(), count)).collect(),
            gaps: self.gaps.into_iter().map(|(gap, count)| (gap.text().to_owned(), count)).collect(),
            ..MatrixSummary::default()
        }
    }
}

fn row(branch: &Branch, key: NodeKey, node: &Node, verdict: Verdict, suspect: u64) -> MatrixRow {
    let [requirements, scenarios, tests, symbols] =
        trace(branch, key, node.kind).map(|column| column.cells());
    MatrixRow {
        id: node.id.to_string(),
        kind: node.kind,
        title: node.title.to_string(),
        status: node.status.to_string(),
        priority: node.priority.as_deref().map(str::to_owned),
        source: place(node).to_owned(),
        proof: verdict.proof,
        gaps: verdict.gaps,
        suspect,
        requirements,
        scenarios,
        tests,
        symbols,
    }
}

/// The source file of an entity, or its source.
fn place(node: &Node) -> &str {
    node.source_file.as_deref().filter(|file| !file.is_empty()).unwrap_or(&node.source)
}
