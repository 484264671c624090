//! Which contexts a search has to look at: all of them, or those that an index names.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::{ContextId, KeyBuf, prefix_end};
use cairn_seam::{KeyRange, Reader, Visit};

use super::expression::{Expression, Test, TextTest};
use crate::context::{Context, contexts, contexts_of};
use crate::error::TurnsError;
use crate::metadata::term_prefix;
use crate::tables::TERMS;
use crate::times::{BLOCK, Span, newest_block};

/// Entries of an index that are counted to find the shortest.
const PROBE: usize = 256;

/// Where contexts come from, the newest first.
pub(super) enum Source {
    /// Every context, or every one that was made in a span of time.
    Everything { made: Option<Span> },
    /// Those under some terms of the index, and these, the newest first.
    Listed { terms: Vec<KeyBuf>, ids: Vec<u64> },
}

/// Some contexts, the newest first.
pub(super) struct Batch {
    pub(super) contexts: Vec<Context>,
    /// All contexts from here on were looked for; `None` if there are no more.
    pub(super) reached: Option<ContextId>,
}

impl Source {
    const EVERYTHING: Source = Source::Everything { made: None };

    /// The smallest source that has every context of which the expression holds.
    pub(super) fn of<R: Reader + ?Sized>(
        reader: &R,
        scope: &Scope,
        expression: &Expression,
    ) -> Result<Self, TurnsError> {
        Ok(match Source::listed(reader, scope, expression)? {
            Source::Everything { .. } => Source::Everything { made: expression.made() },
            Source::Listed { terms, mut ids } => {
                ids.sort_unstable_by(|one, other| other.cmp(one));
                ids.dedup();
                Source::Listed { terms, ids }
            }
        })
    }

    fn listed<R: Reader + ?Sized>(
        reader: &R,
        scope: &Scope,
        expression: &Expression,
    ) -> Result<Self, TurnsError> {
        match expression {
            Expression::Test(Test::Text(field, TextTest::AnyOf(texts))) => {
                let terms = texts.iter().map(|text| term_prefix(scope, *field, text.as_bytes()));
                Ok(Source::Listed { terms: terms.collect(), ids: Vec::new() })
            }
            Expression::Test(Test::Context(field, ids)) => {
                let terms = ids.iter().map(|id| term_prefix(scope, *field, &id.to_be_bytes()));
                Ok(Source::Listed { terms: terms.collect(), ids: Vec::new() })
            }
            Expression::Test(Test::Id(ids)) => Ok(Source::Listed { terms: Vec::new(), ids: ids.clone() }),
            Expression::All(parts) => Source::shortest(reader, scope, parts),
            Expression::Any(parts) => Source::union(reader, scope, parts),
            Expression::Not(_)
            | Expression::Test(
                Test::Text(_, TextTest::Prefix(_) | TextTest::SameLetters(_) | TextTest::PrefixOfLetters(_))
                | Test::Created(..)
                | Test::Depth(..)
                | Test::IsLive(_),
            ) => Ok(Source::EVERYTHING),
        }
    }

    /// Any part's source has all contexts of which all parts hold.
    fn shortest<R: Reader + ?Sized>(
        reader: &R,
        scope: &Scope,
        parts: &[Expression],
    ) -> Result<Self, TurnsError> {
        let mut sources = Vec::new();
        for part in parts {
            let source = Source::listed(reader, scope, part)?;
            if matches!(source, Source::Listed { .. }) {
                sources.push(source);
            }
        }
        if sources.len() > 1 {
            let lengths = sources.iter().map(|source| source.probe(reader)).collect::<Result<Vec<_>, _>>()?;
            let shortest = (0..lengths.len()).min_by_key(|at| lengths[*at]).unwrap_or(0);
            sources.swap(0, shortest);
        }
        Ok(sources.into_iter().next().unwrap_or(Source::EVERYTHING))
    }

    fn union<R: Reader + ?Sized>(
        reader: &R,
        scope: &Scope,
        parts: &[Expression],
    ) -> Result<Self, TurnsError> {
        let (mut all_terms, mut all_ids) = (Vec::new(), Vec::new());
        for part in parts {
            let Source::Listed { terms, ids } = Source::listed(reader, scope, part)? else {
                return Ok(Source::EVERYTHING);
            };
            all_terms.extend(terms);
            all_ids.extend(ids);
        }
        Ok(Source::Listed { terms: all_terms, ids: all_ids })
    }

