//! Everything a memory store holds, at its newest position.

use std::collections::{BTreeMap, HashMap, VecDeque};

use cairn_base::{ContentHash, Entropy, Position, SeededEntropy, TenantId};

use super::blob::StoredBlob;
use super::hashed::{Entry, Hashed, Name};
use super::history::History;
use super::table::{Bytes, Table};
use crate::{Change, Event};

/// What a transaction wants changed.
#[derive(Debug, Default)]
pub(super) struct Overlay {
    /// Keyspace → key → value, `None` to delete.
    pub(super) ordered: BTreeMap<u16, BTreeMap<Bytes, Option<Bytes>>>,
    /// Entries of hashed keyspaces.
    pub(super) hashed: HashMap<Name, Entry>,
    /// Blobs the tenant did not have, or that were renewed or removed.
    pub(super) blobs: HashMap<ContentHash, StoredBlob>,
    /// Events, in the order emitted.
    pub(super) events: Vec<Event>,
}

/// The contents of a store.
#[derive(Debug)]
pub(super) struct State {
    /// The newest position.
    pub(super) position: Position,
    /// Where the strides between positions come from; without it each is 1.
    pub(super) strides: Option<SeededEntropy>,
    /// Ordered keyspaces by number.
    pub(super) tables: BTreeMap<u16, Table>,
    /// Hashed keyspaces.
    pub(super) hashed: Hashed,
    /// Blobs of each tenant.
    pub(super) blobs: HashMap<(TenantId, ContentHash), StoredBlob>,
    /// The change feed.
    pub(super) history: History,
    /// Keys with versions to prune once nobody reads before the position, oldest first.
    leftovers: VecDeque<(Position, u16, Bytes)>,
}

impl State {
    /// An empty store that keeps about `history_bytes_max` bytes of changes.
    pub(super) fn new(history_bytes_max: usize) -> Self {
        State {
            position: Position::START,
            strides: None,
            tables: BTreeMap::new(),
            hashed: Hashed::default(),
            blobs: HashMap::new(),
            history: History::new(history_bytes_max),
            leftovers: VecDeque::new(),
        }
    }

    /// Makes a transaction's changes part of the store, at a position of their own.
    pub(super) fn commit(&mut self, tenant: TenantId, overlay: Overlay) -> Position {
        let position = Position::from_stored(self.position.to_stored() + self.stride());
        self.position = position;
        for (keyspace, changes) in overlay.ordered {
            let table = self.tables.entry(keyspace).or_default();
            for (key, value) in changes {
                if table.set(&key, position, value) {
                    self.leftovers.push_back((position, keyspace, key));
                }
            }
        }
        for (name, entry) in overlay.hashed {
            self.hashed.set(name, entry);
        }
        for (hash, blob) in overlay.blobs {
            self.blobs.insert((tenant, hash), blob);
        }
        if !overlay.events.is_empty() {
            self.history.push(Change { position, tenant, events: overlay.events });
        }
        position
    }

    /// The distance to the next position: 1, or random and of any magnitude up to 24 bits.
    fn stride(&self) -> u64 {
        let Some(strides) = &self.strides else { return 1 };
        let random = strides.next_u64();
        1 + (random >> 8) % (1 << (random % 24))
    }

    /// Drops every version that nobody who reads at `oldest` or later can see.
    pub(super) fn prune(&mut self, oldest: Position) {
        while self.leftovers.front().is_some_and(|(position, ..)| *position <= oldest) {
            let Some((_, keyspace, key)) = self.leftovers.pop_front() else { break };
            if let Some(table) = self.tables.get_mut(&keyspace) {
                table.prune(&key, oldest);
            }
        }
    }

    /// A blob of a tenant.
    pub(super) fn blob(&self, tenant: TenantId, hash: ContentHash) -> Option<StoredBlob> {
        self.blobs.get(&(tenant, hash)).cloned()
    }
}
