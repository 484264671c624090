//! The semantic advisor: claims in the prose of a requirement, and drafts of the facts that would carry them.
//!
//! Everything is deterministic and works on the payload alone. A receipt is advice: it stores nothing, blocks nothing
//! and proves nothing about the requirement.

mod advise;
mod claim;
mod draft;
mod payload;
mod receipt;
mod signal;
mod suggest;
#[cfg(test)]
mod tests;

pub(crate) use advise::advise_text;
pub use advise::{advise, is_modeled};
pub(crate) use claim::find_claim;
pub use receipt::{
    AmbiguityWitness, CandidateLane, Interpretation, LogicReadiness, RECEIPT_VERSION, Receipt,
    RecommendedSchema, Signal, SignalKind, SuggestedClaim, SuggestedPredicate, Suggestion, SuggestionKind,
};
