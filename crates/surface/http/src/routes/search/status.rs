//! How the search is doing, as JSON.

use cairn_engine::SearchStatus;
use serde::Serialize;
use utoipa::ToSchema;

/// How the search is doing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SearchFigures)]
pub(in crate::routes) struct SearchFigures {
    /// `off`, `opening`, `rebuilding`, `ready` or `failed`.
    #[schema(example = "ready")]
    state: &'static str,
    /// Why it failed, or is made anew; null if neither.
    detail: Option<String>,
    /// While it is made anew: turns and contexts that were read.
    rebuild_done: Option<u64>,
    /// The same: about how many there are.
    rebuild_total: Option<u64>,
    /// Documents that can be found.
    documents: u64,
    /// Segments on disk.
    segments: u64,
    /// Documents that are not on disk yet.
    tail_documents: u64,
    /// Memory that they take.
    tail_bytes: u64,
    /// For how long the newest commits have not been taken in; 0 when everything can be found.
    behind_ms: u64,
}

impl From<&SearchStatus> for SearchFigures {
    fn from(status: &SearchStatus) -> Self {
        // Taken apart, so that a figure added there cannot be forgotten here.
        let SearchStatus {
            state,
            ref detail,
            progress,
            documents,
            segments,
            tail_documents,
            tail_bytes,
            behind_ms,
        } = *status;
        SearchFigures {
            state,
            detail: detail.clone(),
            rebuild_done: progress.map(|(done, _)| done),
            rebuild_total: progress.map(|(_, total)| total),
            documents,
            segments,
            tail_documents,
            tail_bytes,
            behind_ms,
        }
    }
}
