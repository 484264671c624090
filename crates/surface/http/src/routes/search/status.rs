//! How the search is doing, as JSON.

use cairn_engine::SearchStatus;
use cairn_wire::search::SearchFigures;

use crate::IntoWire;

impl IntoWire for &SearchStatus {
    type Wire = SearchFigures;

    fn into_wire(self) -> SearchFigures {
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
        } = *self;
        SearchFigures {
            state: state.to_owned(),
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
