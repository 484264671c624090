//! Projection: from the dense bytes of a payload to JSON that people and tools can read, and back.
//!
//! A descriptor says what the tags of a payload mean. What it does not say is kept, and shown on request.
//! Nothing is trusted: whatever the bytes are, the result is JSON or an error, and no longer than a small
//! multiple of them.

mod encode;
mod generic;
mod hint;
mod object;
mod options;
mod scalar;
mod texts;
mod view;

pub use encode::{Misfit, encode};
pub use hint::{Hint, HintError};
pub(crate) use object::tag_from;
pub use object::{Projected, project, project_into};
pub use options::{BytesRender, EnumRender, Options, TimeRender, WideRender};
pub use scalar::decimal;
pub use texts::texts;
pub use view::{NotShown, View};

/// Why a payload cannot be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Undecodable {
    /// It is not MessagePack, or nested too deeply.
    #[error(transparent)]
    Msgpack(#[from] cairn_base::MsgpackError),
    /// It is something else than a map from tags to values.
    #[error("the payload is not a map from tags to values")]
    NotAMap,
    /// It says that it is not MessagePack.
    #[error("the payload has encoding {0}; only 1, MessagePack, can be shown")]
    Encoding(u32),
}
