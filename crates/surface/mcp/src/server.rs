//! Answering what agents ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_base::{ErrorCode, Value};
use cairn_tools::{Tool, error_text};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    Implementation, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{QuitReason, RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, serve_server};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;

use crate::arguments::Arguments;
use crate::tools::{listed, offered};
use crate::{CallError, Door, card, transport};

/// Calls of tools that are worked on at once.
const CALLS_MAX: usize = 64;

const INSTRUCTIONS: &str = "\
A long-term memory: a graph of concepts and of propositions about them, read and written in KIP. \
Begin with execute_kip_readonly and the command DESCRIBE PRIMER, which says who you are here and what is \
known. The resource cairn://docs/kip is the syntax of KIP on one page. Find exact names with \
SEARCH CONCEPT \"words\" before you ask for them with FIND. Say where knowledge is from: \
WITH METADATA { source: …, author: …, confidence: … }.";

/// Methods that are served, given valid parameters.
const METHODS: [&str; 7] =
    ["initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list", "resources/read"];

/// What is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Reading and writing.
    Everything,
    /// Reading.
    ReadOnly,
}

/// Why serving ended before the stream did.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Nobody takes answers, or the conversation could not begin.
    #[error("the conversation ended: {0}")]
    Ended(String),
}

/// Answers until the input ends; what is under way then is still answered, for a few seconds.
pub async fn serve<R, W>(input: R, output: W, door: Arc<dyn Door>, offer: Offer) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let begun = Arc::new(AtomicBool::new(false));
    let lines = transport::lines(input, output, Arc::clone(&begun));
    let running = match serve_server(Server::new(door, offer), lines).await {
        Ok(running) => running,
        // Who says nothing, or only asks what is here, has a right to leave.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Ended(error.to_string())),
    };
    begun.store(true, Ordering::Release);
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) => Err(ServeError::Ended(error.to_string())),
        Ok(_) => Ok(()),
        Err(error) => Err(ServeError::Ended(error.to_string())),
    }
}

struct Server {
    door: Arc<dyn Door>,
    tools: Vec<&'static Tool>,
    calls: Semaphore,
}

impl Server {
    fn new(door: Arc<dyn Door>, offer: Offer) -> Self {
        Server { door, tools: offered(offer), calls: Semaphore::new(CALLS_MAX) }
    }

    /// Calls a tool. What is wrong with the call itself is an error of the protocol; whatever happens after that is a
    /// result for the agent to read.
    async fn call(&self, name: &str, arguments: &Value) -> Result<CallToolResult, ErrorData> {
        let tool = Tool::named(name, self.tools.iter().copied())
            .map_err(|unknown| ErrorData::invalid_params(format!("{unknown}; {}", unknown.hint), None))?;
        let Ok(_place) = self.calls.try_acquire() else {
            let message = format!("{CALLS_MAX} calls are worked on already");
            return Ok(failed(&CallError::new(ErrorCode::Overloaded, message)));
        };
        let answer = match self.door.call(tool, arguments).await {
            Ok(answer) => answer,
            Err(error) => return Ok(failed(&error)),
        };
        let is_error = answer.get("error").is_some();
        let texts = tool.texts(arguments, &answer).into_iter().map(ContentBlock::text).collect();
        let mut result = if is_error { CallToolResult::error(texts) } else { CallToolResult::success(texts) };
        result.structured_content = Some(answer);
        Ok(result)
    }
}

/// The result of a call that did not reach its tool.
fn failed(error: &CallError) -> CallToolResult {
    let content = error.to_json();
    let mut result = CallToolResult::error(vec![ContentBlock::text(error_text(&content["error"]))]);
    result.structured_content = Some(content);
    result
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("cairn", env!("CARGO_PKG_VERSION")).with_title("cairn"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        refuse_cursor(request)?;
        let tools = self.tools.iter().map(|tool| listed(tool)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        refuse_cursor(request)?;
        Ok(ListResourcesResult::with_all_items(vec![card::listed()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri == card::URI {
            return Ok(card::read().into());
        }
        let data = json!({"uri": request.uri});
        Err(ErrorData::resource_not_found(format!("there is only {}", card::URI), Some(data)))
    }

    /// Refuses a request that the library could not decode: an unknown method, or invalid parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, .. } = request;
        if METHODS.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(format!("invalid params for {method}"), None));
        }
        let message = format!("unknown method {method}");
        Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let unread = || ErrorData::internal_error("the arguments of the call were not read", None);
        let Arguments(arguments) = context.extensions.remove().ok_or_else(unread)?;
        tokio::select! {
            result = self.call(&request.name, &arguments) => Ok(result?.into()),
            // Nobody waits for it any more.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }
}

/// Everything is on the first page.
fn refuse_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(ErrorData::invalid_params("there is no such page; ask without a cursor", None)),
        None => Ok(()),
    }
}
