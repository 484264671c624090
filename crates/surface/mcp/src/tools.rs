//! The tools: the functions of KIP, as agents are offered them.

use std::sync::Arc;

use cairn_kip::{KipFunction, functions};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::Offer;

/// A function, and what is said of it in the list of tools.
pub(crate) struct Offered {
    /// What it is called by.
    pub(crate) name: &'static str,
    pub(crate) tool: Tool,
}

/// The tools there are, always in the same order.
pub(crate) fn offered(offer: Offer) -> Vec<Offered> {
    let is_offered = |function: &KipFunction| function.reads_only || offer == Offer::Everything;
    functions().into_iter().filter(is_offered).map(|function| Offered::new(&function)).collect()
}

impl Offered {
    fn new(function: &KipFunction) -> Self {
        let title = if function.reads_only { "Read what is known" } else { "Read and change what is known" };
        // A DELETE takes away. An UPSERT that is sent twice changes nothing the second time, and yet not every
        // command is like that: one that expects a version fails then.
        let annotations = ToolAnnotations::with_title(title)
            .read_only(function.reads_only)
            .destructive(!function.reads_only)
            .idempotent(function.reads_only)
            .open_world(false);
        let parameters = serde_json::to_value(&function.parameters).expect("a schema is plain data");
        let tool = Tool::new(function.name, function.description, object(parameters))
            .with_title(title)
            .with_raw_output_schema(object(output_schema()))
            .with_annotations(annotations);
        Offered { name: function.name, tool }
    }
}

/// What KIP answers.
fn output_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "result": {
                "description": "What was asked for. A FIND has one column for each of its expressions; a single one is the column itself. A batch has a response for each command.",
            },
            "next_cursor": {
                "type": "string",
                "description": "Where the next page begins: the same command with CURSOR.",
            },
            "error": {
                "type": "object",
                "description": "Why there is no result.",
                "properties": {
                    "code": {"type": "string", "description": "KIP_1001 and so on."},
                    "name": {"type": "string", "description": "What people call it."},
                    "message": {"type": "string", "description": "What is wrong."},
                    "hint": {"type": "string", "description": "What to do next."},
                },
                "required": ["code", "message"],
            },
        },
    })
}

fn object(value: Value) -> Arc<JsonObject> {
    Arc::new(if let Value::Object(object) = value { object } else { JsonObject::new() })
}
