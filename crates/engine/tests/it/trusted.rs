//! Clients that are let in without credentials, as a user that was made for them.

use cairn_access::registry::{Page, TenantName, UserId};
use cairn_access::{
    AccessCode, Action, CannotTrust, CredentialError, Principal, Refusal, RefusalReason, Resource, Role,
    Roles, TrustedUser,
};
use cairn_base::TenantId;
use cairn_engine::{Act, AuditOutcome, EngineError, NewToken, limits};

use crate::support::{World, owner};

fn user(name: &str) -> UserId {
    UserId::parse(name).unwrap()
}

fn trusted(named: &str, role: Role) -> TrustedUser {
    TrustedUser::parse(named, role).unwrap()
}

/// A tenant `acme` with a user of each role, named after it.
fn acme(world: &World) -> TenantId {
    let tenant = world.engine.create_tenant(&owner(), &TenantName::parse("acme").unwrap()).unwrap().id;
    for role in [Role::Reader, Role::Writer, Role::Admin] {
        world.engine.put_user(&owner(), tenant, &user(role.name()), Roles::NONE.with(role)).unwrap();
    }
    tenant
}

fn enter(world: &World, named: &str, role: Role) -> Result<Principal, EngineError> {
    let logged_in = world.engine.log_in_trusted(&trusted(named, role), "10.0.0.0/8: 10.1.2.3")?;
    Ok(logged_in.principal().clone())
}

#[test]
fn the_role_is_what_the_rule_lends_and_the_user_has() {
    let world = World::new();
    let tenant = acme(&world);
    for (name, role, roles) in [
        ("reader", Role::Reader, "{\"reader\"}"),
        ("writer", Role::Reader, "{\"reader\"}"),
        ("writer", Role::Writer, "{\"reader\", \"writer\"}"),
        ("admin", Role::Writer, "{\"reader\", \"writer\"}"),
        ("admin", Role::Reader, "{\"reader\"}"),
        ("reader", Role::Writer, "{\"reader\"}"),
    ] {
        let principal = enter(&world, &format!("acme/{name}"), role).unwrap();
        assert_eq!((principal.user_id(), principal.tenant()), (name, tenant));
        assert_eq!(format!("{:?}", principal.roles()), roles, "{name} as {role}");
        assert!(!principal.is_local_owner() && !principal.is_anonymous());
    }
}

#[test]
fn nothing_administrative_can_be_done_that_way_by_whichever_user() {
    let world = World::new();
    let tenant = acme(&world);
    let operator = user("operator");
    let both = Roles::NONE.with(Role::Admin).with(Role::Operator);
    world.engine.put_user(&owner(), TenantId::LOCAL, &operator, both).unwrap();
    for (named, home) in [("acme/admin", tenant), ("local/operator", TenantId::LOCAL)] {
        let principal = enter(&world, named, Role::Writer).unwrap();
        for action in Action::all().filter(|action| action.is_administrative()) {
            for resource in [Resource::NODE, Resource::tenant(home)] {
                let act = Act::new(action, resource);
                let refused = world.engine.transact(&principal, act, |_, _| Ok(())).map(drop);
                assert!(
                    matches!(refused, Err(EngineError::Refused(_))),
                    "{named} {}: {refused:?}",
                    action.name()
                );
            }
        }
        let wanted = NewToken {
            user: user("admin"),
            label: String::new(),
            scope: Roles::NONE.with(Role::Admin),
            expires_at_ms: None,
        };
        assert!(world.engine.issue_token(&principal, home, wanted).is_err());
        assert!(world.engine.tenants(&principal, Page::first(9)).is_err());
        assert!(world.engine.users(&principal, home, Page::first(9)).is_err());
    }
}

