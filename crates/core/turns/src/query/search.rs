//! Answering a query.

use cairn_access::Scope;
use cairn_base::ContextId;
use cairn_seam::Reader;

use super::Query;
use super::expression::Expression;
use super::matching::IsLive;
use super::source::Source;
use crate::context::{Context, contexts_of};
use crate::error::TurnsError;
use crate::metadata::{Metadata, metadata};

/// Contexts that are looked at in one step, at first and at the most.
const STEP: (usize, usize) = (64, 1024);

/// What to search for, and how far.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// What contexts are to be found.
    pub query: &'a Query,
    /// Only contexts that were made before this one.
    pub before: Option<ContextId>,
    /// How many contexts are wanted.
    pub limit: usize,
    /// Whether all of them are to be counted, or the search may end when it has as many as are wanted.
    pub counts_all: bool,
    /// How many contexts may be looked at.
    pub visits_max: usize,
    /// Says of a context whether somebody works on it now.
    pub is_live: IsLive<'a>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Contexts and what is said about them, the newest first.
    pub contexts: Vec<(Context, Metadata)>,
    /// How many there are, as far as was looked.
    pub count: usize,
    /// Whether there are contexts that were not looked at.
    pub is_truncated: bool,
    /// Where to search on; `None` if nothing more is to be found.
    pub next_before: Option<ContextId>,
}

/// Finds contexts, the newest first.
pub fn search<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    search: &Search<'_>,
) -> Result<Found, TurnsError> {
    let source = Source::of(reader, scope, &search.query.expression)?;
    let mut found = Vec::new();
    let (mut count, mut visits) = (0, 0);
    let (mut before, mut step) = (search.before, STEP.0);
    let mut stopped = false;
    while !stopped && visits < search.visits_max {
        let batch = source.batch(reader, scope, before, step.min(search.visits_max - visits))?;
        visits += batch.contexts.len();
        for context in matching(reader, scope, &search.query.expression, search.is_live, &batch.contexts)? {
            count += 1;
            // One more than wanted says that there is another page.
            if found.len() <= search.limit {
                found.push(context);
            }
            if !search.counts_all && found.len() > search.limit {
                stopped = true;
                break;
            }
        }
        let Some(reached) = batch.reached else {
            before = None;
            break;
        };
        before = Some(reached);
        step = (step * 2).min(STEP.1);
    }
    let next_before = if found.len() > search.limit {
        found.truncate(search.limit);
        found.last().map(|(context, _)| context.id)
    } else {
        before
    };
    let is_truncated = before.is_some() && !stopped;
    let contexts = with_metadata(reader, scope, found)?;
    Ok(Found { contexts, count, is_truncated, next_before })
}

/// Some contexts, divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Among {
    /// Those that a query finds, in their order, and what is said about them.
    pub found: Vec<(Context, Metadata)>,
    /// Those that do not exist.
    pub missing: Vec<ContextId>,
}

/// Finds out which of some contexts a query finds.
pub fn among<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    query: &Query,
    is_live: IsLive<'_>,
    ids: &[ContextId],
) -> Result<Among, TurnsError> {
    let contexts = contexts_of(reader, scope, ids)?;
    let mut there = contexts.iter().map(|context| context.id).peekable();
    let missing = ids.iter().copied().filter(|id| there.next_if_eq(id).is_none()).collect();
    let found = matching(reader, scope, &query.expression, is_live, &contexts)?;
    Ok(Among { found: with_metadata(reader, scope, found)?, missing })
}

/// A context that was found, and what is said about it if that was needed to find it.
type Match = (Context, Option<Metadata>);

fn matching<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    expression: &Expression,
    is_live: IsLive<'_>,
    contexts: &[Context],
) -> Result<Vec<Match>, TurnsError> {
    if !expression.needs_metadata() {
        let unsaid = Metadata::default();
        let holds = |context: &&Context| expression.holds(context, &unsaid, is_live);
        return Ok(contexts.iter().filter(holds).map(|context| (*context, None)).collect());
    }
    let ids: Vec<_> = contexts.iter().map(|context| context.id).collect();
    let said = metadata(reader, scope, &ids)?;
    let holds = |(context, said): &(&Context, Metadata)| expression.holds(context, said, is_live);
    let found = contexts.iter().zip(said).filter(holds);
    Ok(found.map(|(context, said)| (*context, Some(said))).collect())
}

fn with_metadata<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    found: Vec<Match>,
) -> Result<Vec<(Context, Metadata)>, TurnsError> {
    let missing: Vec<_> =
        found.iter().filter(|(_, said)| said.is_none()).map(|(context, _)| context.id).collect();
    let mut missing = metadata(reader, scope, &missing)?.into_iter();
    let mut fill = |said: Option<Metadata>| said.or_else(|| missing.next()).unwrap_or_default();
    Ok(found.into_iter().map(|(context, said)| (context, fill(said))).collect())
}
