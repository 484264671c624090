//! What a reader wants to see of payloads.

use cairn_base::ErrorCode;

use super::{BytesRender, Hint, HintError, Options, Undecodable};
use crate::registry::{Described, Registry};
use crate::turn::Turn;

/// The encoding that can be shown as its type has it.
const MSGPACK: u32 = 1;

/// How payloads are to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Whether they are shown as their types have them.
    pub is_typed: bool,
    /// Whether they are shown as bytes.
    pub is_raw: bool,
    /// How values are shown.
    pub options: Options,
    /// As what they are read.
    pub hint: Hint,
}

/// Why a payload cannot be shown as its type has it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotShown {
    /// Nothing says how to read it.
    #[error(transparent)]
    Hint(#[from] HintError),
    /// It is not what it should be.
    #[error(transparent)]
    Payload(#[from] Undecodable),
}

impl NotShown {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            NotShown::Hint(error) => error.code(),
            NotShown::Payload(_) => ErrorCode::Damaged,
        }
    }
}

impl View {
    /// Whether payloads themselves are needed.
    pub fn needs_bytes(&self) -> bool {
        self.is_typed || self.options.bytes != BytesRender::Length
    }

    /// Returns the type that the payload of a turn is read as, and what it says.
    pub fn described<'a>(
        &'a self,
        registry: &'a Registry,
        turn: &Turn,
        type_name: &'a str,
    ) -> Result<(&'a str, Described<'a>), NotShown> {
        let described = self.hint.resolve(registry, type_name, turn.type_version)?;
        if turn.encoding == MSGPACK {
            Ok(described)
        } else {
            Err(Undecodable::Encoding(turn.encoding).into())
        }
    }
}
