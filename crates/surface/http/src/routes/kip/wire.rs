//! Bodies of requests and answers, and how they are described.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_base::{ErrorCode, Value};
use cairn_wire::json_rpc::RpcError;

use crate::call::Call;
use crate::content_type::{is_json, media_type};
use crate::{ApiError, HttpCode};

/// Longer bodies are read where they hold nobody up.
const SHORT_BYTES: usize = 64 << 10;

/// A body that is JSON, with its numbers as they were written.
pub(in crate::routes) async fn body(
    call: &Call,
    headers: &HeaderMap,
    bytes: Bytes,
) -> Result<Value, ApiError> {
    if !is_json(&media_type(headers)) {
        let message = "the content type must be application/json";
        return Err(ApiError::new(HttpCode::UnsupportedMediaType, message));
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

/// The error of a call that was refused before KIP saw it.
pub(super) fn refused(error: ApiError) -> RpcError {
    let (code, message) = (error.code(), error.message().to_owned());
    let data = [("code", code.name()), ("hint", error.hint())];
    let data = data.into_iter().map(|(name, text)| (name.to_owned(), Value::from(text)));
    RpcError { code: code.json_rpc(), message, data: Some(Value::Object(data.collect())) }
}

#[cfg(test)]
mod tests {
    use cairn_kip::response::{batch, failure, success};
    use cairn_kip::{KipCode, KipError, KipRequest, functions};
    use cairn_wire::kip::{KipBody, KipResponse};

    use super::*;

    #[test]
    fn answers_are_what_kip_makes_of_them() {
        let error = failure(&KipError::new(KipCode::TypeMismatch, "no").hint("did you mean `Drug`?"), "");
        let page = success(Value::Array(vec![Value::Null]), Some("abc".to_owned()));
        for answer in [success(Value::Null, None), page.clone(), error.clone(), batch(vec![page, error])] {
            assert_eq!(KipResponse::from(answer.clone()).to_text(), answer.to_json());
        }
    }

    #[test]
    fn what_is_described_is_what_is_read() {
        let full = KipBody {
            command: Some("DESCRIBE PRIMER".to_owned()),
            commands: None,
            parameters: Some([("n".to_owned(), Value::from(7_u64))].into()),
            dry_run: Some(true),
            readonly: Some(true),
            space: Some("memory".to_owned()),
            format: Some("rows".to_owned()),
            page_bytes: Some(1),
        };
        let several =
            KipBody { command: None, commands: Some(vec![Value::from("DESCRIBE PRIMER")]), ..full.clone() };
        let mut described = Vec::new();
        for body in [full, several] {
            let text = serde_json::to_vec(&body).expect("plain data");
            let value = Value::parse_json(&text).expect("JSON");
            described.extend(value.as_object().expect("an object").keys().cloned());
            KipRequest::decode(value).expect("a request");
        }
        described.sort();
        described.dedup();
        let [function, _] = functions();
        let told = function.parameters.get("properties").and_then(Value::as_object).expect("a schema");
        assert!(told.keys().all(|name| described.contains(name)), "{told:?} {described:?}");
    }
}
