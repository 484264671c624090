//! The shapes in which a call comes to `POST /kip`.

use cairn_base::Value;
use cairn_kip::limits;
use cairn_wire::json_rpc::RpcError;
use cairn_wire::kip::KipCall;

use super::perform::{Asked, Method};
use crate::ApiError;
use crate::params::invalid;

const SHAPES: &str = "send {\"method\": \"execute_kip\", \"params\": {…}}, the same as JSON-RPC 2.0, or \
                      {\"function\": {\"name\": \"execute_kip\", \"arguments\": {…}}}; the plain request \
                      goes to /v1/kip";

/// What was sent.
#[derive(Debug, PartialEq)]
pub(super) enum Envelope {
    /// Answered with what KIP answers, and nothing around it.
    Bare(Asked),
    /// JSON-RPC 2.0.
    Rpc(RpcCall),
    /// Several of these, answered one by one and in order.
    Batch(Vec<RpcCall>),
}

/// A call of JSON-RPC.
#[derive(Debug, PartialEq)]
pub(super) struct RpcCall {
    /// What the caller calls it; `None` if it wants no answer.
    pub(super) id: Option<Value>,
    /// What it asks for, or what is wrong with it.
    pub(super) asked: Result<Asked, RpcError>,
}

impl Envelope {
    /// Takes a body apart.
    pub(super) fn from_wire(KipCall(body): KipCall) -> Result<Self, ApiError> {
        if let Value::Array(calls) = body {
            return Ok(batch(calls));
        }
        let has = |name| body.get(name).is_some();
        if has("jsonrpc") {
            Ok(Envelope::Rpc(rpc(body)))
        } else if has("function") {
            function(body).map(Envelope::Bare)
        } else if has("method") {
            method(body).map(Envelope::Bare)
        } else {
            Err(invalid("the body is no call").detail("hint", SHAPES))
        }
    }
}

fn batch(calls: Vec<Value>) -> Envelope {
    let wrong = |message: String| {
        Envelope::Rpc(RpcCall { id: Some(Value::Null), asked: Err(RpcError::request(message)) })
    };
    if calls.is_empty() {
        return wrong("the batch is empty".to_owned());
    }
    if calls.len() > limits::KIP_COMMANDS_MAX {
        return wrong(format!(
            "the batch has {} calls, at most {} are taken",
            calls.len(),
            limits::KIP_COMMANDS_MAX
        ));
    }
    Envelope::Batch(calls.into_iter().map(rpc).collect())
}

fn rpc(call: Value) -> RpcCall {
    let id = match call.get("id") {
        None => None,
        Some(id @ (Value::String(_) | Value::Number(_) | Value::Null)) => Some(id.clone()),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
            let asked = Err(RpcError::request("id is a text, a number or null"));
            return RpcCall { id: Some(Value::Null), asked };
        }
    };
    let asked = rpc_asked(call);
    // What is no call at all is answered also if it has no id.
    let id =
        if matches!(&asked, Err(error) if error.is_of_request()) { id.or(Some(Value::Null)) } else { id };
    RpcCall { id, asked }
}

fn rpc_asked(call: Value) -> Result<Asked, RpcError> {
    if call.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(RpcError::request("a call of JSON-RPC is an object with \"jsonrpc\": \"2.0\""));
    }
    let Some(name) = call.get("method").and_then(Value::as_str) else {
        return Err(RpcError::request("method is the name of a method"));
    };
    let method = Method::named(name).ok_or_else(|| RpcError::method(unknown(name)))?;
    let params = taken(call, "params");
    if params.as_array().is_some() {
        return Err(RpcError::params("params is an object with the names of the parameters"));
    }
    Ok(Asked { method, params })
}

/// `{"method", "params"}`
fn method(body: Value) -> Result<Asked, ApiError> {
    let name = body.get("method").and_then(Value::as_str);
    let name = name.ok_or_else(|| invalid("method is the name of a method").detail("field", "method"))?;
    let method = Method::named(name).ok_or_else(|| invalid(unknown(name)).detail("field", "method"))?;
    Ok(Asked { method, params: taken(body, "params") })
}

/// `{"function": {"name", "arguments"}}`; models give their arguments as an object or as its text.
fn function(body: Value) -> Result<Asked, ApiError> {
    let function = taken(body, "function");
    let name = function.get("name").and_then(Value::as_str);
    let name = name
        .ok_or_else(|| invalid("function.name is the name of a function").detail("field", "function.name"))?;
    let method =
        Method::named(name).ok_or_else(|| invalid(unknown(name)).detail("field", "function.name"))?;
    let params = taken(function, "arguments");
    let Value::String(text) = params else { return Ok(Asked { method, params }) };
    let params = Value::parse_json(text.as_bytes()).map_err(|error| {
        invalid(format!("the text of function.arguments is no JSON: {error}"))
            .detail("field", "function.arguments")
    })?;
    Ok(Asked { method, params })
}

