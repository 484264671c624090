//! From text to words, compounds and runs of characters, without looking at what they mean.
//!
//! No white space is ever part of a segment. A segment knows its parts: those of a compound, or the
//! single characters of a script without spaces.

use std::ops::Range;

use super::atom::{Atom, read_atom};
use super::character::{Class, class_of, completes_syllable};

/// What a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One word, one part.
    Word,
    /// Several parts, or one with more around it: `rate-limiting`, `C++`, `1,000`.
    Compound,
    /// Characters of scripts that put no spaces between words; each is a part.
    Unspaced,
    /// One sign.
    Symbol,
}

/// Most parts of one segment; what follows is the next one.
pub(super) const PARTS_MAX: usize = 64;

/// Finds the segments of a text, one after the other.
pub(super) struct Segments<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Segments<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next segment; `parts` is filled with its parts. Bytes are those of the text.
    pub(super) fn next(&mut self, parts: &mut Vec<Range<usize>>) -> Option<(Shape, Range<usize>)> {
        parts.clear();
        while let Some((character, class)) = self.peek(self.at) {
            let next = self.at + character.len_utf8();
            if class == Class::Unspaced {
                return Some(self.unspaced(parts));
            }
            if class == Class::Symbol {
                let span = self.at..next;
                parts.push(span.clone());
                self.at = next;
                return Some((Shape::Symbol, span));
            }
            if class.is_word() || self.is_leading_dot(character) {
                return Some(self.word(parts));
            }
            self.at = next;
        }
        None
    }

    fn peek(&self, at: usize) -> Option<(char, Class)> {
        let character = self.text[at..].chars().next()?;
        Some((character, class_of(character)))
    }

    fn class_at(&self, at: usize) -> Class {
        self.peek(at).map_or(Class::Separator, |(_, class)| class)
    }

    /// The dot of `.NET`: nothing stands before it, and a letter behind it.
    fn is_leading_dot(&self, character: char) -> bool {
        let before = self.text[..self.at].chars().next_back().map_or(Class::Separator, class_of);
        character == '.' && before == Class::Separator && self.class_at(self.at + 1).is_letter()
    }

    fn word(&mut self, parts: &mut Vec<Range<usize>>) -> (Shape, Range<usize>) {
        let dot = usize::from(!self.class_at(self.at).is_word());
        let mut atom = read_atom(self.text, self.at + dot, parts);
        let start = if dot == 1 { self.at } else { atom.span.start };
        let mut grouped = atom.grouped;
        let mut url = false;
        while parts.len() < PARTS_MAX
            && let Some(next) = self.after_joiners(atom.span.end, &mut url)
        {
            atom = read_atom(self.text, next, parts);
            grouped |= atom.grouped;
        }
        parts.truncate(PARTS_MAX);
        let end = atom.span.end + self.suffix(&atom);
        self.at = end;
        let compound = parts.len() > 1 || dot == 1 || grouped || end > atom.span.end;
        (if compound { Shape::Compound } else { Shape::Word }, start..end)
    }

    /// Where the next part of a compound begins, if joiners that can stand inside of one are followed by one.
    fn after_joiners(&self, mut at: usize, url: &mut bool) -> Option<usize> {
        const JOINERS_MAX: usize = 3;
        let begin = at;
        let mut last = ' ';
        for _ in 0..=JOINERS_MAX {
            let (character, class) = self.peek(at)?;
            if class.is_word() {
                *url |= self.text[begin..at].starts_with("://");
                return (at > begin).then_some(at);
            }
            // Dashes and dots in a row are punctuation between words.
            let doubled = character == last && !matches!(character, ':' | '/' | '\\' | '_');
            if doubled || !(class == Class::Joiner || (class == Class::UrlJoiner && *url)) {
                return None;
            }
            last = character;
            at += character.len_utf8();
        }
        None
    }

    /// The bytes of what belongs to the name of a language: `C++`, `C#`.
    fn suffix(&self, last: &Atom) -> usize {
        let rest = &self.text[last.span.end..];
        if last.letters > 0 && rest.starts_with("++") {
            return 2;
        }
        let sharp = last.letters == 1 && rest.starts_with('#') && !self.class_at(last.span.end + 1).is_word();
        usize::from(sharp)
    }

    fn unspaced(&mut self, parts: &mut Vec<Range<usize>>) -> (Shape, Range<usize>) {
        /// Longer runs come in pieces that share a character, so that every pair is in one of them.
        const CHARACTERS_MAX: usize = 256;
        let start = self.at;
        while self.class_at(self.at) == Class::Unspaced {
            if parts.len() == CHARACTERS_MAX {
                self.at = parts.last().map_or(self.at, |last| last.start);
                break;
            }
            let begin = self.at;
            self.at = self.end_of_character(begin);
            parts.push(begin..self.at);
        }
        (Shape::Unspaced, start..parts.last().map_or(start, |last| last.end))
    }

    /// The end of a character with all that belongs to it.
    fn end_of_character(&self, begin: usize) -> usize {
        let mut characters = self.text[begin..].char_indices().skip(1);
        let end = characters.find(|(_, c)| !class_of(*c).continues() && !completes_syllable(*c));
        end.map_or(self.text.len(), |(offset, _)| begin + offset)
    }
}
