//! Names that are written almost as the query says, for words that nothing holds.
//!
//! What is near is found out from documents that whoever asks may see: nobody learns from a guess, or from
//! its absence, what is in others.

use std::collections::BTreeMap;

use super::bm25::{self, Weight};
use super::plan::{Corpus, Plan, Planner, Term, Worth};
use super::spelling::Spelling;
use crate::SearchError;
use crate::document::Role;
use crate::found::Rule;
use crate::index::key::Key;
use crate::query::{Clause, Occur, Parsed, What};
use crate::request::Filter;
use crate::text::{Language, TokenKind};

/// With fewer documents than this little was found.
pub(crate) const LITTLE: u64 = 3;
/// How many words of a query near ones are looked for.
pub(crate) const WORDS_MAX: usize = 8;
/// How many near names of a word count.
const NEAREST_MAX: usize = 16;
/// How many names are looked at for one word in one field: the first in order, should there be more.
const NAMES_MAX: usize = 4096;
/// For how many of them it is found out whether they may be seen.
const SEEN_MAX: usize = 64;
/// What a name with one other letter is worth, compared with the name itself; with two it is half of that.
const SHARE: f64 = 0.5;

/// A name that is written almost so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NearName {
    pub(crate) text: String,
    /// How many letters are different.
    pub(crate) distance: u8,
    /// How many documents that may be seen hold it, field by field.
    pub(crate) count: u64,
    /// The fields it is in, and how many documents hold it there.
    fields: Vec<(u8, u64)>,
}

impl NearName {
    /// The nearest first, then what more documents hold.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let key = |name: &NearName| (name.distance, std::cmp::Reverse(name.count));
        key(self).cmp(&key(other)).then_with(|| self.text.cmp(&other.text))
    }
}

/// The word of a clause that near names can stand for, in its folded form.
pub(crate) fn word_of<'a>(clause: &'a Clause, languages: &[Language]) -> Option<&'a str> {
    let What::Word(tokens) = &clause.what else { return None };
    let [token] = tokens.as_slice() else { return None };
    let is_stop_word = languages.iter().any(|language| token.is_stop_word(&[*language]));
    let fits = clause.occur != Occur::MustNot
        && token.kind == TokenKind::Word
        && !is_stop_word
        && Spelling::has_near(&token.surface);
    fits.then_some(token.surface.as_str())
}

impl<C: Corpus> Planner<'_, C> {
    /// Whether a near name can stand for the word of a clause: it could be one, and nothing holds it.
    pub(crate) fn lacks(&self, clause: &Clause, filter: &Filter) -> Result<bool, SearchError> {
        if word_of(clause, &self.languages).is_none() {
            return Ok(false);
        }
        let mut keys = Vec::new();
        for field in (0..).take(self.collection.fields.len()) {
            for stem in clause.what.tokens().iter().flat_map(|token| token.stems(&self.languages)) {
                let key = self.partition.word(field, &stem);
                if self.corpus.count(&key)? > 0 {
                    keys.push(key);
                }
            }
        }
        if keys.is_empty() || filter.visible_to.is_none() {
            return Ok(keys.is_empty());
        }
        // A word that only others see is one that nothing holds.
        let sees = Filter { visible_to: filter.visible_to.clone(), ..Filter::default() };
        let counts = self.corpus.admitted(&self.admitting(&sees, &keys), &keys)?;
        Ok(counts.iter().all(|count| *count == 0))
    }

    /// Names that are written almost as the word of a clause, the nearest first, in documents that a
    /// filter admits.
    pub(crate) fn nearest(&self, clause: &Clause, filter: &Filter) -> Result<Vec<NearName>, SearchError> {
        let Some(word) = word_of(clause, &self.languages) else { return Ok(Vec::new()) };
        let mut names: BTreeMap<String, NearName> = BTreeMap::new();
        for field in self.name_fields(clause) {
            let prefix = self.partition.surface(field, "").bytes;
            let before = prefix.len();
            for mark in self.corpus.near(&Spelling::new(prefix, word), NAMES_MAX)? {
                let Ok(text) = std::str::from_utf8(mark.bytes.get(before..).unwrap_or_default()) else {
                    continue;
                };
                let name = names.entry(text.to_owned()).or_insert_with(|| NearName {
                    text: text.to_owned(),
                    distance: mark.distance,
                    count: 0,
                    fields: Vec::new(),
                });
                name.count += mark.having;
                name.fields.push((field, mark.having));
            }
        }
        let mut names: Vec<_> = names.into_values().collect();
        names.sort_unstable_by(NearName::order);
        names.truncate(SEEN_MAX);
        self.see(&mut names, filter)?;
        names.sort_unstable_by(NearName::order);
        names.truncate(NEAREST_MAX);
        Ok(names)
    }

    fn name_fields(&self, clause: &Clause) -> Vec<u8> {
        let is_name = |field: &u8| self.collection.fields[usize::from(*field)].role == Role::Name;
        self.fields(clause).into_iter().filter(is_name).collect()
    }

    /// Counts documents that a filter admits, and forgets names that none of them has.
    fn see(&self, names: &mut Vec<NearName>, filter: &Filter) -> Result<(), SearchError> {
        let key = |name: &NearName, field: u8| self.partition.surface(field, &name.text);
        let keys: Vec<Key> =
            names.iter().flat_map(|name| name.fields.iter().map(|(field, _)| key(name, *field))).collect();
        let mut counts = self.corpus.admitted(&self.admitting(filter, &keys), &keys)?.into_iter();
        for name in names.iter_mut() {
            name.count = counts.by_ref().take(name.fields.len()).sum();
        }
        names.retain(|name| name.count > 0);
        Ok(())
    }

    /// Lets a plan find near names as well. A document that holds only such is worth less than all that
    /// were found without them, of which `least` is the score of the last; those that hold both gain.
    pub(crate) fn widen(
        &self,
        plan: &mut Plan,
        query: &Parsed,
        words: &[(usize, Vec<NearName>)],
        least: Option<f64>,
    ) {
        let mut found = Vec::new();
        for (at, names) in words {
            let (Some(clause), Some(mark)) = (query.clauses.get(*at), plan.clauses.get(*at)) else {
                continue;
            };
            for name in names {
                for (field, having) in &name.fields {
                    let rarity = bm25::rarity(self.counts.documents, *having);
                    let weight = self.weight_of(*field) * SHARE / f64::from(name.distance);
                    found.push((clause, *mark, name, *field, rarity, weight));
                }
            }
        }
        let most: f64 = found.iter().map(|(.., rarity, weight)| bm25::most(*rarity, *weight)).sum();
        let room = least.map_or(most, |least| (least * plan.ideal - 1.0).clamp(0.0, most));
        for (clause, mark, name, field, rarity, weight) in found {
            let average = self.counts.fields[usize::from(field)].average();
            plan.terms.push(Term {
                key: self.partition.surface(field, &name.text),
                worth: Worth::Words(field, Weight::new(rarity, weight * room / most, average)),
                mark,
                reason: self.reason(clause, field, Rule::Near),
            });
        }
    }
}
