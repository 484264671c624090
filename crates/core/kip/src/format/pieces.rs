//! Tokens and comments of a text, put together by the brackets they stand in.

use super::place::Place;
use crate::lex::{Lexer, Sign, Token, is_identifier};
use crate::{KipError, Span};

/// Something that is written without a line break in it, or a bracket.
#[derive(Debug)]
pub(super) enum Piece {
    Word(String),
    /// A variable, with its fields.
    Variable(String),
    /// A string, without its quotes.
    String(String),
    /// A parameter, with its colon.
    Parameter(String),
    Number(String),
    Sign(Sign),
    /// The colon after a key.
    KeyColon,
    Bracket(Bracket),
}

/// A bracket and all that is in it, or a whole text.
#[derive(Debug)]
pub(super) struct Bracket {
    pub(super) place: Place,
    pub(super) sign: Sign,
    pub(super) statements: Vec<Statement>,
    /// Comments after the last of them.
    pub(super) tail: Vec<Comment>,
}

/// What belongs together: a clause, an entry, a line.
#[derive(Debug, Default)]
pub(super) struct Statement {
    /// Comments above it.
    pub(super) above: Vec<Comment>,
    pub(super) pieces: Vec<Piece>,
    /// The comment at the end of its line.
    pub(super) beside: Option<String>,
    /// Whether an empty line is before it.
    pub(super) apart: bool,
}

/// A comment on a line of its own.
#[derive(Debug)]
pub(super) struct Comment {
    pub(super) text: String,
    /// Whether an empty line is before it.
    pub(super) apart: bool,
}

impl Piece {
    pub(super) fn word(&self) -> Option<&str> {
        if let Piece::Word(word) = self { Some(word) } else { None }
    }
}

impl Default for Bracket {
    fn default() -> Self {
        Bracket::new(Place::Line, Sign::OpenBrace)
    }
}

impl Bracket {
    fn new(place: Place, sign: Sign) -> Self {
        Bracket { place, sign, statements: Vec::new(), tail: Vec::new() }
    }
}

/// Reads a text that is known to be a command.
pub(super) fn read(text: &str) -> Result<Bracket, KipError> {
    let first = Lexer::new(text).next()?;
    let place = if let Token::Word(word) = first.token { Place::of_text(word) } else { Place::Line };
    let mut reader = Reader { text, lexer: Lexer::new(text), end: 0 };
    reader.bracket(place, Sign::OpenBrace)
}

struct Reader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// Where the last token or comment ended.
    end: usize,
}

/// Stands inside of a bracket.
struct Inside {
    bracket: Bracket,
    current: Statement,
    /// Comments after the first piece of the current statement, with the line breaks before them.
    after: Vec<(String, usize)>,
    /// Whether the next word belongs to the last piece.
    joins: bool,
}

impl Reader<'_> {
    fn bracket(&mut self, place: Place, sign: Sign) -> Result<Bracket, KipError> {
        let bracket = Bracket::new(place, sign);
        let mut inside = Inside { bracket, current: Statement::default(), after: Vec::new(), joins: false };
        loop {
            if let Some(span) = self.lexer.comment() {
                let lines = self.line_breaks(span);
                inside.comment(self.text[span.range()].trim_end().to_owned(), lines);
                continue;
            }
            let lexeme = self.lexer.next()?;
            let lines = self.line_breaks(lexeme.span);
            let sign = if let Token::Sign(sign) = lexeme.token { Some(sign) } else { None };
            if lexeme.token == Token::End || sign.is_some_and(Sign::closes) {
                return Ok(inside.finish());
            }
            if let Some(open) = sign.filter(|sign| sign.opens()) {
                let nested = self.bracket(inside.place_of(open), open)?;
                inside.piece(Piece::Bracket(nested), lines);
            } else {
                inside.token(lexeme.token, lines);
            }
        }
    }

    /// How many line breaks stand before something, from where the last thing ended.
    fn line_breaks(&mut self, span: Span) -> usize {
        let range = span.range();
        let breaks = self.text[self.end..range.start].matches('\n').count();
        self.end = range.end;
        breaks
    }
}

