//! Tools of agents.

use cairn_base::Value;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The arguments of a tool: an object, as its schema says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(value_type = Object, example = json!({"command": "DESCRIBE PRIMER"}))]
pub struct ToolArguments(#[serde(with = "crate::exact")] pub Value);

/// The result of a tool: an object, as its schema says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(value_type = Object)]
pub struct ToolResult(#[serde(with = "crate::exact")] pub Value);
