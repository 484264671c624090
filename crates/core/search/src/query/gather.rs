//! From the stretches of a query to its clauses, within the limits.

use std::collections::HashSet;
use std::ops::Range;

use crate::limits::{PHRASE_WORDS_MAX, WORDS_QUERY_CLAUSES_MAX, WORDS_QUERY_WORDS_MAX};

use super::scan::Item;
use super::{Clause, Occur, Parsed, QueryError, QueryToken, What};
use crate::text::{Analyzer, TokenKind, fold_name};

/// Collects the clauses of one query.
pub(super) struct Gather<'a> {
    text: &'a str,
    analyzer: Analyzer,
    clauses: Vec<Clause>,
    /// What should be there and is already looked for.
    known: HashSet<(Option<usize>, What)>,
    /// How many words should be there.
    words: usize,
    /// How many clauses have to match, or must not, or are phrases.
    costly: usize,
    name: String,
    ignored: Vec<String>,
}

/// The tokens of one word, compound or run of characters.
struct Segment {
    span: Range<usize>,
    tokens: Vec<(u32, Range<usize>, QueryToken)>,
}

impl<'a> Gather<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            analyzer: Analyzer::default(),
            clauses: Vec::new(),
            known: HashSet::new(),
            words: 0,
            costly: 0,
            name: String::new(),
            ignored: Vec::new(),
        }
    }

    /// Adds what one stretch asks for.
    pub(super) fn take(&mut self, item: &Item) -> Result<(), QueryError> {
        if item.occur != Occur::MustNot {
            self.name.push_str(if item.spaced { " " } else { "" });
            self.name.push_str(&self.text[item.content.clone()]);
        }
        let segments = self.segments(&item.content);
        if item.quoted {
            return self.phrase(item, segments, self.with_quotes(&item.content));
        }
        match item.occur {
            // Not `foo(bar)` is not: neither of both. It is: not both in a row.
            Occur::MustNot if segments.len() > 1 => {
                let span = span_of(&segments, &item.content);
                self.phrase(item, segments, span)
            }
            Occur::Should | Occur::Must | Occur::MustNot => self.words(item, segments),
        }
    }

    pub(super) fn finish(self) -> Result<Parsed, QueryError> {
        if self.clauses.is_empty() {
            return Err(QueryError::Empty);
        }
        Ok(Parsed {
            clauses: self.clauses,
            text: self.text.to_owned(),
            name: fold_name(&self.name),
            ignored: self.ignored,
            fields: Vec::new(),
        })
    }

    fn words(&mut self, item: &Item, mut segments: Vec<Segment>) -> Result<(), QueryError> {
        let prefix = self.take_prefix(item, &mut segments);
        for segment in segments {
            let unspaced = segment.tokens.iter().all(|(_, _, token)| token.kind == TokenKind::Cjk);
            match (unspaced, item.occur) {
                // Every pair of a sentence without spaces counts for itself.
                (true, Occur::Should) => {
                    for (_, span, token) in segment.tokens {
                        self.add(item, What::Word(vec![token]), span)?;
                    }
                }
                (true, Occur::Must | Occur::MustNot) if segment.tokens.len() > 1 => {
                    let span = segment.span.clone();
                    self.phrase(item, vec![segment], span)?;
                }
                _ => {
                    let tokens = segment.tokens.into_iter().map(|(_, _, token)| token).collect();
                    self.add(item, What::Word(tokens), segment.span)?;
                }
            }
        }
        match prefix {
            Some((prefix, span)) => {
                self.forget_star(item);
                self.add(item, What::Prefix(prefix), span)
            }
            None => Ok(()),
        }
    }

    /// Takes the last segment away if a star makes a prefix of it. Stars around words are emphasis.
    fn take_prefix(&self, item: &Item, segments: &mut Vec<Segment>) -> Option<(String, Range<usize>)> {
        let content = &self.text[item.content.clone()];
        let star = item.content.start + content.find('*')?;
        let last = segments.last()?;
        let (_, _, token) = last.tokens.first()?;
        let prefix = content.matches('*').count() == 1
            && last.span.end == star
            && token.kind != TokenKind::Cjk
            && token.surface.chars().count() >= 2;
        if !prefix {
            return None;
        }
        let (surface, start) = (token.surface.clone(), last.span.start);
        segments.pop();
        Some((surface, start..star + 1))
    }

    /// The star of a prefix is an operator: it is not part of the name.
    fn forget_star(&mut self, item: &Item) {
        if item.occur != Occur::MustNot
            && let Some(star) = self.name.rfind('*')
        {
            self.name.remove(star);
        }
    }

    fn phrase(&mut self, item: &Item, segments: Vec<Segment>, span: Range<usize>) -> Result<(), QueryError> {
        let all = segments.into_iter().flat_map(|segment| segment.tokens);
        let words = all.filter(|(_, _, token)| token.kind != TokenKind::Whole).take(PHRASE_WORDS_MAX);
        let mut words: Vec<_> = words.map(|(position, _, token)| (position, token)).collect();
        let Some((first, _)) = words.first().cloned() else { return Ok(()) };
        words.iter_mut().for_each(|(position, _)| *position -= first);
        self.add(item, What::Phrase(words), span)
    }

    fn add(&mut self, item: &Item, what: What, span: Range<usize>) -> Result<(), QueryError> {
        let Item { occur, field, .. } = *item;
        let text = self.text[span.clone()].to_owned();
        let phrase = matches!(what, What::Phrase(_));
        if occur == Occur::Should && !self.known.insert((field, what.clone())) {
            return Ok(());
        }
        if occur != Occur::Should || phrase {
            self.costly += 1;
            if self.costly > WORDS_QUERY_CLAUSES_MAX {
                return Err(QueryError::TooManyClauses { max: WORDS_QUERY_CLAUSES_MAX });
            }
        } else if self.words + what.word_count() > WORDS_QUERY_WORDS_MAX {
            self.ignored.push(text);
            return Ok(());
        } else {
            self.words += what.word_count();
        }
        self.clauses.push(Clause { occur, field, what, span, text });
        Ok(())
    }

    fn segments(&mut self, content: &Range<usize>) -> Vec<Segment> {
        let mut segments: Vec<Segment> = Vec::new();
        let mut current = None;
        self.analyzer.tokens(&self.text[content.clone()], &mut |plain| {
            let span = content.start + plain.span.start..content.start + plain.span.end;
            if current != Some(plain.segment) {
                current = Some(plain.segment);
                segments.push(Segment { span: span.clone(), tokens: Vec::new() });
            }
            if let Some(segment) = segments.last_mut() {
                segment.span.end = segment.span.end.max(span.end);
                let token = QueryToken { kind: plain.kind, surface: plain.surface.to_owned() };
                segment.tokens.push((plain.position, span, token));
            }
        });
        segments
    }

    fn with_quotes(&self, content: &Range<usize>) -> Range<usize> {
        let bytes = |character: Option<char>| character.map_or(0, char::len_utf8);
        let start = content.start - bytes(self.text[..content.start].chars().next_back());
        start..content.end + bytes(self.text[content.end..].chars().next())
    }
}

fn span_of(segments: &[Segment], content: &Range<usize>) -> Range<usize> {
    match (segments.first(), segments.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end,
        _ => content.clone(),
    }
}
