//! Test results: the tests that the cases of a run belong to, and the statuses that follow.
//!
//! A case belongs to a test if the test's `source` is the case's `file::name`, or if the test's id stands as a whole
//! word in the name or in a property of the case. Nothing is guessed: a case that could belong to tests in several files
//! belongs to none.

mod assign;
mod locate;
mod place;
mod plan;
#[cfg(test)]
mod tests;
mod word;

pub use assign::{Assigned, assign_results};
pub(crate) use plan::{RESULT_FIELDS, is_too_late};
pub use plan::{ResultChange, ResultsPlan, check_results, plan_results, store_results};
