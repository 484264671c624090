//! Sentence patterns: from the words of a requirement to the arguments of predicates.
//!
//! A text is split into sentences and clauses (`split.rs`), each clause is put into a plain form (`prepare.rs`), and
//! compared with one table of patterns (`table.rs`), which the advisor and the suggestion of predicates share.
//! Patterns are regular expressions that run in linear time on clauses of bounded length. Nothing here knows facts,
//! receipts or stores.

mod normalise;
mod number;
mod pattern;
mod prepare;
mod split;
mod subject;
mod table;

pub(crate) use normalise::{plain_value, slug, subject_key, token, without_article};
pub(crate) use number::{Quantity, quantity, unit};
pub(crate) use pattern::{Found, Use, find_pattern, regex, value_set};
pub(crate) use prepare::{prepare, without_marks};
pub(crate) use split::{Clauses, clauses, first_sentence, is_question};
pub(crate) use subject::{SubjectFault, denies, subject_fault};
#[cfg(test)]
pub(crate) use table::PATTERNS;
