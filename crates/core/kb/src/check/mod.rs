//! The rules of `kb_check`, one file each, and the state that keeps their violations current.
//!
//! A rule is a row of the table in `table.rs`. It judges one subject at a time, an entity in most rules, and says which
//! subjects a change of the branch may affect. [`CheckState`] holds what was found per subject, so that a change costs
//! the subjects that it affects. Findings are small; descriptions, suggestions and fixes are written for the page that
//! is asked for.
//!
//! Three judgements need more than a subject and its neighbours, and are kept beside the findings: the tests that cover
//! a requirement (`covering.rs`), the cycles (`cycles.rs`) and the contradictions (`conflicts.rs`).

mod conflicts;
mod covering;
mod cycles;
mod delta;
mod deprecated_adr_no_successor;
mod domain_contradictions;
mod explain;
mod finding;
mod fix;
mod graph;
mod must_priority_coverage;
mod no_cycles;
mod no_dangling_refs;
mod report;
mod required_fields;
mod state;
mod strict_fact_shape;
mod strict_req_fact_pairing;
mod symbol_coverage;
mod symbol_traceability;
mod table;
#[cfg(test)]
mod tests;
mod traceability;

pub use report::{CheckReport, CheckRequest};
pub use state::CheckState;

use crate::model::words;

words! {
    /// A rule of `kb_check`.
    Rule {
        /// Requirements whose priority is `must` have a scenario and a test.
        MustPriorityCoverage = "must-priority-coverage",
        /// Production symbols are covered by a test that covers a requirement.
        SymbolCoverage = "symbol-coverage",
        /// Production symbols implement a requirement.
        SymbolTraceability = "symbol-traceability",
        /// Relationships end at entities that exist.
        NoDanglingRefs = "no-dangling-refs",
        /// Requirements do not depend on themselves.
        NoCycles = "no-cycles",
        /// Entities have the fields that all of them need.
        RequiredFields = "required-fields",
        /// Decisions that no longer hold have a successor.
        DeprecatedAdrNoSuccessor = "deprecated-adr-no-successor",
        /// Current requirements do not contradict each other.
        DomainContradictions = "domain-contradictions",
        /// Facts have the fields that their kind needs.
        StrictFactShape = "strict-fact-shape",
        /// Requirements have subject and property facts that belong together.
        StrictReqFactPairing = "strict-req-fact-pairing",
    }
}

impl Rule {
    /// Whether the rule is checked unless the request or the configuration says otherwise.
    pub fn is_default(self) -> bool {
        !matches!(self, Rule::StrictFactShape | Rule::StrictReqFactPairing)
    }
}