    /// About how many contexts it has.
    fn probe<R: Reader + ?Sized>(&self, reader: &R) -> Result<usize, TurnsError> {
        let Source::Listed { terms, ids } = self else { return Ok(usize::MAX) };
        let mut count = ids.len();
        let ranges: Vec<_> =
            terms.iter().map(|term| KeyRange::prefix(term).descending().limit(PROBE)).collect();
        reader.multi_scan(TERMS, &ranges, &mut |_, _, _| {
            count += 1;
            if count < PROBE { Visit::Continue } else { Visit::Stop }
        })?;
        Ok(count)
    }

    /// About `count` contexts of those before `before`.
    pub(super) fn batch<R: Reader + ?Sized>(
        &self,
        reader: &R,
        scope: &Scope,
        before: Option<ContextId>,
        count: usize,
    ) -> Result<Batch, TurnsError> {
        match self {
            Source::Everything { made: Some(made) } => block(reader, scope, before, *made),
            Source::Everything { made: None } => {
                let contexts = contexts(reader, scope, before, count)?;
                let reached = contexts.last().map(|last| last.id).filter(|_| contexts.len() == count);
                Ok(Batch { contexts, reached })
            }
            Source::Listed { terms, ids } => {
                let (mut found, mut reached) = listed(reader, terms, before, count)?;
                let due = &ids[ids.partition_point(|id| before.is_some_and(|before| *id >= before.0))..];
                let named = &due[..due.len().min(count)];
                if named.len() < due.len() {
                    reached = reached.max(named.last().copied());
                }
                found.extend(named);
                found.retain(|id| reached.is_none_or(|reached| *id >= reached));
                found.sort_unstable_by(|one, other| other.cmp(one));
                found.dedup();
                let found: Vec<_> = found.into_iter().map(ContextId).collect();
                let contexts = contexts_of(reader, scope, &found)?;
                Ok(Batch { contexts, reached: reached.map(ContextId) })
            }
        }
    }
}

/// The newest contexts of which some may have been made in a span of time.
fn block<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    before: Option<ContextId>,
    made: Span,
) -> Result<Batch, TurnsError> {
    let Some(first) = newest_block(reader, scope, before, made)? else {
        return Ok(Batch { contexts: Vec::new(), reached: None });
    };
    let end = first.0.saturating_add(BLOCK);
    let before = ContextId(before.map_or(end, |before| before.0.min(end)));
    let mut contexts = contexts(reader, scope, Some(before), usize::try_from(BLOCK).unwrap_or(usize::MAX))?;
    contexts.retain(|context| context.id >= first);
    Ok(Batch { contexts, reached: Some(first).filter(|first| first.0 > 0) })
}

/// The newest contexts under each of some terms, and down to which one none is missing.
///
/// Each term is read up to a limit. Below the last context of a term that has more, that term may have
/// contexts that were not read; so only down to the highest of these the result is whole.
fn listed<R: Reader + ?Sized>(
    reader: &R,
    terms: &[KeyBuf],
    before: Option<ContextId>,
    count: usize,
) -> Result<(Vec<u64>, Option<u64>), TurnsError> {
    let limit = (count / terms.len().max(1)).max(16);
    let range = |term: &KeyBuf| {
        let high = match before {
            Some(before) => Bound::Excluded(term.clone().u64(before.0).into_vec()),
            None => prefix_end(term).map_or(Bound::Unbounded, Bound::Excluded),
        };
        KeyRange::new(Bound::Included(term.to_vec()), high).descending().limit(limit)
    };
    let ranges: Vec<_> = terms.iter().map(range).collect();
    let (mut found, mut read) = (Vec::new(), vec![0_usize; terms.len()]);
    let mut reached = None;
    reader.multi_scan(TERMS, &ranges, &mut |at, key, _| {
        let id = key.last_chunk().map_or(0, |id| u64::from_be_bytes(*id));
        found.push(id);
        read[at] += 1;
        if read[at] == limit {
            reached = reached.max(Some(id));
        }
        Visit::Continue
    })?;
    Ok((found, reached))
}
