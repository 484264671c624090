//! The type registry: what writers publish about their types, so that others can read their turns.
//!
//! It only grows. A version, once published, stays as it is; a tag keeps what it holds for ever; a number
//! of an enum keeps its label. A bundle that breaks this leaves no trace.

mod bundle;
mod conversation;
mod descriptor;
mod evolve;
mod known;
mod load;
mod parse;
mod publish;
mod shape;

pub use bundle::{Bundle, Labels, labels_to_value};
pub use descriptor::{Descriptor, Field, Renderer};
pub use evolve::Refused;
pub use known::{Described, Registry};
pub use load::{bundle_after, bundle_blob, generation, is_published, load};
pub(crate) use load::{descriptor_key, generation_from, is_built_in, is_built_in_still};
pub use parse::Wrong;
pub use publish::{Published, bundle_of_record, publish};
pub(crate) use shape::integer_range;
pub use shape::{Kind, Shape};
