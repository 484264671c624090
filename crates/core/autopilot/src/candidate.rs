//! Candidates: as they are found, and as they are shown.

use cairn_kb::EntityType;
use cairn_kb::tools::{RelationshipInput, UpsertInput};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A confidence in hundredths, so that equal ones are equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Confidence(pub(crate) u8);

impl Confidence {
    /// The nearest hundredth of a number from 0 to 1.
    pub(crate) fn of(number: f64) -> Self {
        let hundredths = (number.clamp(0.0, 1.0) * 100.0).round();
        // It is from 0 to 100.
        Confidence((0..=100_u8).find(|whole| f64::from(*whole) >= hundredths).unwrap_or(100))
    }

    pub(crate) fn number(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    pub(crate) fn band(self) -> Band {
        match self.0 {
            90.. => Band::High,
            80..=89 => Band::Medium,
            0..=79 => Band::Low,
        }
    }
}

/// A band of confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    /// 0.90 and more.
    High,
    /// 0.80 and more.
    Medium,
    /// Less.
    Low,
}

/// A source of evidence, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// Documents in the folders of the KB, and the symbols file.
    TypedDocs,
    /// Other Markdown.
    GenericRepoDocs,
    /// Manifests and lock files.
    RepoMetadata,
    /// Folders with well-known names.
    RepoLayout,
    /// Test files and their frameworks.
    TestTopology,
    /// Symbols of source files.
    SourceSymbols,
}

impl Provider {
    /// Every one, in the order in which they run.
    pub const ALL: [Provider; 6] = [
        Provider::TypedDocs,
        Provider::GenericRepoDocs,
        Provider::RepoMetadata,
        Provider::RepoLayout,
        Provider::TestTopology,
        Provider::SourceSymbols,
    ];

    /// Its spelling.
    pub fn text(self) -> &'static str {
        match self {
            Provider::TypedDocs => "typed_docs",
            Provider::GenericRepoDocs => "generic_repo_docs",
            Provider::RepoMetadata => "repo_metadata",
            Provider::RepoLayout => "repo_layout",
            Provider::TestTopology => "test_topology",
            Provider::SourceSymbols => "source_symbols",
        }
    }
}

/// A piece of evidence: a place in a file, and a description.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct Evidence {
    /// Path of the file from the root.
    pub path: String,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Description of the finding.
    pub detail: String,
}

/// An entity that the KB could have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// Stable id of the candidate: provider, path and key.
    pub candidate_id: String,
    /// Type of its entity.
    pub entity_type: EntityType,
    /// Id of its entity.
    pub entity_id: String,
    /// Title of its entity.
    pub title: String,
    /// The provider that found it.
    pub source_kind: Provider,
    /// The file or folder that it comes from.
    pub source_path: String,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// Band of the confidence.
    pub confidence_band: Band,
    /// The evidence for it.
    pub evidence: Vec<Evidence>,
    /// Relationships that its plan adds.
    pub relationships: Vec<RelationshipInput>,
    /// Payloads of `kb_upsert`, to be applied in order.
    pub apply_plan: Vec<UpsertInput>,
}

/// A candidate as it is found.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) id: String,
    pub(crate) kind: EntityType,
    pub(crate) entity_id: String,
    pub(crate) title: String,
    pub(crate) provider: Provider,
    pub(crate) path: String,
    /// The file that a symbol is defined in.
    pub(crate) symbol_file: Option<String>,
    pub(crate) confidence: Confidence,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) payloads: Payloads,
}

/// The payloads of a draft.
#[derive(Debug, Clone)]
pub(crate) enum Payloads {
    /// All of them, the main entity last.
    Ready(Vec<UpsertInput>),
    /// That of a typed document, which is read again when it is selected.
    Document {
        /// Place of the entity among those of its document.
        index: usize,
        /// Place in the selection: linked entities are neighbours.
        rank: usize,
    },
}

/// A candidate that is not offered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuppressedCandidate {
    /// The candidate.
    pub candidate_id: String,
    /// The reason.
    pub reason: Suppression,
    /// The file or folder that it comes from.
    pub source_path: String,
    /// Type of its entity.
    pub entity_type: EntityType,
    /// More about the reason, such as the entity or the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A reason not to offer a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Suppression {
    /// The KB has the entity, or one of its type with its title.
    EntityExists,
    /// A typed document has the entity, or one of its type with its title.
    ShadowedByTypedSource,
    /// A better candidate has its type and title, or its id.
    DuplicateTitle,
    /// Its source file is ignored or outside of the workspace.
    IgnoredSource,
    /// Its payload is one that `kb_upsert` refuses.
    InvalidPayload,
    /// It contradicts the KB or a better candidate.
    WouldContradict,
    /// Stored now, it would violate a rule of `kb_check`.
    WouldViolate,
    /// The apply plan is as large as it may be.
    PlanFull,
}

impl Suppression {
    /// Every one.
    pub const ALL: [Suppression; 8] = [
        Suppression::EntityExists,
        Suppression::ShadowedByTypedSource,
        Suppression::DuplicateTitle,
        Suppression::IgnoredSource,
        Suppression::InvalidPayload,
        Suppression::WouldContradict,
        Suppression::WouldViolate,
        Suppression::PlanFull,
    ];

    /// Its spelling.
    pub fn text(self) -> &'static str {
        match self {
            Suppression::EntityExists => "entity_exists",
            Suppression::ShadowedByTypedSource => "shadowed_by_typed_source",
            Suppression::DuplicateTitle => "duplicate_title",
            Suppression::IgnoredSource => "ignored_source",
            Suppression::InvalidPayload => "invalid_payload",
            Suppression::WouldContradict => "would_contradict",
            Suppression::WouldViolate => "would_violate",
            Suppression::PlanFull => "plan_full",
        }
    }
}

impl Draft {
    /// The file that a symbol is defined in; empty if it is not known.
    pub(crate) fn symbol_file(&self) -> &str {
        self.symbol_file.as_deref().unwrap_or_default()
    }

    pub(crate) fn suppressed(&self, reason: Suppression, detail: Option<String>) -> SuppressedCandidate {
        SuppressedCandidate {
            candidate_id: self.id.clone(),
            reason,
            source_path: self.path.clone(),
            entity_type: self.kind,
            detail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_begin_at_ninety_and_eighty() {
        for (number, band) in [
            (1.0, Band::High),
            (0.9, Band::High),
            (0.89, Band::Medium),
            (0.8, Band::Medium),
            (0.79, Band::Low),
        ] {
            assert_eq!(Confidence::of(number).band(), band, "{number}");
        }
    }

    #[test]
    fn a_confidence_is_the_number_that_it_came_from() {
        for (number, hundredths) in [(0.0, 0), (0.835, 84), (0.84, 84), (1.0, 100), (7.0, 100), (-1.0, 0)] {
            assert_eq!(Confidence::of(number), Confidence(hundredths), "{number}");
        }
        assert_eq!(Confidence(84).number(), 0.84);
    }
}
