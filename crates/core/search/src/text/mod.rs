//! From text to the tokens that are compared.
//!
//! - [`Language`] and [`detect`]: whose stems and stop words a text is brought to;
//! - [`Analyzer`]: words, compounds with their parts, pairs of characters of scripts without spaces;
//! - [`fold_name`]: the form in which whole names are compared.
//!
//! Everything here is stored in the end: another form of a token is another index.

mod analyze;
mod atom;
mod character;
mod detect;
mod fold;
mod language;
mod segment;
mod stop_words;
#[cfg(test)]
mod tests;

pub use analyze::{Analyzer, Settings, Token, TokenKind, analyze};
pub use detect::detect;
pub use fold::fold_name;
pub use language::Language;

pub(crate) use analyze::{is_stop_word, stem};
pub(crate) use character::{Class, class_of};
