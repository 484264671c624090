//! What expressions read of elements: `?v.name`, `?v.attributes.key`.
//!
//! Whatever is missing is null: a key that is absent, a field of the other kind of element, and every field of
//! a variable that is bound to nothing or to the name of a predicate.

mod field;
mod link_text;
mod records;
mod size;

pub(crate) use field::{Field, FieldOf};
pub(crate) use records::Records;
pub(crate) use size::value_bytes;
