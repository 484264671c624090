//! Symbols of source files: names, kinds, exports, lines and imports, by tree-sitter.
//!
//! [`parse`] reads the text of one file. It reads no files itself, runs no code and resolves no imports: everything is
//! found in the one text. Source with syntax errors yields the symbols that parse. Files, syntax trees, symbols and names
//! have limits, and no function recurses into the tree. The error recovery of tree-sitter is not linear in the length of
//! the text, so a clock bounds the time of a parse.

mod dialect;
mod directive;
mod error;
mod grammar;
mod language;
pub mod limits;
mod parse;
mod resolve;
mod symbol;
mod test_framework;
mod test_path;
mod walk;

pub use error::SymbolError;
pub use language::Language;
pub use parse::parse;
pub use symbol::{Directive, Role, Symbol, SymbolKind, Symbols};
pub use test_framework::TestFramework;
pub use test_path::is_test_path;

#[cfg(test)]
mod tests;
