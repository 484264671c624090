//! Error codes of the engine and of everything below it.

use cairn_access::AccessCode;
use cairn_artifacts::ArtifactCode;
use cairn_base::ErrorCode;
use cairn_kb::{KbCode, SparqlCode};
use cairn_seam::StoreCode;
use cairn_search::SearchCode;
use cairn_turns::TurnsCode;

/// Returns every error code that an [`EngineError`](crate::EngineError) can have.
pub fn error_codes() -> impl Iterator<Item = ErrorCode> {
    let declared = [
        ErrorCode::GENERAL,
        StoreCode::ALL,
        AccessCode::ALL,
        TurnsCode::ALL,
        SearchCode::ALL,
        ArtifactCode::ALL,
        KbCode::ALL,
        SparqlCode::ALL,
    ];
    declared.into_iter().flatten().copied()
}
