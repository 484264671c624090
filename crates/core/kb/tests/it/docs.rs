//! `docs/kb.md` says what the code does.

mod page;
mod rules;
mod tables;
