//! Followers of the change feed: each has a name and a position of its own.
//!
//! Consumers are the node's (its search index, its peers), so they are kept under the node and see
//! the changes of every tenant. Advancing emits no event: a feed that fed itself would never end.

use std::fmt;
use std::str::FromStr;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{KeyBuf, KeyReader, Position};
use cairn_seam::{ChangePage, KeyRange, Reader, StoreError, Visit};
use serde::{Serialize, Serializer};

use crate::record::{self, ConsumerRecord};
use crate::{Act, Committed, Engine, EngineError, limits, tables};

/// The name of a consumer: 1 to 64 characters of `a-z`, `0-9`, `-`, `_` and `.`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConsumerName(String);

impl ConsumerName {
    /// Checks a name.
    pub fn parse(name: &str) -> Result<Self, EngineError> {
        let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.');
        let length_ok = (1..=limits::CONSUMER_NAME_BYTES_MAX).contains(&name.len());
        if length_ok && name.bytes().all(plain) {
            Ok(ConsumerName(name.into()))
        } else {
            Err(EngineError::ConsumerName)
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ConsumerName {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<Self, EngineError> {
        ConsumerName::parse(name)
    }
}

impl fmt::Display for ConsumerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for ConsumerName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// A follower of the change feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consumer {
    /// Its name.
    pub name: ConsumerName,
    /// Everything up to here it has dealt with.
    pub position: Position,
    /// When it said so, in Unix milliseconds.
    pub advanced_at_ms: u64,
}

impl Engine {
    /// Adds a consumer that starts after `from`; one that exists already stays as it is.
    pub fn consumer_register(
        &self,
        principal: &Principal,
        name: &ConsumerName,
        from: Position,
    ) -> Result<Committed<Consumer>, EngineError> {
        let fresh = ConsumerRecord { position: from, advanced_at_ms: self.clock().now_ms() };
        let act = Act::new(Action::ConsumerRegister, Resource::NODE).on(name.as_str());
        let newest = self.position();
        let name = name.clone();
        self.transact(principal, act, move |tx, scope| {
            not_ahead(from, newest)?;
            if let Some(existing) = load(tx, scope, &name)? {
                return Ok(existing.named(name.clone()));
            }
            if list(tx, scope)?.len() >= limits::CONSUMERS_MAX {
                return Err(EngineError::ConsumersFull);
            }
            tx.put(tables::CONSUMERS, &key(scope, &name), &record::encode_consumer(&fresh))?;
            Ok(fresh.named(name.clone()))
        })
    }

    /// Removes a consumer.
    pub fn consumer_remove(
        &self,
        principal: &Principal,
        name: &ConsumerName,
    ) -> Result<Committed<()>, EngineError> {
        let act = Act::new(Action::ConsumerRemove, Resource::NODE).on(name.as_str());
        let name = name.clone();
        self.transact(principal, act, move |tx, scope| {
            expect(tx, scope, &name)?;
            Ok(tx.delete(tables::CONSUMERS, &key(scope, &name))?)
        })
    }

    /// Every consumer, by name.
    pub fn consumers(&self, principal: &Principal) -> Result<Vec<Consumer>, EngineError> {
        let act = Act::new(Action::ConsumerRead, Resource::NODE);
        self.read(principal, act, Position::START, |snapshot, scope| list(snapshot, scope))
    }

    /// Changes after a consumer's position, at most `limit` and at most `CHANGES_PAGE_MAX`.
    ///
    /// Reading moves nothing: when the page has been dealt with, [`feed_advance`](Engine::feed_advance)
    /// to its `next`. Fails with [`EngineError::ConsumerTooOld`] when those changes are gone.
    pub fn feed_page(
        &self,
        principal: &Principal,
        name: &ConsumerName,
        limit: usize,
    ) -> Result<ChangePage, EngineError> {
        let act = Act::new(Action::FeedRead, Resource::NODE).on(name.as_str());
        let limit = limit.clamp(1, cairn_seam::limits::CHANGES_PAGE_MAX);
        self.read(principal, act, Position::START, |snapshot, scope| {
            let at = expect(snapshot, scope, name)?.position;
            self.pipeline.store().changes(at, None, limit).map_err(|error| too_old(error, name, at))
        })
    }

    /// Says that a consumer has dealt with everything up to `position`.
    ///
    /// Only forward ([`EngineError::ConsumerBackwards`]), and not ahead of the store.
    pub fn feed_advance(
        &self,
        principal: &Principal,
        name: &ConsumerName,
        position: Position,
    ) -> Result<Committed<()>, EngineError> {
        let act = Act::new(Action::ConsumerAdvance, Resource::NODE).on(name.as_str());
        let moved = ConsumerRecord { position, advanced_at_ms: self.clock().now_ms() };
        let newest = self.position();
        let name = name.clone();
        self.transact(principal, act, move |tx, scope| {
            not_ahead(position, newest)?;
            let at = expect(tx, scope, &name)?.position;
            if position < at {
                return Err(EngineError::ConsumerBackwards { name: name.to_string(), at, asked: position });
            }
            Ok(tx.put(tables::CONSUMERS, &key(scope, &name), &record::encode_consumer(&moved))?)
        })
    }
}

impl ConsumerRecord {
    fn named(self, name: ConsumerName) -> Consumer {
        Consumer { name, position: self.position, advanced_at_ms: self.advanced_at_ms }
    }
}

/// Checked inside the transaction, because whoever may not act shall not learn where the store stands.
fn not_ahead(asked: Position, at: Position) -> Result<(), EngineError> {
    if asked > at { Err(StoreError::PositionAhead { asked, at }.into()) } else { Ok(()) }
}

/// Every consumer, by name; there are at most `CONSUMERS_MAX`.
pub(crate) fn list<R: Reader + ?Sized>(reader: &R, scope: &Scope) -> Result<Vec<Consumer>, EngineError> {
    let mut rows = Vec::new();
    reader.multi_scan(tables::CONSUMERS, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Visit::Continue
    })?;
    rows.iter().map(|(key, value)| Ok(record::decode_consumer(value)?.named(name_of(key)?))).collect()
}

fn key(scope: &Scope, name: &ConsumerName) -> KeyBuf {
    scope.key().str(&name.0)
}

fn name_of(key: &[u8]) -> Result<ConsumerName, EngineError> {
    let mut parts = KeyReader::new(key);
    let name = parts.tenant().and_then(|_| parts.space()).and_then(|_| parts.str());
    let bad_key = |detail: String| EngineError::BadRecord { what: "consumer key", detail };
    ConsumerName::parse(&name.map_err(|error| bad_key(error.to_string()))?)
        .map_err(|error| bad_key(error.to_string()))
}

fn load<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    name: &ConsumerName,
) -> Result<Option<ConsumerRecord>, EngineError> {
    let stored = cairn_seam::get(reader, tables::CONSUMERS, &key(scope, name))?;
    stored.as_deref().map(record::decode_consumer).transpose()
}

fn expect<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    name: &ConsumerName,
) -> Result<ConsumerRecord, EngineError> {
    load(reader, scope, name)?.ok_or_else(|| EngineError::ConsumerUnknown { name: name.to_string() })
}

fn too_old(error: StoreError, name: &ConsumerName, at: Position) -> EngineError {
    if let StoreError::TooOld { horizon } = error {
        EngineError::ConsumerTooOld { name: name.to_string(), at, horizon }
    } else {
        error.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_at_the_limit_and_one_past_it() {
        let longest = "x".repeat(limits::CONSUMER_NAME_BYTES_MAX);
        for good in ["a", "search-indexer", "peer.7_b", &longest] {
            assert_eq!(ConsumerName::parse(good).map(|name| name.to_string()).ok().as_deref(), Some(good));
        }
        for bad in ["", &format!("{longest}x"), "A", "a b", "ä", "a/b", "a\0"] {
            assert!(matches!(ConsumerName::parse(bad), Err(EngineError::ConsumerName)), "{bad:?}");
        }
    }
}
