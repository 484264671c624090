//! Calls of tools.

use axum::http::Method;
use cairn_wire::tools::ToolResult;
use serde::Serialize;

use super::escape::escaped;
use super::{Client, ClientError};

impl Client {
    /// Calls a tool: `POST /v1/tools/{name}`. Errors of KIP are in the result.
    pub async fn call_tool(
        &mut self,
        name: &str,
        arguments: &impl Serialize,
    ) -> Result<ToolResult, ClientError> {
        self.say(Method::POST, &format!("/v1/tools/{}", escaped(name)), arguments).await
    }
}
