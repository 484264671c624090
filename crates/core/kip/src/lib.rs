//! KIP, the language: from text to a tree and back. It knows nothing of storage.

mod code;
mod error;
mod lex;
mod nearest;
mod parse;
mod span;
pub mod tree;
mod words;

pub use code::KipCode;
pub use error::KipError;
pub use parse::parse;
pub use span::{Span, Spanned};
