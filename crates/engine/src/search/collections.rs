//! What can be searched: chosen numbers, and what documents consist of.

use cairn_access::Scope;
use cairn_base::{ContextId, TurnId};
use cairn_search::document::{Collection, Field, Partition, Role};

/// What was said: one document per turn, grouped by the context it was appended to.
pub(crate) const TURNS: Collection =
    Collection { number: 1, name: "turns", fields: &[Field { name: "text", weight: 1.0, role: Role::Text }] };

/// What contexts are called: one document per context that says something about itself.
pub(crate) const CONTEXTS: Collection = Collection {
    number: 2,
    name: "contexts",
    fields: &[
        Field { name: "title", weight: 2.0, role: Role::Name },
        Field { name: "label", weight: 1.5, role: Role::Name },
        Field { name: "about", weight: 1.0, role: Role::Text },
    ],
};

/// What is known: one document per concept of a space. Its kind is the name of its type.
pub(crate) const CONCEPTS: Collection = Collection {
    number: 3,
    name: "concepts",
    fields: &[
        Field { name: "name", weight: 3.0, role: Role::Name },
        Field { name: "alias", weight: 2.0, role: Role::Name },
        Field { name: "description", weight: 1.5, role: Role::Text },
        Field { name: "text", weight: 1.0, role: Role::Text },
    ],
};

/// What is said about links: one document per link of a space that has texts. Its kind is its predicate.
pub(crate) const LINKS: Collection = Collection {
    number: 4,
    name: "links",
    fields: &[
        Field { name: "predicate", weight: 1.0, role: Role::Text },
        Field { name: "text", weight: 1.0, role: Role::Text },
    ],
};

/// Every collection.
pub(crate) const ALL: &[Collection] = &[TURNS, CONTEXTS, CONCEPTS, LINKS];

/// Where the documents of a collection are kept for a scope.
pub(crate) fn partition(collection: &Collection, scope: &Scope) -> Partition {
    Partition { tenant: scope.tenant(), space: scope.space(), collection: collection.number }
}

/// The id of a number: such ids are ordered as the numbers are.
pub(crate) fn id_of(number: u64) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

/// The number of an id; zero, which nothing has, if it is none.
pub(crate) fn number_of(id: &[u8]) -> u64 {
    id.try_into().map_or(0, u64::from_be_bytes)
}

pub(crate) fn turn_of(id: &[u8]) -> TurnId {
    TurnId(number_of(id))
}

pub(crate) fn context_of(id: &[u8]) -> ContextId {
    ContextId(number_of(id))
}
