//! What a damaged store held, as far as it can still be told.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use cairn_access::tables as access;
use cairn_base::{KeyReader, Position, SpaceId, TenantId};
use cairn_graph::tables as graph;
use cairn_seam::{Certainty, Item, Keyspace, Reader, SalvagedStore, StoreError, Trace, Witness};
use cairn_turns::tables as turns;

use crate::tables;

/// Keys in damaged frames that are kept.
const NAMED_MAX: usize = 200_000;

/// Records that are not rebuilt from others, what people call them, and how their id is made of a key.
/// Memories look after those with numbers themselves.
const PRIMARY: &[(Keyspace, &str, Id)] = &[
    (tables::AUDIT, "audit line", Id::Moment),
    (tables::CONSUMERS, "consumer", Id::Text),
    (turns::TREES, "tree of turn", Id::Number),
    (turns::BUNDLES, "registry bundle", Id::Bytes),
    (access::TENANTS, "tenant", Id::Short),
    (access::USERS, "user", Id::Text),
    (access::TEAMS, "team", Id::Text),
    (access::TOKENS, "token", Id::Bytes),
    (access::KEYS, "key", Id::Bytes),
    (graph::SPACE_NAMES, "space", Id::Short),
];

/// How the id of a record is written.
#[derive(Debug, Clone, Copy)]
enum Id {
    Number,
    Short,
    Text,
    Bytes,
    Moment,
}

/// Collects what can be seen of a damaged store.
#[derive(Debug, Default)]
pub struct Traces {
    pub(super) turns: cairn_turns::salvage::Clues,
    pub(super) graph: cairn_graph::salvage::Clues,
    pub(super) scopes: BTreeMap<TenantId, BTreeSet<SpaceId>>,
    /// Keys of records in frames that do not verify, and the newest position of each.
    named: BTreeMap<(u16, Vec<u8>), u64>,
    /// Hashes of keys that were deleted.
    deleted: HashSet<u64>,
}

impl Witness for Traces {
    fn saw(&mut self, certainty: Certainty, position: Position, tenant: TenantId, trace: Trace<'_>) {
        self.turns.saw(certainty, position, tenant, trace);
        self.graph.saw(certainty, position, tenant, trace);
        let (Trace::Put { keyspace, key, .. } | Trace::Delete { keyspace, key }) = trace else { return };
        let mut parts = KeyReader::new(key);
        let (Ok(of), Ok(space)) = (parts.tenant(), parts.space()) else { return };
        let is_put = matches!(trace, Trace::Put { .. });
        let is_primary = PRIMARY.iter().any(|(primary, ..)| primary.id == keyspace);
        match certainty {
            Certainty::Proven => {
                self.scopes.entry(of).or_default().insert(space);
                if is_primary && !is_put {
                    self.deleted.insert(hash(keyspace, key));
                }
            }
            Certainty::Doubtful => {
                if is_put && is_primary && of == tenant && self.named.len() < NAMED_MAX {
                    self.named.insert((keyspace, key.to_vec()), position.0);
                }
            }
        }
    }
}

impl Traces {
    /// Records that a damaged frame names and that are not there.
    pub(super) fn named(&self, reader: &dyn Reader, store: &SalvagedStore) -> Result<Vec<Item>, StoreError> {
        let mut lost = Vec::new();
        for ((keyspace, key), position) in &self.named {
            let Some((keyspace, kind, id)) = PRIMARY.iter().find(|(known, ..)| known.id == *keyspace) else {
                continue;
            };
            let mut parts = KeyReader::new(key);
            let (Ok(tenant), Ok(space)) = (parts.tenant(), parts.space()) else { continue };
            let Some(id) = id.write(&key[8..]) else { continue };
            // A tenant or space that nobody has heard of is a flipped bit.
            let is_known = self.scopes.get(&tenant).is_some_and(|spaces| spaces.contains(&space));
            let may_be = store.may_have_lost(*keyspace, key, *position <= store.records_to)
                && !self.deleted.contains(&hash(keyspace.id, key));
            if is_known && may_be && cairn_seam::get(reader, *keyspace, key)?.is_none() {
                lost.push(Item { tenant, space, kind, id, detail: "as a damaged frame names it".into() });
            }
        }
        Ok(lost)
    }
}

fn hash(keyspace: u16, key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (keyspace, key).hash(&mut hasher);
    hasher.finish()
}

impl Id {
    /// `None` when the rest of a key is not what it has to be.
    fn write(self, rest: &[u8]) -> Option<String> {
        let mut parts = KeyReader::new(rest);
        let text = match self {
            Id::Number => parts.u64().ok()?.to_string(),
            Id::Short => parts.u32().ok()?.to_string(),
            Id::Text => return parts.str().ok().map(Into::into),
            Id::Bytes => return Some(rest.iter().map(|byte| format!("{byte:02x}")).collect()),
            Id::Moment => format!("{}-{}", parts.u64().ok()?, parts.u64().ok()?),
        };
        parts.finish().ok().map(|()| text)
    }
}
