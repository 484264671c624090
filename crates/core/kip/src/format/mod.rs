//! From a tree back to text, in one layout.
//!
//! A tree becomes text in one line ([`flat`]), and text is laid out by its tokens ([`pieces`], [`layout`]). So
//! there is one layout for both, and what a person wrote keeps its comments and its order.

mod flat;
mod layout;
mod pieces;
mod place;

use crate::tree::Command;
use crate::{KipError, parse};

/// The command, as people like to read it. [`parse`] reads it back as the same tree.
pub fn format(command: &Command) -> String {
    let flat = flat::command(command);
    layout::text(&pieces::read(&flat).unwrap_or_default())
}

/// A text, laid out anew, with its comments. It ends with a line break, as files do. Fails where it is no
/// command.
///
/// Comments stay where they were: above what follows, or at the end of their line. Those in the middle of
/// something that fits in a line move above it. One empty line between things stays one.
pub fn format_text(text: &str) -> Result<String, KipError> {
    parse(text)?;
    let mut laid_out = layout::text(&pieces::read(text)?);
    laid_out.push('\n');
    Ok(laid_out)
}

/// The command in one line.
pub fn one_line(command: &Command) -> String {
    flat::command(command)
}
