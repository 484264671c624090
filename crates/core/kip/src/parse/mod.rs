//! From text to tree: recursive descent, one file per family of statements.
//!
//! Takes any text: it never panics, and never goes deeper than the limit. A text holds one command; several
//! `UPSERT` after each other are one, a capsule.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a parser knows the few tokens that may stand somewhere, and refuses all others alike"
)]

mod clause;
mod condition;
mod cursor;
mod delete;
mod describe;
mod expect;
mod find;
mod modifiers;
mod path;
mod pattern;
mod search;
mod slot;
mod upsert;
mod value;

use crate::limits::{KIP_CAPSULE_BYTES_MAX, KIP_TEXT_BYTES_MAX};

use crate::lex::Token;
use crate::tree::Command;
use crate::words::COMMANDS;
use crate::{KipCode, KipError};
use cursor::Parser;

type Result<T> = std::result::Result<T, KipError>;

/// Reads a command.
///
/// Fails with the place of the first mistake, what was expected there, and what to do about it.
pub fn parse(text: &str) -> Result<Command> {
    check_size(text, KIP_CAPSULE_BYTES_MAX)?;
    let mut parser = Parser::new(text)?;
    if !parser.at_word("UPSERT") {
        check_size(text, KIP_TEXT_BYTES_MAX)?;
    }
    let command = command(&mut parser)?;
    parser.finish()?;
    Ok(command)
}

/// Whether a text is the beginning of a command that goes on: it is wrong as it is, and only because it ends
/// where it does.
///
/// Strings end on their line, so that one without its closing quote is wrong, and not unfinished.
pub fn is_unfinished(text: &str) -> bool {
    let Ok(mut parser) = Parser::new(text) else { return false };
    let Err(error) = command(&mut parser) else { return false };
    let at_end = error.span.is_none_or(|span| span.start >= parser.span.start);
    // What was never closed is told at the bracket, and everything else where the text ends.
    parser.token == Token::End && (at_end || !parser.open.is_empty())
}

fn command(parser: &mut Parser<'_>) -> Result<Command> {
    match parser.token {
        Token::Word("FIND") => parser.find().map(Command::Find),
        Token::Word("UPSERT") => parser.capsule().map(Command::Upsert),
        Token::Word("DELETE") => parser.delete().map(Command::Delete),
        Token::Word("DESCRIBE") => parser.describe().map(Command::Describe),
        Token::Word("SEARCH") => parser.search().map(Command::Search),
        Token::Word("EXPLAIN") => explain(parser),
        Token::End => Err(KipError::new(KipCode::InvalidSyntax, "the command is empty")
            .hint("begin with FIND, UPSERT, DELETE, DESCRIBE or SEARCH")
            .at(parser.span)),
        _ => Err(parser.expected_word_because(COMMANDS, "a command begins with one of these words")),
    }
}

fn explain(parser: &mut Parser<'_>) -> Result<Command> {
    parser.keyword("EXPLAIN")?;
    let analyze = parser.eat_word("ANALYZE")?;
    if !parser.at_word("FIND") {
        let words: &[&str] = if analyze { &["FIND"] } else { &["FIND", "ANALYZE"] };
        return Err(parser.expected_word_because(words, "only FIND can be explained"));
    }
    Ok(Command::Explain { analyze, find: parser.find()? })
}

fn check_size(text: &str, bytes_max: usize) -> Result<()> {
    if text.len() <= bytes_max {
        return Ok(());
    }
    let message = format!("the command has {} bytes, and {bytes_max} are the most", text.len());
    let hint = "send it in parts; values can be sent as parameters, and only UPSERT may be longer than 1 MiB";
    Err(KipError::new(KipCode::ResourceExhausted, message).hint(hint))
}
