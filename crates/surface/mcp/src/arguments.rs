//! Arguments of tool calls, with the numbers that the client sent.
//!
//! The library reads a message with serde's JSON reader, which rounds some floats and turns integers of more than 64
//! bits into floats. The arguments of a tool call are therefore read once more from the text of their line, exactly
//! or not at all, and passed to the handler in the extensions of the request.

use cairn_base::Value;
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The arguments of a tool call: an object.
#[derive(Debug, Clone)]
pub(crate) struct Arguments(pub(crate) Value);

/// A request, as far as the text of its arguments needs it.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Adds its [`Arguments`] to a message that calls a tool; leaves every other message as it is.
///
/// # Errors
///
/// Fails with a sentence if the arguments cannot be read exactly.
pub(crate) fn attach(message: &mut RxJsonRpcMessage<RoleServer>, line: &[u8]) -> Result<(), String> {
    let JsonRpcMessage::Request(request) = message else { return Ok(()) };
    let ClientRequest::CallToolRequest(call) = &mut request.request else { return Ok(()) };
    // The rounded ones are not used.
    call.params.arguments = None;
    call.extensions.insert(Arguments(read(line)?));
    Ok(())
}

/// Returns the error of arguments that cannot be read exactly, if that is wrong with a line.
pub(crate) fn wrong(line: &[u8]) -> Option<String> {
    serde_json::from_slice::<Line<'_>>(line).ok()?.params.parse().err()
}

/// Reads the arguments in the line of a request; an empty object if there are none.
fn read(line: &[u8]) -> Result<Value, String> {
    let line: Line<'_> = serde_json::from_slice(line).map_err(|error| format!("invalid params: {error}"))?;
    line.params.parse()
}

impl Params<'_> {
    fn parse(&self) -> Result<Value, String> {
        let Some(text) = self.arguments else { return Ok(Value::Object([].into())) };
        Value::parse_json(text.get().as_bytes()).map_err(|error| format!("invalid arguments: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_exact_or_refused() {
        let check = |arguments: &str, expected: Result<&str, &str>| {
            let line =
                format!(r#"{{"jsonrpc":"2.0","id":1,"params":{{"name":"t","arguments":{arguments}}}}}"#);
            let read = read(line.as_bytes()).map(|value| value.to_json());
            assert_eq!(read, expected.map(str::to_owned).map_err(str::to_owned), "{arguments}");
        };
        let exact = r#"{"a":0.9812852326851965,"b":18446744073709551615,"c":-9223372036854775808,"d":1.0}"#;
        check(exact, Ok(exact));
        check("null", Ok("{}"));
        let refused = "invalid arguments: line 1, column 6: the number 18446744073709551617 cannot be kept \
                       exactly; send it as a string";
        check(r#"{"a":18446744073709551617}"#, Err(refused));
        let twice =
            "invalid arguments: line 1, column 8: the key \"a\" stands twice in one object; send it once";
        check(r#"{"a":1,"a":2}"#, Err(twice));
        assert_eq!(read(br#"{"params":{"name":"t"}}"#), Ok(Value::Object([].into())));
    }
}
