//! KIP, the language: from text to a tree and back. It knows nothing of storage.
//!
//! - [`parse`] reads a command into a [`tree`], and [`bind`] puts values in the places of parameters.
//! - [`format`] writes a tree as text, and [`format_text`] lays a text out anew.
//! - [`KipRequest`] is what a caller sends; [`response`] is what it is answered.
//! - [`KipError`] says what is wrong, where, and what to do next; [`report`] shows it to people.
//! - [`Cutter`] finds the commands of a text that is too long to be held; [`read_line`] and [`write_line`] have
//!   single elements as lines of JSON.
//! - [`functions`] is what language models are told.
//! - [`marks`], [`is_unfinished`] and [`KEYWORDS`] are for editors, whose texts are not finished yet.

#[cfg(feature = "testing")]
pub mod arbitrary;
mod bind;
mod code;
mod error;
mod format;
mod functions;
mod lex;
pub mod limits;
mod one_of;
mod parse;
mod place;
mod report;
mod request;
pub mod response;
mod span;
mod stream;
pub mod tree;
mod words;

pub use bind::bind;
pub use code::KipCode;
pub use error::KipError;
pub use format::{format, format_text, one_line};
pub use functions::{KipFunction, functions};
pub use lex::{Mark, MarkKind, begins_with, is_identifier, marks};
pub use parse::{is_unfinished, parse};
pub use place::line_column;
pub use report::{report, width};
pub use request::{Commands, Format, KipCommand, KipRequest, Parameters};
pub use span::{Span, Spanned};
pub use stream::{Cutter, KipForm, read_line, write_line};
pub use words::{FIELDS, KEYWORDS};
