//! Questions and their answers.

use std::collections::HashMap;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContextId, TenantId, TurnId};
use cairn_seam::Snapshot;
use cairn_search::found::{GroupHit, Hit, Reason, Rule};
use cairn_search::index::SearchIndex;
use cairn_search::query::{self, Occur, Parsed};
use cairn_search::request::{Filter, Grouping, Recency, Request, Times};
use cairn_search::text::detect;
use cairn_search::{Matcher, SearchError, snippet};
use cairn_turns::search::{CONTEXTS, Candidate, TURNS, smooth};

use super::documents::Documents;
use super::{context_of, partition, turn_of};
use crate::search::Consulted;
use crate::{Act, Engine, EngineError, limits};

/// Neighbours lend among this many times as many as are asked for.
const CANDIDATES: usize = 10;
/// Characters of a snippet.
const SNIPPET_CHARS: usize = 240;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchIn {
    /// Single turns.
    Turns,
    /// Some turns one after the other.
    Windows,
    /// Whole contexts.
    Contexts,
    /// Published artifacts; nothing of turns.
    Artifacts,
    /// The smallest of these in which something holds all of the query.
    Auto,
}

impl SearchIn {
    /// What it is called in answers.
    pub fn name(self) -> &'static str {
        match self {
            SearchIn::Turns => "turns",
            SearchIn::Windows => "windows",
            SearchIn::Contexts => "contexts",
            SearchIn::Artifacts => "artifacts",
            SearchIn::Auto => "auto",
        }
    }
}

/// A question.
#[derive(Debug, Clone)]
pub struct SearchQuestion {
    /// Whose memory.
    pub tenant: TenantId,
    /// The words.
    pub text: String,
    /// What is looked for.
    pub search_in: SearchIn,
    /// Only turns of these types; any if empty.
    pub kinds: Vec<String>,
    /// Only what belongs to this context.
    pub context: Option<ContextId>,
    /// Not before, in Unix milliseconds.
    pub since_ms: Option<u64>,
    /// Not after, in Unix milliseconds.
    pub until_ms: Option<u64>,
    /// How many hits to return, at most [`limits::SEARCH_PAGE_MAX`].
    pub limit: usize,
    /// How many of the best were seen already, at most [`limits::SEARCH_DEPTH_MAX`].
    pub skip: usize,
    /// Newer is better: after this long something keeps three quarters of its score. Zero: age is nothing.
    pub half_life_ms: u64,
}

/// Part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPage {
    /// What was looked for.
    pub search_in: SearchIn,
    /// The best, the best first.
    pub hits: Vec<SearchHit>,
    /// How many there are in all.
    pub total: u64,
    /// Words that were not looked for, because they say nothing.
    pub ignored: Vec<String>,
    /// When little was found: what may have been meant, with names that are written almost so.
    pub suggestions: Vec<String>,
    /// Not everything that was committed before was looked at.
    pub behind: bool,
    /// The index is made anew, and this is what it has so far.
    pub rebuilding: bool,
    /// Where the next page begins, if there is one.
    pub next_skip: Option<usize>,
}

