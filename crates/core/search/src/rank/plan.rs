//! What a query means in one partition: which postings to look at, and what they are worth.

use crate::SearchError;
use crate::document::{Collection, Field, Role};
use crate::found::{Reason, Rule};
use crate::index::generation::Posting;
use crate::index::key::{Key, PartitionNumber};
use crate::index::statistics::Counts;
use crate::query::{Clause, Occur, Parsed, QueryToken, What};
use crate::rank::bm25::{self, ONE, Weight};
use crate::rank::spelling::Spelling;
use crate::request::{Filter, Recency, Times};
use crate::text::{Language, TokenKind};

/// How many words a prefix may stand for.
pub(crate) const PREFIX_WORDS_MAX: usize = 1_000;

/// What the documents of all segments together say; the plan is made by asking it.
pub(crate) trait Corpus {
    /// How many live documents hold a term.
    fn count(&self, key: &Key) -> Result<u64, SearchError>;

    /// Documents that hold a phrase, segment by segment, and how many of them are live.
    fn phrase(&self, field: u8, words: &[(u32, Key)]) -> Result<(Vec<Vec<Posting>>, u64), SearchError>;

    /// Marks that begin with `prefix`, sorted, each once; at most `limit`.
    fn marks_from(&self, prefix: &[u8], limit: usize) -> Result<Vec<Vec<u8>>, SearchError>;

    /// Marks that are written almost so and that live documents hold; the first `limit` in order.
    fn near(&self, spelling: &Spelling, limit: usize) -> Result<Vec<NearMark>, SearchError>;

    /// How many of the documents that a plan admits hold each of these terms.
    fn admitted(&self, plan: &Plan, keys: &[Key]) -> Result<Vec<u64>, SearchError>;
}

/// A mark that is written almost as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NearMark {
    pub(crate) bytes: Vec<u8>,
    /// How many letters are different.
    pub(crate) distance: u8,
    /// How many live documents hold it.
    pub(crate) having: u64,
}

/// What a posting is worth.
#[derive(Debug)]
pub(crate) enum Worth {
    /// Always the same.
    Fixed(u32),
    /// As much as its word in this field.
    Words(u8, Weight),
}

/// Postings of a term.
#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) key: Key,
    pub(crate) worth: Worth,
    pub(crate) mark: u64,
    pub(crate) reason: Option<Reason>,
}

/// Postings that were found out before, for each segment.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) postings: Vec<Vec<Posting>>,
    pub(crate) worth: Worth,
    pub(crate) mark: u64,
    pub(crate) reason: Option<Reason>,
}

/// What to look at.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) terms: Vec<Term>,
    pub(crate) lists: Vec<List>,
    pub(crate) filters: Vec<(Key, u64)>,
    /// The term that every document of the partition holds.
    pub(crate) all: Key,
    /// What each clause of the query marks documents with that it is found in.
    pub(crate) clauses: Vec<u64>,
    /// Marks a document must have.
    pub(crate) required: u64,
    /// Marks it must not have.
    pub(crate) forbidden: u64,
    pub(crate) times: Times,
    pub(crate) group: Option<u64>,
    pub(crate) recency: Recency,
    /// The worth of a document that could not fit better.
    pub(crate) ideal: f64,
    /// Words that were left out, because they say nothing in prose.
    pub(crate) ignored: Vec<String>,
}

impl Plan {
    /// The document fits the query, whatever else.
    pub(crate) const HIT: u64 = 1;

    /// A worth as a part of the best that one word after the other could give. Words that are found in
    /// several fields can exceed it.
    pub(crate) fn score(&self, worth: u32) -> f64 {
        f64::from(worth) / self.ideal.max(1.0)
    }
}

/// Makes plans.
pub(crate) struct Planner<'a, C> {
    pub(crate) corpus: &'a C,
    pub(crate) collection: &'a Collection,
    pub(crate) partition: PartitionNumber,
    pub(crate) counts: &'a Counts,
    pub(super) languages: Vec<Language>,
    plan: Plan,
    next_mark: u64,
}

