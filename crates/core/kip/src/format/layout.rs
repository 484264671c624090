//! Pieces as text: in one line where that fits, else line by line.

use super::pieces::{Bracket, Comment, Piece, Statement};
use super::place::{Place, quoted};
use crate::lex::Sign;

/// Columns that a line should not exceed.
const WIDTH: usize = 100;
const INDENT: usize = 2;

/// A whole text.
pub(super) fn text(text: &Bracket) -> String {
    let mut layout = Layout { out: String::new(), indent: 0, column: 0 };
    for (index, statement) in text.statements.iter().enumerate() {
        let capsule =
            text.place == Place::Capsule && statement.pieces.first().and_then(Piece::word) == Some("UPSERT");
        layout.statement(statement, index == 0, capsule, "");
    }
    layout.comments(&text.tail, text.statements.is_empty());
    layout.out
}

struct Layout {
    out: String,
    indent: usize,
    /// Characters on the line so far.
    column: usize,
}

impl Layout {
    /// Begins a line, after an empty one if that is wanted. The first line of all is begun already.
    fn begin_line(&mut self, apart: bool) {
        if !self.out.is_empty() {
            self.out.push_str(if apart { "\n\n" } else { "\n" });
        }
        self.column = self.indent * INDENT;
        self.out.extend(std::iter::repeat_n(' ', self.column));
    }

    /// Goes on with the line.
    fn put(&mut self, text: &str) {
        self.column += text.chars().count();
        self.out.push_str(text);
    }

    fn comments(&mut self, comments: &[Comment], first: bool) {
        for (index, comment) in comments.iter().enumerate() {
            self.begin_line(comment.apart && !(first && index == 0));
            self.put(&comment.text);
        }
    }

    /// Something on lines of its own. The first in its place has no empty line before it.
    fn statement(&mut self, statement: &Statement, first: bool, apart: bool, end: &str) {
        let Statement { above, pieces, beside, .. } = statement;
        for (index, comment) in above.iter().enumerate() {
            self.begin_line(if index == 0 { !first && (apart || comment.apart) } else { comment.apart });
            self.put(&comment.text);
        }
        self.begin_line(if above.is_empty() {
            !first && (apart || statement.apart)
        } else {
            statement.apart
        });
        self.pieces(pieces);
        self.put(end);
        if let Some(comment) = beside {
            self.put(" ");
            self.put(comment);
        }
    }

    fn pieces(&mut self, pieces: &[Piece]) {
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 && spaced(&pieces[index - 1], piece) {
                self.put(" ");
            }
            if let Piece::Bracket(bracket) = piece {
                self.bracket(bracket);
            } else {
                self.put(&plain(piece));
            }
        }
    }

    fn bracket(&mut self, bracket: &Bracket) {
        let mut line = Line { out: String::new(), room: WIDTH.saturating_sub(self.column) };
        if line.bracket(bracket).is_some() {
            self.put(&line.out);
            return;
        }
        self.put(bracket.sign.text());
        self.indent += 1;
        if bracket.place == Place::Condition {
            self.condition(bracket);
        } else if is_filled(bracket) {
            self.fill(bracket);
        } else {
            self.statements(bracket);
        }
        self.comments(&bracket.tail, bracket.statements.is_empty());
        self.indent -= 1;
        self.begin_line(false);
        self.put(bracket.sign.closing().text());
    }

    fn statements(&mut self, bracket: &Bracket) {
        let last = bracket.statements.len().saturating_sub(1);
        for (index, statement) in bracket.statements.iter().enumerate() {
            let comma = bracket.place.has_commas() && index < last;
            self.statement(statement, index == 0, false, if comma { "," } else { "" });
        }
    }

    /// As many values in a line as fit.
    fn fill(&mut self, bracket: &Bracket) {
        let last = bracket.statements.len().saturating_sub(1);
        self.begin_line(false);
        for (index, statement) in bracket.statements.iter().enumerate() {
            let mut text: String = statement.pieces.iter().map(plain).collect();
            text.push_str(if index < last { "," } else { "" });
            if index > 0 && self.column + 1 + text.chars().count() > WIDTH {
                self.begin_line(false);
            } else if index > 0 {
                self.put(" ");
            }
            self.put(&text);
        }
    }

    /// Each part on a line of its own, behind the sign that joins it to the others.
    fn condition(&mut self, bracket: &Bracket) {
        let Some(statement) = bracket.statements.first() else { return };
        self.comments(&statement.above, true);
        let is = |sign: Sign| move |piece: &Piece| matches!(piece, Piece::Sign(found) if *found == sign);
        let joint = if statement.pieces.iter().any(is(Sign::Or)) { Sign::Or } else { Sign::And };
        for (index, part) in statement.pieces.split(is(joint)).enumerate() {
            self.begin_line(false);
            if index > 0 {
                self.put(joint.text());
                self.put(" ");
            }
            self.pieces(part);
        }
        if let Some(comment) = &statement.beside {
            self.put(" ");
            self.put(comment);
        }
    }
}

