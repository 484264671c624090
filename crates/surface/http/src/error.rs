//! Errors as HTTP answers: `{"error": {"code", "message", "details": {"hint", …}}}`.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_LENGTH, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cairn_access::AccessCode;
use cairn_access::registry::RegistryError;
use cairn_artifacts::ArtifactCode;
use cairn_base::{ErrorCode, Retry};
use cairn_engine::{EngineError, SearchCode};
use cairn_gate::GateError;
use cairn_turns::TurnsError;
pub(crate) use cairn_wire::error::ErrorBody;
use cairn_wire::error::ErrorContent;
use serde_json::{Map, Value};

use crate::dialect::Dialect;
use crate::{artifact_error, kb_error};

/// What a client is told of a panic.
pub(crate) const FAILED_INSIDE: &str = "the request failed inside the server";

/// An error on its way to a client.
#[derive(Debug, Clone)]
pub struct ApiError {
    code: ErrorCode,
    status: StatusCode,
    message: String,
    details: Map<String, Value>,
    /// When to come back, where that is known.
    retry_after_s: Option<u32>,
    /// Whether the connection ends with it.
    closes: bool,
}

/// The code of an answer that is an error, for log and metrics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnsweredCode(pub(crate) ErrorCode);

/// The error that a response was made of, for a response in another dialect.
#[derive(Debug, Clone)]
struct AnsweredError(Arc<ApiError>);

impl ApiError {
    /// An error with the status and hint of its row in the table.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let status = status_of(code);
        let details = Map::from_iter([("hint".to_owned(), Value::from(code.hint()))]);
        ApiError { code, status, message: message.into(), details, retry_after_s: None, closes: false }
    }

    /// Its code.
    pub(crate) fn code(&self) -> ErrorCode {
        self.code
    }

    /// What went wrong, for people.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// What to do next.
    pub(crate) fn hint(&self) -> &str {
        self.details.get("hint").and_then(Value::as_str).unwrap_or_default()
    }

    /// The same error with one more detail.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The same error with its code and the hint of its row, and nothing of what happened here.
    #[must_use]
    pub(crate) fn without_particulars(self) -> Self {
        ApiError::new(self.code, "the node cannot do its work now; its operator finds the reason in the log")
    }

    /// The same error with another status than its row has.
    #[must_use]
    pub(crate) fn status(self, status: StatusCode) -> Self {
        ApiError { status, ..self }
    }

    /// The same error in the words of a dialect. Ranges and preconditions keep their statuses, by which clients of HTTP
    /// tell them from other errors.
    fn in_dialect(mut self, dialect: Dialect) -> Self {
        let code = dialect.code(self.code);
        if code != self.code {
            self.details.insert("cairn_code".to_owned(), self.code.name().into());
        }
        let keeps_status =
            [StatusCode::RANGE_NOT_SATISFIABLE, StatusCode::PRECONDITION_FAILED].contains(&self.status);
        let status = if keeps_status { self.status } else { status_of(code) };
        ApiError { code, status, ..self }
    }

    /// The same error as the last response of its connection.
    #[must_use]
    pub(crate) fn closing(self) -> Self {
        ApiError { closes: true, ..self }
    }

    /// The body alone, for answers that have begun already.
    pub(crate) fn into_body(self) -> ErrorBody {
        let details = serde_json::from_value(Value::Object(self.details));
        let details = details.expect("JSON has no key twice and no number without an end");
        ErrorBody {
            error: ErrorContent { code: self.code.name().to_owned(), message: self.message, details },
        }
    }
}

