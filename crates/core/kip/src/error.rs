//! Why a command was not understood or not done.

use crate::{KipCode, Span};

/// What the protocol answers instead of a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KipError {
    /// What kind of mistake.
    pub code: KipCode,
    /// What is wrong, with the names and values that are.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// Where in the text.
    pub span: Option<Span>,
}

impl KipError {
    /// A mistake without a place.
    pub fn new(code: KipCode, message: impl Into<String>) -> Self {
        KipError { code, message: message.into(), hint: None, span: None }
    }

    /// The same, with what to do next.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        KipError { hint: Some(hint.into()), ..self }
    }

    /// The same, at a place.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        KipError { span: Some(span), ..self }
    }

    /// What to do next: what was said about this mistake, else what is said about its kind.
    pub fn advice(&self) -> &str {
        self.hint.as_deref().unwrap_or_else(|| self.code.hint())
    }
}
