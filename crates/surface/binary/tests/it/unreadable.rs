//! Windows with a turn whose payload is damaged.

use std::sync::Arc;

use cairn_base::{ContentHash, ErrorCode, TenantId};
use cairn_binary::BinaryConfig;

use crate::wire::*;

#[test]
fn a_damaged_payload_is_named_and_can_be_read_around() {
    let store = store();
    let server = Server::over(Arc::clone(&store), BinaryConfig::default());
    let mut client = server.connect();
    let context = client.create();
    let turns: Vec<_> =
        [&b"\xa3one"[..], b"\xa3two", b"\xa5three"].iter().map(|text| client.append(context, text)).collect();
    store.damage_blob(TenantId::LOCAL, &ContentHash::of(b"\xa3two"));
    let (damaged, depth) = turns[1];

    let before = |turn: u64| {
        [&context.to_le_bytes()[..], &turn.to_le_bytes(), &9_u32.to_le_bytes(), &[1, 0, 0, 0]].concat()
    };
    let by_depth = |depth: u32| {
        [&context.to_le_bytes()[..], &depth.to_le_bytes(), &9_u32.to_le_bytes(), &[1, 0, 0, 0]].concat()
    };
    for (kind, body) in [(LAST, window(context, 9, 1)), (BEFORE, before(turns[2].0)), (BY_DEPTH, by_depth(0))]
    {
        let (code, message) = client.ask(kind, &body).error();
        assert_eq!(code, ErrorCode::Damaged.wire(), "{message}");
        assert!(message.contains(&format!("turn {damaged} ")), "{message}");
        assert!(message.contains(&format!("from depth {} on", depth + 1)), "{message}");
        assert!(message.contains("without payloads"), "{message}");
    }
    let numbers = |reply: Reply| -> Vec<u64> { rows(&reply.ok()).0.iter().map(|row| row.turn).collect() };
    assert_eq!(numbers(client.ask(BEFORE, &before(damaged))), [turns[0].0]);
    assert_eq!(numbers(client.ask(BY_DEPTH, &by_depth(depth + 1))), [turns[2].0]);
    assert_eq!(numbers(client.ask(LAST, &window(context, 1, 1))), [turns[2].0]);
    assert_eq!(numbers(client.ask(LAST, &window(context, 9, 0))).len(), 3);
}
