//! What to say when something else should stand there.

use cairn_base::nearest;

use super::cursor::Parser;
use super::{KipCode, KipError, Result};
use crate::lex::{Sign, Token, shown, stray_hint};
use crate::one_of::one_of;
use crate::words::{COMMANDS, foreign_hint};

/// What to do instead of asking for the past.
const AS_OF: &str = "leave it out: the graph is read as it is now; what was valid when is in metadata, as in \
                     FILTER(?x.metadata.valid_from <= :at)";

impl Parser<'_> {
    /// Something else should stand here.
    pub(super) fn expected(&self, what: &str) -> KipError {
        self.unclosed(what).unwrap_or_else(|| {
            let error = self.refused(format!("expected {what}, found {}", self.token));
            match self.token_hint() {
                Some(hint) => error.hint(hint),
                None => error,
            }
        })
    }

    /// The same, with what to do about it, unless the token itself says that better.
    pub(super) fn expected_because(&self, what: &str, hint: &str) -> KipError {
        let error = self.expected(what);
        if error.hint.is_some() { error } else { error.hint(hint) }
    }

    /// One of a few words should stand here.
    pub(super) fn expected_word(&self, words: &[&str]) -> KipError {
        let error = self.expected(&one_of(words));
        let Token::Word(found) = self.token else { return error };
        if let Some(word) = words.iter().find(|word| word.eq_ignore_ascii_case(found)) {
            return error.hint(format!("keywords are upper case: {word}"));
        }
        match nearest(found, words.iter().copied()) {
            Some(word) => error.hint(format!("did you mean {word}?")),
            None => error,
        }
    }

    /// The same, with what to do about it, unless it is a slip.
    pub(super) fn expected_word_because(&self, words: &[&str], hint: &str) -> KipError {
        let error = self.expected_word(words);
        if error.hint.is_some() { error } else { error.hint(hint) }
    }

    /// A variable should stand here.
    pub(super) fn expected_variable(&self, what: &str) -> KipError {
        let error = self.expected(what);
        match self.token {
            Token::Word(word) => error.hint(format!("a variable needs a question mark: ?{}", shown(word))),
            _ => error,
        }
    }

    /// What was opened should be closed, or go on.
    pub(super) fn expected_close(&self, opened: Sign, expected: &str) -> KipError {
        let closing = opened.closing().text();
        let error = self.expected(expected);
        if error.hint.is_some() {
            return error;
        }
        if let Token::Sign(sign) = self.token
            && sign.closes()
        {
            let hint = format!("a `{}` is still open: close it with `{closing}` first", opened.text());
            return error.hint(hint);
        }
        if expected.contains("`,`") && self.begins_item(opened) {
            return error
                .hint(format!("put a comma before {}, or `{closing}` if the list ends here", self.token));
        }
        error.hint(format!("close the `{}` with `{closing}`", opened.text()))
    }

    /// A mistake at the next token.
    pub(super) fn refused(&self, message: impl Into<String>) -> KipError {
        KipError::new(KipCode::InvalidSyntax, message).at(self.span)
    }

    /// The text has to end here.
    pub(super) fn finish(&self) -> Result<()> {
        match self.token {
            Token::End => Ok(()),
            Token::Word(word) if COMMANDS.contains(&word) => Err(self
                .refused(format!("a text holds one command, and another one begins here: {word}"))
                .hint("send several as {\"commands\": [\"...\", \"...\"]}; only UPSERT may follow UPSERT")),
            Token::Sign(sign) if sign.closes() => {
                let message = format!("nothing is open that this `{}` could close", sign.text());
                Err(self.refused(message).hint("remove it"))
            }
            _ => Err(self.expected_because("the end of the command", "remove what follows the command")),
        }
    }

    /// The text ended while something was open.
    fn unclosed(&self, expected: &str) -> Option<KipError> {
        let (sign, span) = self.open.last().filter(|_| self.token == Token::End)?;
        let message = format!("this `{}` is never closed", sign.text());
        let hint =
            format!("the text ends where {expected} was expected; close it with `{}`", sign.closing().text());
        Some(KipError::new(KipCode::InvalidSyntax, message).hint(hint).at(*span))
    }

    /// What the token alone says about the mistake.
    fn token_hint(&self) -> Option<String> {
        match &self.token {
            Token::Stray(character) => stray_hint(*character).map(str::to_owned),
            Token::Odd(text) => Some(needs_quotes(text)),
            Token::Word(word)
                if word.eq_ignore_ascii_case("AS") && matches!(self.second(), Token::Word("OF" | "of")) =>
            {
                Some(AS_OF.to_owned())
            }
            Token::Word(word) => foreign_hint(word).map(str::to_owned),
            Token::Variable(_) | Token::String(_) | Token::Number(_) | Token::Sign(_) | Token::End => None,
        }
    }

    /// Whether the token can begin an item of a list in such brackets; in braces those begin with keys.
    fn begins_item(&self, opened: Sign) -> bool {
        match self.token {
            Token::Word(_) | Token::String(_) => true,
            Token::Variable(_) | Token::Number(_) => opened != Sign::OpenBrace,
            Token::Sign(sign) => {
                opened == Sign::OpenBracket && [Sign::OpenBrace, Sign::OpenBracket].contains(&sign)
            }
            Token::Odd(_) | Token::Stray(_) | Token::End => false,
        }
    }
}

/// A text without quotes should have some.
pub(super) fn needs_quotes(text: &str) -> String {
    format!("`{0}` needs quotes: \"{0}\"", shown(text))
}
