//! Pieces of an input that were understood, and where in the input something of them is.

use cairn_kip::tree::{Block, Command, Upsert};
use cairn_kip::{Cutter, KipCode, KipError, Span, Spanned, line_column, parse, read_line};

use super::KipForm;
use super::pieces::{Piece, without_byte_order_mark};
use crate::EngineError;

/// Elements to be written.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) capsule: Vec<Upsert>,
    /// How many.
    pub(super) elements: u64,
    /// Bytes of the input.
    pub(super) bytes: usize,
    pub(super) places: Places,
}

/// What a place in what was parsed is in the input.
#[derive(Debug)]
pub(super) enum Places {
    /// Spans are bytes of this text.
    Text { text: String, first_line: u64 },
    /// Spans are lines.
    Lines { first_line: u64 },
}

impl Default for Places {
    fn default() -> Self {
        Places::Lines { first_line: 1 }
    }
}

impl Places {
    /// Says where in the input something is wrong.
    pub(super) fn locate(&self, error: KipError) -> EngineError {
        let (line, column) = match (self, error.span) {
            (Places::Text { text, first_line }, Some(span)) => {
                let (line, column) = line_column(text, span);
                (first_line + line as u64 - 1, Some(column))
            }
            (Places::Lines { first_line }, Some(span)) => (first_line + u64::from(span.start), None),
            (Places::Text { first_line, .. } | Places::Lines { first_line }, None) => (*first_line, None),
        };
        EngineError::ImportKip { line, column, error: Box::new(error) }
    }
}

impl Parsed {
    pub(super) fn read(piece: Piece) -> Result<Self, EngineError> {
        match piece.form {
            KipForm::Text => commands(piece),
            KipForm::Lines => lines(&piece),
        }
    }
}

fn commands(piece: Piece) -> Result<Parsed, EngineError> {
    let (first_line, bytes) = (piece.first_line, piece.text.len());
    let text = String::from_utf8(piece.text).map_err(|error| no_utf8(error.as_bytes(), first_line))?;
    let capsule = match parse(&text) {
        Ok(Command::Upsert(capsule)) => capsule,
        // White space and comments.
        Err(_) if is_blank(&text) => Vec::new(),
        Err(error) => return Err(Places::Text { text, first_line }.locate(error)),
        Ok(
            Command::Find(_)
            | Command::Delete(_)
            | Command::Describe(_)
            | Command::Search(_)
            | Command::Explain { .. },
        ) => {
            let error = KipError::new(KipCode::InvalidSyntax, "this command is no UPSERT")
                .hint("only UPSERT is imported; `cairn kip run` executes other commands")
                .at(Span::new(0, 0));
            return Err(Places::Text { text, first_line }.locate(error));
        }
    };
    let elements = capsule.iter().flat_map(|upsert| &upsert.blocks).map(|block| elements(&block.node)).sum();
    Ok(Parsed { capsule, elements, bytes, places: Places::Text { text, first_line } })
}

fn elements(block: &Block) -> u64 {
    match block {
        Block::Concept(concept) => 1 + concept.links.len() as u64,
        Block::Proposition(_) => 1,
    }
}

fn is_blank(text: &str) -> bool {
    let mut cutter = Cutter::new(0);
    cutter.take(text.as_bytes(), |_| ());
    !cutter.has_text()
}

fn lines(piece: &Piece) -> Result<Parsed, EngineError> {
    let places = Places::Lines { first_line: piece.first_line };
    let text = without_byte_order_mark(&piece.text);
    let mut blocks = Vec::new();
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let span = Span::new(index, index);
        let block = read_line(line, span).map_err(|error| places.locate(error.at(span)))?;
        blocks.push(Spanned::new(block, span));
    }
    let elements = blocks.len() as u64;
    let capsule = if blocks.is_empty() { Vec::new() } else { vec![Upsert { blocks, metadata: None }] };
    Ok(Parsed { capsule, elements, bytes: piece.text.len(), places })
}

fn no_utf8(bytes: &[u8], first_line: u64) -> EngineError {
    let valid = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    let line = bytes[..valid].iter().filter(|byte| **byte == b'\n').count() as u64;
    let error = KipError::new(KipCode::InvalidSyntax, "the text is no UTF-8").hint("save it as UTF-8");
    Places::Lines { first_line: first_line + line }.locate(error)
}

/// What is wrong with the beginning of a command that is longer than one may be.
pub(super) fn first_mistake(bytes: &[u8], first_line: u64) -> Option<EngineError> {
    let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let error = parse(text).err()?;
    let hint =
        format!("{}; a command has at most {} bytes, and this one goes on", error.advice(), bytes.len());
    Some(Places::Text { text: text.to_owned(), first_line }.locate(error.hint(hint)))
}
