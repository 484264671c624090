//! The way to the process that runs tools.

use std::pin::Pin;

use cairn_base::{ErrorCode, Retry, Value};
use cairn_tools::Tool;
use serde_json::json;

/// The outcome of a call, in its own time: the answer of the tool, or why it was not called.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<serde_json::Value, CallError>> + Send + 'a>>;

/// The way to the process that owns the store and runs tools there.
///
/// A door may be opened after the first call. It bounds by itself how long a call waits for that, and for its answer.
pub trait Door: Send + Sync + 'static {
    /// Calls a tool. The arguments are an object.
    fn call<'a>(&'a self, tool: &'static Tool, arguments: &'a Value) -> Answer<'a>;
}

/// Why a tool was not called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    /// Its row in the table of errors.
    pub code: ErrorCode,
    /// What went wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl CallError {
    /// An error with the hint of its row.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        CallError { code, message: message.into(), hint: Some(code.hint().to_owned()) }
    }

    /// `{"error": {"code", "message", "hint", "retry"}}`
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let CallError { code, message, hint } = self;
        let mut error = json!({"code": code.name(), "message": message, "retry": retry(code.retry())});
        if let Some(hint) = hint {
            error["hint"] = json!(hint);
        }
        json!({"error": error})
    }
}

/// Whether to call again: `docs/errors.md` has the same words.
fn retry(retry: Retry) -> &'static str {
    match retry {
        Retry::Never => "never",
        Retry::Same => "same",
        Retry::Later => "later",
        Retry::Look => "look",
    }
}
