//! Who comes in, and for how long.

use std::sync::Arc;

use cairn_access::registry::{Page, TeamName, TenantName, UserId};
use cairn_access::{Action, CredentialError, KeyId, Principal, Refusal, RefusalReason, Role, Roles, Token};
use cairn_base::{Base64Url, ErrorCode, TenantId, from_base64_url};
use cairn_engine::{AuditOutcome, Engine, EngineError, NewToken};
use cairn_seam::Store;
use ed25519_dalek::{Signer, SigningKey};

use crate::support::{NOW_MS, World, owner};

const NODE_ID: &str = "this-node";

fn user(name: &str) -> UserId {
    UserId::parse(name).unwrap()
}

fn of(role: Role) -> Roles {
    Roles::NONE.with(role)
}

/// A tenant `acme` with a writer `ada`.
fn acme(world: &World) -> TenantId {
    world.engine.set_audience(NODE_ID.into());
    let tenant = world.engine.create_tenant(&owner(), &TenantName::parse("acme").unwrap()).unwrap().id;
    world.engine.put_user(&owner(), tenant, &user("ada"), of(Role::Writer)).unwrap();
    tenant
}

fn issue(engine: &Engine, tenant: TenantId, expires_at_ms: Option<u64>) -> Token {
    let wanted = NewToken { user: user("ada"), label: "test".into(), scope: of(Role::Writer), expires_at_ms };
    engine.issue_token(&owner(), tenant, wanted).unwrap().0
}

fn token(engine: &Engine, tenant: TenantId, expires_at_ms: Option<u64>) -> String {
    issue(engine, tenant, expires_at_ms).reveal().to_string()
}

fn key(engine: &Engine, tenant: TenantId) -> SigningKey {
    let key = SigningKey::from_bytes(&[3; 32]);
    engine.add_key(&owner(), tenant, id(&key), &user("ada")).unwrap();
    key
}

fn id(key: &SigningKey) -> KeyId {
    KeyId(key.verifying_key().to_bytes())
}

