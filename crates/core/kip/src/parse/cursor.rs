//! Where a parser is in its text: the next token, and which brackets are open.

use crate::limits::KIP_LEVELS_MAX;

use super::Result;
use crate::lex::{Lexer, Sign, Token};
use crate::tree::Text;
use crate::{KipCode, KipError, Span, Spanned};

/// Stands before a token.
pub(super) struct Parser<'a> {
    /// Stands after the token.
    lexer: Lexer<'a>,
    /// What comes next.
    pub(super) token: Token<'a>,
    /// Where that is.
    pub(super) span: Span,
    /// Where the last token ended.
    end: u32,
    /// Brackets that are open, and where they were opened.
    pub(super) open: Vec<(Sign, Span)>,
    /// Negations that are open.
    negations: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self> {
        let mut lexer = Lexer::new(text);
        let first = lexer.next()?;
        Ok(Parser { lexer, token: first.token, span: first.span, end: 0, open: Vec::new(), negations: 0 })
    }

    /// Takes the token.
    pub(super) fn advance(&mut self) -> Result<Token<'a>> {
        let next = self.lexer.next()?;
        self.end = self.span.end;
        self.span = next.span;
        Ok(std::mem::replace(&mut self.token, next.token))
    }

    /// The token after the next one. What is no token is told about when its turn comes.
    pub(super) fn second(&self) -> Token<'a> {
        self.lexer.clone().next().map_or(Token::End, |lexeme| lexeme.token)
    }

    /// From a place to the end of the last token.
    pub(super) fn since(&self, start: Span) -> Span {
        Span { start: start.start, end: self.end }
    }

    pub(super) fn at(&self, sign: Sign) -> bool {
        self.token == Token::Sign(sign)
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(next) if next == word)
    }

    /// Takes the sign if it is next.
    pub(super) fn eat(&mut self, sign: Sign) -> Result<bool> {
        let there = self.at(sign);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    /// Takes the word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> Result<bool> {
        let there = self.at_word(word);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    /// Takes a keyword.
    pub(super) fn keyword(&mut self, word: &'static str) -> Result<()> {
        self.keyword_because(word, &format!("write {word} here"))
    }

    /// Takes a keyword; `hint` says what it is for.
    pub(super) fn keyword_because(&mut self, word: &'static str, hint: &str) -> Result<()> {
        if self.eat_word(word)? { Ok(()) } else { Err(self.expected_word_because(&[word], hint)) }
    }

    /// Takes the sign.
    pub(super) fn sign(&mut self, sign: Sign, hint: &str) -> Result<()> {
        if self.eat(sign)? { Ok(()) } else { Err(self.expected_because(&format!("`{}`", sign.text()), hint)) }
    }

    /// Takes the bracket that opens something; `hint` says how that is written.
    pub(super) fn open(&mut self, sign: Sign, hint: &str) -> Result<()> {
        if !self.at(sign) {
            return Err(self.expected_because(&format!("`{}`", sign.text()), hint));
        }
        self.check_levels()?;
        self.open_here(sign)
    }

    /// Takes the bracket that is next, on the level of what stands before it.
    pub(super) fn open_here(&mut self, sign: Sign) -> Result<()> {
        self.open.push((sign, self.span));
        self.advance()?;
        Ok(())
    }

    /// Takes the bracket that closes what was opened last; `expected` is what else could stand there.
    pub(super) fn close(&mut self, expected: &str) -> Result<()> {
        let Some((sign, _)) = self.open.last().copied() else { return Ok(()) };
        if !self.at(sign.closing()) {
            return Err(self.expected_close(sign, expected));
        }
        self.open.pop();
        self.advance()?;
        Ok(())
    }

    /// Goes one level down without a bracket; [`rise`](Parser::rise) comes back.
    pub(super) fn descend(&mut self) -> Result<()> {
        self.check_levels()?;
        self.negations += 1;
        Ok(())
    }

    pub(super) fn rise(&mut self) {
        self.negations -= 1;
    }

    /// Refuses one more level than the limit allows.
    fn check_levels(&self) -> Result<()> {
        if self.open.len() + self.negations < KIP_LEVELS_MAX {
            return Ok(());
        }
        let message = format!("brackets are nested more than {KIP_LEVELS_MAX} levels deep");
        let hint = "write it flatter; deep values can be stored as a string of JSON";
        Err(KipError::new(KipCode::ResourceExhausted, message).hint(hint).at(self.span))
    }

    /// Takes a variable; `what` says what it is for.
    pub(super) fn variable(&mut self, what: &str) -> Result<Text> {
        let span = self.span;
        let Token::Variable(name) = self.token else { return Err(self.expected_variable(what)) };
        self.advance()?;
        Ok(Spanned::new(name.to_owned(), span))
    }

    /// Takes a variable if there is one.
    pub(super) fn eat_variable(&mut self) -> Result<Option<Text>> {
        if matches!(self.token, Token::Variable(_)) {
            self.variable("a variable").map(Some)
        } else {
            Ok(None)
        }
    }
}
