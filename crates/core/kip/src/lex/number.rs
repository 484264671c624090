//! Numbers, exactly as JSON has them.

use cairn_base::{Value, ValueError};

use super::{Lexer, Token, shown};
use crate::{KipCode, KipError, Span};

impl<'a> Lexer<'a> {
    /// A number, whose digit or minus sign is next.
    pub(super) fn number(&mut self) -> Result<Token<'a>, KipError> {
        let start = self.at;
        let text = self.take(length(self.rest()));
        let span = Span::new(start, self.at);
        match Value::parse_json(text.as_bytes()) {
            Ok(Value::Number(number)) => Ok(Token::Number(number)),
            Err(ValueError::NumberOutOfRange { .. }) => Err(out_of_range(text).at(span)),
            _ => match correction(text) {
                Some(hint) => Err(wrong(format!("`{}` is no number", shown(text))).hint(hint).at(span)),
                None => Ok(Token::Odd(text)),
            },
        }
    }
}

/// The bytes of what was probably meant as one thing: numbers, and dates without quotes.
fn length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 1;
    // A colon belongs to what begins as a date; looking for its hyphen anew at each of them would take long.
    let mut has_hyphen = false;
    while let Some(letter) = text[at..].chars().next() {
        let after_exponent = matches!(bytes[at - 1], b'e' | b'E');
        let goes_on = letter.is_alphanumeric()
            || letter == '_'
            || (letter == '.' && bytes[at - 1] != b'.')
            || (letter == '+' && after_exponent)
            || (letter == '-' && (after_exponent || is_digit(at + 1)))
            || (letter == ':' && is_digit(at + 1) && has_hyphen);
        if !goes_on {
            break;
        }
        has_hyphen |= letter == '-';
        at += letter.len_utf8();
    }
    at
}

/// How it is written rightly, if it is a number that is written wrongly.
fn correction(text: &str) -> Option<String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let minus = &text[..text.len() - digits.len()];
    let whole = digits.trim_start_matches('0');
    if digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && digits.matches('.').count() <= 1 {
        let whole =
            if whole.starts_with('.') || whole.is_empty() { format!("0{whole}") } else { whole.to_owned() };
        let fraction = if whole.ends_with('.') { "0" } else { "" };
        return Some(format!("write {minus}{whole}{fraction}"));
    }
    let (before, after) = digits.split_once(['e', 'E'])?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| b"0123456789.".contains(&byte));
    let exponent = after.strip_prefix(['+', '-']).unwrap_or(after);
    if !is_number(before) || !(exponent.is_empty() || is_number(exponent)) {
        return None;
    }
    Some("write digits around the point and after the exponent, as in 1.5e3".to_owned())
}

fn out_of_range(text: &str) -> KipError {
    wrong(format!("the number {} cannot be kept exactly", shown(text)))
        .hint("put it in quotes; integers go from -9223372036854775808 to 18446744073709551615")
}

fn wrong(message: String) -> KipError {
    KipError::new(KipCode::InvalidSyntax, message)
}
