//! What definitions ask of what follows them: names of their own in one style, and, where a definition says
//! `enforce_schema: true`, attributes and ends of links as it describes them.
//!
//! Without that attribute a schema is advice, and nothing is refused because of it.

mod definition;
mod enforce;
mod naming;
mod rules;
mod shape;

pub(crate) use definition::{Definition, check_definition};
pub(crate) use enforce::{check_attributes, check_ends};
pub use naming::{check_predicate_name, check_type_name};
pub use rules::ENFORCE_SCHEMA;
