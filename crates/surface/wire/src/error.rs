//! Errors.

use cairn_base::Value;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The body of every answer that is an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the type of the field says it all")]
pub struct ErrorBody {
    pub error: ErrorContent,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorContent {
    /// A stable name for the situation.
    #[schema(example = "TooLarge")]
    pub code: String,
    /// What went wrong, for people.
    pub message: String,
    /// More about it; `hint` says what to do next.
    #[serde(default, with = "crate::exact")]
    #[schema(value_type = Object, required)]
    pub details: Value,
}

impl ErrorContent {
    /// Advice on what to do next, if there is any.
    pub fn hint(&self) -> Option<&str> {
        self.details.get("hint").and_then(Value::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_keep_their_numbers() {
        let text = r#"{"error":{"code":"TooLarge","message":"too large","details":{"a":18446744073709551615,"b":0.1,"hint":"less"}}}"#;
        let body: ErrorBody = serde_json::from_str(text).expect("its own text");
        assert_eq!(body.error.hint(), Some("less"));
        assert_eq!(serde_json::to_string(&body).expect("plain data"), text);
        let bare: ErrorContent =
            serde_json::from_str(r#"{"code":"A","message":"b","later":1}"#).expect("no details");
        assert_eq!(bare.hint(), None);
    }
}
