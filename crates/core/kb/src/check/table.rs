//! The rules in the order of the report, one row each.

use super::delta::Delta;
use super::finding::Finding;
use super::state::{Derived, Moved};
use super::{
    Rule, deprecated_adr_no_successor, domain_contradictions, must_priority_coverage, no_cycles,
    no_dangling_refs, required_fields, strict_fact_shape, strict_req_fact_pairing, symbol_coverage,
    symbol_traceability,
};
use crate::tools::Violation;
use crate::{Branch, EntityType, NodeKey};

/// A branch and what is derived from it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) branch: &'a Branch,
    pub(crate) derived: &'a Derived,
}

/// A change of a branch and of what is derived from it.
#[derive(Clone, Copy)]
pub(crate) struct Touch<'a> {
    /// The branch after the change.
    pub(crate) branch: &'a Branch,
    pub(crate) delta: &'a Delta<'a>,
    pub(crate) moved: &'a Moved,
}

/// What a rule judges when it starts from nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subjects {
    /// Entities of one type.
    Of(EntityType),
    /// Every entity.
    All,
    /// Starts of relationships, existing or not.
    Starts,
    /// Entities that a cycle is reported at.
    Cycles,
    /// Requirements that a contradiction is reported at.
    Conflicts,
}

/// A rule, or a variant of one.
pub(crate) struct Row {
    pub(crate) rule: Rule,
    /// The variant, of a rule that has variants: whether a decision is required too.
    pub(crate) require_adr: Option<bool>,
    pub(crate) subjects: Subjects,
    /// Adds the subjects that a change may affect. Others than subjects do no harm.
    pub(crate) affected: fn(Touch<'_>, &mut Vec<NodeKey>),
    /// Adds the findings about one subject.
    pub(crate) check: fn(View<'_>, NodeKey, &mut Vec<Finding>),
    /// Describes a finding of the same state.
    pub(crate) explain: fn(View<'_>, &Finding) -> Violation,
}

/// Every rule, in the order of [`Rule`].
#[rustfmt::skip]
pub(crate) const ROWS: [Row; 11] = [
    Row { rule: Rule::MustPriorityCoverage, require_adr: None, subjects: Subjects::Of(EntityType::Req), affected: must_priority_coverage::affected, check: must_priority_coverage::check, explain: must_priority_coverage::explain },
    Row { rule: Rule::SymbolCoverage, require_adr: None, subjects: Subjects::Of(EntityType::Symbol), affected: symbol_coverage::affected, check: symbol_coverage::check, explain: symbol_coverage::explain },
    Row { rule: Rule::SymbolTraceability, require_adr: Some(false), subjects: Subjects::Of(EntityType::Symbol), affected: symbol_traceability::affected, check: symbol_traceability::check, explain: symbol_traceability::explain },
    Row { rule: Rule::SymbolTraceability, require_adr: Some(true), subjects: Subjects::Of(EntityType::Symbol), affected: symbol_traceability::affected, check: symbol_traceability::check_with_adr, explain: symbol_traceability::explain },
    Row { rule: Rule::NoDanglingRefs, require_adr: None, subjects: Subjects::Starts, affected: no_dangling_refs::affected, check: no_dangling_refs::check, explain: no_dangling_refs::explain },
    Row { rule: Rule::NoCycles, require_adr: None, subjects: Subjects::Cycles, affected: no_cycles::affected, check: no_cycles::check, explain: no_cycles::explain },
    Row { rule: Rule::RequiredFields, require_adr: None, subjects: Subjects::All, affected: required_fields::affected, check: required_fields::check, explain: required_fields::explain },
    Row { rule: Rule::DeprecatedAdrNoSuccessor, require_adr: None, subjects: Subjects::Of(EntityType::Adr), affected: deprecated_adr_no_successor::affected, check: deprecated_adr_no_successor::check, explain: deprecated_adr_no_successor::explain },
    Row { rule: Rule::DomainContradictions, require_adr: None, subjects: Subjects::Conflicts, affected: domain_contradictions::affected, check: domain_contradictions::check, explain: domain_contradictions::explain },
    Row { rule: Rule::StrictFactShape, require_adr: None, subjects: Subjects::Of(EntityType::Fact), affected: strict_fact_shape::affected, check: strict_fact_shape::check, explain: strict_fact_shape::explain },
    Row { rule: Rule::StrictReqFactPairing, require_adr: None, subjects: Subjects::Of(EntityType::Req), affected: strict_req_fact_pairing::affected, check: strict_req_fact_pairing::check, explain: strict_req_fact_pairing::explain },
];

/// Adds the entities that were written: the affected subjects of rules that look at one entity alone.
pub(crate) fn written(touch: Touch<'_>, subjects: &mut Vec<NodeKey>) {
    subjects.extend(touch.delta.nodes());
}