impl SearchPage {
    /// A page without hits.
    pub(crate) fn empty(search_in: SearchIn) -> Self {
        SearchPage {
            search_in,
            hits: Vec::new(),
            total: 0,
            ignored: Vec::new(),
            suggestions: Vec::new(),
            behind: false,
            rebuilding: false,
            next_skip: None,
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The context it is in.
    pub context: ContextId,
    /// What the context is called.
    pub title: Option<String>,
    /// The turn, or the best of several; none if only what is said about the context fits.
    pub turn: Option<TurnId>,
    /// All turns that are shown, the best first.
    pub turns: Vec<TurnId>,
    /// How many turns of it were found.
    pub count: u64,
    /// When the turn was appended, or the context made, in Unix milliseconds.
    pub time_ms: u64,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// Why it was found.
    pub reasons: Vec<Reason>,
    /// The part of its text that fits best.
    pub snippet: Option<Snippet>,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The text.
    pub text: String,
    /// Where in it something of the query stands, in bytes: start and end.
    pub highlights: Vec<(usize, usize)>,
}

impl Engine {
    /// Searches in what a tenant remembers.
    ///
    /// Finds everything that was committed before, or says that it is behind.
    pub fn search(
        &self,
        principal: &Principal,
        question: &SearchQuestion,
    ) -> Result<SearchPage, EngineError> {
        let act = Act::new(Action::TurnsRead, Resource::tenant(question.tenant));
        let consulted = self.consult(principal, &act, |index, snapshot, scope| {
            Asked { engine: self, index, snapshot, scope: *scope, question }.answer()
        })?;
        let Consulted { answer, behind, rebuilding } = consulted;
        Ok(SearchPage { behind, rebuilding, ..answer })
    }
}

/// A question that is being answered.
struct Asked<'a> {
    engine: &'a Engine,
    index: &'a SearchIndex,
    snapshot: &'a dyn Snapshot,
    scope: Scope,
    question: &'a SearchQuestion,
}

/// Part of an answer, and whether the best hit of all has something of every part of the query.
struct Answer {
    page: SearchPage,
    is_covered: bool,
}

impl Asked<'_> {
    fn answer(&self) -> Result<SearchPage, EngineError> {
        Ok(match self.question.search_in {
            SearchIn::Turns => self.turns()?.page,
            SearchIn::Windows => self.groups(SearchIn::Windows)?.page,
            SearchIn::Contexts => self.groups(SearchIn::Contexts)?.page,
            SearchIn::Artifacts => SearchPage::empty(SearchIn::Artifacts),
            SearchIn::Auto => {
                let turns = self.turns()?;
                if turns.is_covered {
                    return Ok(turns.page);
                }
                let windows = self.groups(SearchIn::Windows)?;
                if windows.is_covered {
                    return Ok(windows.page);
                }
                let contexts = self.groups(SearchIn::Contexts)?;
                if contexts.is_covered {
                    return Ok(contexts.page);
                }
                // Only contexts have names.
                SearchPage { suggestions: contexts.page.suggestions, ..turns.page }
            }
        })
    }

    fn parsed(&self, fields: &[&str]) -> Result<Parsed, EngineError> {
        Ok(query::parse(&self.question.text, fields).map_err(SearchError::from)?)
    }

    fn matcher(&self, query: &Parsed) -> Matcher {
        Matcher::new(query, &self.index.languages(partition(&TURNS, &self.scope)))
    }

    fn request(
        &self,
        query: Parsed,
        partitions: Vec<cairn_search::document::Partition>,
        limit: usize,
    ) -> Request {
        let question = self.question;
        Request {
            partitions,
            query,
            filter: Filter {
                kinds: question.kinds.clone(),
                tags: Vec::new(),
                times: Times { since_ms: question.since_ms, until_ms: question.until_ms },
                group: question.context.map(|context| context.0),
                visible_to: None,
            },
            limit,
            recency: Recency { half_life_ms: question.half_life_ms, now_ms: self.engine.clock().now_ms() },
        }
    }

    fn limit(&self) -> usize {
        self.question.limit.clamp(1, limits::SEARCH_PAGE_MAX)
    }

    fn end(&self) -> usize {
        self.question.skip.saturating_add(self.limit()).min(limits::SEARCH_DEPTH_MAX)
    }

