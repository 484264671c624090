//! The graph after records were lost.

use std::collections::BTreeSet;

use cairn_access::{Action, Resource, Scope};
use cairn_base::{Position, SpaceId, TenantId};
use cairn_graph::salvage::{Clues, rebuild, recount};
use cairn_graph::{IndexState, View, build_index_page, tables};
use cairn_seam::{Certainty, Trace};

use crate::EngineError;
use crate::memory::{Primary, PrimaryId, Salvage};
use crate::pipeline::own_scope;
use crate::salvage::Repair;

/// Concepts that an ordered index covers in one transaction.
const INDEX_PAGE: usize = 2_000;

/// Records that are not rebuilt from others.
pub(super) const PRIMARY: &[Primary] =
    &[Primary { keyspace: tables::SPACE_NAMES, kind: "space", id: PrimaryId::Short }];

/// What is known of the graphs of a damaged store.
#[derive(Debug, Default)]
pub(super) struct LostGraph(Clues);

impl Salvage for LostGraph {
    fn saw(&mut self, certainty: Certainty, position: Position, tenant: TenantId, trace: Trace<'_>) {
        self.0.saw(certainty, position, tenant, trace);
    }

    fn rebuild(
        &self,
        repair: &mut Repair<'_>,
        tenant: TenantId,
        spaces: &BTreeSet<SpaceId>,
    ) -> Result<(), EngineError> {
        for &space in spaces.iter().chain(&[SpaceId::NONE]) {
            let scope = own_scope(Action::GraphWrite, Resource::space(tenant, space))?;
            let rebuilt = rebuild(repair.reader(), &scope, &self.0, repair.salvaged())?;
            repair.apply(tenant, rebuilt)?;
            let rebuilt = recount(repair.reader(), &scope)?;
            repair.apply(tenant, rebuilt)?;
            build_indexes(repair, scope)?;
        }
        Ok(())
    }
}

/// Builds ordered indexes of a space that begin anew.
fn build_indexes(repair: &mut Repair<'_>, scope: Scope) -> Result<(), EngineError> {
    let all = View::new(repair.reader(), scope).indexes()?;
    for info in all {
        if !matches!(info.state, IndexState::Building { .. }) {
            continue;
        }
        let id = info.index.id;
        while !repair
            .write(scope.tenant(), move |tx| Ok(build_index_page(tx, &scope, id, INDEX_PAGE)?))?
            .is_ready
        {}
    }
    Ok(())
}
