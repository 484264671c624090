//! Search documents of turns and contexts: the collections, and what of a record can be found.

mod document;
mod neighbours;

use cairn_search::document::{Collection, Field, Role};

pub use document::{
    PAYLOAD_BYTES_MAX, UNDESCRIBED, context_document, texts, turn_document, undescribed_type,
};
pub use neighbours::{Candidate, LENT, smooth};

/// What was said: one document per turn, grouped by the context it was appended to.
pub const TURNS: Collection =
    Collection { number: 1, name: "turns", fields: &[Field { name: "text", weight: 1.0, role: Role::Text }] };

/// What contexts are called: one document per context that says something about itself.
pub const CONTEXTS: Collection = Collection {
    number: 2,
    name: "contexts",
    fields: &[
        Field { name: "title", weight: 2.0, role: Role::Name },
        Field { name: "label", weight: 1.5, role: Role::Name },
        Field { name: "about", weight: 1.0, role: Role::Text },
    ],
};

/// The collections of this memory.
pub const COLLECTIONS: &[Collection] = &[TURNS, CONTEXTS];
