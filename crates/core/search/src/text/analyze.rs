//! From text to the tokens that are stored and looked up.

use std::borrow::Cow;
use std::ops::Range;

use crate::limits::TOKEN_BYTES_MAX;
use frostem::Stemmer;

use super::Language;
use super::character::{Class, class_of};
use super::fold::fold_into;
use super::segment::{Segments, Shape};
use super::stop_words::stop_word;

/// How a text is analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// Whose stems and stop words.
    pub language: Language,
    /// Stop words become tokens too.
    pub keep_stop_words: bool,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A word of its own.
    Word,
    /// A part of a compound.
    Part,
    /// A compound as it is written.
    Whole,
    /// Two neighbours, or a lonely character, of a script without spaces between words.
    Cjk,
}

/// Something that can be looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// What is stored and compared: the stem of words and parts, else the surface.
    pub text: &'a str,
    /// Counted in words from the beginning of the text; words that are left out count as well.
    pub position: u32,
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands, in bytes of the text.
    pub span: Range<usize>,
    /// The folded form, not stemmed.
    pub surface: &'a str,
}

/// Calls `sink` with every token of a text. Whoever has many texts keeps an [`Analyzer`].
pub fn analyze(text: &str, settings: Settings, sink: &mut impl FnMut(Token<'_>)) {
    Analyzer::default().analyze(text, settings, sink);
}

/// Analyses texts, one after the other, with the memory that it needed for the last one.
#[derive(Debug, Default)]
pub struct Analyzer {
    parts: Vec<Range<usize>>,
    surface: String,
}

/// A token before its language matters.
pub(crate) struct Plain<'a> {
    pub kind: TokenKind,
    pub position: u32,
    pub span: Range<usize>,
    pub surface: &'a str,
    /// The place of its segment among those of the text: tokens of one compound share it.
    pub segment: u32,
}

impl Analyzer {
    /// Calls `sink` with every token of a text: by their beginnings, a whole before its parts.
    pub fn analyze(&mut self, text: &str, settings: Settings, sink: &mut impl FnMut(Token<'_>)) {
        let stemmer = settings.language.stemmer();
        self.tokens(text, &mut |plain| {
            let Plain { kind, position, span, surface, .. } = plain;
            if kind == TokenKind::Word
                && !settings.keep_stop_words
                && is_stop_word(surface, settings.language)
            {
                return;
            }
            let text = match kind {
                TokenKind::Word | TokenKind::Part => stem(surface, stemmer),
                TokenKind::Whole | TokenKind::Cjk => Cow::Borrowed(surface),
            };
            sink(Token { text: &text, position, kind, span, surface });
        });
    }

    /// Calls `sink` with every token of a text, stop words among them.
    pub(crate) fn tokens(&mut self, text: &str, sink: &mut impl FnMut(Plain<'_>)) {
        let Self { parts, surface } = self;
        let mut segments = Segments::new(text);
        let mut emit = Emit { text, surface, position: 0, segment: 0, sink };
        while let Some((shape, span)) = segments.next(parts) {
            match shape {
                Shape::Word => emit.word(TokenKind::Word, &span),
                Shape::Compound => {
                    emit.whole(&span);
                    parts.iter().for_each(|part| emit.word(TokenKind::Part, part));
                }
                Shape::Unspaced if parts.len() == 1 => emit.unspaced(&span),
                Shape::Unspaced => {
                    parts.windows(2).for_each(|pair| emit.unspaced(&(pair[0].start..pair[1].end)));
                }
                Shape::Symbol => emit.symbol(&span),
            }
            emit.segment += 1;
        }
    }
}

struct Emit<'a, F> {
    text: &'a str,
    surface: &'a mut String,
    position: u32,
    segment: u32,
    sink: &'a mut F,
}

impl<F: FnMut(Plain<'_>)> Emit<'_, F> {
    fn word(&mut self, kind: TokenKind, span: &Range<usize>) {
        self.surface.clear();
        fold_into(without_possessive(&self.text[span.clone()]), TOKEN_BYTES_MAX, self.surface);
        // Only between the groups of digits of a number.
        self.surface.retain(|character| character != ',');
        self.emit(kind, span);
        self.next();
    }

    fn whole(&mut self, span: &Range<usize>) {
        self.surface.clear();
        fold_into(&self.text[span.clone()], TOKEN_BYTES_MAX, self.surface);
        self.emit(TokenKind::Whole, span);
    }

    fn unspaced(&mut self, span: &Range<usize>) {
        self.surface.clear();
        fold_into(&self.text[span.clone()], TOKEN_BYTES_MAX, self.surface);
        self.emit(TokenKind::Cjk, span);
        self.next();
    }

    fn symbol(&mut self, span: &Range<usize>) {
        self.surface.clear();
        self.surface.push_str(&self.text[span.clone()]);
        self.emit(TokenKind::Word, span);
        self.next();
    }

    fn emit(&mut self, kind: TokenKind, span: &Range<usize>) {
        if !self.surface.is_empty() {
            let (position, segment, surface) = (self.position, self.segment, self.surface.as_str());
            (self.sink)(Plain { kind, position, span: span.clone(), surface, segment });
        }
    }

    fn next(&mut self) {
        self.position = self.position.saturating_add(1);
    }
}

fn without_possessive(word: &str) -> &str {
    let owner = word.strip_suffix(['s', 'S']);
    owner.and_then(|owner| owner.strip_suffix(|c| class_of(c) == Class::Apostrophe)).unwrap_or(word)
}

/// Whether a folded word is a stop word of a language.
pub(crate) fn is_stop_word(surface: &str, language: Language) -> bool {
    stop_word(surface).is_some_and(|word| word.is_of(language))
}

/// The stem of a folded word. Numbers, codes and very short words are their own.
pub(crate) fn stem(surface: &str, stemmer: Stemmer) -> Cow<'_, str> {
    if !has_stem(surface) {
        return Cow::Borrowed(surface);
    }
    let stem = stemmer.stem(surface);
    if stem.is_empty() || stem.len() > TOKEN_BYTES_MAX { Cow::Borrowed(surface) } else { stem }
}

fn has_stem(surface: &str) -> bool {
    let mut letters = 0;
    let is_letter = |c| matches!(class_of(c), Class::Lower | Class::Upper | Class::Mark);
    surface.chars().all(|c| {
        letters += 1;
        is_letter(c)
    }) && letters >= 3
}
