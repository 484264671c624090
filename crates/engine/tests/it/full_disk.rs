//! A full disk: administrators stay in control.

use cairn_access::registry::{TeamName, TenantName, UserId};
use cairn_access::{Action, KeyId, Resource, Role, Roles};
use cairn_base::TenantId;
use cairn_engine::{Act, AuditOutcome, EngineError, NewToken};
use cairn_seam::StoreCode;
use cairn_turns::prune::Rule;

use crate::support::{World, owner};

fn writer() -> Roles {
    Roles::NONE.with(Role::Writer)
}

#[test]
fn access_is_taken_away_on_a_full_disk_with_its_audit_line_and_given_to_nobody() {
    let world = World::new();
    let engine = &world.engine;
    let name = TenantName::parse("acme").unwrap();
    let tenant = engine.create_tenant(&owner(), &name).unwrap().id;
    let ada = UserId::parse("ada").unwrap();
    engine.put_user(&owner(), tenant, &ada, writer()).unwrap();
    let wanted = NewToken { user: ada.clone(), label: "x".into(), scope: writer(), expires_at_ms: None };
    let (token, record) = engine.issue_token(&owner(), tenant, wanted.clone()).unwrap();
    let key = KeyId([3; 32]);
    engine.add_key(&owner(), tenant, key, &ada).unwrap();
    let team = TeamName::parse("makers").unwrap();
    engine.create_team(&owner(), tenant, &team).unwrap();
    engine.set_member(&owner(), tenant, &team, &ada, true).unwrap();
    let before = world.trail(tenant).len();

    world.store.set_full(true);
    let refused = |result: Result<(), EngineError>| {
        assert_eq!(result.unwrap_err().code(), StoreCode::StorageFull);
    };
    refused(engine.issue_token(&owner(), tenant, wanted).map(drop));
    refused(engine.put_user(&owner(), tenant, &UserId::parse("eve").unwrap(), writer()).map(drop));
    refused(engine.change_user(&owner(), tenant, &ada, false).map(drop));
    refused(engine.create_tenant(&owner(), &TenantName::parse("other").unwrap()).map(drop));
    assert_eq!(world.trail(tenant).len(), before);

    engine.revoke_token(&owner(), tenant, record.id).unwrap();
    engine.revoke_key(&owner(), tenant, key).unwrap();
    engine.set_member(&owner(), tenant, &team, &ada, false).unwrap();
    engine.remove_team(&owner(), tenant, &team).unwrap();
    engine.change_user(&owner(), tenant, &ada, true).unwrap();
    engine.change_tenant(&owner(), &name, true).unwrap();
    assert!(engine.log_in(token.reveal().as_ref(), engine.new_connection()).is_err());
    let lines = world.trail(tenant);
    let said: Vec<&str> =
        lines[before..].iter().map(|line| line.subject.split(' ').next().unwrap()).collect();
    assert_eq!(said, ["revoke", "revoke", "remove", "remove", "disable"]);
    let node = world.trail(TenantId::NODE);
    assert_eq!(node.last().unwrap().subject, "disable tenant acme");
}

#[test]
fn pruning_works_on_a_full_disk_with_its_audit_lines() {
    let world = World::new();
    let engine = &world.engine;
    let act = || Act::new(Action::TurnsWrite, Resource::tenant(TenantId::LOCAL));
    let create =
        || engine.transact(&owner(), act(), |tx, scope| Ok(cairn_turns::create(tx, scope, None, 1_000)?));
    create().unwrap();
    world.store.set_full(true);
    assert_eq!(create().unwrap_err().code(), StoreCode::StorageFull);
    let report = engine.prune(&owner(), TenantId::LOCAL, &Rule::AllBut(0), true, &mut |_| true).unwrap();
    assert_eq!((report.contexts, report.applied), (1, true));
    let outcomes: Vec<_> = world.trail(TenantId::LOCAL).iter().map(|line| line.outcome).collect();
    assert!(outcomes.ends_with(&[AuditOutcome::Begun, AuditOutcome::Done]), "{outcomes:?}");
}
