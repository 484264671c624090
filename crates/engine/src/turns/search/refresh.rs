//! Types that were described after turns of them came: what of these is text is known only now.

use cairn_base::TenantId;
use cairn_search::document::Change;
use cairn_search::index::SearchIndex;
use cairn_turns::search::{TURNS, UNDESCRIBED, undescribed_type};

use super::documents::Documents;
use super::{partition, turn_of};
use crate::search::take_into;
use crate::turns::memory::Turns;
use crate::{Engine, EngineError};

/// Turns that are looked at again in one step.
const STEP: usize = 32;

/// Looks again at some turns of a tenant, which is done with when there are no more.
///
/// Only one at a time, which is whoever holds the lock of the feed.
pub(super) fn step(
    memory: &Turns,
    engine: &Engine,
    index: &SearchIndex,
    tenant: TenantId,
) -> Result<(), EngineError> {
    let scope = engine.own_scope(tenant)?;
    let home = partition(&TURNS, &scope);
    let snapshot = engine.pipeline.store().snapshot(index.position())?;
    let registry = engine.registry_at(&*snapshot, &scope)?;
    for tag in index.tags_from(home, UNDESCRIBED)? {
        let Some((version, kind)) = undescribed_type(&tag) else { continue };
        if registry.descriptor(kind, version).is_none() {
            continue;
        }
        let ids = index.tagged(home, &tag, STEP)?;
        if ids.is_empty() {
            continue;
        }
        let turns: Vec<_> = ids.iter().map(|id| turn_of(id)).collect();
        let mut documents = Documents::new(engine, &*snapshot, scope)?;
        let mut found = Vec::new();
        for part in documents.parts(&turns)? {
            found.extend(documents.of_turns(&part)?);
        }
        let mut changes = Vec::with_capacity(ids.len());
        // One that is gone goes here too, or it would be looked at for ever.
        let is_there = |id: &Vec<u8>| found.iter().any(|(_, document)| document.id == *id);
        changes.extend(ids.iter().filter(|id| !is_there(id)).map(|id| (home, Change::Remove(id.clone()))));
        changes.extend(found.into_iter().map(|(home, document)| (home, Change::Replace(document))));
        return take_into(index, &changes, index.position());
    }
    // Before the feed is let go: whoever describes more of them after that is noted anew.
    memory.described.lock().remove(&tenant);
    Ok(())
}
