//! Concepts whose numbers are the same in every space: the bootstrap makes them first, in this order.

use crate::{ConceptId, PredicateId, TypeId};

/// `$ConceptType`: the type of types, and of itself.
pub const CONCEPT_TYPE: TypeId = TypeId(1);
/// `$PropositionType`: the type of predicates.
pub const PROPOSITION_TYPE: TypeId = TypeId(2);
/// `Domain`: the type of domains.
pub const DOMAIN: TypeId = TypeId(3);
/// `belongs_to_domain`: says what is in which domain.
pub const BELONGS_TO_DOMAIN: PredicateId = PredicateId(4);
/// The domain `CoreSchema`, which holds definitions.
pub const CORE_SCHEMA: ConceptId = ConceptId(5);
/// The domain `Unsorted`, which holds what has no better place yet.
pub const UNSORTED: ConceptId = ConceptId(6);
/// The domain `Archived`, which holds what is out of use.
pub const ARCHIVED: ConceptId = ConceptId(7);
/// `Person`: the type of whoever acts.
pub const PERSON: TypeId = TypeId(8);
/// `$self`: the agent in conversation.
pub const SELF: ConceptId = ConceptId(9);
/// `$system`: the agent that keeps the memory in order.
pub const SYSTEM: ConceptId = ConceptId(10);

/// A concept that every space must have (section 6.1 of the protocol).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Required {
    /// Its type.
    pub(crate) kind: TypeId,
    /// Its name.
    pub(crate) name: &'static str,
    /// Its number, if that is the same in every space.
    pub(crate) number: Option<ConceptId>,
}

/// All of them, types before what is of these types.
pub(crate) const REQUIRED: [Required; 12] = [
    required(CONCEPT_TYPE, "$ConceptType", Some(CONCEPT_TYPE.concept())),
    required(CONCEPT_TYPE, "$PropositionType", Some(PROPOSITION_TYPE.concept())),
    required(CONCEPT_TYPE, "Domain", Some(DOMAIN.concept())),
    required(PROPOSITION_TYPE, "belongs_to_domain", Some(BELONGS_TO_DOMAIN.concept())),
    required(DOMAIN, "CoreSchema", Some(CORE_SCHEMA)),
    required(DOMAIN, "Unsorted", Some(UNSORTED)),
    required(DOMAIN, "Archived", Some(ARCHIVED)),
    required(CONCEPT_TYPE, "Person", Some(PERSON.concept())),
    required(CONCEPT_TYPE, "Event", None),
    required(CONCEPT_TYPE, "SleepTask", None),
    required(PERSON, "$self", Some(SELF)),
    required(PERSON, "$system", Some(SYSTEM)),
];

const fn required(kind: TypeId, name: &'static str, number: Option<ConceptId>) -> Required {
    Required { kind, name, number }
}