impl<'a, C: Corpus> Planner<'a, C> {
    pub(crate) fn new(
        corpus: &'a C,
        collection: &'a Collection,
        partition: PartitionNumber,
        counts: &'a Counts,
    ) -> Self {
        let plan = Plan {
            terms: Vec::new(),
            lists: Vec::new(),
            filters: Vec::new(),
            all: partition.all(),
            clauses: Vec::new(),
            required: Plan::HIT,
            forbidden: 0,
            times: Times::default(),
            group: None,
            recency: Recency::default(),
            ideal: 0.0,
            ignored: Vec::new(),
        };
        let languages = counts.languages();
        Planner { corpus, collection, partition, counts, languages, plan, next_mark: Plan::HIT << 1 }
    }

    /// The plan of a query with a filter.
    pub(crate) fn plan(
        mut self,
        query: &Parsed,
        filter: &Filter,
        recency: Recency,
    ) -> Result<Plan, SearchError> {
        let mut finds = false;
        for clause in &query.clauses {
            let mark = match clause.occur {
                Occur::Should => Plan::HIT,
                Occur::Must => {
                    let mark = self.mark();
                    self.plan.required |= mark;
                    Plan::HIT | mark
                }
                Occur::MustNot => {
                    let mark = self.mark();
                    self.plan.forbidden |= mark;
                    mark
                }
            };
            let counts = clause.occur != Occur::MustNot;
            finds |= self.clause(clause, mark, counts)? && counts;
            self.plan.clauses.push(mark);
        }
        let only_excludes = query.clauses.iter().all(|clause| clause.occur == Occur::MustNot);
        if only_excludes {
            self.term(self.partition.all(), Worth::Fixed(1), Plan::HIT, None);
        } else if finds {
            self.whole_name(query)?;
        }
        self.filter(filter);
        self.plan.recency = recency;
        Ok(self.plan)
    }

    /// A plan that admits every document that holds one of these terms and that a filter admits.
    pub(crate) fn admitting(&self, filter: &Filter, keys: &[Key]) -> Plan {
        let mut planner = Planner::new(self.corpus, self.collection, self.partition, self.counts);
        keys.iter().for_each(|key| planner.term(key.clone(), Worth::Fixed(0), Plan::HIT, None));
        planner.filter(filter);
        planner.plan
    }

    fn mark(&mut self) -> u64 {
        let mark = self.next_mark;
        self.next_mark = mark << 1;
        mark
    }

    fn term(&mut self, key: Key, worth: Worth, mark: u64, reason: Option<Reason>) {
        self.plan.terms.push(Term { key, worth, mark, reason });
    }

    /// Why a document is a hit that something of this clause is found in.
    pub(super) fn reason(&self, clause: &Clause, field: u8, rule: Rule) -> Option<Reason> {
        let field = self.collection.fields.get(usize::from(field))?.name;
        let counts = clause.occur != Occur::MustNot;
        counts.then(|| Reason { field, term: clause.text.clone(), rule })
    }

    /// Looks at one clause, and says whether it can make a document a hit.
    fn clause(&mut self, clause: &Clause, mark: u64, counts: bool) -> Result<bool, SearchError> {
        match &clause.what {
            // In a bag of words each part of a compound helps. Where it has to be there or not, it is
            // the compound that has to: its parts one after the other.
            What::Word(tokens) if clause.occur == Occur::Should || tokens.len() == 1 => {
                self.words(clause, tokens, mark, counts)
            }
            What::Word(tokens) => {
                if let Some(whole) = more_than_its_part(tokens) {
                    return self.words(clause, std::slice::from_ref(whole), mark, counts);
                }
                let parts: Vec<_> = tokens.iter().filter(|token| token.kind != TokenKind::Whole).collect();
                let parts: Vec<(u32, &QueryToken)> = (0..).zip(parts).collect();
                self.phrase(clause, &parts, mark, counts)
            }
            What::Phrase(words) => {
                let words: Vec<_> = words.iter().map(|(distance, token)| (*distance, token)).collect();
                self.phrase(clause, &words, mark, counts)
            }
            What::Prefix(prefix) => self.prefix(clause, prefix, mark, counts),
        }
    }

    pub(super) fn fields(&self, clause: &Clause) -> Vec<u8> {
        let all = 0..u8::try_from(self.collection.fields.len()).unwrap_or(u8::MAX);
        let wanted = |field: &u8| clause.field.is_none_or(|wanted| wanted == usize::from(*field));
        all.filter(wanted).collect()
    }

