//! Who gets which answer to which message: the rows of `crates/surface/access-matrix.txt` that begin with
//! `wire`.

use std::sync::Arc;

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles};
use cairn_base::{ContentHash, SystemClock};
use cairn_binary::BinaryConfig;
use cairn_engine::NewToken;
use cairn_gate::{Authentication, GateConfig};

use crate::wire::{
    APPEND, ATTACH, Append, BEFORE, BY_DEPTH, CREATE, Client, ERROR, FORK, GET_BLOB, HEAD, HELLO, LAST,
    PUT_BLOB, PUT_BUNDLE, Server, hello, store,
};

pub(crate) const TABLE: &str = include_str!("../../../access-matrix.txt");
pub(crate) const MESSAGES: [(&str, u16); 12] = [
    ("HELLO", HELLO),
    ("CREATE", CREATE),
    ("FORK", FORK),
    ("HEAD", HEAD),
    ("APPEND", APPEND),
    ("LAST", LAST),
    ("BEFORE", BEFORE),
    ("BY_DEPTH", BY_DEPTH),
    ("GET_BLOB", GET_BLOB),
    ("ATTACH", ATTACH),
    ("PUT_BLOB", PUT_BLOB),
    ("PUT_BUNDLE", PUT_BUNDLE),
];

/// What a message says about context 1 and its turns 1 and 2.
pub(crate) fn body(kind: u16) -> Vec<u8> {
    let hash = ContentHash::of(b"1");
    let one = 1_u64.to_le_bytes();
    let counted = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_le_bytes()[..], bytes].concat();
    match kind {
        CREATE => vec![0; 8],
        FORK | HEAD => one.to_vec(),
        APPEND => Append::new(1, b"1").encode(),
        LAST => [&one[..], &[9, 0, 0, 0, 1, 0, 0, 0]].concat(),
        BEFORE => [&one[..], &2_u64.to_le_bytes(), &[9, 0, 0, 0, 1, 0, 0, 0]].concat(),
        BY_DEPTH => [&one[..], &[0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0]].concat(),
        GET_BLOB => hash.as_bytes().to_vec(),
        ATTACH => [&one[..], &[7; 32]].concat(),
        PUT_BLOB => [&hash.as_bytes()[..], &counted(b"1")].concat(),
        PUT_BUNDLE => {
            let bundle = br#"{"registry_version":1,"bundle_id":"b","types":{},"enums":{}}"#;
            [counted(b"b"), counted(bundle)].concat()
        }
        other => panic!("there is no message {other}"),
    }
}

/// A server for those who say who they are, with a context of two turns, and what each of them shows.
fn world() -> (Server, [Option<String>; 7]) {
    let gate = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
    let server = Server::behind(store(), Arc::new(SystemClock), BinaryConfig::default(), gate);
    let (engine, owner) = (&server.engine, Principal::local_owner());
    let tenant = |name| engine.create_tenant(&owner, &TenantName::parse(name).unwrap()).unwrap().id;
    let (acme, other) = (tenant("acme"), tenant("other"));
    let token = |tenant, name: &str, role| {
        let (user, roles) = (UserId::parse(name).unwrap(), Roles::NONE.with(role));
        engine.put_user(&owner, tenant, &user, roles).unwrap();
        let wanted = NewToken { user, label: String::new(), scope: roles, expires_at_ms: None };
        engine.issue_token(&owner, tenant, wanted).unwrap().0
    };
    let shown = |token: cairn_access::Token| Some(token.reveal().to_string());
    let revoked = token(acme, "gone", Role::Admin);
    engine.revoke_token(&owner, acme, revoked.id()).unwrap();
    let tokens = [
        None,
        Some(format!("cairn_{}", "A".repeat(48))),
        shown(token(acme, "reader", Role::Reader)),
        shown(token(acme, "writer", Role::Writer)),
        shown(token(acme, "admin", Role::Admin)),
        shown(token(other, "stranger", Role::Admin)),
        shown(revoked),
    ];
    let mut writer = server.connect();
    writer.ask(HELLO, &hello(tokens[3].as_deref().unwrap())).ok();
    fill(&mut writer);
    (server, tokens)
}

fn fill(client: &mut Client) {
    let context = client.create();
    client.append(context, b"1");
    client.append(context, b"1");
    assert_eq!(context, 1);
}

/// `ok`, or the number of the error.
fn answer(client: &mut Client, kind: u16, greeting: &[u8]) -> String {
    let greeted = client.ask(HELLO, greeting);
    let reply = if kind == HELLO { greeted } else { client.ask(kind, &body(kind)) };
    if reply.kind == ERROR { reply.error().0.to_string() } else { "ok".to_owned() }
}

#[test]
fn every_message_answers_every_caller_as_the_table_says() {
    let mut messages = Vec::new();
    for line in TABLE.lines().filter_map(|line| line.strip_prefix("wire ")) {
        let (message, expected) = line.split_once('|').unwrap();
        let (name, kind) = *MESSAGES.iter().find(|(name, _)| *name == message.trim()).unwrap();
        let (server, tokens) = world();
        let mut found: Vec<_> = tokens
            .iter()
            .map(|token| answer(&mut server.connect(), kind, &hello(token.as_deref().unwrap_or(""))))
            .collect();
        // Where nobody is asked, everyone is the local owner.
        let open = Server::start();
        let mut owner = open.connect();
        fill(&mut owner);
        found.push(answer(&mut owner, kind, &[]));
        assert_eq!(found, expected.split_whitespace().collect::<Vec<_>>(), "{name}");
        messages.push(name);
    }
    assert_eq!(messages, MESSAGES.map(|(name, _)| name), "every message has a row");
}
