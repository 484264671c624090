//! The sixteen relationship types and the pairs of entity types that each may link.

use super::{EntityType, words};

words! {
    /// A relationship type. Its spelling is also the predicate in the graph.
    Relation {
        /// A requirement needs another one.
        DependsOn = "depends_on",
        /// A requirement is specified by a scenario.
        SpecifiedBy = "specified_by",
        /// A requirement or scenario is verified by a test.
        VerifiedBy = "verified_by",
        /// A test validates a requirement or scenario.
        Validates = "validates",
        /// A symbol implements a requirement.
        Implements = "implements",
        /// A production symbol is covered by a test.
        CoveredBy = "covered_by",
        /// A symbol is the executable code of a test.
        ExecutableFor = "executable_for",
        /// A symbol is constrained by a decision.
        ConstrainedBy = "constrained_by",
        /// A requirement is about the subject of a fact.
        Constrains = "constrains",
        /// A requirement requires the property value of a fact.
        RequiresProperty = "requires_property",
        /// A requirement requires the predicate of a fact.
        RequiresPredicate = "requires_predicate",
        /// A flag guards a symbol, an event or a requirement.
        Guards = "guards",
        /// A symbol publishes an event.
        Publishes = "publishes",
        /// A symbol consumes an event.
        Consumes = "consumes",
        /// The new requirement or decision supersedes the old one.
        Supersedes = "supersedes",
        /// Any entity relates to any other.
        RelatesTo = "relates_to",
    }
}

/// The end of a relationship that rests on the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependent {
    /// The source.
    Source,
    /// The target.
    Target,
    /// Each rests on the other.
    Either,
}

impl Relation {
    /// Pairs of types that it may link; `None` if it may link any.
    pub fn pairs(self) -> Option<&'static [(EntityType, EntityType)]> {
        use EntityType::{Adr, Event, Fact, Flag, Req, Scenario, Symbol, Test};
        Some(match self {
            Relation::DependsOn => &[(Req, Req)],
            Relation::SpecifiedBy => &[(Req, Scenario)],
            Relation::VerifiedBy => &[(Req, Test), (Scenario, Test)],
            Relation::Validates => &[(Test, Req), (Test, Scenario)],
            Relation::Implements => &[(Symbol, Req)],
            Relation::CoveredBy | Relation::ExecutableFor => &[(Symbol, Test)],
            Relation::ConstrainedBy => &[(Symbol, Adr)],
            Relation::Constrains | Relation::RequiresProperty | Relation::RequiresPredicate => &[(Req, Fact)],
            Relation::Guards => &[(Flag, Symbol), (Flag, Event), (Flag, Req)],
            Relation::Publishes | Relation::Consumes => &[(Symbol, Event)],
            Relation::Supersedes => &[(Adr, Adr), (Req, Req)],
            Relation::RelatesTo => return None,
        })
    }

    /// The end that rests on the other one: a change of that one can break it.
    pub fn dependent(self) -> Dependent {
        match self {
            Relation::DependsOn
            | Relation::Validates
            | Relation::Implements
            | Relation::ExecutableFor
            | Relation::ConstrainedBy
            | Relation::Constrains
            | Relation::RequiresProperty
            | Relation::RequiresPredicate
            | Relation::Consumes
            | Relation::Supersedes => Dependent::Source,
            Relation::SpecifiedBy
            | Relation::VerifiedBy
            | Relation::CoveredBy
            | Relation::Guards
            | Relation::Publishes => Dependent::Target,
            Relation::RelatesTo => Dependent::Either,
        }
    }

    /// Whether it may link an entity of one type to an entity of the other.
    pub fn allows(self, from: EntityType, to: EntityType) -> bool {
        self.pairs().is_none_or(|pairs| pairs.contains(&(from, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_a_direction() {
        assert!(Relation::Implements.allows(EntityType::Symbol, EntityType::Req));
        assert!(!Relation::Implements.allows(EntityType::Req, EntityType::Symbol));
        assert!(Relation::RelatesTo.allows(EntityType::Flag, EntityType::Fact));
        assert!(!Relation::Supersedes.allows(EntityType::Req, EntityType::Adr));
        assert_eq!(Relation::ALL.len(), 16);
    }
}
