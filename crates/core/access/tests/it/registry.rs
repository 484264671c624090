//! Tenants, users, teams, tokens and keys.

use cairn_access::registry::{self, Page, RegistryError};
use cairn_access::{KeyId, limits};
use cairn_base::TenantId;

use crate::support::{NOW_MS, World, roles, scope, team, tenant, token_key, user};

const ACME: TenantId = TenantId(2);
const OTHER: TenantId = TenantId(3);

#[test]
fn tenants_have_numbers_in_order_and_names_once() {
    let world = World::new();
    let again =
        world.try_write(TenantId::NODE, |tx, node| registry::create_tenant(tx, node, &tenant("acme"), 1));
    assert!(matches!(again, Err(RegistryError::Exists { .. })), "{again:?}");
    let node = scope(TenantId::NODE);
    let snapshot = world.snapshot();
    let first = registry::tenants(&*snapshot, &node, Page::first(2)).expect("readable");
    let names: Vec<_> = first.items.iter().map(|tenant| (tenant.id.0, tenant.name.as_str())).collect();
    assert_eq!((names, first.next.as_deref()), (vec![(1, "local"), (2, "acme")], Some("acme")));
    let rest =
        registry::tenants(&*snapshot, &node, Page { after: Some("acme"), limit: 2 }).expect("readable");
    assert_eq!((rest.items.len(), rest.items[0].id, rest.next), (1, OTHER, None));
    let lost = registry::tenants(&*snapshot, &node, Page { after: Some("gone"), limit: 2 });
    assert!(matches!(lost, Err(RegistryError::Cursor)));
}

#[test]
fn users_are_listed_by_name_and_each_tenant_has_its_own() {
    let world = World::new();
    for name in ["eve", "ada", "bob"] {
        world.user(ACME, name, "reader");
    }
    world.user(OTHER, "mallory", "admin");
    let snapshot = world.snapshot();
    let page = |after, limit| {
        let page = registry::users(&*snapshot, &scope(ACME), Page { after, limit }).expect("readable");
        (page.items.into_iter().map(|user| user.id.to_string()).collect::<Vec<_>>(), page.next)
    };
    assert_eq!(page(None, 2), (vec!["ada".into(), "bob".into()], Some("bob".into())));
    assert_eq!(page(Some("bob"), 2), (vec!["eve".into()], None));
    assert_eq!(page(None, 3).1, None, "a full page may be the last");
    assert!(registry::find_user(&*snapshot, &scope(ACME), &user("mallory")).is_err());
}

#[test]
fn operators_are_of_the_local_tenant_and_its_owner_stays() {
    let world = World::new();
    let put = |tenant, name: &'static str, names: &'static str| {
        world.try_write(tenant, move |tx, scope| {
            registry::put_user(tx, scope, &user(name), roles(names), NOW_MS)
        })
    };
    assert!(matches!(put(ACME, "ada", "operator"), Err(RegistryError::NotAnOperator)));
    assert!(put(TenantId::LOCAL, "ada", "operator").is_ok());
    assert!(
        put(TenantId::LOCAL, "local-owner", "reader writer admin operator").is_ok(),
        "the first run makes it"
    );
    assert!(matches!(put(TenantId::LOCAL, "local-owner", "reader"), Err(RegistryError::LocalOwner)));
    let disabled = world.try_write(TenantId::LOCAL, |tx, scope| {
        registry::change_user(tx, scope, &user("local-owner"), Some(NOW_MS))
    });
    assert!(matches!(disabled, Err(RegistryError::LocalOwner)));
    assert!(put(ACME, "local-owner", "reader").is_ok(), "elsewhere it is a name like any other");
    assert!(put(ACME, "local-owner", "admin").is_ok());
}

#[test]
fn a_team_goes_with_its_memberships() {
    let world = World::new();
    for name in ["ada", "bob", "eve"] {
        world.user(ACME, name, "reader");
    }
    for name in ["core", "sales"] {
        world.write(ACME, move |tx, scope| registry::create_team(tx, scope, &team(name), NOW_MS));
        for member in ["ada", "bob", "eve"] {
            world.write(ACME, move |tx, scope| registry::add_member(tx, scope, &team(name), &user(member)));
        }
    }
    world.write(ACME, |tx, scope| registry::remove_member(tx, scope, &team("core"), &user("bob")));
    let teams = |name| {
        let found = registry::teams_of(&*world.snapshot(), &scope(ACME), &user(name)).expect("readable");
        found.into_iter().map(|team| team.to_string()).collect::<Vec<_>>()
    };
    assert_eq!((teams("ada"), teams("bob")), (vec!["core".into(), "sales".into()], vec!["sales".into()]));
    let step = |members_max| {
        world.write(ACME, move |tx, scope| registry::remove_team(tx, scope, &team("sales"), members_max))
    };
    assert_eq!([step(2), step(2)], [false, true]);
    assert_eq!((teams("ada"), teams("bob")), (vec!["core".into()], vec![]));
    let members = registry::members(&*world.snapshot(), &scope(ACME), &team("sales"), Page::first(9));
    assert!(matches!(members, Err(RegistryError::Missing { .. })));
    for (name, member) in [("nobody", "ada"), ("core", "nobody")] {
        let added = world
            .try_write(ACME, move |tx, scope| registry::add_member(tx, scope, &team(name), &user(member)));
        assert!(matches!(added, Err(RegistryError::Missing { .. })), "{name} {member}");
    }
}

