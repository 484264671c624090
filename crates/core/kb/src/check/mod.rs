//! The rules of `kb_check`, one file each, and the state that keeps their violations current.

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
