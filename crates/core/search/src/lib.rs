//! Search: finds things in every memory by their words.
//!
//! Documents are derived data: whoever keeps them can make them again. This crate knows nothing of
//! what they are made from; the engine follows the log and says what to add, replace and remove.
//!
//! - [`document`]: what can be found, and what it is called;
//! - [`text`]: from text to the tokens that are compared;
//! - [`query`]: from what people type to what is looked for;
//! - [`index`]: documents on disk and in memory, and the answers: [`request`], [`found`];
//! - [`snippet()`]: the piece of a text that says why it was found;
//! - [`directory`]: where the index keeps its files, with checksums, or sealed if the store is.

mod code;
pub mod directory;
pub mod document;
mod error;
pub mod found;
pub mod index;
pub mod limits;
mod matcher;
pub mod query;
mod rank;
pub mod request;
mod snippet;
pub mod text;

pub use code::SearchCode;
pub use error::SearchError;
pub use matcher::Matcher;
pub use snippet::{Snippet, snippet};
