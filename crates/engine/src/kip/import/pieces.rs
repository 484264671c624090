//! An input as pieces that are imported one at a time: whole commands or whole lines.

use std::collections::VecDeque;

use cairn_kip::{Cutter, KipCode, KipError};

use super::KipForm;
use super::mark::Mark;
use super::parsed::{Places, first_mistake};
use crate::{EngineError, limits};

/// Bytes of the word by whose end a command is told of.
const WORD_BYTES: usize = "UPSERT".len();
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A part of the input.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) form: KipForm,
    pub(super) text: Vec<u8>,
    /// The number of its first line, from 1.
    pub(super) first_line: u64,
    /// How many bytes of the input there are up to its end.
    pub(super) end: u64,
    /// The hash of these.
    pub(super) digest: [u8; 32],
}

/// What came of an input and is in no piece yet.
pub(super) struct Pieces {
    form: Option<KipForm>,
    pending: Vec<u8>,
    /// Bytes of the input before that.
    base: u64,
    /// The line in which it begins.
    line: u64,
    /// Of everything before it.
    hasher: blake3::Hasher,
    cutter: Cutter,
    /// Where it can be cut, as places in the input.
    cuts: VecDeque<u64>,
    /// What an earlier run imported is passed over, up to here.
    skip: Option<Mark>,
}

impl Pieces {
    pub(super) fn new(form: Option<KipForm>) -> Self {
        Pieces {
            form,
            pending: Vec::new(),
            base: 0,
            line: 1,
            hasher: blake3::Hasher::new(),
            cutter: Cutter::new(0),
            cuts: VecDeque::new(),
            skip: None,
        }
    }

    /// Passes over what an earlier run imported, if the input is still the same up to there.
    pub(super) fn skip_to(&mut self, mark: Mark) {
        self.skip = Some(mark);
    }

    /// Bytes that came.
    pub(super) fn taken(&self) -> u64 {
        self.base + self.pending.len() as u64
    }

    /// Takes the next bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        let bytes = self.pass_over(bytes)?;
        let Some(form) = self.form.or_else(|| form_of(bytes)) else {
            // Nothing but white space so far.
            self.leave(bytes);
            self.cutter = Cutter::new(self.base);
            return Ok(());
        };
        self.form = Some(form);
        let cuts = &mut self.cuts;
        match form {
            KipForm::Text => self.cutter.take(bytes, |at| cuts.push_back(at)),
            KipForm::Lines => {
                let start = self.base + self.pending.len() as u64;
                let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                cuts.extend(ends.map(|(at, _)| start + at as u64 + 1));
            }
        }
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    /// A piece, if there is enough for one.
    pub(super) fn next(&mut self) -> Result<Option<Piece>, EngineError> {
        // A little more than that, so that every cut before is known by then.
        if self.pending.len() < limits::KIP_IMPORT_BYTES + WORD_BYTES {
            return Ok(None);
        }
        let enough = self.base + limits::KIP_IMPORT_BYTES as u64;
        let mut cut = None;
        while let Some(next) = self.cuts.front().copied() {
            if next > enough && cut.is_some() {
                break;
            }
            self.cuts.pop_front();
            cut = Some(next).filter(|next| *next > self.base);
        }
        match cut {
            Some(cut) => Ok(self.cut_off(cut)),
            None if self.pending.len() > cairn_kip::limits::KIP_CAPSULE_BYTES_MAX => Err(self.too_long()),
            None => Ok(None),
        }
    }

    /// All that is left, at the end of the input.
    pub(super) fn rest(&mut self) -> Result<Option<Piece>, EngineError> {
        if self.skip.is_some() {
            return Err(EngineError::ImportChanged);
        }
        if self.pending.is_empty() {
            return Ok(None);
        }
        Ok(self.cut_off(self.taken()))
    }

    fn cut_off(&mut self, cut: u64) -> Option<Piece> {
        let form = self.form?;
        let length = usize::try_from(cut - self.base).ok()?;
        let rest = self.pending.split_off(length);
        let text = std::mem::replace(&mut self.pending, rest);
        let first_line = self.line;
        self.leave(&text);
        Some(Piece { form, text, first_line, end: self.base, digest: *self.hasher.finalize().as_bytes() })
    }

    /// These bytes are before what is pending.
    fn leave(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.base += bytes.len() as u64;
        self.line += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    }

    fn pass_over<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], EngineError> {
        let Some(mark) = self.skip else { return Ok(bytes) };
        let left = usize::try_from(mark.bytes.saturating_sub(self.base)).unwrap_or(usize::MAX);
        let (over, rest) = bytes.split_at(left.min(bytes.len()));
        self.leave(over);
        if self.base < mark.bytes {
            return Ok(rest);
        }
        if *self.hasher.finalize().as_bytes() != mark.digest {
            return Err(EngineError::ImportChanged);
        }
        self.skip = None;
        self.cutter = Cutter::new(self.base);
        Ok(rest)
    }

    /// No end of a command or line came for longer than one may be.
    fn too_long(&self) -> EngineError {
        let max = cairn_kip::limits::KIP_CAPSULE_BYTES_MAX;
        let places = Places::Lines { first_line: self.line };
        let (what, hint) = match self.form {
            Some(KipForm::Lines) => ("the line", "keep long texts elsewhere, and a reference here"),
            Some(KipForm::Text) | None => {
                // More likely than a long command: a bracket or a quote that was forgotten. Both are told.
                if let Some(error) = first_mistake(&self.pending[..max], self.line) {
                    return error;
                }
                ("the command", "split it: several UPSERT one after the other")
            }
        };
        let message = format!("{what} has more than {max} bytes, which is the most");
        places.locate(KipError::new(KipCode::ResourceExhausted, message).hint(hint))
    }
}

