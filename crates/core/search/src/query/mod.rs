//! Queries: words, `"phrases"`, `+must`, `-not`, `field:word`, `prefix*`.
//!
//! People and programs paste whole sentences, paths and error messages here. So whatever is not plainly an
//! operator is text, and text is never an error. Nothing here knows a language: documents of several can
//! be searched at once, and a [`QueryToken`] says what it would be in each.

mod clause;
mod error;
mod gather;
mod scan;
mod show;
#[cfg(test)]
mod tests;
mod token;

use crate::limits::WORDS_QUERY_BYTES_MAX;

pub use clause::{Clause, Occur, Parsed, What};
pub use error::QueryError;
pub use token::QueryToken;

/// Reads a query. `fields` are the names that can stand before a colon.
///
/// # Errors
///
/// When it is too long, has too many clauses that each cost a search of their own, or says nothing.
pub fn parse(text: &str, fields: &[&str]) -> Result<Parsed, QueryError> {
    if text.len() > WORDS_QUERY_BYTES_MAX {
        return Err(QueryError::TooLong { bytes: text.len(), max: WORDS_QUERY_BYTES_MAX });
    }
    let mut gathered = gather::Gather::new(text);
    for item in scan::Items::new(text, fields) {
        gathered.take(&item)?;
    }
    let fields = fields.iter().map(|field| (*field).to_owned()).collect();
    Ok(Parsed { fields, ..gathered.finish()? })
}