fn jwt(key: &SigningKey, jti: &str) -> String {
    let header = format!(r#"{{"alg":"EdDSA","kid":"{}"}}"#, id(key));
    let claims = format!(r#"{{"aud":"{NODE_ID}","exp":{},"jti":"{jti}"}}"#, NOW_MS / 1000 + 60);
    let signed = format!("{}.{}", Base64Url(header.as_bytes()), Base64Url(claims.as_bytes()));
    format!("{signed}.{}", Base64Url(&key.sign(signed.as_bytes()).to_bytes()))
}

fn log_in(engine: &Engine, credential: &str) -> Result<Principal, CredentialError> {
    let let_in = engine.log_in(credential, engine.new_connection());
    let_in.map(|logged_in| logged_in.principal().clone()).map_err(reason)
}

fn reason(error: EngineError) -> CredentialError {
    if let EngineError::Refused(Refusal { reason: RefusalReason::Credential(error), .. }) = error {
        return error;
    }
    panic!("{error:?}")
}

#[test]
fn the_first_run_makes_the_local_owner_and_later_ones_do_not() {
    let world = World::new();
    let tenants = world.engine.tenants(&owner(), Page::first(10)).unwrap().items;
    assert_eq!(tenants.len(), 1);
    assert_eq!((tenants[0].id, tenants[0].name.as_str()), (TenantId::LOCAL, "local"));
    let users = world.engine.users(&owner(), TenantId::LOCAL, Page::first(10)).unwrap().items;
    assert_eq!(users.iter().map(|user| user.id.as_str()).collect::<Vec<_>>(), ["local-owner"]);
    let at = world.engine.position();
    let again = world.reopen();
    assert_eq!(again.position(), at, "nothing was written");
}

#[test]
fn a_token_comes_in_until_it_is_revoked_also_when_it_was_remembered() {
    let world = World::new();
    let tenant = acme(&world);
    let (issued, two) = (issue(&world.engine, tenant, None), token(&world.engine, tenant, None));
    let one = issued.reveal().to_string();
    let principal = log_in(&world.engine, &one).unwrap();
    assert_eq!((principal.user_id(), principal.tenant_name()), ("ada", "acme"));
    let connection = world.engine.new_connection();
    let session = world.engine.log_in(&one, connection).unwrap();
    assert!(Arc::ptr_eq(&session, &world.engine.still_in(&session).unwrap()), "nothing was looked up");

    let listed = world.engine.tokens(&owner(), tenant, Some(&user("ada")), Page::first(10)).unwrap().items;
    let first = listed.iter().find(|token| token.id == issued.id()).unwrap();
    world.engine.revoke_token(&owner(), tenant, first.id).unwrap();
    assert_eq!(log_in(&world.engine, &one), Err(CredentialError::Revoked));
    assert_eq!(world.engine.still_in(&session).map_err(reason).unwrap_err(), CredentialError::Revoked);
    assert!(log_in(&world.engine, &two).is_ok(), "the other one still holds");

    world.engine.change_user(&owner(), tenant, &user("ada"), true).unwrap();
    assert_eq!(log_in(&world.engine, &two), Err(CredentialError::UserDisabled));
}

#[test]
fn a_token_hides_its_tenant_and_those_of_earlier_versions_still_hold() {
    let world = World::new();
    let tenant = acme(&world);
    let token = issue(&world.engine, tenant, None);
    let bytes = from_base64_url(&token.reveal()["cairn_".len()..]).unwrap();
    let (number, id, secret) = (tenant.0.to_be_bytes(), token.id().0, &bytes[bytes.len() - 24..]);
    for part in [&number[..], &id[..]] {
        assert!(!bytes.windows(part.len()).any(|window| window == part), "{part:?} stands in {bytes:?}");
    }

    let before = format!("cairn_{}", Base64Url(&[&number[..], &id, secret].concat()));
    for text in [&*token.reveal(), &before] {
        assert_eq!(log_in(&world.engine, text).unwrap().tenant_name(), "acme");
    }
    let again = world.reopen();
    for text in [&*token.reveal(), &before] {
        assert_eq!(log_in(&again, text).unwrap().tenant_name(), "acme", "after a restart");
    }
    again.revoke_token(&owner(), tenant, token.id()).unwrap();
    for text in [&*token.reveal(), &before] {
        assert_eq!(log_in(&again, text), Err(CredentialError::Revoked));
    }
}

#[test]
fn a_token_that_was_remembered_expires() {
    let world = World::new();
    let tenant = acme(&world);
    let token = token(&world.engine, tenant, Some(NOW_MS + 1000));
    assert!(log_in(&world.engine, &token).is_ok());
    world.clock.advance(std::time::Duration::from_millis(1000));
    assert_eq!(log_in(&world.engine, &token), Err(CredentialError::Expired));
}

#[test]
fn other_roles_are_in_force_at_once() {
    let world = World::new();
    let tenant = acme(&world);
    let token = token(&world.engine, tenant, None);
    assert!(log_in(&world.engine, &token).unwrap().roles().has(Role::Writer));
    world.engine.put_user(&owner(), tenant, &user("ada"), of(Role::Reader)).unwrap();
    assert!(log_in(&world.engine, &token).unwrap().roles().is_empty(), "the token lends writing only");
}

#[test]
fn a_jwt_belongs_to_the_connection_that_shows_it_first() {
    let world = World::new();
    let tenant = acme(&world);
    let key = key(&world.engine, tenant);
    let (one, two) = (world.engine.new_connection(), world.engine.new_connection());
    let (jwt, other) = (jwt(&key, "a"), jwt(&key, "b"));
    assert!(world.engine.log_in(&jwt, one).is_ok());
    assert!(world.engine.log_in(&jwt, one).is_ok(), "on its own connection it goes on");
    assert_eq!(world.engine.log_in(&jwt, two).map_err(reason).unwrap_err(), CredentialError::Replayed);
    assert!(world.engine.log_in(&other, two).is_ok(), "another one is another one");
    world.engine.revoke_key(&owner(), tenant, id(&key)).unwrap();
    assert_eq!(world.engine.log_in(&jwt, one).map_err(reason).unwrap_err(), CredentialError::KeyRevoked);
}

#[test]
fn a_restart_forgets_no_jwt() {
    let world = World::new();
    let tenant = acme(&world);
    let jwt = jwt(&key(&world.engine, tenant), "a");
    assert!(log_in(&world.engine, &jwt).is_ok());
    // Whatever is acknowledged later is behind it in the log.
    world.engine.put_user(&owner(), tenant, &user("bob"), of(Role::Reader)).unwrap();
    let again = world.reopen();
    again.set_audience(NODE_ID.into());
    assert_eq!(log_in(&again, &jwt), Err(CredentialError::Replayed));
}

#[test]
fn without_an_id_of_its_own_a_node_takes_no_jwt() {
    let world = World::new();
    let tenant = world.engine.create_tenant(&owner(), &TenantName::parse("acme").unwrap()).unwrap().id;
    world.engine.put_user(&owner(), tenant, &user("ada"), of(Role::Writer)).unwrap();
    let jwt = jwt(&key(&world.engine, tenant), "a");
    assert_eq!(log_in(&world.engine, &jwt), Err(CredentialError::Audience));
}

#[test]
fn refused_credentials_leave_a_line_with_whose_they_are() {
    let world = World::new();
    let tenant = acme(&world);
    let token = token(&world.engine, tenant, Some(NOW_MS + 1));
    world.clock.advance(std::time::Duration::from_millis(1));
    assert_eq!(log_in(&world.engine, &token), Err(CredentialError::Expired));
    assert_eq!(log_in(&world.engine, "nonsense"), Err(CredentialError::Malformed));
    let last = |of: TenantId| {
        let lines = world.engine.audit_page(&owner(), of, None, 100).unwrap().lines;
        let line = lines.last().cloned().unwrap();
        let AuditOutcome::Refused { reason: RefusalReason::Credential(reason), .. } = line.outcome else {
            panic!("{line:?}")
        };
        (line.action, line.actor, reason)
    };
    assert_eq!(last(tenant), (Action::Authenticate, "ada".into(), CredentialError::Expired));
    assert_eq!(last(TenantId::NODE), (Action::Authenticate, "anonymous".into(), CredentialError::Malformed));
    assert!(!format!("{:?}", world.engine.audit_page(&owner(), tenant, None, 100)).contains(&token));
}

#[test]
fn an_administrator_of_the_local_tenant_does_not_become_an_operator() {
    let world = World::new();
    let local = TenantId::LOCAL;
    for (name, roles) in [("root", of(Role::Admin)), ("otto", of(Role::Operator)), ("ada", of(Role::Reader))]
    {
        world.engine.put_user(&owner(), local, &user(name), roles).unwrap();
    }
    let root = Principal::new("root", local, of(Role::Admin)).known_as("local", Vec::new());
    let both =
        Principal::new("both", local, of(Role::Admin).with(Role::Operator)).known_as("local", Vec::new());
    let operator = of(Role::Operator);
    let key = id(&SigningKey::from_bytes(&[9; 32]));
    let issue = |who: &Principal, name: &str, scope| {
        let wanted = NewToken { user: user(name), label: String::new(), scope, expires_at_ms: None };
        world.engine.issue_token(who, local, wanted).map(drop)
    };
    let put =
        |who: &Principal, name: &str, roles| world.engine.put_user(who, local, &user(name), roles).map(drop);
    let forbidden = |result: Result<(), EngineError>| {
        assert_eq!(result.unwrap_err().code(), ErrorCode::Forbidden);
        let line = world.engine.audit_page(&owner(), local, None, 1000).unwrap().lines.pop().unwrap();
        assert_eq!((line.actor.as_str(), line.action), ("root", Action::AccessChange));
        assert!(matches!(line.outcome, AuditOutcome::Refused { .. }), "{line:?}");
    };
    forbidden(put(&root, "root", of(Role::Admin).with(Role::Operator)));
    forbidden(put(&root, "otto", of(Role::Reader)));
    forbidden(issue(&root, "otto", operator));
    forbidden(issue(&root, "local-owner", of(Role::Reader)));
    forbidden(world.engine.add_key(&root, local, key, &user("local-owner")).map(drop));
    forbidden(world.engine.change_user(&root, local, &user("otto"), true).map(drop));
    assert!(put(&root, "ada", of(Role::Writer)).is_ok() && issue(&root, "ada", of(Role::Writer)).is_ok());
    assert!(put(&both, "otto", operator).is_ok() && issue(&both, "otto", operator).is_ok());
    assert!(issue(&both, "local-owner", operator).is_err(), "nobody is the local owner but itself");
}

#[test]
fn administrators_administer_their_own_tenant_and_know_of_no_other() {
    let world = World::new();
    let tenant = acme(&world);
    let other = world.engine.create_tenant(&owner(), &TenantName::parse("other").unwrap()).unwrap().id;
    let admin = Principal::new("root", tenant, of(Role::Admin)).known_as("acme", Vec::new());
    let writer = Principal::new("ada", tenant, of(Role::Writer)).known_as("acme", Vec::new());
    let core = TeamName::parse("core").unwrap();
    assert!(world.engine.create_team(&admin, tenant, &core).is_ok());
    assert!(world.engine.set_member(&admin, tenant, &core, &user("ada"), true).is_ok());
    let code = |result: Result<(), EngineError>| result.unwrap_err().code();
    assert_eq!(code(world.engine.users(&writer, tenant, Page::first(1)).map(drop)), ErrorCode::Forbidden);
    assert_eq!(code(world.engine.users(&admin, other, Page::first(1)).map(drop)), ErrorCode::NotFound);
    assert_eq!(code(world.engine.create_team(&admin, other, &core).map(drop)), ErrorCode::NotFound);
    assert_eq!(code(world.engine.tenants(&admin, Page::first(1)).map(drop)), ErrorCode::Forbidden);

    let named = |who: &Principal, name| world.engine.tenant_named(who, name);
    assert_eq!((named(&admin, "acme").unwrap(), named(&owner(), "other").unwrap()), (tenant, other));
    let (hidden, missing) = (named(&admin, "other").unwrap_err(), named(&admin, "nowhere").unwrap_err());
    assert_eq!(hidden.code(), missing.code());
    assert_eq!(hidden.to_string().replace("other", "nowhere"), missing.to_string());

    let called = |who: &Principal, id| world.engine.name_of_tenant(who, id).unwrap();
    assert_eq!((called(&admin, tenant).as_deref(), called(&admin, other)), (Some("acme"), None));
    assert_eq!((called(&owner(), other).as_deref(), called(&owner(), TenantId::NODE)), (Some("other"), None));
    let whole = |who: &Principal, name| world.engine.tenant(who, &TenantName::parse(name).unwrap());
    assert_eq!(whole(&owner(), "other").unwrap().id, other);
    assert_eq!(code(whole(&owner(), "nowhere").map(drop)), ErrorCode::NotFound);
    assert_eq!(code(whole(&admin, "other").map(drop)), ErrorCode::Forbidden);
    assert_eq!(
        code(whole(&admin, "nowhere").map(drop)),
        ErrorCode::Forbidden,
        "the same for what is missing"
    );

    let (key, stranger) = (SigningKey::from_bytes(&[9; 32]), user("nobody"));
    assert_eq!(
        code(world.engine.add_key(&writer, tenant, id(&key), &stranger).map(drop)),
        ErrorCode::Forbidden
    );
    assert_eq!(
        code(world.engine.add_key(&admin, tenant, id(&key), &stranger).map(drop)),
        ErrorCode::NotFound
    );
    assert!(world.store.position() >= world.engine.position());
}

#[test]
fn a_jwt_that_was_used_on_a_full_disk_is_known_after_a_restart() {
    let world = World::new();
    let tenant = acme(&world);
    let key = key(&world.engine, tenant);
    let jwt = jwt(&key, "a");
    world.store.set_full(true);
    assert!(log_in(&world.engine, &jwt).is_ok());
    let again = world.reopen();
    again.set_audience(NODE_ID.into());
    again.new_connection();
    assert_eq!(log_in(&again, &jwt), Err(CredentialError::Replayed));
}
