//! KIP, the language: from text to a tree and back. It knows nothing of storage.
//!
//! - [`parse`] reads a command into a [`tree`], and [`bind`] puts values in the places of parameters.
//! - [`KipRequest`] is what a caller sends; [`response`] is what it is answered.
//! - [`KipError`] says what is wrong, where, and what to do next.

mod bind;
mod code;
mod error;
mod lex;
mod nearest;
mod parse;
mod place;
mod request;
pub mod response;
mod span;
pub mod tree;
mod words;

pub use bind::bind;
pub use code::KipCode;
pub use error::KipError;
pub use parse::parse;
pub use place::line_column;
pub use request::{Commands, Format, KipCommand, KipRequest, Parameters};
pub use span::{Span, Spanned};
