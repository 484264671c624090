//! Prose of Markdown files: headings, paragraphs and normative statements. Everything is linear in the text.

mod blocks;
mod inline;
mod normative;
mod sentences;

pub(crate) use blocks::{Block, blocks};
pub(crate) use inline::plain;
pub(crate) use normative::normative;
pub(crate) use sentences::sentences;
