//! JSON bodies, with errors of our shape.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use cairn_base::{ErrorCode, most_alike};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_path_to_error::Path;

use crate::content_type::{is_json, media_type};
use crate::{ApiError, HttpCode, limits};

/// The body of a request, decoded from JSON.
#[derive(Debug)]
pub struct ApiJson<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_json(&media_type(request.headers())) {
            let message = "the content type must be application/json";
            return Err(ApiError::new(HttpCode::UnsupportedMediaType, message));
        }
        // The frame has read the body already, within its limit.
        let body = Bytes::from_request(request, state).await.map_err(|error| {
            ApiError::new(
                ErrorCode::InvalidRequest,
                format!("the body could not be read: {}", error.body_text()),
            )
        })?;
        decode(&body).map(ApiJson)
    }
}

/// A body that is JSON.
pub(crate) fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| refusal(error.inner(), Some(error.path())))?;
    deserializer.end().map_err(|error| refusal(&error, None))?;
    Ok(value)
}

fn refusal(error: &serde_json::Error, path: Option<&Path>) -> ApiError {
    let code = match error.classify() {
        Category::Data => ErrorCode::InvalidRequest,
        Category::Io | Category::Syntax | Category::Eof => ErrorCode::MalformedJson,
    };
    let text = error.to_string();
    let message = format!("the body is not what was expected: {}", cut(&text));
    let answer = ApiError::new(code, message).detail("line", error.line()).detail("column", error.column());
    if code == ErrorCode::MalformedJson {
        return answer;
    }
    let answer = match path.filter(|path| path.iter().next().is_some()) {
        Some(path) => answer.detail("field", cut(&path.to_string())),
        None => answer,
    };
    match meant(&text) {
        Some(meant) => answer.detail("hint", format!("did you mean {meant}?")),
        None => answer,
    }
}

/// The name that was probably meant, where the error of serde is about an unknown one: it quotes that, and then
/// the known ones.
fn meant(error: &str) -> Option<&str> {
    let is_unknown = ["unknown field ", "unknown variant "].iter().any(|start| error.starts_with(start));
    let mut quoted = error.split('`').skip(1).step_by(2);
    let unknown = quoted.next().filter(|_| is_unknown)?;
    most_alike(unknown, quoted)
}

/// The beginning of a text that quotes the client.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(limits::HTTP_BODY_ERROR_BYTES_MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only errors count")]
    struct Outer {
        kind: Option<Kind>,
        inner: Option<Vec<Inner>>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Apple,
        Pear,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only errors count")]
    struct Inner {
        count: u32,
    }

    fn refused(body: &str) -> serde_json::Value {
        let error = decode::<Outer>(body.as_bytes()).expect_err(body);
        serde_json::to_value(error.into_body()).expect("plain data")["error"].take()
    }

    #[test]
    fn errors_name_the_field_and_what_was_meant() {
        for (body, code, field, hint) in [
            (r#"{"knd": "apple"}"#, "InvalidRequest", Some("knd"), "did you mean kind?"),
            (r#"{"kind": "appel"}"#, "InvalidRequest", Some("kind"), "did you mean apple?"),
            (
                r#"{"inner": [{"count": 1}, {"count": "`x`"}]}"#,
                "InvalidRequest",
                Some("inner[1].count"),
                "correct",
            ),
            (r#"{"inner": [{"cuont": 1}]}"#, "InvalidRequest", Some("inner[0].cuont"), "did you mean count?"),
            (r#"{"zzzzzz": 1}"#, "InvalidRequest", Some("zzzzzz"), "correct"),
            ("7", "InvalidRequest", None, "correct"),
            (r#"{"kind": "#, "MalformedJson", None, "correct"),
            (r#"{} {}"#, "MalformedJson", None, "correct"),
        ] {
            let error = refused(body);
            assert_eq!(error["code"], code, "{body}: {error}");
            assert_eq!(error["details"]["field"].as_str(), field, "{body}: {error}");
            assert!(error["details"]["hint"].as_str().expect("a hint").starts_with(hint), "{body}: {error}");
        }
    }

    #[test]
    fn long_names_of_clients_are_cut() {
        let name = "é".repeat(limits::HTTP_BODY_ERROR_BYTES_MAX);
        let error = refused(&format!(r#"{{"{name}": 1}}"#));
        let max = limits::HTTP_BODY_ERROR_BYTES_MAX;
        assert!(error["details"]["field"].as_str().expect("a field").len() <= max);
        assert!(error["message"].as_str().expect("a message").len() <= max + 64);
    }
}