    fn turns(&self) -> Result<Answer, EngineError> {
        let query = self.parsed(&["text"])?;
        let (matcher, wanted) = (self.matcher(&query), wanted_parts(&query));
        let candidates = self.limit() * CANDIDATES;
        let request = self.request(query, vec![partition(&TURNS, &self.scope)], candidates.max(self.end()));
        let found = self.index.search(&request)?;
        let (total, ignored) = (found.total, found.ignored);
        let mut hits = found.hits;
        let rest = hits.split_off(candidates.min(hits.len()));
        let mut hits = self.lend(hits)?;
        hits.extend(rest);
        let is_covered = covers(&wanted, &ignored, hits.first().map(|hit| &hit.reasons[..]));
        let page: Vec<_> = hits.into_iter().skip(self.question.skip).take(self.limit()).collect();
        let ids: Vec<_> = page.iter().map(|hit| turn_of(&hit.id)).collect();
        let texts = Documents::new(self.engine, self.snapshot, self.scope)?.texts(&ids)?;
        let titles = self.titles(page.iter().map(|hit| ContextId(hit.group)))?;
        let hits = page.into_iter().map(|hit| {
            let (turn, context) = (turn_of(&hit.id), ContextId(hit.group));
            SearchHit {
                context,
                title: titles.get(&context).cloned().flatten(),
                turn: Some(turn),
                turns: vec![turn],
                count: 1,
                time_ms: hit.time_ms,
                score: hit.score,
                reasons: hit.reasons,
                snippet: texts.get(&turn).and_then(|texts| shown(texts, &matcher)),
            }
        });
        Ok(Answer { page: self.page(SearchIn::Turns, hits.collect(), total, ignored), is_covered })
    }

    /// The best turns with what their neighbours lend them, the best first.
    fn lend(&self, mut hits: Vec<Hit>) -> Result<Vec<Hit>, EngineError> {
        let ids: Vec<_> = hits.iter().map(|hit| turn_of(&hit.id)).collect();
        let turns = cairn_turns::turns(self.snapshot, &self.scope, &ids)?;
        let parents: HashMap<TurnId, TurnId> = turns.iter().map(|turn| (turn.id, turn.parent)).collect();
        let candidates: Vec<_> = hits
            .iter()
            .map(|hit| {
                let turn = turn_of(&hit.id);
                let parent = parents.get(&turn).copied().unwrap_or(TurnId::NONE);
                Candidate { turn, parent, score: hit.score }
            })
            .collect();
        let smoothed = smooth(&candidates);
        let mut order: Vec<usize> = (0..hits.len()).collect();
        order.sort_by(|left, right| {
            let by_score = smoothed[*right].0.total_cmp(&smoothed[*left].0);
            by_score.then_with(|| hits[*left].id.cmp(&hits[*right].id))
        });
        for (hit, (score, lent)) in hits.iter_mut().zip(&smoothed) {
            hit.score = score.min(1.0);
            if *lent {
                hit.reasons.push(Reason { field: "text", term: String::new(), rule: Rule::Neighbour });
            }
        }
        let mut hits: Vec<_> = hits.into_iter().map(Some).collect();
        Ok(order.into_iter().filter_map(|at| hits[at].take()).collect())
    }

