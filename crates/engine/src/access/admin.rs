//! Changing and listing who is known.

use cairn_access::registry::{
    self, Key, Page, PageOf, Team, TeamName, Tenant, TenantName, TokenRecord, User, UserId,
};
use cairn_access::{
    Action, KeyId, LOCAL_OWNER, Principal, Refusal, RefusalReason, Resource, Role, Roles, Scope, Token,
    TokenId, limits,
};
use cairn_base::{Position, TenantId};
use cairn_seam::{Snapshot, WriteTx};

use crate::{Act, Engine, EngineError};

/// What a token is to be for.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Whose it is.
    pub user: UserId,
    /// A note for people.
    pub label: String,
    /// What it may be used for, as far as its user may do that.
    pub scope: Roles,
    /// From which millisecond on it does not hold any more.
    pub expires_at_ms: Option<u64>,
}

fn changing(tenant: TenantId, subject: impl Into<String>) -> Act {
    Act::new(Action::AccessChange, Resource::tenant(tenant)).on(subject)
}

impl Engine {
    /// Makes a tenant.
    pub fn create_tenant(&self, principal: &Principal, name: &TenantName) -> Result<Tenant, EngineError> {
        let act = Act::new(Action::TenantChange, Resource::NODE).on(format!("tenant {name}"));
        let (name, now_ms) = (name.clone(), self.clock().now_ms());
        self.change(principal, act, move |tx, node| Ok(registry::create_tenant(tx, node, &name, now_ms)?))
    }

    /// Shuts a tenant's users out, or lets them in again.
    pub fn change_tenant(
        &self,
        principal: &Principal,
        name: &TenantName,
        is_disabled: bool,
    ) -> Result<Tenant, EngineError> {
        let what = if is_disabled { "disable" } else { "enable" };
        let act = Act::new(Action::TenantChange, Resource::NODE).on(format!("{what} tenant {name}"));
        let act = if is_disabled { act.revoking() } else { act };
        let disabled_at_ms = is_disabled.then(|| self.clock().now_ms());
        let name = name.clone();
        self.change(principal, act, move |tx, node| {
            Ok(registry::change_tenant(tx, node, &name, disabled_at_ms)?)
        })
    }

    /// Every tenant, in pages.
    pub fn tenants(&self, principal: &Principal, page: Page<'_>) -> Result<PageOf<Tenant>, EngineError> {
        let act = Act::new(Action::TenantRead, Resource::NODE);
        self.read(principal, act, Position::START, |snapshot, node| {
            Ok(registry::tenants(snapshot, node, page)?)
        })
    }

    /// The number of the tenant of a name, if somebody may know that it is there: their own, or any if they
    /// may list tenants. For all others there is none.
    pub fn tenant_named(&self, principal: &Principal, name: &str) -> Result<TenantId, EngineError> {
        let missing = || EngineError::NoTenant { name: name.chars().take(128).collect() };
        if name == principal.tenant_name() {
            return Ok(principal.tenant());
        }
        let parsed = TenantName::parse(name).map_err(|_| missing())?;
        let act = Act::new(Action::TenantRead, Resource::NODE).on(format!("tenant {parsed}"));
        let permit = self.pipeline.permit(principal, &act).map_err(|_| missing())?;
        let found = self.pipeline.read_under(permit, Position::START, |snapshot, node| {
            Ok(registry::find_tenant(snapshot, node, &parsed)?)
        })?;
        found.map(|tenant| tenant.id).ok_or_else(missing)
    }

    /// A tenant by its name, for those who may list tenants.
    pub fn tenant(&self, principal: &Principal, name: &TenantName) -> Result<Tenant, EngineError> {
        let act = Act::new(Action::TenantRead, Resource::NODE);
        let found = self.read(principal, act, Position::START, |snapshot, node| {
            Ok(registry::find_tenant(snapshot, node, name)?)
        })?;
        found.ok_or_else(|| EngineError::NoTenant { name: name.to_string() })
    }

    /// What a tenant is called, if somebody may know that: their own, or any if they may list tenants.
    pub fn name_of_tenant(
        &self,
        principal: &Principal,
        tenant: TenantId,
    ) -> Result<Option<Box<str>>, EngineError> {
        if tenant == principal.tenant() {
            return Ok(Some(principal.tenant_name().into()));
        }
        let act = Act::new(Action::TenantRead, Resource::NODE);
        if !self.pipeline.may(principal, &act) {
            return Ok(None);
        }
        let found = self.read(principal, act, Position::START, |snapshot, node| {
            Ok(registry::load_tenant(snapshot, node, tenant)?)
        })?;
        Ok(found.map(|tenant| tenant.name.as_str().into()))
    }