/// What is under a name; an empty object if nothing is.
fn taken(object: Value, name: &str) -> Value {
    let found = if let Value::Object(mut entries) = object { entries.remove(name) } else { None };
    found.filter(|value| !value.is_null()).unwrap_or_else(|| Value::Object(Default::default()))
}

fn unknown(name: &str) -> String {
    let known: Vec<_> = Method::ALL.iter().map(|method| method.name()).collect();
    // Others' texts are not repeated at any length.
    let name: String = name.chars().take(64).collect();
    format!("there is no method {name:?}; there are {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Value::parse_json(text.as_bytes()).expect("JSON")
    }

    fn read(text: &str) -> Envelope {
        Envelope::from_wire(KipCall(value(text))).unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    fn asked(method: Method, params: &str) -> Asked {
        Asked { method, params: value(params) }
    }

    #[test]
    fn every_shape_says_the_same() {
        let expected = || Envelope::Bare(asked(Method::ExecuteReadonly, r#"{"command":"DESCRIBE PRIMER"}"#));
        for text in [
            r#"{"method":"execute_kip_readonly","params":{"command":"DESCRIBE PRIMER"}}"#,
            r#"{"function":{"name":"execute_kip_readonly","arguments":{"command":"DESCRIBE PRIMER"}}}"#,
            r#"{"function":{"name":"execute_kip_readonly","arguments":"{\"command\":\"DESCRIBE PRIMER\"}"}}"#,
        ] {
            assert_eq!(read(text), expected(), "{text}");
        }
        let rpc = r#"{"jsonrpc":"2.0","id":"a","method":"execute_kip","params":{"command":"x"}}"#;
        let call =
            || RpcCall { id: Some(value("\"a\"")), asked: Ok(asked(Method::Execute, r#"{"command":"x"}"#)) };
        assert_eq!(read(rpc), Envelope::Rpc(call()));
        assert_eq!(read(&format!("[{rpc},{rpc}]")), Envelope::Batch(vec![call(), call()]));
        let silent = r#"{"jsonrpc":"2.0","method":"list_logs"}"#;
        let silent_call = RpcCall { id: None, asked: Ok(asked(Method::ListLogs, "{}")) };
        assert_eq!(read(silent), Envelope::Rpc(silent_call));
        assert_eq!(
            read(r#"{"method":"list_logs","params":null}"#),
            Envelope::Bare(asked(Method::ListLogs, "{}"))
        );
    }

    #[test]
    fn what_is_wrong_with_a_call_is_said_in_its_own_way() {
        for text in [
            "1",
            "null",
            "{}",
            r#"{"command":"DESCRIBE PRIMER"}"#,
            r#"{"method":7}"#,
            r#"{"method":"drop"}"#,
            r#"{"function":{}}"#,
            r#"{"function":{"name":"drop"}}"#,
            r#"{"function":3}"#,
            r#"{"function":{"name":"execute_kip","arguments":"{"}}"#,
        ] {
            assert!(Envelope::from_wire(KipCall(value(text))).is_err(), "{text}");
        }
        let code = |text: &str| {
            let Envelope::Rpc(RpcCall { id, asked: Err(error) }) = read(text) else { panic!("{text}") };
            (id.map(|id| id.to_json()), error.code)
        };
        let some = |id: &str| Some(id.to_owned());
        for (text, expected) in [
            ("[]", (some("null"), -32600)),
            (r#"{"jsonrpc":"1.0","id":1,"method":"execute_kip"}"#, (some("1"), -32600)),
            (r#"{"jsonrpc":"2.0","id":1}"#, (some("1"), -32600)),
            (r#"{"jsonrpc":"2.0"}"#, (some("null"), -32600)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"execute_kip"}"#, (some("null"), -32600)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"drop"}"#, (some("1"), -32601)),
            (r#"{"jsonrpc":"2.0","method":"drop"}"#, (None, -32601)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"execute_kip","params":["x"]}"#, (some("1"), -32602)),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
        let wrong =
            |items: Vec<RpcCall>| items.into_iter().map(|call| call.asked.is_err()).collect::<Vec<_>>();
        let Envelope::Batch(calls) = read(r#"[1,{"jsonrpc":"2.0","id":1,"method":"execute_kip"}]"#) else {
            panic!("a batch")
        };
        assert_eq!(wrong(calls), [true, false]);
        let many = |count: usize| {
            format!("[{}]", vec![r#"{"jsonrpc":"2.0","method":"list_logs"}"#; count].join(","))
        };
        assert!(matches!(read(&many(limits::KIP_COMMANDS_MAX)), Envelope::Batch(_)));
        assert!(matches!(
            read(&many(limits::KIP_COMMANDS_MAX + 1)),
            Envelope::Rpc(RpcCall { asked: Err(_), .. })
        ));
    }
}
