//! Full-text search: results, and the state of the index.

use cairn_base::{ContextId, TurnId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::artifacts::FoundArtifact;

/// A page of what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = SearchFound)]
pub struct FoundPage {
    /// What was looked for.
    #[schema(example = "\"sealed segment\" recovery")]
    pub query: String,
    /// What the hits are: `turns`, `windows`, `contexts` or `artifacts`.
    #[serde(rename = "in")]
    #[schema(example = "turns")]
    pub searched: String,
    /// How many hits there are in all, of which the first 1,000 can be followed.
    pub total: u64,
    /// The best, the best first.
    pub hits: Vec<HitObject>,
    /// Artifacts: a page of them with `in=artifacts`, the best few beside turns with `in=auto`.
    #[serde(default)]
    pub artifacts: Vec<FoundArtifact>,
    /// How many artifacts there are in all.
    #[serde(default)]
    pub artifacts_total: u64,
    /// Words that were not looked for, because they say nothing by themselves.
    #[schema(example = json!(["the"]))]
    pub ignored: Vec<String>,
    /// When little was found: what may have been meant, with names that are written almost so.
    #[schema(example = json!(["kingfisher"]))]
    pub suggestions: Vec<String>,
    /// Whether something that was committed before may be missing.
    pub behind: bool,
    /// Whether the index is made anew, and this is what it has so far.
    pub rebuilding: bool,
    /// What to pass as `cursor` for the next page; null if this is the last.
    pub next_cursor: Option<String>,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = SearchHit)]
pub struct HitObject {
    /// `turn`, `window` or `context`.
    #[schema(example = "turn")]
    pub kind: String,
    /// The context it is in, in decimal digits.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "1")]
    pub context_id: ContextId,
    /// What the context is called; null if it says nothing of that.
    pub title: Option<String>,
    /// The turn, or the best of several; null if only what is said about the context fits.
    #[serde(with = "crate::digits::option")]
    #[schema(value_type = Option<String>, example = "42")]
    pub turn_id: Option<TurnId>,
    /// The best turns of a window or context, the best first.
    #[serde(with = "crate::digits::list")]
    #[schema(value_type = Vec<String>, example = json!(["42"]))]
    pub turn_ids: Vec<TurnId>,
    /// How many turns of it were found.
    pub turns_found: u64,
    /// When the turn was appended, or the context made.
    #[schema(example = "2026-01-30T11:43:20.123+00:00")]
    pub time: Option<String>,
    /// The same in Unix milliseconds.
    pub time_unix_ms: u64,
    /// How well it fits, from 0 to 1.
    #[schema(example = 0.8312)]
    pub score: f64,
    /// Why it was found.
    pub reasons: Vec<ReasonObject>,
    /// The part of its text that fits best; null if it has none.
    pub snippet: Option<SnippetObject>,
}

/// One of the reasons for which something was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = SearchReason)]
pub struct ReasonObject {
    /// Where: `text`, `title`, `label` or `about`.
    #[schema(example = "text")]
    pub field: String,
    /// The part of the query; empty for `neighbour`.
    #[schema(example = "recovery")]
    pub term: String,
    /// How: `name`, `phrase`, `word`, `part`, `prefix`, `near`, or `neighbour` when a turn beside it fits.
    #[schema(example = "word")]
    pub rule: String,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = SearchSnippet)]
pub struct SnippetObject {
    /// The text, on one line.
    #[schema(example = "after recovery the segment is whole")]
    pub text: String,
    /// Where in it something of the query stands.
    pub highlights: Vec<Highlight>,
}

/// A range of a text, counted in characters (Unicode code points) from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SearchHighlight)]
pub struct Highlight {
    /// Its first character.
    #[schema(example = 6)]
    pub start: usize,
    /// The one after its last.
    #[schema(example = 14)]
    pub end: usize,
}

/// How the search is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = SearchFigures)]
pub struct SearchFigures {
    /// `off`, `opening`, `rebuilding`, `ready` or `failed`.
    #[schema(example = "ready")]
    pub state: String,
    /// Why it failed, or is made anew; null if neither.
    pub detail: Option<String>,
    /// While it is made anew: turns and contexts that were read.
    pub rebuild_done: Option<u64>,
    /// The same: about how many there are.
    pub rebuild_total: Option<u64>,
    /// Documents that can be found.
    pub documents: u64,
    /// Segments on disk.
    pub segments: u64,
    /// Documents that are not on disk yet.
    pub tail_documents: u64,
    /// Memory that they take.
    pub tail_bytes: u64,
    /// For how long the newest commits have not been taken in; 0 when everything can be found.
    pub behind_ms: u64,
}