/// What the first character that is no white space says; `None` if there is none.
fn form_of(bytes: &[u8]) -> Option<KipForm> {
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace())?;
    Some(if *first == b'{' { KipForm::Lines } else { KipForm::Text })
}

/// A line without what some editors put before the first one.
pub(super) fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of an input that comes so many bytes at a time: first lines and texts.
    fn pieces(text: &[u8], at_once: usize) -> Vec<(u64, Vec<u8>)> {
        let mut pieces = Pieces::new(None);
        let mut found = Vec::new();
        for part in text.chunks(at_once) {
            pieces.add(part).unwrap();
            while let Some(piece) = pieces.next().unwrap() {
                found.push(piece);
            }
        }
        found.extend(pieces.rest().unwrap());
        let mut end = 0;
        for piece in &found {
            end += piece.text.len();
            assert_eq!(piece.end, end as u64);
            assert_eq!(piece.digest, *blake3::hash(&text[..end]).as_bytes());
        }
        assert_eq!(end, text.len());
        found.into_iter().map(|piece| (piece.first_line, piece.text)).collect()
    }

    #[test]
    fn pieces_are_whole_commands_or_lines_and_all_of_the_input() {
        let command =
            "UPSERT { CONCEPT { {type: \"A\", name: \"} UPSERT {\"} } } // UPSERT\r\n\n".repeat(9_000);
        let lines = "{\"concept\":{\"type\":\"A\",\"name\":\"漢\"}}\n".repeat(15_000);
        for text in [command, lines] {
            let whole = pieces(text.as_bytes(), text.len());
            assert!(whole.len() > 1);
            for at_once in [7, 4096, 100_001] {
                let found = pieces(text.as_bytes(), at_once);
                for (first_line, text) in &found {
                    assert!(text.starts_with(b"UPSERT {") || text.starts_with(b"{\"concept"));
                    assert!(text.len() <= limits::KIP_IMPORT_BYTES && *first_line > 0);
                }
                assert_eq!(found, whole, "at once {at_once}");
            }
        }
    }

    #[test]
    fn a_long_command_is_one_piece_and_one_that_is_too_long_is_refused() {
        let long = format!("UPSERT {{ \"{}\" }} UPSERT {{}}", "x".repeat(limits::KIP_IMPORT_BYTES));
        assert_eq!(pieces(long.as_bytes(), 1000).len(), 2);
        for (text, expected) in [
            (
                format!("\n\nUPSERT {{ {}", " ".repeat(cairn_kip::limits::KIP_CAPSULE_BYTES_MAX)),
                "line 3, column 8: this `{` is never closed",
            ),
            (
                format!("{{{}", " ".repeat(cairn_kip::limits::KIP_CAPSULE_BYTES_MAX)),
                "line 1: the line has more than",
            ),
            (
                format!(
                    "UPSERT {{\n CONCEPT x {{ {}",
                    "UPSERT {}\n".repeat(cairn_kip::limits::KIP_CAPSULE_BYTES_MAX / 10)
                ),
                "line 2, column 10: ",
            ),
        ] {
            let mut pieces = Pieces::new(None);
            pieces.add(text.as_bytes()).unwrap();
            let mut error = None;
            // What stands before it may be a piece.
            while error.is_none() {
                error = pieces.next().map(|piece| assert!(piece.is_some(), "{expected}")).err();
            }
            let error = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_was_imported_is_passed_over_if_it_is_the_same() {
        let text = b"UPSERT {a}\nUPSERT {b}\n";
        let mark = Mark { bytes: 11, digest: *blake3::hash(&text[..11]).as_bytes() };
        for at_once in 1..text.len() {
            let mut pieces = Pieces::new(None);
            pieces.skip_to(mark);
            text.chunks(at_once).for_each(|part| pieces.add(part).unwrap());
            let rest = pieces.rest().unwrap().unwrap();
            assert_eq!((&rest.text[..], rest.first_line), (&b"UPSERT {b}\n"[..], 2));
        }
        for changed in [&b"UPSERT {x}\nUPSERT {b}\n"[..], b"UPSERT"] {
            let mut pieces = Pieces::new(None);
            pieces.skip_to(mark);
            let outcome = pieces.add(changed).and_then(|()| pieces.rest().map(drop));
            assert!(matches!(outcome, Err(EngineError::ImportChanged)));
        }
    }

    #[test]
    fn white_space_is_nothing_and_tells_nothing() {
        assert!(pieces(b"", 1).is_empty());
        let mut pieces = Pieces::new(None);
        pieces.add(b" \n\n").unwrap();
        assert!(pieces.rest().unwrap().is_none());
        pieces.add(b" {\"concept\"").unwrap();
        let rest = pieces.rest().unwrap().unwrap();
        assert_eq!((rest.form, rest.first_line), (KipForm::Lines, 3));
    }
}
