//! Inputs and outputs of the `kb_*` tools, one file per tool: one type gives serde, the JSON schema and the OpenAPI
//! description. Every output renders itself as text that carries the essentials.

mod check;
mod coverage;
mod delete;
mod entity_json;
mod find_gaps;
mod graph;
mod impact;
mod matrix;
mod model_requirement;
mod query;
mod results;
mod search;
mod semantic_advisor;
mod skills_list;
mod skills_load;
mod skills_read;
mod sparql_remote;
mod status;
mod suggest_predicates;
mod suspect;
mod symbol_links;
mod upsert;
mod validate_upsert;

pub use check::{CheckInput, CheckOutput, Diagnostic, RuleCount, SuggestedFix, Violation};
pub use coverage::{
    CoverageBy, CoverageInput, CoverageOutput, CoverageRow, CoverageStatus, CoverageSummary, ReqRow,
    SymbolRow, TypeRow,
};
pub use delete::{DeleteInput, DeleteOutput};
pub use entity_json::EntityJson;
pub use find_gaps::{FindGapsInput, FindGapsOutput, GapRow};
pub use graph::{Direction, GraphEdge, GraphInput, GraphNode, GraphOutput};
pub use impact::{ImpactInput, ImpactOutput, ImpactRow, ImpactSide, ImpactStep};
pub(crate) use matrix::has_gap;
pub use matrix::{
    MatrixBy, MatrixInput, MatrixOutput, MatrixRow, MatrixSummary, Proof, TraceCell, TraceCells, TraceGap,
};
pub use model_requirement::{ClaimInput, ModelRequirementInput, ModelRequirementOutput, ModelWarning};
pub use query::{QueryInput, QueryOutput};
pub use results::{
    CaseProperty, OlderResult, ResultCase, ResultStatus, ResultsInput, ResultsOutput, UnmatchedCase,
    UpdatedTest,
};
pub use search::{SearchInput, SearchOutput, SearchResult};
pub use semantic_advisor::{SemanticAdvisorInput, SemanticAdvisorOutput};
pub use skills_list::{SkillsListInput, SkillsListOutput};
pub use skills_load::{SkillsLoadInput, SkillsLoadOutput};
pub use skills_read::{SkillsReadInput, SkillsReadOutput};
pub use sparql_remote::{SparqlRemoteInput, SparqlRemoteOutput};
pub use status::{StatusInput, StatusOutput, SyncState};
pub use suggest_predicates::{
    PredicateCandidate, RecommendedAction, SuggestPredicatesInput, SuggestPredicatesOutput,
};
pub use suspect::{AcceptInput, AcceptOutput, ChangedEnds, SuspectInput, SuspectLink, SuspectOutput};
pub use symbol_links::{SymbolLinks, SymbolLinksInput, SymbolLinksOutput};
pub use upsert::{RelationshipInput, UpsertInput, UpsertOutput, UpsertRequest};
pub use validate_upsert::{ValidateUpsertInput, ValidateUpsertOutput};

use crate::limits::TOOL_TEXT_BYTES_MAX;

/// Cuts the text of a tool at its limit, at the end of a line.
pub(crate) fn bounded(mut text: String) -> String {
    if text.len() > TOOL_TEXT_BYTES_MAX {
        let mut end = TOOL_TEXT_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let end = text[..end].rfind('\n').unwrap_or(end);
        text.truncate(end);
        text.push_str("\n… cut; structured content has everything");
    }
    text
}