impl Inside {
    fn token(&mut self, token: Token<'_>, lines: usize) {
        let joins = std::mem::take(&mut self.joins);
        match token {
            Token::Word(word) if joins => self.join(word),
            Token::Word(word) => self.piece(Piece::Word(word.to_owned()), lines),
            Token::Variable(name) => self.piece(Piece::Variable(format!("?{name}")), lines),
            Token::String(text) => self.piece(Piece::String(text.into_owned()), lines),
            Token::Number(number) => self.piece(Piece::Number(number.to_string()), lines),
            Token::Sign(Sign::Dot) => {
                self.join(".");
                self.joins = true;
            }
            Token::Sign(Sign::Colon) => self.colon(lines),
            Token::Sign(Sign::Comma) if self.bracket.place.has_commas() => self.end_statement(),
            // Between links a comma says nothing.
            Token::Sign(Sign::Comma) if self.bracket.place.is_block() => {}
            Token::Sign(sign) => self.piece(Piece::Sign(sign), lines),
            Token::Odd(_) | Token::Stray(_) | Token::End => {}
        }
    }

    /// After a key, or before the name of a parameter.
    fn colon(&mut self, lines: usize) {
        let last = self.current.pieces.last_mut();
        match last {
            Some(key @ (Piece::Word(_) | Piece::String(_))) if self.bracket.place.has_commas() => {
                if let Piece::String(text) = key
                    && is_identifier(text)
                {
                    *key = Piece::Word(std::mem::take(text));
                }
                self.piece(Piece::KeyColon, lines);
            }
            _ => {
                self.piece(Piece::Parameter(":".to_owned()), lines);
                self.joins = true;
            }
        }
    }

    /// Adds to the last piece.
    fn join(&mut self, text: &str) {
        if let Some(Piece::Variable(last) | Piece::Parameter(last)) = self.current.pieces.last_mut() {
            last.push_str(text);
        }
    }

    /// What a bracket is for that opens now. What stands before it says so, if that is of its own line.
    fn place_of(&mut self, sign: Sign) -> Place {
        let bracket = Piece::Bracket(Bracket::default());
        if self.bracket.place.parts(&self.current, &bracket) {
            self.end_statement();
        }
        self.bracket.place.of_bracket(sign, &self.current)
    }

    fn piece(&mut self, piece: Piece, lines: usize) {
        if !self.current.pieces.is_empty() && self.bracket.place.parts(&self.current, &piece) {
            self.end_statement();
        }
        if self.current.pieces.is_empty() {
            self.current.apart = lines > 1;
        } else {
            // In the middle of something: they move above it.
            for (text, _) in self.after.drain(..) {
                let apart = self.current.above.is_empty() && std::mem::take(&mut self.current.apart);
                self.current.above.push(Comment { text, apart });
            }
        }
        self.current.pieces.push(piece);
    }

    fn comment(&mut self, text: String, lines: usize) {
        if !self.current.pieces.is_empty() {
            self.after.push((text, lines));
            return;
        }
        match self.bracket.statements.last_mut() {
            Some(last) if lines == 0 && last.beside.is_none() && self.current.above.is_empty() => {
                last.beside = Some(text);
            }
            _ => self.current.above.push(Comment { text, apart: lines > 1 }),
        }
    }

    fn end_statement(&mut self) {
        let mut statement = std::mem::take(&mut self.current);
        let mut after = std::mem::take(&mut self.after).into_iter().peekable();
        if let Some((text, _)) = after.next_if(|(_, lines)| *lines == 0) {
            statement.beside = Some(text);
        }
        self.current.above = after.map(|(text, lines)| Comment { text, apart: lines > 1 }).collect();
        self.bracket.statements.push(statement);
    }

    fn finish(mut self) -> Bracket {
        if !self.current.pieces.is_empty() {
            self.end_statement();
        }
        self.bracket.tail = self.current.above;
        self.bracket
    }
}
