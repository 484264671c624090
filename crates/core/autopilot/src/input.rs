//! Arguments of `kb_autopilot_generate`, and the same within their bounds.

use cairn_kb::EntityType;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::AutopilotError;
use crate::candidate::Confidence;
use crate::limits::{
    AUTOPILOT_CANDIDATES_DEFAULT, AUTOPILOT_CANDIDATES_MAX, AUTOPILOT_CONTEXT_ITEMS_MAX,
    AUTOPILOT_CONTEXT_TEXT_BYTES_MAX,
};

/// Arguments of `kb_autopilot_generate`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"minConfidence": 0.8, "maxCandidates": 50, "entityTypes": ["req", "adr"],
    "bootstrapContext": {"projectSummary": "A billing service", "priorityRoots": ["src/billing"]}}))]
pub struct AutopilotInput {
    /// Whether Markdown outside of the folders of the KB is evidence; true by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_generic_markdown: Option<bool>,
    /// Minimum confidence of a candidate; 0.80 by default, from 0.60 to 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// Maximum number of candidates; 50 by default, from 1 to 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_candidates: Option<u32>,
    /// Only candidates of these types; all by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entity_types: Vec<EntityType>,
    /// Declared facts about the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap_context: Option<BootstrapContext>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Declared facts about a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BootstrapContext {
    /// Summary of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_summary: Option<String>,
    /// Files and folders whose statements are requirements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_of_truth_paths: Vec<String>,
    /// Remarks about sources of truth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_of_truth_notes: Vec<String>,
    /// Folders whose candidates come first among those of equal confidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priority_roots: Vec<String>,
    /// Files, folders or commands that verify the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification_anchors: Vec<String>,
}

impl BootstrapContext {
    /// Whether it declares nothing.
    pub fn is_empty(&self) -> bool {
        self.project_summary.as_deref().is_none_or(|summary| summary.trim().is_empty())
            && self.lists().iter().all(|(_, list)| list.is_empty())
    }

    fn lists(&self) -> [(&'static str, &[String]); 4] {
        [
            ("bootstrapContext.sourceOfTruthPaths", &self.source_of_truth_paths),
            ("bootstrapContext.sourceOfTruthNotes", &self.source_of_truth_notes),
            ("bootstrapContext.priorityRoots", &self.priority_roots),
            ("bootstrapContext.verificationAnchors", &self.verification_anchors),
        ]
    }

    fn check(&self) -> Result<(), AutopilotError> {
        let summary = self.project_summary.as_slice();
        for (field, list) in [("bootstrapContext.projectSummary", summary)].into_iter().chain(self.lists()) {
            let invalid = |message: String, hint| AutopilotError::Invalid { field, message, hint };
            if list.len() > AUTOPILOT_CONTEXT_ITEMS_MAX {
                let message =
                    format!("{} items are more than the {AUTOPILOT_CONTEXT_ITEMS_MAX} allowed", list.len());
                return Err(invalid(message, "name folders instead of single files"));
            }
            if let Some(text) = list.iter().find(|text| text.len() > AUTOPILOT_CONTEXT_TEXT_BYTES_MAX) {
                let message = format!(
                    "{} bytes are more than the {AUTOPILOT_CONTEXT_TEXT_BYTES_MAX} allowed",
                    text.len()
                );
                return Err(invalid(message, "shorten it"));
            }
        }
        for (field, list) in [
            ("bootstrapContext.sourceOfTruthPaths", &self.source_of_truth_paths),
            ("bootstrapContext.priorityRoots", &self.priority_roots),
        ] {
            if let Some(path) = list.iter().find(|path| !is_inside(path)) {
                let shown: String = path.chars().take(80).collect();
                let message = format!("{shown:?} is no path inside of the workspace");
                let hint = "write it from the root of the workspace, without `..`";
                return Err(AutopilotError::Invalid { field, message, hint });
            }
        }
        Ok(())
    }
}

/// Whether a path is relative and has no `..`.
fn is_inside(path: &str) -> bool {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    !path.is_empty()
        && !path.starts_with(['/', '\\', '~'])
        && !is_drive
        && path.split(['/', '\\']).all(|part| part != "..")
}

/// Folders and files that a path may be in or equal to, without `./` and `/` at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(Vec<String>);

impl Roots {
    fn of(paths: &[String]) -> Self {
        let clean = |path: &String| path.trim_start_matches("./").trim_end_matches('/').to_owned();
        Roots(paths.iter().map(clean).collect())
    }