#[test]
fn who_is_disabled_or_demoted_is_so_at_once() {
    let world = World::new();
    let tenant = acme(&world);
    let session = world.engine.log_in_trusted(&trusted("acme/writer", Role::Writer), "x").unwrap();
    world.engine.put_user(&owner(), tenant, &user("writer"), Roles::NONE.with(Role::Reader)).unwrap();
    let demoted = world.engine.still_in(&session).unwrap();
    assert_eq!(format!("{:?}", demoted.principal().roles()), "{\"reader\"}");
    world.engine.change_user(&owner(), tenant, &user("writer"), true).unwrap();
    let reason = |error: EngineError| {
        let EngineError::Refused(Refusal { reason: RefusalReason::Credential(error), .. }) = error else {
            panic!("{error:?}")
        };
        error
    };
    assert_eq!(world.engine.still_in(&demoted).map_err(reason).unwrap_err(), CredentialError::UserDisabled);
    assert_eq!(
        enter(&world, "acme/writer", Role::Writer).map_err(reason),
        Err(CredentialError::UserDisabled)
    );
    assert_eq!(
        enter(&world, "acme/nobody", Role::Reader).map_err(reason),
        Err(CredentialError::UserDisabled)
    );
    assert_eq!(
        enter(&world, "other/nobody", Role::Reader).map_err(reason),
        Err(CredentialError::TenantDisabled)
    );
    world.engine.change_user(&owner(), tenant, &user("writer"), false).unwrap();
    assert!(enter(&world, "acme/writer", Role::Writer).is_ok());
}

#[test]
fn a_rule_needs_a_user_that_exists_may_come_in_and_has_the_role() {
    let world = World::new();
    let tenant = acme(&world);
    let check = |named: &str, role| match world.engine.trust(&trusted(named, role), "10.0.0.0/8") {
        Ok(()) => "ok".to_owned(),
        Err(error @ EngineError::CannotTrust(CannotTrust::Registry(_))) => panic!("{error}"),
        Err(error) => {
            assert_eq!(error.code(), AccessCode::ConfigInvalid, "{error}");
            error.to_string()
        }
    };
    assert_eq!(check("acme/writer", Role::Writer), "ok");
    assert_eq!(check("acme/admin", Role::Writer), "ok");
    assert!(check("acme/reader", Role::Writer).contains("is not a writer"));
    assert!(check("acme/nobody", Role::Reader).contains("no user \"nobody\""));
    assert!(check("other/writer", Role::Reader).contains("no tenant \"other\""));
    world.engine.change_user(&owner(), tenant, &user("writer"), true).unwrap();
    assert!(check("acme/writer", Role::Writer).contains("disabled"));
    let done: Vec<_> =
        world.trail(tenant).into_iter().filter(|line| line.action == Action::Authenticate).collect();
    assert_eq!(done.len(), 2, "one for each rule that holds");
    assert_eq!((done[0].actor.as_str(), done[0].outcome), ("local-owner", AuditOutcome::Done));
    assert_eq!(done[0].subject, "trusted network 10.0.0.0/8, without credentials, as acme/writer (writer)");
}

#[test]
fn each_who_comes_in_leaves_a_line_and_a_flood_does_not_fill_the_trail() {
    let world = World::new();
    let tenant = acme(&world);
    enter(&world, "acme/writer", Role::Writer).unwrap();
    let lines = || {
        let all = world.trail(tenant).into_iter();
        all.filter(|line| line.action == Action::Authenticate).collect::<Vec<_>>()
    };
    let [line] = &lines()[..] else { panic!("{:?}", lines()) };
    assert_eq!((line.actor.as_str(), line.outcome), ("writer", AuditOutcome::Done));
    assert_eq!(line.subject, "trusted network 10.0.0.0/8: 10.1.2.3");
    let max = limits::AUDIT_REFUSALS_MAX as usize;
    for _ in 0..max + 5 {
        enter(&world, "acme/writer", Role::Writer).unwrap();
    }
    assert_eq!(lines().len(), max);
    world.clock.advance(limits::AUDIT_REFUSALS_EVERY);
    enter(&world, "acme/writer", Role::Writer).unwrap();
    assert!(
        lines()[max].subject.ends_with("10.1.2.3, and 6 others since the last line"),
        "{:?}",
        lines()[max]
    );
}