    /// Makes a user, or gives one other roles and lets it in again.
    pub fn put_user(
        &self,
        principal: &Principal,
        tenant: TenantId,
        user: &UserId,
        roles: Roles,
    ) -> Result<User, EngineError> {
        let act = changing(tenant, format!("user {user} {roles:?}"));
        self.guard_operators(principal, &act, user, roles)?;
        let (user, now_ms) = (user.clone(), self.clock().now_ms());
        self.change(principal, act, move |tx, scope| Ok(registry::put_user(tx, scope, &user, roles, now_ms)?))
    }

    /// Shuts a user out, or lets it in again.
    pub fn change_user(
        &self,
        principal: &Principal,
        tenant: TenantId,
        user: &UserId,
        is_disabled: bool,
    ) -> Result<User, EngineError> {
        let what = if is_disabled { "disable" } else { "enable" };
        let act = changing(tenant, format!("{what} user {user}"));
        let act = if is_disabled { act.revoking() } else { act };
        self.guard_operators(principal, &act, user, Roles::NONE)?;
        let (user, disabled_at_ms) = (user.clone(), is_disabled.then(|| self.clock().now_ms()));
        self.change(principal, act, move |tx, scope| {
            Ok(registry::change_user(tx, scope, &user, disabled_at_ms)?)
        })
    }

    /// A user, and the teams it belongs to.
    pub fn user(
        &self,
        principal: &Principal,
        tenant: TenantId,
        user: &UserId,
    ) -> Result<(User, Vec<TeamName>), EngineError> {
        self.look(principal, tenant, |snapshot, scope| {
            let found = registry::find_user(snapshot, scope, user)?;
            Ok((found, registry::teams_of(snapshot, scope, user)?))
        })
    }

    /// Users of a tenant, in pages.
    pub fn users(
        &self,
        principal: &Principal,
        tenant: TenantId,
        page: Page<'_>,
    ) -> Result<PageOf<User>, EngineError> {
        self.look(principal, tenant, |snapshot, scope| Ok(registry::users(snapshot, scope, page)?))
    }

    /// Makes a team.
    pub fn create_team(
        &self,
        principal: &Principal,
        tenant: TenantId,
        team: &TeamName,
    ) -> Result<Team, EngineError> {
        let act = changing(tenant, format!("team {team}"));
        let (team, now_ms) = (team.clone(), self.clock().now_ms());
        self.change(principal, act, move |tx, scope| Ok(registry::create_team(tx, scope, &team, now_ms)?))
    }

    /// Removes a team.
    pub fn remove_team(
        &self,
        principal: &Principal,
        tenant: TenantId,
        team: &TeamName,
    ) -> Result<(), EngineError> {
        loop {
            let act = changing(tenant, format!("remove team {team}")).deleting();
            let team = team.clone();
            let is_gone = self.change(principal, act, move |tx, scope| {
                Ok(registry::remove_team(tx, scope, &team, limits::ACCESS_PAGE_MAX)?)
            })?;
            if is_gone {
                return Ok(());
            }
        }
    }

    /// Teams of a tenant, in pages.
    pub fn teams(
        &self,
        principal: &Principal,
        tenant: TenantId,
        page: Page<'_>,
    ) -> Result<PageOf<Team>, EngineError> {
        self.look(principal, tenant, |snapshot, scope| Ok(registry::teams(snapshot, scope, page)?))
    }

    /// Takes a user into a team, or out of it.
    pub fn set_member(
        &self,
        principal: &Principal,
        tenant: TenantId,
        team: &TeamName,
        user: &UserId,
        belongs: bool,
    ) -> Result<(), EngineError> {
        let what = if belongs { "add" } else { "remove" };
        let act = changing(tenant, format!("{what} member {user} team {team}"));
        let act = if belongs { act } else { act.revoking() };
        let (team, user) = (team.clone(), user.clone());
        self.change(principal, act, move |tx, scope| {
            let change = if belongs { registry::add_member } else { registry::remove_member };
            Ok(change(tx, scope, &team, &user)?)
        })
    }

    /// Who belongs to a team, in pages.
    pub fn members(
        &self,
        principal: &Principal,
        tenant: TenantId,
        team: &TeamName,
        page: Page<'_>,
    ) -> Result<PageOf<UserId>, EngineError> {
        self.look(principal, tenant, |snapshot, scope| Ok(registry::members(snapshot, scope, team, page)?))
    }

