//! Writes of the KB: a plan is made from the branch in memory and checked outside of any transaction; the transaction
//! then only stores it, provided that the branch has not changed since.

mod accept;
mod delete;
mod examine;
mod relationships;
mod store;
mod symbol;

pub use accept::{AcceptPlan, plan_accept, store_acceptance};
pub use delete::{DeletePlan, plan_delete};
pub use examine::{Examined, UpsertPlan, examine_upsert};
pub(crate) use examine::{check_read_only, check_required, check_times, without_duplicates};
pub use relationships::{NewLink, check_relationship};
pub(crate) use relationships::{check_metadata, metadata};
pub use store::{Stored, store_deletion, store_upsert};
pub use symbol::SymbolFacts;

#[cfg(test)]
mod tests;
