//! Clients that need no token, over real sockets.

use std::sync::Arc;

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Action, Principal, Resource, Role, Roles, TrustedUser};
use cairn_base::{SystemClock, TenantId};
use cairn_binary::{BinaryConfig, Trusted};
use cairn_engine::Act;
use cairn_gate::{Authentication, GateConfig};
use cairn_seam::Blob;
use cairn_turns::{Append, DeclaredType};

use crate::matrix::{MESSAGES, TABLE, body};
use crate::wire::{CREATE, ERROR, HELLO, Server, store};

/// A server that asks everyone who they are, except for those of a network.
fn server(network: &str, role: Role) -> (Server, TenantId) {
    let trusted = Trusted {
        networks: vec![network.parse().unwrap()],
        user: TrustedUser::parse(&format!("acme/{role}"), role).unwrap(),
        in_the_open: false,
    };
    let config = BinaryConfig { trusted: Some(trusted), ..BinaryConfig::default() };
    let gate = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
    let server = Server::behind(store(), Arc::new(SystemClock), config, gate);
    let (engine, owner) = (&server.engine, Principal::local_owner());
    let tenant = engine.create_tenant(&owner, &TenantName::parse("acme").unwrap()).unwrap().id;
    for role in [Role::Reader, Role::Writer, Role::Admin] {
        engine
            .put_user(&owner, tenant, &UserId::parse(role.name()).unwrap(), Roles::NONE.with(role))
            .unwrap();
    }
    (server, tenant)
}

#[test]
fn a_trusted_client_may_what_its_role_may_and_no_more() {
    for (role, column) in [(Role::Reader, 2), (Role::Writer, 3)] {
        for line in TABLE.lines().filter_map(|line| line.strip_prefix("wire ")) {
            let (message, expected) = line.split_once('|').unwrap();
            let (name, kind) = *MESSAGES.iter().find(|(name, _)| *name == message.trim()).unwrap();
            let (server, tenant) = server("127.0.0.0/8", role);
            // Whatever else the user may: the rule lends no more than its role.
            let (owner, user) = (Principal::local_owner(), UserId::parse(role.name()).unwrap());
            server.engine.put_user(&owner, tenant, &user, Roles::NONE.with(Role::Admin)).unwrap();
            fill(&server, tenant);
            let mut client = server.connect();
            let greeted = client.ask(HELLO, b"");
            let reply = if kind == HELLO { greeted } else { client.ask(kind, &body(kind)) };
            let found = if reply.kind == ERROR { reply.error().0.to_string() } else { "ok".to_owned() };
            assert_eq!(found, expected.split_whitespace().nth(column).unwrap(), "{name} as {role}");
        }
    }
}

/// The context and the turns that the table is about.
fn fill(server: &Server, tenant: TenantId) {
    let writer = Principal::new("somebody", tenant, Roles::NONE.with(Role::Writer));
    let act = Act::new(Action::TurnsWrite, Resource::tenant(tenant));
    let done = server.engine.transact(&writer, act, |tx, scope| {
        let context = cairn_turns::create(tx, scope, None, 1)?.id;
        for _ in 0..2 {
            let payload = Blob::new(b"1".to_vec())?;
            let request = Append {
                context,
                parent: None,
                expected_head: None,
                declared: DeclaredType { id: "t".into(), version: 1 },
                encoding: 1,
                compression: 0,
                payload_bytes: 1,
                payload,
                tree: None,
                key: None,
                remember_ms: 0,
                now_ms: 1,
                strict: false,
            };
            cairn_turns::append(tx, scope, &request)?;
        }
        Ok(())
    });
    done.unwrap();
}

#[test]
fn who_is_disabled_is_shut_out_with_the_next_message() {
    let (server, tenant) = server("127.0.0.1", Role::Writer);
    let mut client = server.connect();
    assert_eq!(client.create(), 1);
    let (owner, writer) = (Principal::local_owner(), UserId::parse("writer").unwrap());
    server.engine.change_user(&owner, tenant, &writer, true).unwrap();
    assert_eq!(client.ask(CREATE, &[0; 8]).error().0, 401);
    assert_eq!(server.connect().ask(HELLO, b"").error().0, 401);
    server.engine.change_user(&owner, tenant, &writer, false).unwrap();
    assert_eq!(client.create(), 2, "and is in again when that is taken back");
}

#[test]
fn who_comes_from_another_network_shows_a_token() {
    let (server, _) = server("127.0.0.2", Role::Writer);
    assert_eq!(server.connect().ask(CREATE, &[0; 8]).error().0, 401);
    assert_eq!(server.connect().ask(HELLO, b"").error().0, 401);
}
