//! The operators of a query: where they are, and where the same signs are only text.

use std::ops::Range;

use super::Occur;
use crate::text::{Class, class_of};

/// A stretch of a query with the operators that stand before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub occur: Occur,
    pub field: Option<usize>,
    /// What is asked for, without quotation marks.
    pub content: Range<usize>,
    pub quoted: bool,
    /// White space stands before it.
    pub spaced: bool,
}

/// Reads the stretches of a query, none of which has white space outside of quotation marks.
pub(super) struct Items<'a> {
    text: &'a str,
    fields: &'a [&'a str],
    at: usize,
}

impl<'a> Items<'a> {
    pub(super) fn new(text: &'a str, fields: &'a [&'a str]) -> Self {
        Self { text, fields, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// `+` and `-` directly before a word or a quotation mark. Numbers have signs of their own.
    fn operator(&mut self) -> Occur {
        let rest = self.rest();
        let occur = match rest.as_bytes().first() {
            Some(b'+') => Occur::Must,
            Some(b'-') => Occur::MustNot,
            _ => return Occur::Should,
        };
        if !begins_word_or_phrase(&rest[1..]) || is_number(&rest[1..]) {
            return Occur::Should;
        }
        self.at += 1;
        occur
    }

    /// The name of a field and a colon directly before a word or a quotation mark.
    fn field(&mut self) -> Option<usize> {
        let (name, rest) = self.rest().split_once(':')?;
        let field = self.fields.iter().position(|field| field.eq_ignore_ascii_case(name))?;
        if !begins_word_or_phrase(rest) {
            return None;
        }
        self.at += name.len() + 1;
        Some(field)
    }

    /// What is between the quotation mark here and the next one, if there is a next one.
    fn quoted(&mut self) -> Option<Range<usize>> {
        let mut characters = self.rest().char_indices();
        let (_, open) = characters.next().filter(|(_, c)| is_quote(*c))?;
        let (offset, close) = characters.find(|(_, c)| is_quote(*c))?;
        let content = self.at + open.len_utf8()..self.at + offset;
        self.at += offset + close.len_utf8();
        Some(content)
    }

    /// What follows up to white space, or to a quotation mark that can open a phrase.
    fn unquoted(&mut self) -> Range<usize> {
        let rest = self.rest();
        let mut before = ' ';
        let end = rest.char_indices().find(|(offset, character)| {
            let opens = *offset > 0 && is_quote(*character) && opens_phrase(before);
            before = *character;
            is_space(*character) || opens
        });
        let start = self.at;
        self.at += end.map_or(rest.len(), |(offset, _)| offset);
        start..self.at
    }
}

impl Iterator for Items<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let space = self.rest().len() - self.rest().trim_start_matches(is_space).len();
        let spaced = space > 0 || self.at == 0;
        self.at += space;
        if self.rest().is_empty() {
            return None;
        }
        let (occur, field) = if spaced { (self.operator(), self.field()) } else { (Occur::Should, None) };
        let quoted = self.quoted();
        let is_quoted = quoted.is_some();
        let content = quoted.unwrap_or_else(|| self.unquoted());
        Some(Item { occur, field, content, quoted: is_quoted, spaced })
    }
}

/// Characters that nobody can see separate words like white space does.
fn is_space(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

pub(super) fn is_quote(character: char) -> bool {
    matches!(character, '"' | '\u{201c}'..='\u{201f}' | '\u{ff02}')
}

/// Whether a quotation mark behind this character begins something: the one of `5"` does not.
fn opens_phrase(before: char) -> bool {
    matches!(before, '(' | '[' | '{' | ',' | ';' | '=')
}

fn begins_word_or_phrase(text: &str) -> bool {
    let mut characters = text.chars();
    match characters.next() {
        Some('.') => characters.next().is_some_and(|c| class_of(c).is_letter()),
        Some(first) => is_quote(first) || class_of(first).begins_token(),
        None => false,
    }
}

/// Whether what comes first is a number: then the sign before it belongs to it.
fn is_number(text: &str) -> bool {
    let chunk = text.split(is_space).next().unwrap_or_default();
    let plain = |c| matches!(class_of(c), Class::Digit | Class::Comma | Class::Separator) || c == '.';
    chunk.starts_with(|c| class_of(c) == Class::Digit) && chunk.chars().all(|c| plain(c) || c == '%')
}