    /// Whether `path` is one of them or below one of them.
    pub(crate) fn hold(&self, path: &str) -> bool {
        self.0.iter().any(|root| {
            root == "."
                || root.is_empty()
                || path
                    .strip_prefix(root.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// A request within its bounds.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) include_generic_markdown: bool,
    pub(crate) min_confidence: Confidence,
    pub(crate) candidates_max: usize,
    /// Types that may be candidates; empty for all.
    pub(crate) entity_types: Vec<EntityType>,
    pub(crate) context: BootstrapContext,
    pub(crate) priority_roots: Roots,
    pub(crate) sources_of_truth: Roots,
}

impl Request {
    /// Reads the arguments: numbers are moved into their bounds. Fails if the declared context is too large or names
    /// paths outside of the workspace.
    pub(crate) fn new(input: &AutopilotInput) -> Result<Self, AutopilotError> {
        let context = input.bootstrap_context.clone().unwrap_or_default();
        context.check()?;
        let min = input.min_confidence.unwrap_or(0.80);
        if !min.is_finite() {
            let (field, hint) = ("minConfidence", "send a number from 0.60 to 0.95");
            return Err(AutopilotError::Invalid { field, message: "it is no number".to_owned(), hint });
        }
        let candidates = input.max_candidates.unwrap_or(AUTOPILOT_CANDIDATES_DEFAULT);
        Ok(Request {
            include_generic_markdown: input.include_generic_markdown.unwrap_or(true),
            min_confidence: Confidence::of(min.clamp(0.60, 0.95)),
            candidates_max: candidates.clamp(1, AUTOPILOT_CANDIDATES_MAX) as usize,
            entity_types: input.entity_types.clone(),
            priority_roots: Roots::of(&context.priority_roots),
            sources_of_truth: Roots::of(&context.source_of_truth_paths),
            context,
        })
    }

    /// Whether entities of a type may be candidates.
    pub(crate) fn wants(&self, kind: EntityType) -> bool {
        self.entity_types.is_empty() || self.entity_types.contains(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(json: serde_json::Value) -> Result<Request, AutopilotError> {
        Request::new(&serde_json::from_value(json).expect("arguments"))
    }

    #[test]
    fn numbers_are_moved_into_their_bounds() {
        let check = |input, min: u8, max: usize| {
            let request = request(input).expect("a request");
            assert_eq!((request.min_confidence, request.candidates_max), (Confidence(min), max));
        };
        check(serde_json::json!({}), 80, 50);
        check(serde_json::json!({"minConfidence": 0.1, "maxCandidates": 0}), 60, 1);
        check(serde_json::json!({"minConfidence": 1, "maxCandidates": 201}), 95, 200);
        check(serde_json::json!({"minConfidence": 0.835, "maxCandidates": 7}), 84, 7);
    }

    #[test]
    fn a_context_names_paths_inside_and_has_limits() {
        for path in ["/etc", "../x", "a/../../b", "C:\\x", "~/x", ""] {
            let error = request(serde_json::json!({"bootstrapContext": {"priorityRoots": [path]}}));
            assert!(matches!(error, Err(AutopilotError::Invalid { .. })), "{path}");
        }
        let context = |items: usize, bytes: usize| {
            let list = vec!["x".repeat(bytes); items];
            request(serde_json::json!({"bootstrapContext": {"verificationAnchors": list}})).is_ok()
        };
        assert!(context(AUTOPILOT_CONTEXT_ITEMS_MAX, AUTOPILOT_CONTEXT_TEXT_BYTES_MAX));
        assert!(!context(AUTOPILOT_CONTEXT_ITEMS_MAX + 1, 1));
        assert!(!context(1, AUTOPILOT_CONTEXT_TEXT_BYTES_MAX + 1));
        let error = serde_json::from_value::<AutopilotInput>(serde_json::json!({"minconfidence": 1}));
        assert!(error.is_err());
    }

    #[test]
    fn roots_hold_whole_segments() {
        let roots = Roots::of(&["./src/billing/".to_owned(), "docs".to_owned()]);
        for (path, expected) in [
            ("src/billing", true),
            ("src/billing/a.ts", true),
            ("src/billings/a.ts", false),
            ("docs/x.md", true),
        ] {
            assert_eq!(roots.hold(path), expected, "{path}");
        }
    }
}
