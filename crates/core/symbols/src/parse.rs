//! Parsing one file.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

use crate::grammar::Grammar;
use crate::limits::{SOURCE_ACTIONS_PER_BYTE_MAX, SOURCE_BYTES_MAX, SOURCE_READS_MAX};
use crate::walk::Walk;
use crate::{Language, SymbolError, Symbols};

thread_local! {
    /// A parser has buffers that are worth keeping.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parse actions between two calls of the progress callback, by the source of tree-sitter.
const ACTIONS_PER_CALL: usize = 100;
/// Parse actions that a file of any length may take.
const ACTIONS_FREE: usize = 100_000;
/// Bytes that the parser gets at once. Short pieces make reads countable.
const PIECE_BYTES: usize = 1024;
/// Bytes that the parser may read of a file of any length.
const READ_BYTES_FREE: usize = 1 << 20;

/// Parses the text of a source file.
///
/// Syntax errors are no failure: the symbols around them are found. Fails if the text is longer than
/// [`SOURCE_BYTES_MAX`], or if parsing it takes more work than its length justifies. The parser is kept for the next
/// file of the same thread.
pub fn parse(language: Language, source: &str) -> Result<Symbols, SymbolError> {
    if source.len() > SOURCE_BYTES_MAX {
        return Err(SymbolError::TooLong { bytes: source.len() });
    }
    let grammar = Grammar::of(language);
    let tree = PARSER.with_borrow_mut(|parser| tree(grammar, parser, language, source))?;
    Ok(Walk::new(language, grammar, source, &tree).run())
}

fn tree(
    grammar: &Grammar,
    parser: &mut Parser,
    language: Language,
    source: &str,
) -> Result<Tree, SymbolError> {
    grammar.prepare(parser, language)?;
    let bytes = source.as_bytes();
    let mut calls = (ACTIONS_FREE + source.len() * SOURCE_ACTIONS_PER_BYTE_MAX) / ACTIONS_PER_CALL;
    let readable = std::cell::Cell::new(READ_BYTES_FREE + source.len() * SOURCE_READS_MAX);
    let mut read = |offset: usize, _: Point| {
        let end = offset.saturating_add(PIECE_BYTES).min(bytes.len());
        let piece = bytes.get(offset..end).unwrap_or_default();
        readable.set(readable.get().saturating_sub(piece.len()));
        // Behind the limit the file ends, and the next progress call ends the parse.
        if readable.get() == 0 { &[] } else { piece }
    };
    let mut progress = |_: &ParseState| {
        calls = calls.saturating_sub(1);
        if calls == 0 || readable.get() == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    // A parse that was stopped would go on with the next file.
    parser.reset();
    tree.filter(|_| readable.get() > 0).ok_or(SymbolError::TooComplex)
}
