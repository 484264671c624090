//! `kb_suspect`: links whose ends changed after they were made; `kb_accept`: takes them as they are.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{StatusOutput, bounded};
use crate::model::{EntityType, Relation, words};

/// Arguments of `kb_suspect`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"ids": ["REQ-001"]}))]
pub struct SuspectInput {
    /// Only links that start or end at one of these entities, at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Only links of these types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relationships: Vec<Relation>,
    /// Links of one page; 100 by default, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Links to skip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

words! {
    /// The ends of a link that changed after it was made.
    ChangedEnds {
        /// The source.
        Source = "source",
        /// The target.
        Target = "target",
        /// Source and target.
        Both = "both",
    }
}

/// Result of `kb_suspect`, ordered by type, source and target.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SuspectOutput {
    /// Suspect links of this page.
    pub links: Vec<SuspectLink>,
    /// Suspect links of all pages.
    pub count: u64,
    /// Links that pass the filters and that can be compared.
    pub known: u64,
    /// Links that pass the filters and are older than the digests of their ends; they are never suspect.
    pub unknown: u64,
    /// Ids that no entity has.
    #[serde(rename = "unknownIds")]
    pub unknown_ids: Vec<String>,
    /// State of the branch.
    pub meta: StatusOutput,
}

/// A link whose ends changed after it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuspectLink {
    /// Its type.
    #[serde(rename = "type")]
    pub relation: Relation,
    /// Id of its source.
    pub from: String,
    /// Type of its source.
    pub from_type: EntityType,
    /// Title of its source.
    pub from_title: String,
    /// Id of its target.
    pub to: String,
    /// Type of its target.
    pub to_type: EntityType,
    /// Title of its target.
    pub to_title: String,
    /// The ends that changed.
    pub changed: ChangedEnds,
}

/// Arguments of `kb_accept`. Either `ids` or `all` is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"ids": ["REQ-001"]}))]
pub struct AcceptInput {
    /// Entities whose suspect links are accepted, at most 1,000: those that start or end at them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Whether all suspect links of the branch are accepted.
    #[serde(default)]
    pub all: bool,
    /// Whether links are accepted, too, that are older than the digests of their ends.
    #[serde(default)]
    pub include_unknown: bool,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Result of `kb_accept`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcceptOutput {
    /// Links that were accepted, at most 10,000 of one call.
    pub accepted: u64,
    /// Links that are left for another call.
    pub remaining: u64,
    /// Snapshot of the branch afterwards.
    pub snapshot_id: String,
}

impl SuspectOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let SuspectOutput { links, count, known, unknown, .. } = self;
        let mut text = format!("{count} of {known} links are suspect; {unknown} cannot be compared.");
        if !self.unknown_ids.is_empty() {
            text.push_str(&format!("\nUnknown ids: {}", self.unknown_ids.join(", ")));
        }
        for link in links {
            let SuspectLink { relation, from, to, changed, .. } = link;
            text.push_str(&format!("\n{from} -{relation}-> {to}: changed {changed}"));
        }
        bounded(text)
    }
}

impl AcceptOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let AcceptOutput { accepted, remaining, .. } = self;
        format!("Accepted {accepted} links. {remaining} are left for another call.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_names_the_changed_ends() {
        let link = SuspectLink {
            relation: Relation::Implements,
            from: "S".into(),
            from_type: EntityType::Symbol,
            from_title: "s".into(),
            to: "R".into(),
            to_type: EntityType::Req,
            to_title: "r".into(),
            changed: ChangedEnds::Target,
        };
        let output =
            SuspectOutput { links: vec![link], count: 1, known: 7, unknown: 2, ..SuspectOutput::default() };
        let expected = "1 of 7 links are suspect; 2 cannot be compared.\nS -implements-> R: changed target";
        assert_eq!(output.text(), expected);
        let accepted = AcceptOutput { accepted: 3, ..AcceptOutput::default() };
        assert_eq!(accepted.text(), "Accepted 3 links. 0 are left for another call.");
    }
}
