//! Search: finds things in every memory by their words.
//!
//! Documents are derived data: whoever keeps them can make them again. This crate knows nothing of
//! what they are made from; the engine follows the log and says what to add, replace and remove.
//!
//! - [`document`]: what can be found, and what it is called;
//! - [`text`]: from text to the tokens that are compared.

pub mod document;
pub mod text;
