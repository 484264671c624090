//! Lines that are not JSON-RPC messages, and the errors they are answered with.

use std::borrow::Cow;

use cairn_base::ErrorCode;
use cairn_kip::limits;
use rmcp::RoleServer;
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::arguments;
use crate::id_scan::IdScan;
use crate::line::Whole;

/// Allowed before JSON text, and not part of it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// JSON-RPC: invalid JSON.
const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: JSON that is not a valid message.
const INVALID_REQUEST: i32 = -32600;

/// JSON-RPC: a valid request with invalid parameters.
const INVALID_PARAMS: i32 = -32602;

/// The result of reading a line.
pub(crate) enum Read {
    /// A message.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// An empty line, an invalid notification or an invalid response: JSON-RPC has no response for these.
    Passed,
    /// Anything else, with the error response to send.
    Refused(Value),
}

/// The members that decide whether a response is expected.
#[derive(Deserialize)]
struct Shape {
    method: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "is_there")]
    id: bool,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// The members of a request beside its id and its parameters.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow, rename = "method")]
    _method: Cow<'a, str>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// An `id` of null counts as present.
fn is_there<'de, D: serde::Deserializer<'de>>(id: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(id).map(|_| true)
}

/// Reads a line.
pub(crate) fn read(line: Whole) -> Read {
    let text = match line {
        Whole::Text(text) => text,
        Whole::TooLong(id) => return Read::Refused(too_long(id)),
    };
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    if text.iter().all(u8::is_ascii_whitespace) {
        return Read::Passed;
    }
    match serde_json::from_slice(text) {
        Ok(message) => with_arguments(message, text),
        Err(_) => not_a_message(text),
    }
}

/// Reads the arguments of a tool call exactly; see [`arguments`].
fn with_arguments(mut message: RxJsonRpcMessage<RoleServer>, text: &[u8]) -> Read {
    match arguments::attach(&mut message, text) {
        Ok(()) => Read::Message(Box::new(message)),
        Err(wrong) => Read::Refused(refusal(id_of(text), INVALID_PARAMS, &wrong)),
    }
}

/// Returns the id of a message that may be invalid.
fn id_of(text: &[u8]) -> Option<Value> {
    let mut scan = IdScan::default();
    scan.feed(text);
    scan.id()
}

fn not_a_message(text: &[u8]) -> Read {
    let id = || id_of(text);
    // Ignored values have no depth limit, so that deeply nested JSON is valid here.
    let json = std::str::from_utf8(text).map_err(|error| error.to_string());
    let json = json.and_then(|text| {
        serde_json::from_str::<IgnoredAny>(text).map(|_| text).map_err(|error| error.to_string())
    });
    let text = match json {
        Ok(text) => text,
        Err(error) => {
            return Read::Refused(refusal(id(), PARSE_ERROR, &format!("invalid JSON: {error}")));
        }
    };
    match serde_json::from_str::<Shape>(text) {
        // A notification and a response get no response.
        Ok(Shape { method: Some(_), id: false, .. }) => Read::Passed,
        Ok(Shape { method: None, result, error, .. }) if result.is_some() || error.is_some() => Read::Passed,
        Ok(_) if is_request(text, id().as_ref()) => {
            let message = arguments::wrong(text.as_bytes()).unwrap_or_else(|| {
                "invalid params: they must be an object, and not nested too deeply".to_owned()
            });
            Read::Refused(refusal(id(), INVALID_PARAMS, &message))
        }
        Ok(_) => {
            let message = "invalid request: a JSON-RPC 2.0 request needs jsonrpc, method and an id that is a string \
                           or an integer";
            Read::Refused(refusal(id(), INVALID_REQUEST, message))
        }
        Err(_) => {
            let message = "invalid request: send one JSON-RPC 2.0 object per line; batches are not supported";
            Read::Refused(refusal(id(), INVALID_REQUEST, message))
        }
    }
}

/// Returns whether the text is a valid request apart from its parameters.
fn is_request(text: &str, id: Option<&Value>) -> bool {
    let request = serde_json::from_str(text);
    request.is_ok_and(|Request { jsonrpc, result, error, .. }| {
        jsonrpc == "2.0"
            && result.is_none()
            && error.is_none()
            && id.is_some_and(|id| id.is_string() || id.is_i64())
    })
}

fn too_long(id: Option<Value>) -> Value {
    let (code, bytes_max) = (ErrorCode::TooLarge, limits::KIP_BODY_BYTES_MAX);
    let mut error = refusal(id, code.json_rpc(), &format!("the line has more than {bytes_max} bytes"));
    error["error"]["data"] = json!({"code": code.name(), "hint": code.hint(), "bytes_max": bytes_max});
    error
}

/// An error response. The id is null where that of the message is unknown.
fn refusal(id: Option<Value>, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}
