//! Artifacts after records were lost: what follows from the records that are left is written again.

use std::collections::BTreeSet;
use std::ops::Bound;

use cairn_access::{Action, Resource, Scope};
use cairn_artifacts::{
    Artifact, ArtifactError, DERIVED, bring_home, entries_from, find, id_in_key, missing_entries,
    stray_entries, tables, wrong_citations,
};
use cairn_base::{Position, SpaceId, TenantId, prefix_end};
use cairn_seam::{Certainty, Fix, Keyspace, Rebuilt, Trace};

use crate::EngineError;
use crate::memory::Salvage;
use crate::pipeline::own_scope;
use crate::salvage::Repair;

/// Artifacts that are rebuilt together.
const PAGE: usize = 256;
/// Tenant, space and id at the beginning of a key.
const PREFIX_BYTES: usize = 24;

/// Ids are random, so that nothing is to be learned from what a damaged store held.
#[derive(Debug)]
pub(super) struct LostArtifacts;

impl Salvage for LostArtifacts {
    fn saw(&mut self, _: Certainty, _: Position, _: TenantId, _: Trace<'_>) {}

    fn rebuild(
        &self,
        repair: &mut Repair<'_>,
        tenant: TenantId,
        _: &BTreeSet<SpaceId>,
    ) -> Result<(), EngineError> {
        let scope = own_scope(Action::ArtifactDelete, Resource::tenant(tenant))?;
        entries(repair, &scope)?;
        DERIVED.into_iter().try_for_each(|keyspace| strays(repair, &scope, keyspace))?;
        [tables::CHILDREN, tables::CITATIONS]
            .into_iter()
            .try_for_each(|keyspace| citations(repair, &scope, keyspace))
    }
}

/// Index entries, edges, and what the node knows.
fn entries(repair: &mut Repair<'_>, scope: &Scope) -> Result<(), EngineError> {
    let (tenant, node) = (scope.tenant(), own_scope(Action::ArtifactHome, Resource::NODE)?);
    let mut low = first(scope);
    while let Some(keys) = page(repair, scope, tables::ARTIFACTS, low, PAGE)? {
        let mut fixes = Vec::new();
        let mut found: Vec<Artifact> = Vec::new();
        for id in keys.iter().filter_map(|key| id_in_key(key)) {
            match find(repair.reader(), &[(*scope, id)]) {
                Ok(artifact) => found.extend(artifact.into_iter().flatten()),
                // The doctor reports it.
                Err(ArtifactError::BadRecord { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for artifact in &found {
            fixes.extend(missing_entries(repair.reader(), scope, artifact)?);
        }
        apply(repair, tenant, fixes)?;
        repair.write(TenantId::NODE, move |tx| {
            for artifact in &found {
                match bring_home(tx, &node, tenant, artifact) {
                    // Another tenant has it too: the doctor reports it.
                    Ok(()) | Err(ArtifactError::Duplicate(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(())
        })?;
        low = keys.into_iter().next_back().map_or(Bound::Unbounded, Bound::Excluded);
    }
    Ok(())
}

fn strays(repair: &mut Repair<'_>, scope: &Scope, keyspace: Keyspace) -> Result<(), EngineError> {
    let mut low = first(scope);
    while let Some(keys) = page(repair, scope, keyspace, low, PAGE)? {
        let strays = stray_entries(repair.reader(), scope, keyspace, &keys)?;
        apply(repair, scope.tenant(), strays)?;
        low = keys.into_iter().next_back().map_or(Bound::Unbounded, Bound::Excluded);
    }
    Ok(())
}

fn citations(repair: &mut Repair<'_>, scope: &Scope, keyspace: Keyspace) -> Result<(), EngineError> {
    let mut low = first(scope);
    while let Some(keys) = page(repair, scope, keyspace, low, 1)? {
        let Some(key) = keys.first() else { return Ok(()) };
        if let Some(parent) = id_in_key(key) {
            match wrong_citations(repair.reader(), scope, parent) {
                Ok(wrong) => apply(repair, scope.tenant(), wrong)?,
                Err(ArtifactError::BadRecord { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let Some(next) = key.get(..PREFIX_BYTES).and_then(prefix_end) else { return Ok(()) };
        low = Bound::Included(next);
    }
    Ok(())
}

fn first(scope: &Scope) -> Bound<Vec<u8>> {
    Bound::Included(scope.key().into_vec())
}

/// Keys of the tenant, or `None` behind its last one.
fn page(
    repair: &Repair<'_>,
    scope: &Scope,
    keyspace: Keyspace,
    low: Bound<Vec<u8>>,
    limit: usize,
) -> Result<Option<Vec<Vec<u8>>>, EngineError> {
    let found = entries_from(repair.reader(), keyspace, low, limit)?;
    Ok(found.filter(|(tenant, _)| *tenant == scope.tenant()).map(|(_, keys)| keys))
}

fn apply(repair: &mut Repair<'_>, tenant: TenantId, fixes: Vec<Fix>) -> Result<(), EngineError> {
    if fixes.is_empty() {
        return Ok(());
    }
    repair.apply(tenant, Rebuilt { fixes, ..Rebuilt::default() })
}
