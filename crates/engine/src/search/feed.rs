//! Follows the change feed: what was committed becomes documents.

use std::fmt;

use cairn_base::{ErrorCode, Position};
use cairn_seam::{Change as Commit, limits};
use cairn_search::document::{Change, Partition};
use cairn_search::index::SearchIndex;

use crate::{Engine, EngineError};

/// Commits with about so many events are taken in together.
const EVENTS_TOGETHER: usize = 256;

/// How far the feed was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fed {
    /// To its end.
    Whole,
    /// There is more.
    Partly,
    /// As far as there is memory: the rest waits in the feed until something was written to disk.
    Full,
}

/// Takes changes of documents into the index, together with the commits that they come from.
pub struct Taking<'a> {
    index: &'a SearchIndex,
    changes: Vec<(Partition, Change)>,
}

impl Taking<'_> {
    /// Adds changes. They are taken in when all memories have seen the commits.
    pub fn add(&mut self, changes: impl IntoIterator<Item = (Partition, Change)>) {
        self.changes.extend(changes);
    }

    /// Takes changes in at once, for commits with more documents than memory has room for. They may come once
    /// more, so none may be a [`Change::Add`].
    pub fn add_now(&mut self, changes: &[(Partition, Change)]) -> Result<(), EngineError> {
        take_into(self.index, changes, self.index.position())
    }
}

impl Engine {
    /// Takes the next page of the feed into the index, as far as there is memory for it.
    ///
    /// Only one at a time, which is whoever holds the lock of the feed.
    pub(super) fn feed_page_into(&self, index: &SearchIndex) -> Result<Fed, EngineError> {
        let store = self.pipeline.store();
        let page = store.changes(index.position(), None, limits::CHANGES_PAGE_MAX)?;
        // Taken after the feed was read, so that the records of everything in it are there.
        let snapshot = store.snapshot(page.next)?;
        let mut rest = &page.changes[..];
        loop {
            if self.searching.is_full(index) {
                return Ok(Fed::Full);
            }
            let (together, after) = rest.split_at(how_many_together(rest));
            let mut taking = Taking { index, changes: Vec::new() };
            // Neighbours of one tenant go together.
            for commits in together.chunk_by(|left, right| left.tenant == right.tenant) {
                let Some(tenant) = commits.first().map(|commit| commit.tenant) else { continue };
                for memory in self.memories.searched() {
                    memory.take(self, tenant, commits, &*snapshot, &mut taking)?;
                }
            }
            // Commits without events are dealt with when those before them are.
            let last = together.last().filter(|_| !after.is_empty());
            take_into(index, &taking.changes, last.map_or(page.next, |commit| commit.position))?;
            self.searching.note_fed(index);
            rest = after;
            if rest.is_empty() {
                return Ok(if page.at_end { Fed::Whole } else { Fed::Partly });
            }
        }
    }
}

/// Takes changes into an index, and says so if something of them will not be found.
pub(crate) fn take_into(
    index: &SearchIndex,
    changes: &[(Partition, Change)],
    position: Position,
) -> Result<(), EngineError> {
    let unreadable = index.apply(changes, position)?;
    if unreadable > 0 {
        tracing::warn!(unreadable, %position, "texts could not be taken apart, and are not found");
    }
    Ok(())
}

/// How many of these commits have about as many events as are taken in together; one at least.
fn how_many_together(commits: &[Commit]) -> usize {
    let mut events = 0;
    let fits = |commit: &&Commit| {
        events += commit.events.len();
        events <= EVENTS_TOGETHER
    };
    commits.iter().take_while(fits).count().max(1).min(commits.len())
}

/// Does something to all of these; if one is damaged, to all that are not: what comes after it shall be
/// found.
pub(crate) fn in_spite_of_damage<I: fmt::Debug, T>(
    all: &[I],
    what: &'static str,
    mut take: impl FnMut(&[I]) -> Result<Vec<T>, EngineError>,
) -> Result<Vec<T>, EngineError> {
    let is_damage = |error: &EngineError| error.code() == ErrorCode::Damaged;
    match take(all) {
        Err(error) if is_damage(&error) => {}
        taken => return taken,
    }
    let mut whole = Vec::with_capacity(all.len());
    for one in all.chunks(1) {
        match take(one) {
            Err(error) if is_damage(&error) => {
                tracing::warn!(%error, what, which = ?one, "it is damaged, and not found");
            }
            taken => whole.extend(taken?),
        }
    }
    Ok(whole)
}
