//! Turns after records were lost.

use std::collections::BTreeSet;

use cairn_access::{Action, Resource};
use cairn_base::{Position, SpaceId, TenantId};
use cairn_seam::{Certainty, Trace};
use cairn_turns::salvage::{Clues, rebuild};
use cairn_turns::tables;

use crate::EngineError;
use crate::memory::{Primary, PrimaryId, Salvage};
use crate::pipeline::own_scope;
use crate::salvage::Repair;

/// Records that are not rebuilt from others.
pub(super) const PRIMARY: &[Primary] = &[
    Primary { keyspace: tables::TREES, kind: "tree of turn", id: PrimaryId::Number },
    Primary { keyspace: tables::BUNDLES, kind: "registry bundle", id: PrimaryId::Bytes },
];

/// What is known of the turns of a damaged store.
#[derive(Debug, Default)]
pub(super) struct LostTurns(Clues);

impl Salvage for LostTurns {
    fn saw(&mut self, certainty: Certainty, position: Position, tenant: TenantId, trace: Trace<'_>) {
        self.0.saw(certainty, position, tenant, trace);
    }

    fn rebuild(
        &self,
        repair: &mut Repair<'_>,
        tenant: TenantId,
        _: &BTreeSet<SpaceId>,
    ) -> Result<(), EngineError> {
        let whole = own_scope(Action::TurnsWrite, Resource::tenant(tenant))?;
        let rebuilt = rebuild(repair.reader(), &whole, &self.0, repair.salvaged())?;
        repair.apply(tenant, rebuilt)
    }
}
