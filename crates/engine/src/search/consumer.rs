//! The index is a consumer of the change feed like others, with a name: how far it is can be seen, and
//! nothing is forgotten that it has not read.

use std::time::Instant;

use cairn_access::Principal;
use cairn_base::Position;
use cairn_search::index::SearchIndex;

use super::consult::WAIT_MAX;
use super::{Searching, State};
use crate::{ConsumerName, Engine, EngineError};

/// What the index is called among the consumers.
const NAME: &str = "search";

impl Engine {
    /// Says how far the index is on disk. That it could not be said stops nothing: a store that takes no
    /// writes can be searched.
    pub(super) fn tell_position(&self, index: &SearchIndex) {
        let written = index.figures().written;
        if written > Position::START
            && let Err(error) = self.advance_search(written)
        {
            tracing::debug!(%error, "the place of the search index in the feed was not noted");
        }
    }

    fn advance_search(&self, to: Position) -> Result<(), EngineError> {
        let (owner, name) = (Principal::local_owner(), ConsumerName::parse(NAME)?);
        let known = self.consumers(&owner)?.into_iter().find(|consumer| consumer.name == name);
        match known {
            None => self.consumer_register(&owner, &name, to).map(drop),
            Some(known) if known.position < to => self.feed_advance(&owner, &name, to).map(drop),
            // It was further before it was made anew, and gets there again.
            Some(_) => Ok(()),
        }
    }

    /// Has the index take in and write everything, before something is forgotten.
    pub(crate) fn settle_search(&self) {
        let State::Ready(index) = self.searching.state() else { return };
        let settle = || -> Result<(), EngineError> {
            self.feed_until(&index, self.position(), Instant::now() + WAIT_MAX)?;
            index.flush()?;
            Ok(())
        };
        if let Err(error) = settle() {
            tracing::warn!(%error, "the search index was not brought up to date");
        }
        self.tell_position(&index);
    }
}

impl Searching {
    /// Whether a consumer need not have read what is forgotten: an index that does not follow the feed now
    /// is made anew from what is there then.
    pub(crate) fn needs_nothing(&self, consumer: &ConsumerName) -> bool {
        let is_kept = self.home.lock().is_some();
        consumer.as_str() == NAME && is_kept && !matches!(*self.state.read(), State::Ready(_))
    }
}
