//! `POST /v1/tools/{name}`.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_base::ErrorCode;
use cairn_tools::{Tool, tools};
use cairn_wire::tools::{ToolArguments, ToolResult};

use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;
use crate::routes::kip::body;

/// Call a tool
///
/// Runs one of the tools that agents get over MCP, as the caller and with the caller's permissions: `execute_kip` and
/// `execute_kip_readonly`. The answer is the structured content of the result; pages of FIND end after 14 KiB. Errors
/// of KIP have status 200 and stand in `error`.
#[utoipa::path(
    post,
    path = "/v1/tools/{name}",
    tag = "tools",
    params(("name" = String, Path, description = "The name of the tool", example = "execute_kip_readonly")),
    request_body(content = ToolArguments, description = "The arguments, at most 17 MiB"),
    responses(
        (status = 200, description = "The answer of the tool", body = ToolResult),
        (status = 404, description = "There is no such tool", body = ErrorBody),
    )
)]
pub(super) async fn call_tool(
    call: Call,
    params: Params,
    headers: HeaderMap,
    bytes: Bytes,
) -> Result<HeldJson, ApiError> {
    let tool = Tool::named(params.in_path("name"), tools()).map_err(|unknown| {
        ApiError::new(ErrorCode::NotFound, unknown.to_string()).detail("hint", unknown.hint)
    })?;
    let ToolArguments(arguments) = ToolArguments(body(&call, &headers, bytes).await?);
    let run = call.tool();
    Ok(tool.run(&run, arguments).await?.into())
}
