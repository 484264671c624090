//! The eight types of entities.

use super::words;

words! {
    /// A type of entity.
    EntityType {
        /// A requirement: something that must hold.
        Req = "req",
        /// A scenario that specifies a requirement by example.
        Scenario = "scenario",
        /// A test case.
        Test = "test",
        /// An architecture decision.
        Adr = "adr",
        /// A runtime or configuration gate.
        Flag = "flag",
        /// A domain event.
        Event = "event",
        /// A code symbol.
        Symbol = "symbol",
        /// An atomic fact: a subject, a property value, a predicate, an observation.
        Fact = "fact",
    }
}

/// Statuses that the write path accepts for every type; others than the canonical ones of a type give a warning.
pub const STATUSES: &[&str] = &[
    "active",
    "inactive",
    "draft",
    "archived",
    "deleted",
    "approved",
    "rejected",
    "pending",
    "in_progress",
    "superseded",
    "open",
    "closed",
    "deprecated",
    "passing",
    "failing",
    "skipped",
    "proposed",
    "accepted",
    "removed",
];

impl EntityType {
    /// The concept type that holds these entities in the graph.
    pub fn concept_type(self) -> &'static str {
        match self {
            EntityType::Req => "Requirement",
            EntityType::Scenario => "Scenario",
            EntityType::Test => "TestCase",
            EntityType::Adr => "Decision",
            EntityType::Flag => "FeatureFlag",
            EntityType::Event => "DomainEvent",
            EntityType::Symbol => "CodeSymbol",
            EntityType::Fact => "Fact",
        }
    }

    /// Returns the type whose entities have this concept type.
    pub fn of_concept_type(name: &str) -> Option<Self> {
        EntityType::ALL.iter().copied().find(|kind| kind.concept_type() == name)
    }

    /// Statuses that are meant for this type.
    pub fn statuses(self) -> &'static [&'static str] {
        match self {
            EntityType::Req => &["open", "in_progress", "closed", "deprecated"],
            EntityType::Scenario => &["draft", "active", "deprecated"],
            EntityType::Test => &["passing", "failing", "skipped", "pending"],
            EntityType::Adr => &["proposed", "accepted", "deprecated", "superseded"],
            EntityType::Flag => &["active", "inactive", "deprecated"],
            EntityType::Event | EntityType::Fact => &["active", "deprecated"],
            EntityType::Symbol => &["active", "deprecated", "removed"],
        }
    }
}

/// Whether a requirement with this status counts, unless another one supersedes it.
pub(crate) fn is_current_requirement(status: &str) -> bool {
    matches!(status, "open" | "in_progress" | "closed" | "active" | "approved")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_canonical_status_is_accepted_and_concept_types_come_back() {
        for kind in EntityType::ALL.iter().copied() {
            assert!(kind.statuses().iter().all(|status| STATUSES.contains(status)), "{kind}");
            assert_eq!(EntityType::of_concept_type(kind.concept_type()), Some(kind));
            assert_eq!(EntityType::parse(kind.text()), Some(kind));
        }
        assert_eq!(EntityType::parse("Req"), None);
    }
}
