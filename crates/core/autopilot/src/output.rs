//! Result of `kb_autopilot_generate`.

use std::collections::BTreeMap;

use cairn_kb::EntityType;
use cairn_kb::tools::UpsertInput;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::activation::{ActivationMode, ActivationState, BootstrapMode};
use crate::candidate::{Candidate, Provider, SuppressedCandidate, Suppression};
use crate::confidence::ResultConfidence;
use crate::existing::Counts;
use crate::input::BootstrapContext;
use crate::signal::SourceSignal;
use crate::tree::{Excluded, Skipped};

/// Result of `kb_autopilot_generate`: candidates, and the exact payloads that add them to the KB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutopilotOutput {
    /// State of the workspace.
    pub activation_state: ActivationState,
    /// What autopilot does in it.
    pub activation_mode: ActivationMode,
    /// The way in which the KB is begun.
    pub bootstrap_mode: BootstrapMode,
    /// The reason for the state.
    pub activation_reason: String,
    /// Whether the plan must not be applied.
    pub apply_blocked: bool,
    /// A warning that the settings are of another version of the model.
    pub migration_warning: Option<String>,
    /// What to do instead of applying the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff_message: Option<String>,
    /// Confidence in the result.
    pub confidence: ResultConfidence,
    /// The result in one sentence.
    pub tldr: String,
    /// At most five bullets and 120 words for a prompt.
    pub prompt_block: String,
    /// What to do next, in order.
    pub recommended_actions: Vec<RecommendedAction>,
    /// The facts that were declared about the project.
    pub declared_context: BootstrapContext,
    /// Files that were read and files that were left out.
    pub discovery_summary: DiscoverySummary,
    /// Candidates of each type, in the order of types.
    pub groups: Vec<CandidateGroup>,
    /// Candidates by confidence; among equals, targets of relationships first, then by path.
    pub candidates: Vec<Candidate>,
    /// Payloads of all candidates, to be applied in order by `kb_upsert`.
    pub apply_plan: Vec<UpsertInput>,
    /// Candidates that are not offered; at most 200 are listed.
    pub suppressed_candidates: Vec<SuppressedCandidate>,
    /// Evidence that is no candidate, with advice; at most 20 of each kind are listed.
    pub source_signals: Vec<SourceSignal>,
    /// Entities of the KB, now and after the plan.
    pub payoff_summary: PayoffSummary,
    /// Snapshot of the branch that the candidates were compared with.
    pub snapshot_id: String,
}

/// A step that is recommended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecommendedAction {
    /// Its place, from 1.
    pub order: u32,
    /// Its kind.
    pub kind: ActionKind,
    /// What to do.
    pub description: String,
    /// The candidates that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidate_ids: Vec<String>,
}

/// A kind of recommended step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    /// Look something up.
    Query,
    /// Store entities.
    Upsert,
    /// Check the rules.
    Check,
    /// Do something that is not for autopilot.
    Handoff,
}

/// Files that were read and files that were left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscoverySummary {
    /// Files under the ignore policy.
    pub files_listed: u64,
    /// Files that were read.
    pub files_read: u64,
    /// Their bytes.
    pub bytes_read: u64,
    /// Providers that ran, in order.
    pub providers_run: Vec<Provider>,
    /// Candidates that each provider found, suppressed ones included.
    pub provider_counts: BTreeMap<String, u64>,
    /// Languages of source files, sorted.
    pub detected_languages: Vec<String>,
    /// Frameworks of tests, sorted.
    pub detected_test_frameworks: Vec<String>,
    /// Files and folders that the ignore policy leaves out; at most 100 are listed.
    pub excluded_roots: Vec<Excluded>,
    /// All of them.
    pub excluded_count: u64,
    /// Candidates of enough confidence and of the types that were asked for.
    pub candidates_found: u64,
    /// Those of them that are neither offered nor suppressed: there was no room.
    pub candidates_omitted: u64,
    /// Suppressed candidates of each reason.
    pub suppressed_counts: BTreeMap<String, u64>,
    /// Source signals of each kind.
    pub signal_counts: BTreeMap<String, u64>,
    /// Whether a limit left something out.
    pub truncated: bool,
    /// Files that were skipped, and other remarks; at most 100 are listed.
    pub scan_warnings: Vec<ScanWarning>,
    /// All of them.
    pub scan_warning_count: u64,
}

/// A remark about a file or a limit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct ScanWarning {
    /// The file; empty for remarks about the whole scan.
    pub path: String,
    /// The reason.
    pub reason: Skipped,
    /// The remark.
    pub message: String,
}

/// Candidates of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CandidateGroup {
    /// The type.
    pub entity_type: EntityType,
    /// The number of candidates.
    pub count: u64,
    /// The candidates, in the order of the list.
    pub candidate_ids: Vec<String>,
}

/// Entities of the KB, now and after the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoffSummary {
    /// Now.
    pub current: Counts,
    /// After the plan.
    pub projected_if_all_applied: Counts,
    /// What the plan adds.
    pub delta: Counts,
}

/// Counts suppressed candidates of each reason.
pub(crate) fn suppressed_counts(counts: &BTreeMap<Suppression, u64>) -> BTreeMap<String, u64> {
    counts.iter().map(|(reason, count)| (reason.text().to_owned(), *count)).collect()
}