    /// Makes a token. This is the only time that its secret is there.
    pub fn issue_token(
        &self,
        principal: &Principal,
        tenant: TenantId,
        wanted: NewToken,
    ) -> Result<(Token, TokenRecord), EngineError> {
        let token = Token::random(tenant, &self.logins.token_key, &**self.entropy());
        let act = changing(tenant, format!("token {} of user {}", token.id(), wanted.user));
        self.guard_operators(principal, &act, &wanted.user, wanted.scope)?;
        let record = TokenRecord {
            id: token.id(),
            user: wanted.user,
            label: wanted.label.into(),
            scope: wanted.scope,
            hash: token.hash(),
            created_at_ms: self.clock().now_ms(),
            expires_at_ms: wanted.expires_at_ms,
            revoked_at_ms: None,
        };
        let record = self
            .change(principal, act, move |tx, scope| Ok(registry::add_token(tx, scope, record.clone())?))?;
        Ok((token, record))
    }

    /// Revokes a token.
    pub fn revoke_token(
        &self,
        principal: &Principal,
        tenant: TenantId,
        id: TokenId,
    ) -> Result<TokenRecord, EngineError> {
        let now_ms = self.clock().now_ms();
        let act = changing(tenant, format!("revoke token {id}")).revoking();
        self.change(principal, act, move |tx, scope| Ok(registry::revoke_token(tx, scope, id, now_ms)?))
    }

    /// Tokens of a tenant, or of one user, in pages.
    pub fn tokens(
        &self,
        principal: &Principal,
        tenant: TenantId,
        user: Option<&UserId>,
        page: Page<'_>,
    ) -> Result<PageOf<TokenRecord>, EngineError> {
        self.look(principal, tenant, |snapshot, scope| Ok(registry::tokens(snapshot, scope, user, page)?))
    }

    /// Registers a key for a user.
    pub fn add_key(
        &self,
        principal: &Principal,
        tenant: TenantId,
        id: KeyId,
        user: &UserId,
    ) -> Result<Key, EngineError> {
        let act = changing(tenant, format!("key {id} of user {user}"));
        self.guard_operators(principal, &act, user, Roles::NONE)?;
        self.look(principal, tenant, |snapshot, scope| Ok(registry::find_user(snapshot, scope, user)?))?;
        // The note comes first: a key without it would never be found.
        let home = Act::new(Action::KeyHome, Resource::NODE);
        self.transact(&Principal::node(), home, move |tx, node| {
            Ok(registry::home_key(tx, node, id, tenant)?)
        })?;
        let (user, now_ms) = (user.clone(), self.clock().now_ms());
        self.change(principal, act, move |tx, scope| Ok(registry::add_key(tx, scope, id, &user, now_ms)?))
    }

    /// Revokes a key.
    pub fn revoke_key(&self, principal: &Principal, tenant: TenantId, id: KeyId) -> Result<Key, EngineError> {
        let now_ms = self.clock().now_ms();
        let act = changing(tenant, format!("revoke key {id}")).revoking();
        self.change(principal, act, move |tx, scope| Ok(registry::revoke_key(tx, scope, id, now_ms)?))
    }

    /// Keys of a tenant, or of one user, in pages; revoked ones too.
    pub fn keys(
        &self,
        principal: &Principal,
        tenant: TenantId,
        user: Option<&UserId>,
        page: Page<'_>,
    ) -> Result<PageOf<Key>, EngineError> {
        self.look(principal, tenant, |snapshot, scope| Ok(registry::keys(snapshot, scope, user, page)?))
    }

    /// Operators are made, changed and impersonated by operators only, and the local owner by itself: what
    /// an administrator of its tenant may do must not reach beyond the tenant.
    fn guard_operators(
        &self,
        principal: &Principal,
        act: &Act,
        user: &UserId,
        granted: Roles,
    ) -> Result<(), EngineError> {
        let permit = self.pipeline.permit(principal, act)?;
        if principal.is_local_owner() {
            return Ok(());
        }
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let target = registry::load_user(&*snapshot, &permit.scope(), user)?;
        let operates =
            granted.has(Role::Operator) || target.is_some_and(|user| user.roles.has(Role::Operator));
        let is_owner = permit.scope().tenant() == TenantId::LOCAL && user.as_str() == LOCAL_OWNER;
        if is_owner || operates && !principal.roles().has(Role::Operator) {
            let (action, resource) = (act.action(), act.resource());
            let refusal = Refusal { action, resource, reason: RefusalReason::RoleMissing };
            return Err(self.pipeline.refuse(principal, act, refusal));
        }
        Ok(())
    }

    fn look<T>(
        &self,
        principal: &Principal,
        tenant: TenantId,
        body: impl FnOnce(&dyn Snapshot, &Scope) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.read(principal, Act::new(Action::AccessRead, Resource::tenant(tenant)), Position::START, body)
    }

    /// Changes the registry. Whatever was remembered of it is old before anybody hears of the change.
    fn change<T: Send + 'static>(
        &self,
        principal: &Principal,
        act: Act,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let outcome = self.transact(principal, act, body);
        // Also after a failure: whether it was done may not be known.
        self.logins.registry_changed();
        Ok(outcome?.value)
    }
}