#[test]
fn tokens_are_listed_for_all_and_for_one() {
    let world = World::new();
    world.user(ACME, "ada", "admin");
    world.user(ACME, "bob", "reader");
    let ids: Vec<_> = (0..3).map(|_| world.token(ACME, "ada", "reader", None).id()).collect();
    let bobs = world.token(ACME, "bob", "reader", None).id();
    let snapshot = world.snapshot();
    let list = |of: Option<&str>, after: Option<&str>, limit| {
        let of = of.map(user);
        let page =
            registry::tokens(&*snapshot, &scope(ACME), of.as_ref(), Page { after, limit }).expect("readable");
        (page.items.into_iter().map(|token| token.id).collect::<Vec<_>>(), page.next)
    };
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(list(Some("ada"), None, 9), (sorted.clone(), None));
    let (first, next) = list(Some("ada"), None, 2);
    assert_eq!((first.len(), list(Some("ada"), next.as_deref(), 2).0), (2, vec![sorted[2]]));
    assert_eq!((list(None, None, 9).0.len(), list(Some("bob"), None, 9).0), (4, vec![bobs]));
    let lost = registry::tokens(&*snapshot, &scope(ACME), None, Page { after: Some("?"), limit: 1 });
    assert!(matches!(lost, Err(RegistryError::Cursor)));
}

#[test]
fn a_token_that_could_do_nothing_is_not_made() {
    let world = World::new();
    world.user(ACME, "bob", "reader");
    let make = |names: &'static str, label: String, expires_at_ms| {
        let token = cairn_access::Token::random(ACME, &token_key(), &cairn_base::SeededEntropy::new(1));
        let record = registry::TokenRecord {
            id: token.id(),
            user: user("bob"),
            label: label.into(),
            scope: roles(names),
            hash: token.hash(),
            created_at_ms: NOW_MS,
            expires_at_ms,
            revoked_at_ms: None,
        };
        world.try_write(ACME, move |tx, scope| registry::add_token(tx, scope, record.clone())).map(drop)
    };
    assert!(matches!(make("admin", String::new(), None), Err(RegistryError::NoRoles { .. })));
    assert!(matches!(make("reader", "x".repeat(129), None), Err(RegistryError::Label)));
    assert!(matches!(make("reader", "\u{1b}[2J".into(), None), Err(RegistryError::Label)));
    assert!(matches!(make("reader", String::new(), Some(NOW_MS)), Err(RegistryError::InThePast)));
    assert!(make("reader", "x".repeat(128), Some(NOW_MS + 1)).is_ok());
}

#[test]
fn there_are_so_many_tokens_of_a_user_and_no_more() {
    let world = World::new();
    world.user(ACME, "bob", "reader");
    let ids: Vec<_> =
        (0..limits::CREDENTIALS_OF_USER_MAX).map(|_| world.token(ACME, "bob", "reader", None).id()).collect();
    let token = cairn_access::Token::random(ACME, &token_key(), &cairn_base::SeededEntropy::new(99));
    let record = registry::TokenRecord {
        id: token.id(),
        user: user("bob"),
        label: "one too many".into(),
        scope: roles("reader"),
        hash: token.hash(),
        created_at_ms: NOW_MS,
        expires_at_ms: None,
        revoked_at_ms: None,
    };
    let add = |record: registry::TokenRecord| {
        world.try_write(ACME, move |tx, scope| registry::add_token(tx, scope, record.clone()))
    };
    let more = add(record.clone());
    assert!(matches!(more, Err(RegistryError::Full { .. })), "{more:?}");
    // What was revoked makes room, and is forgotten.
    let dead = ids[7];
    world.write(ACME, move |tx, scope| registry::revoke_token(tx, scope, dead, NOW_MS));
    assert!(add(record).is_ok());
    assert!(registry::find_token(&*world.snapshot(), &scope(ACME), dead).expect("readable").is_none());
    assert!(registry::find_token(&*world.snapshot(), &scope(ACME), ids[8]).expect("readable").is_some());
}

#[test]
fn a_key_stays_with_its_user_and_once_revoked_is_so_for_ever() {
    let world = World::new();
    world.user(ACME, "ada", "reader");
    world.user(ACME, "bob", "reader");
    let id = KeyId(world.key(ACME, "ada", 1).verifying_key().to_bytes());
    let add = |name: &'static str| {
        world.try_write(ACME, move |tx, scope| registry::add_key(tx, scope, id, &user(name), NOW_MS + 5))
    };
    assert_eq!(add("ada").expect("it is there already").created_at_ms, NOW_MS);
    assert!(matches!(add("bob"), Err(RegistryError::KeyTaken)));
    world.write(ACME, move |tx, scope| registry::revoke_key(tx, scope, id, NOW_MS + 7));
    let twice = world.write(ACME, move |tx, scope| registry::revoke_key(tx, scope, id, NOW_MS + 9));
    assert_eq!(twice.revoked_at_ms, Some(NOW_MS + 7), "it is revoked since the first time");
    assert!(matches!(add("ada"), Err(RegistryError::Exists { .. })));
    let keys = registry::keys(&*world.snapshot(), &scope(ACME), Some(&user("ada")), Page::first(9));
    assert_eq!(keys.expect("readable").items.len(), 1, "history stays");
}

#[test]
fn a_weak_key_is_none() {
    for weak in [[0; 32], {
        let mut one = [0; 32];
        one[0] = 1;
        one
    }] {
        assert!(KeyId(weak).to_string().parse::<KeyId>().is_err());
    }
    assert!("00".parse::<KeyId>().is_err());
}