    fn groups(&self, search_in: SearchIn) -> Result<Answer, EngineError> {
        let turns = partition(&TURNS, &self.scope);
        let (fields, partitions, grouping) = match search_in {
            SearchIn::Contexts => {
                let fields = &["title", "label", "about"][..];
                (fields, vec![turns, partition(&CONTEXTS, &self.scope)], Grouping::Group)
            }
            SearchIn::Windows | SearchIn::Turns | SearchIn::Artifacts | SearchIn::Auto => {
                (&[][..], vec![turns], Grouping::Subgroup)
            }
        };
        let query = self.parsed(fields)?;
        let (matcher, wanted) = (self.matcher(&query), wanted_parts(&query));
        let found = self.index.search_groups(&self.request(query, partitions, self.end()), grouping)?;
        let best = found.groups.first().map(reasons_of);
        let is_covered = covers(&wanted, &found.ignored, best.as_deref());
        let page: Vec<_> = found.groups.into_iter().skip(self.question.skip).take(self.limit()).collect();
        let is_turn = |hit: &&Hit| hit.partition.collection == TURNS.number;
        let ids: Vec<_> =
            page.iter().flat_map(|group| &group.best).filter(is_turn).map(|hit| turn_of(&hit.id)).collect();
        let texts = Documents::new(self.engine, self.snapshot, self.scope)?.texts(&ids)?;
        let context_of_group = |group: &GroupHit| {
            let best = group.best.first();
            best.map_or(ContextId(0), |hit| match is_turn(&hit) {
                true => ContextId(hit.group),
                false => context_of(&hit.id),
            })
        };
        let titles = self.titles(page.iter().map(context_of_group))?;
        let hits = page.into_iter().map(|group| {
            let context = context_of_group(&group);
            let turns: Vec<_> = group.best.iter().filter(is_turn).map(|hit| turn_of(&hit.id)).collect();
            let reasons = reasons_of(&group);
            let title = titles.get(&context).cloned().flatten();
            let best = turns.first().and_then(|turn| texts.get(turn));
            let of_title = title.as_ref().map(std::slice::from_ref);
            let snippet = best.map(Vec::as_slice).or(of_title).and_then(|texts| shown(texts, &matcher));
            SearchHit {
                context,
                title,
                turn: turns.first().copied(),
                turns,
                count: group.count,
                time_ms: group.best.first().map_or(0, |hit| hit.time_ms),
                score: group.score,
                reasons,
                snippet,
            }
        });
        let page = self.page(search_in, hits.collect(), found.total, found.ignored);
        Ok(Answer { page: SearchPage { suggestions: found.suggestions, ..page }, is_covered })
    }

    fn page(
        &self,
        search_in: SearchIn,
        hits: Vec<SearchHit>,
        total: u64,
        ignored: Vec<String>,
    ) -> SearchPage {
        let next = self.question.skip + hits.len();
        let has_more = !hits.is_empty() && (next as u64) < total && next < limits::SEARCH_DEPTH_MAX;
        SearchPage {
            search_in,
            hits,
            total,
            ignored,
            suggestions: Vec::new(),
            behind: false,
            rebuilding: false,
            next_skip: has_more.then_some(next),
        }
    }

    fn titles(
        &self,
        contexts: impl Iterator<Item = ContextId>,
    ) -> Result<HashMap<ContextId, Option<String>>, EngineError> {
        let mut ids: Vec<_> = contexts.collect();
        ids.sort_unstable();
        ids.dedup();
        let said = cairn_turns::metadata(self.snapshot, &self.scope, &ids)?;
        Ok(ids.into_iter().zip(said.into_iter().map(|said| said.title)).collect())
    }
}

/// The parts of a query that something has to have for it to have all of it.
fn wanted_parts(query: &Parsed) -> Vec<String> {
    let wanted = query.clauses.iter().filter(|clause| clause.occur != Occur::MustNot);
    wanted.map(|clause| clause.text.clone()).collect()
}

/// Whether what was found for these reasons has something of every part that was looked for.
fn covers(wanted: &[String], ignored: &[String], reasons: Option<&[Reason]>) -> bool {
    let Some(reasons) = reasons else { return false };
    wanted.iter().all(|part| ignored.contains(part) || reasons.iter().any(|reason| reason.term == *part))
}

/// Why the documents that are shown of a group were found.
fn reasons_of(group: &GroupHit) -> Vec<Reason> {
    let mut reasons: Vec<_> = group.best.iter().flat_map(|hit| hit.reasons.clone()).collect();
    reasons.sort();
    reasons.dedup();
    reasons
}

/// The part of the texts that fits best.
fn shown(texts: &[String], matcher: &Matcher) -> Option<Snippet> {
    let text = texts.join(" \n ");
    let shown = snippet(&text, detect(&text), matcher, SNIPPET_CHARS);
    let highlights = shown.highlights.iter().map(|range| (range.start, range.end)).collect();
    (!shown.text.is_empty()).then_some(Snippet { text: shown.text, highlights })
}
