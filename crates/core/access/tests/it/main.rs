//! Every decision compared with a model that fits on one screen.

mod identity;

use cairn_access::{Action, Level, Principal, RefusalReason, Resource, Role, Roles, authorize};
use cairn_base::{ErrorCode, KeyReader, SpaceId, TenantId};

const TENANTS: [TenantId; 3] = [TenantId::NODE, TenantId::LOCAL, TenantId(7)];
const SPACES: [SpaceId; 2] = [SpaceId::NONE, SpaceId::MEMORY];

/// What we mean, in other words than the code: names instead of tables, sets instead of branches.
fn model(principal: &Principal, action: Action, resource: Resource) -> Result<(), RefusalReason> {
    let [member, admin, operator] = Role::ALL.map(|role| principal.roles().has(role));
    let on_node = resource.tenant == TenantId(0);
    let at_home = resource.tenant == principal.tenant();
    let for_members = ["feed.read", "turns.read", "turns.write"].contains(&action.name());
    let in_tenants = for_members || ["audit.read", "turns.prune"].contains(&action.name());
    match (on_node, at_home, in_tenants) {
        (true, _, _) => operator.then_some(()).ok_or(RefusalReason::RoleMissing),
        (false, false, _) => Err(RefusalReason::ForeignTenant),
        (false, true, false) => Err(RefusalReason::NotOnTenant),
        (false, true, true) => {
            (admin || member && for_members).then_some(()).ok_or(RefusalReason::RoleMissing)
        }
    }
}

fn every_principal() -> impl Iterator<Item = Principal> {
    (0..8_u8).flat_map(|bits| {
        let picked = Role::ALL.into_iter().enumerate().filter(move |(index, _)| bits >> index & 1 == 1);
        let roles = picked.fold(Roles::NONE, |roles, (_, role)| roles.with(role));
        TENANTS.map(|tenant| Principal::new("somebody", tenant, roles))
    })
}

#[test]
fn every_decision_equals_the_model() {
    let mut allowed = 0;
    let mut refused = 0;
    for principal in every_principal() {
        for action in Action::all() {
            for (tenant, space) in TENANTS.into_iter().flat_map(|tenant| SPACES.map(|space| (tenant, space)))
            {
                let resource = Resource::space(tenant, space);
                let decision = authorize(&principal, action, resource);
                let expected = model(&principal, action, resource);
                assert_eq!(
                    decision.map(drop).map_err(|no| no.reason),
                    expected,
                    "{principal:?} {action:?} {resource:?}"
                );
                match decision {
                    Ok(permit) => {
                        allowed += 1;
                        let scope = permit.scope();
                        assert_eq!((permit.action(), scope.tenant(), scope.space()), (action, tenant, space));
                    }
                    Err(refusal) => {
                        refused += 1;
                        assert_eq!(
                            (refusal.action, refusal.resource, refusal.code()),
                            (action, resource, ErrorCode::Forbidden)
                        );
                    }
                }
            }
        }
    }
    assert_eq!(allowed + refused, 8 * 3 * Action::COUNT * 6);
    assert!(allowed > 0 && refused > 0);
}

#[test]
fn the_local_owner_may_do_everything_on_the_node_and_at_home() {
    let owner = Principal::local_owner();
    for action in Action::all() {
        assert!(authorize(&owner, action, Resource::NODE).is_ok(), "{action:?}");
    }
    for action in
        [Action::AuditRead, Action::FeedRead, Action::TurnsRead, Action::TurnsWrite, Action::TurnsPrune]
    {
        assert!(authorize(&owner, action, Resource::tenant(TenantId::LOCAL)).is_ok(), "{action:?}");
    }
}

#[test]
fn keys_of_a_scope_begin_with_tenant_and_space() {
    let resource = Resource::space(TenantId::LOCAL, SpaceId(5));
    let scope = authorize(&Principal::local_owner(), Action::FeedRead, resource).unwrap().scope();
    let key = scope.key().u8(9);
    let mut parts = KeyReader::new(&key);
    assert_eq!(
        (parts.tenant(), parts.space(), parts.rest()),
        (Ok(TenantId::LOCAL), Ok(SpaceId(5)), &[9][..])
    );
}

#[test]
fn the_table_of_actions_is_reviewed_like_code() {
    let table: Vec<_> = Action::all()
        .map(|action| {
            let row = action.row();
            let who = match (row.level, row.administrative) {
                (Level::Node, _) => "operators",
                (Level::Any, true) => "administrators",
                (Level::Any, false) => "members",
            };
            let audited = if action.is_audited() { "audited" } else { "" };
            format!("{:>2} {:<18} {who:<15} {audited}", action.number(), row.name).trim_end().to_owned()
        })
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn a_refusal_says_what_and_why() {
    let stranger = Principal::new("eve", TenantId(7), Roles::NONE);
    let refuse = |action, resource| authorize(&stranger, action, resource).unwrap_err().to_string();
    insta::assert_snapshot!(
        [
            refuse(Action::StatsRead, Resource::NODE),
            refuse(Action::FeedRead, Resource::tenant(TenantId::LOCAL)),
            refuse(Action::ConsumerRead, Resource::tenant(TenantId(7))),
        ]
        .join("\n")
    );
}