impl From<GateError> for ApiError {
    fn from(error: GateError) -> Self {
        let answer = ApiError::new(error.code(), error.to_string()).detail("hint", error.hint());
        let answer = ApiError { retry_after_s: error.retry_after_s(), ..answer };
        match error {
            GateError::TooManyRequests { reached, retry_after_s } => answer
                .detail("limit", reached.counted.name())
                .detail("whose", reached.whose.name())
                .detail("max", reached.max.get())
                .detail("retry_after_s", retry_after_s),
            // What panicked is for the log; a client learns nothing of our insides.
            GateError::Internal { .. } => ApiError { message: FAILED_INSIDE.to_owned(), ..answer },
            GateError::Engine(EngineError::Turns(TurnsError::HeadMoved { head, .. })) => {
                answer.detail("head_turn_id", head.to_string())
            }
            GateError::Engine(EngineError::Turns(TurnsError::KeyReused(turn))) => {
                answer.detail("turn_id", turn.to_string())
            }
            GateError::Engine(EngineError::Search(error)) if error.code() != SearchCode::SearchNotReady => {
                answer.detail("parameter", "q")
            }
            GateError::Engine(EngineError::Registry(error)) => match field(&error) {
                Some(field) => answer.detail("field", field),
                None => answer,
            },
            GateError::Engine(EngineError::Artifact(error)) => artifact_error::with_details(answer, &error),
            GateError::Engine(EngineError::Kb(error)) => kb_error::with_details(answer, &error),
            GateError::Engine(EngineError::ImportKip { line, error, .. }) => answer
                .detail("line", line)
                .detail("kip_code", error.code.text())
                .detail("hint", error.advice()),
            GateError::Overloaded { .. }
            | GateError::Unavailable
            | GateError::ReadDeadline
            | GateError::WriteDeadline => answer,
            GateError::Engine(error) => match error.in_kip() {
                Some(error) => answer.detail("kip_code", error.code.text()).detail("hint", error.advice()),
                None => answer,
            },
        }
    }
}

fn status_of(code: ErrorCode) -> StatusCode {
    StatusCode::from_u16(code.http()).expect("the table holds valid statuses")
}

/// Returns a response that is an error in the words of a dialect; any other response as it is. Headers stay.
pub(crate) fn translated(mut response: Response, dialect: Dialect) -> Response {
    let Some(AnsweredError(error)) = response.extensions_mut().remove() else { return response };
    let error = Arc::unwrap_or_clone(error).in_dialect(dialect);
    *response.status_mut() = error.status;
    if error.code.retry() == Retry::Later {
        response.headers_mut().entry(RETRY_AFTER).or_insert(HeaderValue::from(1));
    }
    response.headers_mut().remove(CONTENT_LENGTH);
    let json = serde_json::to_vec(&error.into_body()).expect("an error is plain data");
    response.map(|_| Body::from(json))
}

/// Which field of a request the registry does not take.
fn field(error: &RegistryError) -> Option<&'static str> {
    match error {
        RegistryError::Label => Some("label"),
        RegistryError::NoRoles { .. } | RegistryError::NotAnOperator => Some("roles"),
        RegistryError::InThePast => Some("expires_at_ms"),
        RegistryError::LocalOwner => Some("user"),
        RegistryError::KeyTaken => Some("public_key"),
        RegistryError::Cursor => Some("after"),
        RegistryError::Name(name) => Some(name.what),
        RegistryError::Store(_)
        | RegistryError::Missing { .. }
        | RegistryError::Exists { .. }
        | RegistryError::Full { .. }
        | RegistryError::BadRecord { .. } => None,
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (code, status, retry_after_s, closes) = (self.code, self.status, self.retry_after_s, self.closes);
        let error = AnsweredError(Arc::new(self.clone()));
        let mut response = (status, Json(self.into_body())).into_response();
        response.extensions_mut().insert(AnsweredCode(code));
        response.extensions_mut().insert(error);
        if status == StatusCode::UNAUTHORIZED {
            // The signature of an artifact is not a credential of the request.
            let scheme = if code == AccessCode::Unauthenticated || ArtifactCode::ALL.contains(&code) {
                HeaderValue::from_static("Bearer realm=\"cairn\"")
            } else {
                HeaderValue::from_static("Bearer realm=\"cairn\", error=\"invalid_token\"")
            };
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        }
        if code.retry() == Retry::Later {
            // Overload passes in moments; a full disk does not, and then one question a second is cheap.
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after_s.unwrap_or(1)));
        }
        if closes {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