/// Writes on one line, as long as there is room.
struct Line {
    out: String,
    room: usize,
}

impl Line {
    fn push(&mut self, text: &str) -> Option<()> {
        // The bytes of a text are no fewer than its characters.
        let length = if text.len() > self.room {
            text.chars().take(self.room + 1).count()
        } else {
            text.chars().count()
        };
        self.room = self.room.checked_sub(length)?;
        self.out.push_str(text);
        Some(())
    }

    fn bracket(&mut self, bracket: &Bracket) -> Option<()> {
        if !may_be_one_line(bracket) {
            return None;
        }
        let padding = if bracket.place.is_padded() && !bracket.statements.is_empty() { " " } else { "" };
        self.push(bracket.sign.text())?;
        self.push(padding)?;
        for (index, statement) in bracket.statements.iter().enumerate() {
            let between = if bracket.place.has_commas() { ", " } else { " " };
            self.push(if index > 0 { between } else { "" })?;
            self.pieces(&statement.pieces)?;
        }
        self.push(padding)?;
        self.push(bracket.sign.closing().text())
    }

    fn pieces(&mut self, pieces: &[Piece]) -> Option<()> {
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 && spaced(&pieces[index - 1], piece) {
                self.push(" ")?;
            }
            if let Piece::Bracket(bracket) = piece {
                self.bracket(bracket)?;
            } else {
                self.push(&plain(piece))?;
            }
        }
        Some(())
    }
}

/// Whether nothing but its length keeps it from being one line.
fn may_be_one_line(bracket: &Bracket) -> bool {
    let has_comments = !bracket.tail.is_empty()
        || bracket
            .statements
            .iter()
            .any(|statement| !statement.above.is_empty() || statement.beside.is_some());
    let holds_blocks = || {
        let pieces = bracket.statements.iter().flat_map(|statement| &statement.pieces);
        pieces.into_iter().any(|piece| matches!(piece, Piece::Bracket(inner) if inner.place.is_block()))
    };
    let fits = match bracket.place {
        Place::Blocks | Place::Block | Place::Question | Place::Capsule | Place::Line => false,
        Place::Group | Place::Links => bracket.statements.len() == 1 && !holds_blocks(),
        Place::Hops | Place::Condition | Place::Settings | Place::List => true,
    };
    fits && !has_comments
}

/// Whether it is an array of values without comments, of which many may stand in one line.
fn is_filled(bracket: &Bracket) -> bool {
    let is_simple = |statement: &Statement| {
        statement.above.is_empty()
            && statement.beside.is_none()
            && !statement.pieces.iter().any(|piece| matches!(piece, Piece::Bracket(_)))
    };
    bracket.sign == Sign::OpenBracket && bracket.tail.is_empty() && bracket.statements.iter().all(is_simple)
}

/// Whether a space stands between two pieces.
fn spaced(left: &Piece, right: &Piece) -> bool {
    match (left, right) {
        (_, Piece::KeyColon | Piece::Sign(Sign::Comma)) => false,
        (Piece::Sign(Sign::Not), _) => false,
        // Between hops; elsewhere no number follows a comma that is a piece.
        (Piece::Sign(Sign::Comma), Piece::Number(_)) => false,
        (_, Piece::Bracket(bracket)) if bracket.place == Place::Hops => false,
        (Piece::Word(_), Piece::Bracket(bracket)) => bracket.sign != Sign::OpenParenthesis,
        _ => true,
    }
}

/// A piece that is no bracket.
fn plain(piece: &Piece) -> String {
    match piece {
        Piece::Word(text) | Piece::Variable(text) | Piece::Parameter(text) | Piece::Number(text) => {
            text.clone()
        }
        Piece::String(text) => quoted(text),
        Piece::Sign(sign) => sign.text().to_owned(),
        Piece::KeyColon => ":".to_owned(),
        Piece::Bracket(_) => String::new(),
    }
}
