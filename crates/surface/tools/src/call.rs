//! A call of a tool, on its way to the engine.

use std::pin::Pin;
use std::sync::Arc;

use cairn_access::Principal;
use cairn_gate::{Admission, Gate, GateError, Memory, Share};

/// The outcome of a call, as a future.
pub type ToolRun<'a> = Pin<Box<dyn Future<Output = Result<ToolAnswer, GateError>> + Send + 'a>>;

/// The caller of a tool, and what its request was admitted with.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The way to the engine.
    pub gate: Gate,
    /// The admission of the request, with its deadline.
    pub admission: Arc<Admission>,
    /// The caller.
    pub principal: Principal,
    /// The memory that answers are charged to.
    pub memory: Memory,
}

/// The answer of a tool, as JSON, and the memory that it holds.
#[derive(Debug)]
pub struct ToolAnswer {
    /// A JSON object. A member `error` says that the tool did not do what was asked.
    pub json: String,
    /// Given back when the answer was sent.
    pub share: Share,
}