    /// The languages in which a word is worth looking for in a field.
    fn languages_for(&self, token: &QueryToken, field: u8) -> Vec<Language> {
        let is_name = self.collection.fields[usize::from(field)].role == Role::Name;
        let says_something = |language: &&Language| is_name || !token.is_stop_word(&[**language]);
        self.languages.iter().filter(says_something).copied().collect()
    }

    fn words(
        &mut self,
        clause: &Clause,
        tokens: &[QueryToken],
        mark: u64,
        counts: bool,
    ) -> Result<bool, SearchError> {
        let mut is_looked_for = false;
        for token in tokens {
            let share = if token.kind == TokenKind::Part { 0.5 } else { 1.0 };
            let mut best: Option<f64> = None;
            let mut unseen: Option<f64> = None;
            for field in self.fields(clause) {
                let languages = self.languages_for(token, field);
                if languages.is_empty() {
                    continue;
                }
                let weight = self.weight_of(field) * share;
                let rarest = bm25::most(bm25::rarity(self.counts.documents, 0), weight);
                unseen = Some(unseen.map_or(rarest, |unseen| unseen.max(rarest)));
                for stem in token.stems(&languages) {
                    let key = self.partition.word(field, &stem);
                    let having = self.corpus.count(&key)?;
                    if having > 0 {
                        let rarity = bm25::rarity(self.counts.documents, having);
                        let most = bm25::most(rarity, weight);
                        best = Some(best.map_or(most, |best| best.max(most)));
                        let worth = self.worth(field, rarity, weight, counts);
                        let rule = if token.kind == TokenKind::Part { Rule::Part } else { Rule::Word };
                        let reason = self.reason(clause, field, rule);
                        self.term(key, worth, mark, reason);
                    }
                }
            }
            is_looked_for |= unseen.is_some();
            if counts {
                // What nothing holds is missing everywhere.
                self.plan.ideal += best.or(unseen).unwrap_or(0.0);
            }
        }
        if !is_looked_for && counts {
            self.ignore(clause, mark);
        }
        Ok(is_looked_for)
    }

    /// A clause that says nothing here. What is not looked for cannot be demanded either, unless it is
    /// demanded in a field that these documents do not have.
    fn ignore(&mut self, clause: &Clause, mark: u64) {
        if !self.fields(clause).is_empty() {
            self.plan.ignored.push(clause.text.clone());
            self.plan.required &= !(mark & !Plan::HIT);
        }
    }

    pub(super) fn weight_of(&self, field: u8) -> f64 {
        self.collection.fields.get(usize::from(field)).map_or(1.0, |field| f64::from(field.weight))
    }

    fn worth(&self, field: u8, rarity: f64, weight: f64, counts: bool) -> Worth {
        if !counts {
            return Worth::Fixed(0);
        }
        let average = self.counts.fields[usize::from(field)].average();
        Worth::Words(field, Weight::new(rarity, weight, average))
    }

    fn phrase(
        &mut self,
        clause: &Clause,
        words: &[(u32, &QueryToken)],
        mark: u64,
        counts: bool,
    ) -> Result<bool, SearchError> {
        let mut best: Option<f64> = None;
        for field in self.fields(clause) {
            for sequence in self.sequences(field, words) {
                let (postings, having) = self.corpus.phrase(field, &sequence)?;
                let rarity = bm25::rarity(self.counts.documents, having);
                let weight = self.weight_of(field) * sequence.len() as f64;
                let most = bm25::most(rarity, weight);
                best = Some(best.map_or(most, |best| best.max(most)));
                let worth = self.worth(field, rarity, weight, counts);
                let reason = self.reason(clause, field, Rule::Phrase);
                self.plan.lists.push(List { postings, worth, mark, reason });
            }
        }
        if counts {
            self.plan.ideal += best.unwrap_or(0.0);
            if best.is_none() {
                self.ignore(clause, mark);
            }
        }
        Ok(best.is_some())
    }

