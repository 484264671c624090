//! Which records refer to blobs that are lost.

use std::ops::Bound;

use cairn_base::{ContentHash, KeyReader, SpaceId, TenantId};
use cairn_seam::{Item, KeyRange, OnStage, SalvagedStore, Stage, Store, StoreError, Visit, WriteTx};

use crate::references::{Reference, Referring};
use crate::{EngineError, tables};

/// Records looked at in one transaction, which is then given up.
const PAGE: usize = 4096;
const STAGE: &str = "looking for lost blobs";

/// A record and what it refers to.
struct Use {
    hash: ContentHash,
    tenant: TenantId,
    space: SpaceId,
    by: String,
}

/// Every reference of a record to a blob that is not there.
pub(super) fn lost(
    store: &dyn Store,
    salvaged: &SalvagedStore,
    on_stage: OnStage<'_>,
) -> Result<Vec<Item>, EngineError> {
    // Blobs in the log were verified when they were copied: that they have a place is enough.
    let is_thorough = salvaged.lost.iter().any(|lost| lost.file.starts_with("blobs/"));
    let mut lost = Vec::new();
    for table in &tables::referring() {
        let mut after = Bound::Unbounded;
        loop {
            if !on_stage(Stage { name: STAGE, done: 0, total: 0 }) {
                return Err(StoreError::Stopped.into());
            }
            let (uses, last) = page(store, table, after)?;
            for use_ in missing(store, uses, is_thorough)? {
                let Use { hash, tenant, space, by } = use_;
                lost.push(Item { tenant, space, kind: "blob", id: hash.to_string(), detail: by });
            }
            let Some(last) = last else { break };
            after = Bound::Excluded(last);
        }
    }
    Ok(lost)
}

type PageOfUses = (Vec<Use>, Option<Vec<u8>>);

fn page(store: &dyn Store, table: &Referring, after: Bound<Vec<u8>>) -> Result<PageOfUses, StoreError> {
    let range = KeyRange::new(after, Bound::Unbounded).limit(PAGE);
    let (mut uses, mut last, mut count) = (Vec::new(), None, 0);
    let mut verdict = Ok(());
    super::now(store)?.multi_scan(table.keyspace, &[range], &mut |_, key, value| {
        count += 1;
        last = Some(key.to_vec());
        let mut parts = KeyReader::new(key);
        let (Ok(tenant), Ok(space)) = (parts.tenant(), parts.space()) else { return Visit::Continue };
        let read = (table.references)(value, &mut |reference| {
            let (Reference::Blob(hash) | Reference::Tree(hash)) = reference;
            uses.push(Use { hash, tenant, space, by: owner(table, key) });
        });
        if read.is_err() {
            verdict = read;
            return Visit::Stop;
        }
        Visit::Continue
    })?;
    verdict.map(|()| (uses, last.filter(|_| count == PAGE)))
}

/// What people call the record of a key.
fn owner(table: &Referring, key: &[u8]) -> String {
    let number = key.last_chunk().map_or(0, |number| u64::from_be_bytes(*number));
    match table.called {
        Some(called) => format!("{called}{number}"),
        None => format!("a record of {}", table.keyspace.name),
    }
}

fn missing(store: &dyn Store, uses: Vec<Use>, is_thorough: bool) -> Result<Vec<Use>, EngineError> {
    let mut missing = Vec::new();
    let mut rest = uses.into_iter().peekable();
    while let Some(tenant) = rest.peek().map(|first| first.tenant) {
        let group: Vec<Use> = std::iter::from_fn(|| rest.next_if(|next| next.tenant == tenant)).collect();
        let hashes: Vec<ContentHash> = group.iter().map(|next| next.hash).collect();
        let there = match is_thorough {
            true => hashes.iter().map(|hash| is_readable(store, tenant, hash)).collect::<Result<_, _>>()?,
            false => have_places(store, tenant, hashes)?,
        };
        missing.extend(group.into_iter().zip(there).filter(|(_, there)| !there).map(|(next, _)| next));
    }
    Ok(missing)
}

/// Asks in a transaction that is given up: nothing is written.
fn have_places(
    store: &dyn Store,
    tenant: TenantId,
    hashes: Vec<ContentHash>,
) -> Result<Vec<bool>, EngineError> {
    let found = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let slot = std::sync::Arc::clone(&found);
    let ask = move |tx: &mut dyn WriteTx| {
        let there = hashes.iter().map(|hash| match tx.keep_blob(hash) {
            Err(StoreError::BlobGone { .. }) => Ok(false),
            there => there,
        });
        let there = there.collect::<Result<Vec<bool>, StoreError>>();
        *slot.lock().expect("nothing panics while it is held") = there.unwrap_or_default();
        Err::<(), _>(StoreError::Aborted)
    };
    match cairn_seam::write(store, tenant, ask) {
        Ok(_) | Err(StoreError::Aborted) => {}
        Err(error) => return Err(error.into()),
    }
    let found = std::mem::take(&mut *found.lock().expect("nothing panics while it is held"));
    Ok(found)
}

fn is_readable(store: &dyn Store, tenant: TenantId, hash: &ContentHash) -> Result<bool, StoreError> {
    match store.open_blob(tenant, hash) {
        Ok(Some(blob)) => {
            let mut chunk = vec![0; 64 << 10];
            let mut at = 0;
            while at < blob.len() {
                match blob.read_at(at, &mut chunk) {
                    Ok(0) | Err(StoreError::Damaged(_)) => return Ok(false),
                    Ok(bytes) => at += bytes as u64,
                    Err(error) => return Err(error),
                }
            }
            Ok(true)
        }
        Ok(None) | Err(StoreError::BlobGone { .. } | StoreError::Damaged(_)) => Ok(false),
        Err(error) => Err(error),
    }
}
