//! KBs after records were lost: branches whose records are lost are restored from their spaces.

use std::collections::BTreeSet;
use std::ops::Bound;

use cairn_access::{Action, Resource, Scope};
use cairn_base::{Position, SpaceId, TenantId, prefix_end};
use cairn_seam::{Certainty, KeyRange, Keyspace, Trace};

use super::damage::{KEYSPACES, is_damage, look, mend, page};
use crate::EngineError;
use crate::memory::Salvage;
use crate::pipeline::own_scope;
use crate::salvage::Repair;

/// Everything is known from the rows that are left. The graph, which comes before, has put names of spaces right.
#[derive(Debug)]
pub(super) struct LostBranches;

impl Salvage for LostBranches {
    fn saw(&mut self, _: Certainty, _: Position, _: TenantId, _: Trace<'_>) {}

    fn rebuild(
        &self,
        repair: &mut Repair<'_>,
        tenant: TenantId,
        _: &BTreeSet<SpaceId>,
    ) -> Result<(), EngineError> {
        let scope = own_scope(Action::KbWrite, Resource::tenant(tenant))?;
        KEYSPACES.into_iter().try_for_each(|keyspace| rows(repair, &scope, keyspace))
    }
}

fn rows(repair: &mut Repair<'_>, scope: &Scope, keyspace: Keyspace) -> Result<(), EngineError> {
    let (scope, tenant, now_ms) = (*scope, scope.tenant(), repair.now_ms());
    let prefix = tenant.0.to_be_bytes();
    let high = prefix_end(&prefix).map_or(Bound::Unbounded, Bound::Excluded);
    let mut low = Bound::Included(prefix.to_vec());
    loop {
        let keys = page(repair.reader(), keyspace, KeyRange::new(low, high.clone()))?;
        let Some(last) = keys.last().cloned() else { return Ok(()) };
        for key in keys {
            let wrong = look(repair.reader(), &scope, keyspace, &key)?;
            if wrong.is_none_or(|wrong| wrong.cure.is_none()) {
                continue;
            }
            match repair.write(tenant, move |tx| mend(tx, &scope, (keyspace, &key), now_ms)) {
                // The doctor reports what cannot be put right.
                Err(error) if is_damage(&error) => {}
                mended => mended?,
            }
        }
        low = Bound::Excluded(last);
    }
}
