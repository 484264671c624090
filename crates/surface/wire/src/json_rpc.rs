//! JSON-RPC 2.0: errors.

use cairn_base::Value;
use serde::{Deserialize, Serialize};

/// The object is not a request.
const INVALID_REQUEST: i32 = -32600;
/// There is no such method.
const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters are invalid.
const INVALID_PARAMS: i32 = -32602;

/// The error of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RpcError {
    /// Number of the error, as JSON-RPC or the table of errors has it.
    pub code: i32,
    /// What is wrong, for people.
    pub message: String,
    /// More about it: the name of the code and a hint.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::exact::present")]
    pub data: Option<Value>,
}

impl RpcError {
    /// An error of something that is not a request.
    pub fn request(message: impl Into<String>) -> Self {
        RpcError { code: INVALID_REQUEST, message: message.into(), data: None }
    }

    /// An error of an unknown method.
    pub fn method(message: impl Into<String>) -> Self {
        RpcError { code: METHOD_NOT_FOUND, message: message.into(), data: None }
    }

    /// An error of invalid parameters.
    pub fn params(message: impl Into<String>) -> Self {
        RpcError { code: INVALID_PARAMS, message: message.into(), data: None }
    }

    /// Returns whether it is about something that is not a request, which gets a response also without an id.
    pub fn is_of_request(&self) -> bool {
        self.code == INVALID_REQUEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_read_back() {
        for text in [
            r#"{"code":-32600,"message":"no request"}"#,
            r#"{"code":-32013,"message":"too large","data":{"code":"TooLarge","hint":"less"}}"#,
        ] {
            let error: RpcError = serde_json::from_str(text).expect("its own text");
            assert_eq!(serde_json::to_string(&error).expect("plain data"), text);
        }
    }
}
