//! Bodies of requests and answers, and how they are described.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_base::{ErrorCode, Value};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::call::Call;
use crate::content_type::{is_json, media_type};

/// Longer bodies are read where they hold nobody up.
const SHORT_BYTES: usize = 64 << 10;

/// A body that is JSON, with its numbers as they were written.
pub(super) async fn body(call: &Call, headers: &HeaderMap, bytes: Bytes) -> Result<Value, ApiError> {
    if !is_json(&media_type(headers)) {
        let message = "the content type must be application/json";
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
    }
    if bytes.len() <= SHORT_BYTES {
        return json(&bytes);
    }
    call.app.gate.query(&call.admission, move |_| Ok(json(&bytes))).await?
}

fn json(bytes: &[u8]) -> Result<Value, ApiError> {
    Value::parse_json(bytes).map_err(|error| {
        let (line, column) = error.line_column();
        let message = format!("the body is not JSON that is read here: {error}");
        ApiError::new(ErrorCode::MalformedJson, message).detail("line", line).detail("column", column)
    })
}

/// What `execute_kip` takes: `command` or `commands`, and not both.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described: KIP says itself what is wrong with a request")]
pub(super) struct KipBody {
    /// One command.
    #[schema(example = "FIND(?d.name) WHERE { ?d {type: \"Domain\"} }")]
    command: Option<String>,
    /// Commands to be executed in order: texts, or objects with `command` and `parameters` of their own.
    #[schema(value_type = Option<Vec<Value>>)]
    commands: Option<Vec<String>>,
    /// What stands for `:name` in commands.
    #[schema(value_type = Option<Object>)]
    parameters: Option<()>,
    /// Whether nothing is to be changed, only said what would be. Later commands of a batch see what earlier ones
    /// would change.
    dry_run: Option<bool>,
    /// Whether commands that change something are refused.
    readonly: Option<bool>,
    /// In which space; `memory` if not said.
    space: Option<String>,
    /// `columns`, which is taken if nothing is said, or `rows`.
    format: Option<String>,
    /// Bytes of JSON after which a page ends, behind a whole row; `next_cursor` goes on there. All pages of a batch
    /// share them.
    #[schema(minimum = 1)]
    page_bytes: Option<u64>,
}

/// What KIP answers.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described: KIP makes its answers")]
pub(super) struct KipResponse {
    /// What was asked for; for a batch, a response for each command.
    #[schema(value_type = Option<Value>)]
    result: Option<()>,
    /// What the next page begins with, if there is more.
    next_cursor: Option<String>,
    /// Why there is no result.
    error: Option<KipFault>,
}

/// Why KIP did not do what was asked.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described")]
pub(super) struct KipFault {
    /// What kind of mistake.
    #[schema(example = "KIP_2001")]
    code: String,
    /// What people call it.
    #[schema(example = "TypeMismatch")]
    name: String,
    /// What is wrong.
    message: String,
    /// What to do next.
    hint: Option<String>,
}

/// A function that a model can call.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described")]
pub(super) struct KipFunction {
    /// What it is called.
    #[schema(example = "execute_kip")]
    name: String,
    /// What it does, and when to call it.
    description: String,
    /// A JSON schema of its arguments.
    #[schema(value_type = Object)]
    parameters: (),
}

/// `{"method", "params"}`, JSON-RPC 2.0, or `{"function": {"name", "arguments"}}`.
#[derive(ToSchema)]
#[schema(value_type = Value, example = json!({"method": "execute_kip_readonly", "params": {"command": "DESCRIBE PRIMER"}}))]
pub(super) struct KipCall(());

/// What KIP answers, alone or as the `result` of JSON-RPC.
#[derive(ToSchema)]
#[schema(value_type = Value)]
pub(super) struct KipCallAnswer(());

/// An answer of JSON-RPC. A result is JSON already, and may be long.
pub(super) fn rpc_answer(id: &Value, outcome: Result<&str, &RpcError>) -> String {
    let id = id.to_json();
    match outcome {
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(error) => {
            let error = serde_json::to_string(error).expect("an error is plain data");
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
        }
    }
}

/// Why a call of JSON-RPC was not made.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct RpcError {
    pub(super) code: i32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

/// Numbers of JSON-RPC itself.
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

impl RpcError {
    /// It is no call.
    pub(super) fn request(message: impl Into<String>) -> Self {
        RpcError { code: INVALID_REQUEST, message: message.into(), data: None }
    }

    /// There is no such method.
    pub(super) fn method(message: impl Into<String>) -> Self {
        RpcError { code: METHOD_NOT_FOUND, message: message.into(), data: None }
    }

    /// Its parameters are not what the method takes.
    pub(super) fn params(message: impl Into<String>) -> Self {
        RpcError { code: INVALID_PARAMS, message: message.into(), data: None }
    }

    /// It was refused before KIP saw it.
    pub(super) fn of(error: ApiError) -> Self {
        let (code, message) = (error.code(), error.message().to_owned());
        let data = [("code", code.name()), ("hint", error.hint())];
        let data = data.into_iter().map(|(name, text)| (name.to_owned(), Value::from(text)));
        RpcError { code: code.json_rpc(), message, data: Some(Value::Object(data.collect())) }
    }

    /// Whether it is no call at all, and so is answered with or without an id.
    pub(super) fn is_of_request(&self) -> bool {
        self.code == INVALID_REQUEST
    }
}
