//! KIP, the language: from text to a tree and back. It knows nothing of storage.

mod code;
mod error;
mod span;
pub mod tree;

pub use code::KipCode;
pub use error::KipError;
pub use span::{Span, Spanned};
