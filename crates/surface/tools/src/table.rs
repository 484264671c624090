//! The table: one row per tool.

use std::sync::LazyLock;

use cairn_base::{Value, most_alike};
use cairn_kip::functions;

use crate::call::{ToolCall, ToolRun};
use crate::{kip, text};

/// A tool.
#[derive(Debug)]
pub struct Tool {
    /// The name it is called by.
    pub name: &'static str,
    /// A short name for people.
    pub title: &'static str,
    /// What it does and when to call it, for a language model.
    pub description: &'static str,
    /// The JSON schema of its arguments, which are an object.
    pub input_schema: Value,
    /// The JSON schema of its answer, if it promises one.
    pub output_schema: Option<Value>,
    /// What a client may expect of a call.
    pub annotations: Annotations,
    /// Calls its use case of the engine, which owns its action.
    run: for<'a> fn(&'a ToolCall, Value) -> ToolRun<'a>,
    /// The answer to some arguments as texts of bounded size.
    texts: fn(&Value, &serde_json::Value) -> Vec<String>,
}

/// What a client may expect of a call. Not a permission: the engine decides about those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: bool,
    /// It may take something away.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond this node.
    pub open_world: bool,
}

impl Annotations {
    const READS: Annotations =
        Annotations { read_only: true, destructive: false, idempotent: true, open_world: false };
}

static TABLE: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let [execute_kip, execute_kip_readonly] = functions();
    vec![
        Tool {
            name: execute_kip.name,
            title: "Read and change what is known",
            description: execute_kip.description,
            input_schema: execute_kip.parameters,
            output_schema: Some(kip::output_schema()),
            // A DELETE takes away. An UPSERT that is sent twice changes nothing the second time, and yet not every
            // command is like that: one that expects a version fails then.
            annotations: Annotations {
                read_only: false,
                destructive: true,
                idempotent: false,
                open_world: false,
            },
            run: |call, arguments| Box::pin(kip::execute_page(call, arguments, false)),
            texts: text::of_kip,
        },
        Tool {
            name: execute_kip_readonly.name,
            title: "Read what is known",
            description: execute_kip_readonly.description,
            input_schema: execute_kip_readonly.parameters,
            output_schema: Some(kip::output_schema()),
            annotations: Annotations::READS,
            run: |call, arguments| Box::pin(kip::execute_page(call, arguments, true)),
            texts: text::of_kip,
        },
    ]
});

/// Every tool, always in the same order.
pub fn tools() -> &'static [Tool] {
    &TABLE
}

impl Tool {
    /// Returns the tool of a name, of those that are offered.
    ///
    /// # Errors
    ///
    /// Fails if none of them has the name.
    pub fn named<'t>(
        name: &str,
        offered: impl IntoIterator<Item = &'t Tool>,
    ) -> Result<&'t Tool, UnknownTool> {
        let offered: Vec<&Tool> = offered.into_iter().collect();
        if let Some(tool) = offered.iter().find(|tool| tool.name == name) {
            return Ok(tool);
        }
        let known = || offered.iter().map(|tool| tool.name);
        let hint = match most_alike(name, known()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
        };
        Err(UnknownTool { name: name.chars().take(NAME_CHARS_MAX).collect(), hint })
    }

    /// Runs a call. An error is not of the tool: the call did not reach it.
    pub fn run<'a>(&self, call: &'a ToolCall, arguments: Value) -> ToolRun<'a> {
        (self.run)(call, arguments)
    }

    /// The answer to some arguments as texts, for clients that read no structured content. Each has a bounded size.
    pub fn texts(&self, arguments: &Value, answer: &serde_json::Value) -> Vec<String> {
        (self.texts)(arguments, answer)
    }
}

/// Characters of an unknown name that are repeated.
const NAME_CHARS_MAX: usize = 64;

/// There is no tool of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTool {
    /// The beginning of the name.
    pub name: String,
    /// The nearest tool, or all of them.
    pub hint: String,
}

impl std::fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "there is no tool {:?}", self.name)
    }
}

impl std::error::Error for UnknownTool {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_has_a_name_of_its_own_and_reads_or_may_destroy() {
        let names: BTreeSet<_> = tools().iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), tools().len());
        for Tool { name, annotations, input_schema, .. } in tools() {
            assert!(!(annotations.read_only && annotations.destructive), "{name}");
            assert_eq!(input_schema.get("type").and_then(Value::as_str), Some("object"), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_told_what_was_meant() {
        let hint = |name: &str| Tool::named(name, tools()).expect_err(name).hint;
        assert_eq!(Tool::named("execute_kip", tools()).map(|tool| tool.name), Ok("execute_kip"));
        assert_eq!(hint("execute_kp"), "did you mean execute_kip?");
        assert_eq!(hint("executeKipReadonly"), "did you mean execute_kip_readonly?");
        assert_eq!(hint("drop_everything"), "there are execute_kip, execute_kip_readonly");
        let reading = tools().iter().filter(|tool| tool.annotations.read_only);
        let unknown = Tool::named("execute_kip", reading).expect_err("not offered");
        assert_eq!(unknown.to_string(), "there is no tool \"execute_kip\"");
        assert_eq!(unknown.hint, "did you mean execute_kip_readonly?");
        assert_eq!(Tool::named(&"x".repeat(1000), tools()).expect_err("unknown").name.len(), 64);
    }
}
