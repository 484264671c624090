//! From what a command came to, to what is answered.

use cairn_base::Value;
use cairn_graph::Meta;
use cairn_kip::response::{failure, success};
use cairn_kip::{KipCode, KipError};
use cairn_query::{Found, QueryError, unregistered_beside};

use super::Outcome;
use crate::EngineError;
use crate::graph::{NoSpace, NoType};

/// What a request is answered: `{"result", "next_cursor"}` or `{"error"}`, or a list of these in `result`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KipAnswer(pub(super) Value);

impl KipAnswer {
    /// As JSON has it.
    pub fn to_value(&self) -> &Value {
        &self.0
    }

    /// The same, for whoever keeps it.
    pub fn into_value(self) -> Value {
        self.0
    }

    /// Whether it says that something is wrong; a batch never does so as a whole.
    pub fn is_error(&self) -> bool {
        self.0.get("error").is_some()
    }
}

/// The answer to a command of this text.
pub(super) fn response(outcome: Result<Found, KipError>, text: &str) -> Value {
    match outcome {
        Ok(Found { result, next_cursor, .. }) => success(result, next_cursor),
        Err(error) => failure(&error, text),
    }
}

/// Tells what is wrong with a command from what is wrong with the node.
pub(super) fn told_apart(outcome: Result<Found, EngineError>) -> Outcome {
    let error = match outcome {
        Ok(found) => return Ok(Ok(found)),
        Err(EngineError::Kip(error)) => return Ok(Err(*error)),
        Err(EngineError::NoSpace(missing)) => return Ok(Err(missing.into())),
        Err(EngineError::NoType(missing)) => return Ok(Err(missing.into())),
        Err(error @ EngineError::ManagedSpace { .. }) => return Ok(Err(managed(&error))),
        Err(EngineError::Graph(error)) => QueryError::from(error),
        Err(EngineError::Store(error)) => QueryError::from(error),
        Err(error) => return Err(error),
    };
    match error {
        QueryError::Kip(error) => Ok(Err(error)),
        QueryError::Store(error) => Err(error.into()),
    }
}

/// A write to a space that KIP only reads.
fn managed(error: &EngineError) -> KipError {
    KipError::new(KipCode::ImmutableTarget, error.to_string()).hint(error.hint())
}

/// What is wrong with the node, where something was answered before.
pub(super) fn failed(error: &EngineError) -> KipError {
    let row = error.code().row();
    let code = KipCode::ALL.iter().find(|code| code.text() == row.kip);
    KipError::new(code.copied().unwrap_or(KipCode::InternalError), error.to_string()).hint(error.hint())
}

impl From<NoSpace> for KipError {
    fn from(missing: NoSpace) -> Self {
        let NoSpace { name, known, has_more } = missing;
        let more = if has_more { ", …" } else { "" };
        let hint = format!("there are {}{more}; the first UPSERT into a space makes it", known.join(", "));
        KipError::new(KipCode::NotFound, format!("there is no space {name:?}")).hint(hint)
    }
}

impl From<NoType> for KipError {
    fn from(missing: NoType) -> Self {
        unregistered_beside(Meta::Types, &missing.name, missing.nearest.as_deref())
    }
}

impl EngineError {
    /// Returns the error in KIP's words if a name or a command in the request is at fault.
    pub fn in_kip(&self) -> Option<KipError> {
        if let EngineError::Kip(error) = self {
            Some((**error).clone())
        } else if let EngineError::NoSpace(missing) = self {
            Some(missing.clone().into())
        } else if let EngineError::NoType(missing) = self {
            Some(missing.clone().into())
        } else if let EngineError::ManagedSpace { .. } = self {
            Some(managed(self))
        } else {
            None
        }
    }
}

/// About how many bytes a value takes.
pub(super) fn weight(value: &Value) -> usize {
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(entries) => entries.iter().map(|(key, value)| key.len() + weight(value)).sum(),
    };
    size_of::<Value>() + inside
}

#[cfg(test)]
mod tests {
    use cairn_base::ErrorCode;
    use cairn_seam::StoreError;

    use super::*;

    #[test]
    fn what_is_wrong_with_a_command_is_told_from_what_is_wrong_with_the_node() {
        let code = |error: EngineError| match told_apart(Err(error)) {
            Ok(Ok(_)) => "ok".to_owned(),
            Ok(Err(error)) => error.code.text().to_owned(),
            Err(error) => error.code().row().name.to_owned(),
        };
        let rows: [(EngineError, &str); 7] = [
            (KipError::new(KipCode::NotFound, "gone").into(), "KIP_3002"),
            (StoreError::CommitTooLarge.into(), "KIP_4002"),
            (StoreError::SnapshotTooOld.into(), "KIP_4001"),
            (cairn_graph::GraphError::OutOfNumbers.into(), "KIP_4002"),
            (StoreError::Overloaded.into(), "Overloaded"),
            (StoreError::Closed.into(), "Unavailable"),
            (EngineError::SearchOff, "InvalidRequest"),
        ];
        for (error, expected) in rows {
            let shown = error.to_string();
            assert_eq!(code(error), expected, "{shown}");
        }
        // Where something was answered before, the node's trouble has a code of KIP too.
        let busy = failed(&StoreError::Overloaded.into());
        assert_eq!(busy.code.text(), ErrorCode::Overloaded.row().kip);
        assert!(busy.hint.is_some());
    }

    #[test]
    fn a_weight_grows_with_everything_inside() {
        let text = Value::String("x".repeat(1000));
        let inside = Value::Array(vec![text.clone(), Value::Object([("k".to_owned(), text)].into())]);
        assert!(weight(&inside) > 2000 && weight(&inside) < 3000);
    }
}
