//! Rows of the table of tools, as MCP lists them.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};

use cairn_base::Value;
use cairn_tools::{Tool, tools};

use crate::Offer;

/// The tools that are offered, always in the same order.
pub(crate) fn offered(offer: Offer) -> Vec<&'static Tool> {
    let is_offered = |tool: &&Tool| tool.annotations.read_only || offer == Offer::Everything;
    tools().iter().filter(is_offered).collect()
}

/// A row in the words of MCP.
pub(crate) fn listed(tool: &Tool) -> Listed {
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.annotations.read_only)
        .destructive(tool.annotations.destructive)
        .idempotent(tool.annotations.idempotent)
        .open_world(tool.annotations.open_world);
    let listed = Listed::new(tool.name, tool.description, object(&tool.input_schema))
        .with_title(tool.title)
        .with_annotations(annotations);
    match &tool.output_schema {
        Some(schema) => listed.with_raw_output_schema(object(schema)),
        None => listed,
    }
}

fn object(schema: &Value) -> Arc<JsonObject> {
    match serde_json::to_value(schema) {
        Ok(serde_json::Value::Object(object)) => Arc::new(object),
        Ok(_) | Err(_) => Arc::default(),
    }
}
