//! Predicates for claims in prose: the built-in catalogue, schemas of the branch, and their ranking.

mod arguments;
mod catalogue;
mod keywords;
mod plan;
mod schema;
mod score;
mod suggest;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use catalogue::built_in;
pub use plan::RelationshipPlan;
pub(crate) use plan::{cut_title, fact, link, predicate_key, short_hash};
pub use schema::{PredicateSchema, UsageHints};
pub(crate) use suggest::{check_prose, check_short, suggest};
