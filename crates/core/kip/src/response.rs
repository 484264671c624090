//! What a caller is answered.

use std::collections::BTreeMap;

use cairn_base::Value;

use crate::KipError;

/// `{"result": …}`, with where to go on if there is more.
pub fn success(result: Value, next_cursor: Option<String>) -> Value {
    let cursor = next_cursor.map(|cursor| ("next_cursor", Value::from(cursor)));
    object([("result", result)].into_iter().chain(cursor))
}

/// `{"error": {"code", "name", "message", "hint"}}`. The message says where in `text`, the command.
pub fn failure(error: &KipError, text: &str) -> Value {
    let error = object([
        ("code", error.code.text().into()),
        ("name", error.code.name().into()),
        ("message", error.message_in(text).into()),
        ("hint", error.advice().into()),
    ]);
    object([("error", error)])
}

/// The answers to a batch, in one.
pub fn batch(responses: Vec<Value>) -> Value {
    success(responses.into(), None)
}

fn object<'k>(entries: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<BTreeMap<_, _>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KipCode, Span};

    #[test]
    fn answers_have_the_shapes_of_the_protocol() {
        assert_eq!(success(Value::from(3u64), None).to_json(), r#"{"result":3}"#);
        let more = success(Value::Array(vec![]), Some("abc".to_owned()));
        assert_eq!(more.to_json(), r#"{"next_cursor":"abc","result":[]}"#);
        let error = KipError::new(KipCode::TypeMismatch, "`drug` is no type").hint("did you mean `Drug`?");
        let failed = failure(&error.at(Span::new(3, 4)), "ab\ncd");
        assert_eq!(
            failed.to_json(),
            r#"{"error":{"code":"KIP_2001","hint":"did you mean `Drug`?","message":"line 2, column 1: `drug` is no type","name":"TypeMismatch"}}"#
        );
        assert_eq!(batch(vec![more]).to_json(), r#"{"result":[{"next_cursor":"abc","result":[]}]}"#);
        let plain = failure(&KipError::new(KipCode::NotFound, "gone"), "");
        assert_eq!(
            plain.get("error").and_then(|error| error.get("hint")),
            Some(&KipCode::NotFound.hint().into())
        );
    }
}
