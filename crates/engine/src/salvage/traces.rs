//! What a damaged store held, as far as it can still be told.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use cairn_base::{KeyReader, Position, SpaceId, TenantId};
use cairn_seam::{Certainty, Item, Reader, SalvagedStore, StoreError, Trace, Witness};

use crate::memory::{Primary, PrimaryId, Salvage};
use crate::tables;

/// Keys in damaged frames that are kept.
const NAMED_MAX: usize = 200_000;

/// Collects what can be seen of a damaged store.
#[derive(Debug)]
pub struct Traces {
    pub(super) memories: Vec<Box<dyn Salvage>>,
    /// Records that are not rebuilt from others.
    primary: Vec<Primary>,
    pub(super) scopes: BTreeMap<TenantId, BTreeSet<SpaceId>>,
    /// Keys of records in frames that do not verify, and the newest position of each.
    named: BTreeMap<(u16, Vec<u8>), Position>,
    /// Hashes of keys that were deleted.
    deleted: HashSet<u64>,
}

impl Default for Traces {
    fn default() -> Self {
        let memories = tables::built_in();
        Traces {
            memories: memories.all().iter().filter_map(|memory| memory.salvage()).collect(),
            primary: memories.all().iter().flat_map(|memory| memory.primary()).copied().collect(),
            scopes: BTreeMap::new(),
            named: BTreeMap::new(),
            deleted: HashSet::new(),
        }
    }
}

impl Witness for Traces {
    fn saw(&mut self, certainty: Certainty, position: Position, tenant: TenantId, trace: Trace<'_>) {
        for memory in &mut self.memories {
            memory.saw(certainty, position, tenant, trace);
        }
        let (Trace::Put { keyspace, key, .. } | Trace::Delete { keyspace, key }) = trace else { return };
        let mut parts = KeyReader::new(key);
        let (Ok(of), Ok(space)) = (parts.tenant(), parts.space()) else { return };
        let is_put = matches!(trace, Trace::Put { .. });
        let is_primary = self.primary.iter().any(|primary| primary.keyspace.id == keyspace);
        match certainty {
            Certainty::Proven => {
                self.scopes.entry(of).or_default().insert(space);
                if is_primary && !is_put {
                    self.deleted.insert(hash(keyspace, key));
                }
            }
            Certainty::Doubtful => {
                if is_put && is_primary && of == tenant && self.named.len() < NAMED_MAX {
                    self.named.insert((keyspace, key.to_vec()), position);
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
            let primary = self.primary.iter().find(|primary| primary.keyspace.id == *keyspace);
            let Some(Primary { keyspace, kind, id }) = primary else { continue };
            let mut parts = KeyReader::new(key);
            let (Ok(tenant), Ok(space)) = (parts.tenant(), parts.space()) else { continue };
            let Some(id) = written(*id, &key[8..]) else { continue };
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

/// The id of a record as people read it; `None` when the rest of its key is not what it has to be.
fn written(id: PrimaryId, rest: &[u8]) -> Option<String> {
    let mut parts = KeyReader::new(rest);
    let text = match id {
        PrimaryId::Number => parts.u64().ok()?.to_string(),
        PrimaryId::Short => parts.u32().ok()?.to_string(),
        PrimaryId::Text => return parts.str().ok().map(Into::into),
        PrimaryId::Bytes => return Some(rest.iter().map(|byte| format!("{byte:02x}")).collect()),
        PrimaryId::Moment => format!("{}-{}", parts.u64().ok()?, parts.u64().ok()?),
    };
    parts.finish().ok().map(|()| text)
}