    /// A phrase as documents of each language hold it, without words that are not kept in the field.
    fn sequences(&self, field: u8, words: &[(u32, &QueryToken)]) -> Vec<Vec<(u32, Key)>> {
        let is_name = self.collection.fields[usize::from(field)].role == Role::Name;
        let mut sequences: Vec<Vec<(u32, Key)>> = Vec::new();
        for language in &self.languages {
            let kept = words.iter().filter(|(_, token)| is_name || !token.is_stop_word(&[*language]));
            let keys = kept.flat_map(|(distance, token)| {
                let stem = token.stems(&[*language]).into_iter().next();
                stem.map(|stem| (*distance, self.partition.word(field, &stem)))
            });
            let mut sequence: Vec<_> = keys.collect();
            let Some(first) = sequence.first().map(|(distance, _)| *distance) else { continue };
            sequence.iter_mut().for_each(|(distance, _)| *distance -= first);
            if !sequences.contains(&sequence) {
                sequences.push(sequence);
            }
        }
        sequences
    }

    fn prefix(
        &mut self,
        clause: &Clause,
        prefix: &str,
        mark: u64,
        counts: bool,
    ) -> Result<bool, SearchError> {
        let mut most = 0.0_f64;
        let mut room = PREFIX_WORDS_MAX;
        for field in self.fields(clause) {
            let worth = ONE * self.weight_of(field);
            most = most.max(worth);
            let start = self.partition.surface(field, prefix);
            let words = self.corpus.marks_from(&start.bytes, room + 1)?;
            room = room.checked_sub(words.len()).ok_or_else(|| SearchError::PrefixTooShort {
                prefix: clause.text.clone(),
                max: PREFIX_WORDS_MAX,
            })?;
            for bytes in words {
                let worth = Worth::Fixed(if counts { worth as u32 } else { 0 });
                let reason = self.reason(clause, field, Rule::Prefix);
                self.term(Key { place: start.place, bytes }, worth, mark, reason);
            }
        }
        if counts {
            self.plan.ideal += most;
        }
        Ok(true)
    }

    /// A query that is the whole of a name is worth as much again as a perfect match.
    fn whole_name(&mut self, query: &Parsed) -> Result<(), SearchError> {
        let has_names = self.collection.fields.iter().any(|field| field.role == Role::Name);
        // Who looks for a word in prose does not look for a name.
        let is_elsewhere =
            |field: usize| self.collection.fields.get(field).is_none_or(|f| f.role != Role::Name);
        let wanted = query.clauses.iter().filter(|clause| clause.occur != Occur::MustNot);
        let elsewhere = wanted.filter_map(|clause| clause.field).any(is_elsewhere);
        if !has_names || elsewhere || query.name.is_empty() {
            return Ok(());
        }
        let key = self.partition.name(&query.name);
        let ideal = self.plan.ideal;
        self.plan.ideal += ideal;
        if self.corpus.count(&key)? > 0 {
            let names = self.collection.fields.iter().find(|field| field.role == Role::Name);
            let reason =
                |field: &Field| Reason { field: field.name, term: query.name.clone(), rule: Rule::Name };
            let reason = names.map(reason);
            self.term(key, Worth::Fixed(ideal as u32), Plan::HIT, reason);
        }
        Ok(())
    }

    fn filter(&mut self, filter: &Filter) {
        let partition = self.partition;
        if !filter.kinds.is_empty() {
            let keys = filter.kinds.iter().map(|kind| partition.kind(kind)).collect();
            self.one_of(keys);
        }
        for tag in &filter.tags {
            self.one_of(vec![partition.tag(tag)]);
        }
        if let Some(who) = &filter.visible_to {
            let everybody = std::iter::once(partition.visible(""));
            self.one_of(everybody.chain(who.iter().map(|who| partition.visible(who))).collect());
        }
        self.plan.times = filter.times;
        self.plan.group = filter.group;
    }

    fn one_of(&mut self, keys: Vec<Key>) {
        let mark = self.mark();
        self.plan.required |= mark;
        self.plan.filters.extend(keys.into_iter().map(|key| (key, mark)));
    }
}

/// The whole of `C++` or `.NET`, of which the only part says too little. `1,000` is no more than 1000.
fn more_than_its_part(tokens: &[QueryToken]) -> Option<&QueryToken> {
    let [whole, part] = tokens else { return None };
    (whole.kind == TokenKind::Whole && whole.surface.replace(',', "") != part.surface).then_some(whole)
}
