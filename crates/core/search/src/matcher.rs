//! Where in a text the clauses of a query are found.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::query::{Clause, Occur, Parsed, What};
use crate::text::{Language, Settings, Token, TokenKind, analyze};

/// What a query looks for, in a form in which a text is gone through once.
#[derive(Debug, Clone, Default)]
pub struct Matcher {
    /// The texts of tokens, and what each is good for.
    texts: HashMap<String, Vec<Use>>,
    /// The beginnings of words, and their clauses.
    prefixes: Vec<(String, usize)>,
    /// The distances of the words of each phrase, and its clause.
    phrases: Vec<(Vec<u32>, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It is what this clause looks for.
    Word(usize),
    /// It is this word of this phrase.
    Phrase(usize, usize),
}

/// A place where a clause is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub span: Range<usize>,
    pub clause: usize,
}

/// Which word of which phrase stands at which position.
type Candidates = HashMap<(usize, usize, u32), Range<usize>>;

impl Matcher {
    /// A matcher for texts of all fields, in documents of these languages.
    pub fn new(parsed: &Parsed, languages: &[Language]) -> Self {
        Self::of(parsed, languages, |_| true)
    }

    /// A matcher for texts of one field: without the clauses that are about others.
    pub fn of_field(parsed: &Parsed, languages: &[Language], field: usize) -> Self {
        Self::of(parsed, languages, |of| of.is_none_or(|of| of == field))
    }

    /// Whether texts of one document hold every clause of a query that is to be found, and none that must not be.
    pub fn admits(parsed: &Parsed, languages: &[Language], texts: &[&str]) -> bool {
        let found_in = |matcher: &Matcher| {
            let hits = |text: &&str| {
                let language = languages.first().copied().unwrap_or(Language::English);
                matcher.hits(text, language).into_iter().map(|hit| hit.clause).collect::<Vec<_>>()
            };
            texts.iter().flat_map(hits).collect::<HashSet<_>>()
        };
        let wanted = Self::new(parsed, languages);
        let mut forbidden = Self::default();
        for (number, clause) in
            parsed.clauses.iter().filter(|clause| clause.occur == Occur::MustNot).enumerate()
        {
            forbidden.add(number, &clause.what, languages);
        }
        found_in(&wanted).len() == wanted.clauses() && found_in(&forbidden).is_empty()
    }

    /// How many clauses there are.
    fn clauses(&self) -> usize {
        let words = self.texts.values().flatten().filter_map(|of| match of {
            Use::Word(clause) => Some(*clause),
            Use::Phrase(..) => None,
        });
        let others = self.prefixes.iter().map(|(_, clause)| *clause);
        let phrases = self.phrases.iter().map(|(_, clause)| *clause);
        words.chain(others).chain(phrases).collect::<HashSet<_>>().len()
    }

    fn of(parsed: &Parsed, languages: &[Language], is_meant: impl Fn(Option<usize>) -> bool) -> Self {
        let meant = |clause: &&Clause| clause.occur != Occur::MustNot && is_meant(clause.field);
        let clauses: Vec<&Clause> = parsed.clauses.iter().filter(meant).collect();
        // Stop words are everywhere and say nothing, unless there is nothing else.
        let idle =
            |clause: &&Clause| matches!(clause.what, What::Word(_)) && clause.has_only_stop_words(languages);
        let only_idle = clauses.iter().all(idle);
        let mut matcher = Self::default();
        for (number, clause) in clauses.into_iter().filter(|clause| only_idle || !idle(clause)).enumerate() {
            matcher.add(number, &clause.what, languages);
        }
        matcher
    }

    fn add(&mut self, clause: usize, what: &What, languages: &[Language]) {
        match what {
            What::Word(tokens) => {
                for text in tokens.iter().flat_map(|token| token.stems(languages)) {
                    self.add_text(text, Use::Word(clause));
                }
            }
            What::Phrase(tokens) => {
                for (place, (_, token)) in tokens.iter().enumerate() {
                    for text in token.stems(languages) {
                        self.add_text(text, Use::Phrase(self.phrases.len(), place));
                    }
                }
                self.phrases.push((tokens.iter().map(|(position, _)| *position).collect(), clause));
            }
            What::Prefix(prefix) => self.prefixes.push((prefix.clone(), clause)),
        }
    }

    fn add_text(&mut self, text: String, of: Use) {
        let uses = self.texts.entry(text).or_default();
        if !uses.contains(&of) {
            uses.push(of);
        }
    }

    /// Every place of a text where a clause is found, by their beginnings.
    pub(crate) fn hits(&self, text: &str, language: Language) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut candidates = Candidates::new();
        analyze(text, Settings { language, keep_stop_words: true }, &mut |token| {
            self.look_at(&token, &mut hits, &mut candidates);
        });
        self.join_phrases(&candidates, &mut hits);
        hits.sort_unstable_by_key(|hit| (hit.span.start, hit.span.end, hit.clause));
        hits.dedup();
        hits
    }

    fn look_at(&self, token: &Token<'_>, hits: &mut Vec<Hit>, candidates: &mut Candidates) {
        for of in self.texts.get(token.text).into_iter().flatten() {
            match *of {
                Use::Word(clause) => hits.push(Hit { span: token.span.clone(), clause }),
                Use::Phrase(phrase, place) if token.kind != TokenKind::Whole => {
                    candidates.insert((phrase, place, token.position), token.span.clone());
                }
                Use::Phrase(..) => {}
            }
        }
        for (prefix, clause) in &self.prefixes {
            if token.surface.starts_with(prefix) {
                hits.push(Hit { span: token.span.clone(), clause: *clause });
            }
        }
    }

    /// The words of phrases count where all of them stand at their distances.
    fn join_phrases(&self, candidates: &Candidates, hits: &mut Vec<Hit>) {
        let firsts: HashSet<(usize, u32)> = candidates
            .keys()
            .filter(|(_, place, _)| *place == 0)
            .map(|(phrase, _, at)| (*phrase, *at))
            .collect();
        for (phrase, at) in firsts {
            let (distances, clause) = &self.phrases[phrase];
            let words = distances.iter().enumerate();
            let spans =
                words.map(|(place, distance)| candidates.get(&(phrase, place, at.checked_add(*distance)?)));
            if let Some(spans) = spans.collect::<Option<Vec<_>>>() {
                hits.extend(spans.into_iter().map(|span| Hit { span: span.clone(), clause: *clause }));
            }
        }
    }
}
