//! Finding contexts: a small language, and the search that answers it.
//!
//! ```text
//! any   := all ("OR" all)*
//! all   := unary ("AND" unary)*
//! unary := "NOT" unary | "(" any ")" | field operator value | field "IN" "(" value ("," value)* ")"
//! ```
//!
//! Keywords are in letters of any case, names of fields as they are. A value is a text in quotes of either
//! kind, an integer, or `true` or `false`, which are texts too.
//!
//! | field | what it is | operators |
//! |---|---|---|
//! | `tag`, `title`, `user`, `service`, `host` | what the first turn says | `=` `!=` `^=` `~=` `^~=` `IN` |
//! | `label` | any of the labels | `=` `!=` `IN` |
//! | `trace_id` | what the first turn says | `=` `!=` |
//! | `id`, `parent`, `root` | a context | `=` `!=` `IN` |
//! | `created`, `depth` | when it was made, how deep its head is | `=` `!=` `>` `>=` `<` `<=` |
//! | `is_live` | whether somebody works on it now | `=` |
//!
//! `!=` and `NOT` are complements: they also hold where there is nothing to compare with.

mod error;
mod expression;
mod field;
mod filters;
mod lexer;
mod matching;
mod parser;
mod search;
mod source;
mod time;

pub use error::{Place, QueryError, QueryErrorKind};
pub use filters::Filters;
pub use matching::IsLive;
pub use search::{Among, Found, Search, among, search};
pub use time::parse_time;

use expression::Expression;

/// What contexts are to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    expression: Expression,
}

impl Query {
    /// Reads a query; times that count from now on count from `now_ms`.
    pub fn parse(text: &str, now_ms: u64) -> Result<Self, QueryError> {
        parser::parse(text, now_ms).map(|expression| Query { expression })
    }
}
