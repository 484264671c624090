//! The first run makes the local owner, in a tenant of its own.

use cairn_access::registry::{self, RegistryError, TenantName, UserId};
use cairn_access::{Action, LOCAL_OWNER, LOCAL_TENANT, Principal, Resource, Scope};
use cairn_base::{Position, TenantId};
use cairn_seam::{StoreError, WriteTx};

use crate::pipeline::Pipeline;
use crate::{Act, EngineError};

/// Makes the tenant of the local owner, unless it is there. It gets the first number: nobody can make a
/// tenant before a node has come to be.
pub(crate) fn make_local_tenant(
    tx: &mut dyn WriteTx,
    node: &Scope,
    now_ms: u64,
) -> Result<(), RegistryError> {
    let name = TenantName::parse(LOCAL_TENANT)?;
    if registry::find_tenant(tx, node, &name)?.is_none() {
        let made = registry::create_tenant(tx, node, &name, now_ms)?;
        debug_assert_eq!(made.id, TenantId::LOCAL);
    }
    Ok(())
}

/// Makes the local owner, unless it is there. In a store that an older cairn has made, the tenant too.
pub(crate) fn ensure_local_owner(pipeline: &Pipeline) -> Result<(), EngineError> {
    match make_local_owner(pipeline) {
        // Lost with damaged bytes: what can be read is served all the same.
        Err(EngineError::Store(StoreError::ReadOnly { .. })) => Ok(()),
        made => made,
    }
}

fn make_local_owner(pipeline: &Pipeline) -> Result<(), EngineError> {
    let user = UserId::parse(LOCAL_OWNER).map_err(RegistryError::from)?;
    let (owner, now_ms) = (Principal::local_owner(), pipeline.shared().clock.now_ms());
    let home = Resource::tenant(TenantId::LOCAL);
    let act = Act::new(Action::AccessRead, home);
    let is_known = pipeline.read(&owner, &act, Position::START, |snapshot, scope| {
        Ok(registry::load_user(snapshot, scope, &user)?.is_some())
    })?;
    if is_known {
        return Ok(());
    }
    let act = Act::new(Action::TenantChange, Resource::NODE).on(format!("tenant {LOCAL_TENANT}"));
    let tenant_is_missing = pipeline.read(&owner, &act, Position::START, |snapshot, node| {
        Ok(registry::load_tenant(snapshot, node, TenantId::LOCAL)?.is_none())
    })?;
    if tenant_is_missing {
        pipeline.transact(&owner, &act, move |tx, node| Ok(make_local_tenant(tx, node, now_ms)?))?;
    }
    let roles = owner.roles();
    let act = Act::new(Action::AccessChange, home).on(format!("user {user} {roles:?}"));
    pipeline
        .transact(&owner, &act, move |tx, scope| Ok(registry::put_user(tx, scope, &user, roles, now_ms)?))?;
    Ok(())
}
