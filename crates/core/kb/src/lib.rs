//! The requirements KB: what must hold, and does it.
//!
//! Entities (requirements, scenarios, tests, decisions, flags, events, symbols, facts) and their relationships are
//! concepts and propositions of one graph space per workspace and branch. This crate has the model, the rules of a
//! write, the checks, the reports, and one typed input and output per `kb_*` tool. It parses no KIP and reads no
//! files.

mod advisor;
mod branch;
mod check;
mod code;
mod contradiction;
mod digest;
mod entity;
mod error;
pub mod limits;
mod model;
mod predicates;
mod prompts;
mod record;
pub mod render;
pub mod report;
mod requirement;
mod results;
mod sentence;
mod skills;
mod space;
mod sparql;
pub mod sync;
pub mod tables;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tools;
mod write;

pub use advisor::{
    AmbiguityWitness, CandidateLane, Interpretation, LogicReadiness, RECEIPT_VERSION, Receipt,
    RecommendedSchema, Signal, SignalKind, SuggestedClaim, SuggestedPredicate, Suggestion, SuggestionKind,
    advise, is_modeled,
};
pub use branch::{Branch, Change, Claim, ClaimValue, Edge, Ends, FactFields, Node, NodeKey, Trust};
pub use check::{CheckReport, CheckRequest, CheckState, Rule};
pub use code::KbCode;
pub use contradiction::{
    CONFLICT_CLAIMS_MAX, CONFLICT_STEPS_MAX, CONFLICT_TEXT_CHARS_MAX, CONFLICTS_PER_GROUP_MAX, ClaimError,
    Conflict, ConflictKind, Conflicts, GroupIndex, GroupKey, Membership, conflicts_in_group, conflicts_of,
    memberships,
};
pub use digest::ContentDigest;
pub use entity::{Entity, FIELDS, Field, FieldError, Properties, Shape, field, field_of_attribute};
pub use error::{Dependents, KbError};
pub use model::{
    Dependent, EntityType, FactKind, Granularity, Operator, Polarity, Relation, STATUSES, SymbolRole,
    ValueType, VerificationPerspective, VerificationScope,
};
pub use predicates::{PredicateSchema, RelationshipPlan, UsageHints};
pub use prompts::{PROMPTS, Prompt, prompt};
pub use record::{
    BranchRecord, Version, branch_of_space, check_branch, check_workspace, decode_branch, find_branch,
    list_branches, put_branch, put_version, remove_branch, remove_version, space_name, version,
};
pub use requirement::{
    ClaimOperator, ClaimScalar, ExtractionMode, ObservationWriteSet, SCHEMA_VERSION_LATEST,
    SchemaVersionState, SchemaVersionStatus, SemanticClaim, StrictWriteSet, WriteSet, model_requirement,
};
pub use results::{
    Assigned, ResultChange, ResultsPlan, assign_results, check_results, plan_results, store_results,
};
pub use skills::{SkillError, SkillManifest, SkillSource};
pub use space::{Loading, Schema, define, entities, stored_entities};
pub use sparql::{
    SparqlAnswer, SparqlCode, SparqlEndpoint, SparqlError, SparqlRequest, SparqlRow, SparqlTerm,
    SparqlTermType,
};
pub use write::{
    AcceptPlan, DeletePlan, Examined, NewLink, Stored, SymbolFacts, UpsertPlan, check_relationship, examine_upsert,
    plan_accept, plan_delete, store_acceptance, store_deletion, store_upsert,
};

/// The result of reading or writing the KB.
pub type Result<T> = std::result::Result<T, KbError>;
