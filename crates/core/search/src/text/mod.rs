//! From text to the tokens that are compared.

mod language;

pub use language::Language;
