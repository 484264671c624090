//! Documents of a KB: Markdown with front matter, `symbols.yaml` and test results, to entities and back. Reads no
//! files.

mod document;
mod entity;
mod export;
pub mod limits;
mod markdown;
mod problem;
mod results;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
mod yaml;

pub use document::{Document, DocumentEntity};
pub use export::{Places, to_markdown, to_symbols_yaml};
pub use markdown::parse_markdown;
pub use problem::{Problem, ProblemClass};
pub use results::{ResultFormat, ResultsError, TestCase, TestRun, parse_results};
pub use symbols::parse_symbols;
