//! Candidates for a KB from the files of a repository: typed documents, prose, manifests, layout, tests and symbols.
//!
//! [`generate`] reads files through [`Tree`], compares what it finds with the [`Existing`] entities of the branch, and
//! returns candidates with the exact payloads of `kb_upsert` that add them. It stores nothing and opens no file itself.
//! Payloads can be applied in order, and add no violation of `kb_check`: they are tried on a copy of the branch first,
//! and a candidate that would add one is suppressed with the reason. The same files, branch and arguments give the same
//! result; memory is bounded by limits, and not by the repository.

mod activation;
mod candidate;
mod confidence;
mod discovery;
mod error;
mod existing;
mod generate;
mod ids;
mod input;
pub mod limits;
mod order;
mod output;
mod plan;
mod project;
mod prose;
mod provider;
mod scan;
mod select;
mod signal;
mod summary;
mod text;
mod tree;

pub use activation::{ActivationMode, ActivationState, BootstrapMode};
pub use candidate::{Band, Candidate, Evidence, Provider, SuppressedCandidate, Suppression};
pub use confidence::{Level, Policy, ResultConfidence};
pub use error::AutopilotError;
pub use existing::{Counts, Existing};
pub use generate::{Sources, generate};
pub use input::{AutopilotInput, BootstrapContext};
pub use output::{
    ActionKind, AutopilotOutput, CandidateGroup, DiscoverySummary, PayoffSummary, RecommendedAction,
    ScanWarning,
};
pub use project::Project;
pub use signal::{SignalKind, SignalSymbol, SourceSignal};
pub use tree::{DocumentKind, Excluded, ListedFile, Listing, Skipped, Tree};
