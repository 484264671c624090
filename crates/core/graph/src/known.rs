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
