//! `kb_impact`: what a change reaches, both ways.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{GraphNode, StatusOutput, bounded};
use crate::model::{EntityType, Relation};

/// Arguments of `kb_impact`. At least one id or path is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"ids": ["REQ-001"], "paths": ["src/session.rs"], "depth": 3}))]
pub struct ImpactInput {
    /// Ids of entities that change. Unknown ones are reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Files that change, relative to the root: their symbols, and entities whose source is that file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Relationship types to follow; all by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relationships: Vec<Relation>,
    /// Relationships between a start and the farthest entity, 1 to 20; 5 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Rows of each direction; 200 by default, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Result of `kb_impact`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImpactOutput {
    /// Entities that change, ordered by type and id; at most 1,000 are listed.
    pub starts: Vec<GraphNode>,
    /// All of them.
    pub start_count: u64,
    /// Ids that no entity has.
    pub unknown_ids: Vec<String>,
    /// Paths that no entity comes from.
    pub unknown_paths: Vec<String>,
    /// Entities that rest on them, which the change can break.
    pub dependents: ImpactSide,
    /// Entities that they rest on, which the change has to respect.
    pub dependencies: ImpactSide,
    /// State of the branch.
    pub meta: StatusOutput,
}

/// One direction of an impact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImpactSide {
    /// The first of them, ordered by type, distance and id.
    pub rows: Vec<ImpactRow>,
    /// All of them.
    pub count: u64,
    /// All of them by type.
    #[schema(value_type = Object)]
    pub counts: BTreeMap<String, u64>,
    /// Whether the walk ended at its limit of 10,000 entities, so that more may be reached.
    pub truncated: bool,
}

/// An entity that a change reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImpactRow {
    /// Its id.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
    /// Relationships between it and the nearest start.
    pub distance: u32,
    /// These relationships, from the start on.
    pub path: Vec<ImpactStep>,
    /// Whether one of them is suspect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspect: bool,
}

/// A relationship on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImpactStep {
    /// Its type.
    #[serde(rename = "type")]
    pub relation: Relation,
    /// Id of its source.
    pub from: String,
    /// Id of its target.
    pub to: String,
}

impl ImpactOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let starts: Vec<&str> = self.starts.iter().map(|start| start.id.as_str()).collect();
        let mut text = format!("Impact of {} entities: {}", self.start_count, starts.join(", "));
        for (name, missing) in [("ids", &self.unknown_ids), ("paths", &self.unknown_paths)] {
            if !missing.is_empty() {
                text.push_str(&format!("\nUnknown {name}: {}", missing.join(", ")));
            }
        }
        for (name, side) in [("rest on them", &self.dependents), ("they rest on", &self.dependencies)] {
            let more = if side.truncated { " or more" } else { "" };
            text.push_str(&format!("\n{}{more} entities that {name}:", side.count));
            for row in &side.rows {
                let suspect = if row.suspect { ", suspect" } else { "" };
                text.push_str(&format!("\n{} ({}, distance {}{suspect}):", row.id, row.kind, row.distance));
                for step in &row.path {
                    text.push_str(&format!(" {} -{}-> {};", step.from, step.relation, step.to));
                }
            }
        }
        bounded(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_the_way_to_each_entity() {
        let step = ImpactStep { relation: Relation::VerifiedBy, from: "R-1".into(), to: "T-1".into() };
        let row = ImpactRow {
            id: "T-1".into(),
            kind: EntityType::Test,
            title: "t".into(),
            status: "passing".into(),
            distance: 1,
            path: vec![step],
            suspect: true,
        };
        let output = ImpactOutput {
            start_count: 1,
            unknown_ids: vec!["R-9".into()],
            dependents: ImpactSide { rows: vec![row], count: 1, ..ImpactSide::default() },
            ..ImpactOutput::default()
        };
        assert_eq!(
            output.text(),
            "Impact of 1 entities: \nUnknown ids: R-9\n1 entities that rest on them:\n\
             T-1 (test, distance 1, suspect): R-1 -verified_by-> T-1;\n0 entities that they rest on:"
        );
    }
}
