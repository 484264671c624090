//! What a client does on a good day.

use cairn_base::ContentHash;

use crate::wire::*;

#[test]
fn hello_is_optional_and_answered_as_clients_expect() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    assert_eq!(context, 1);
    for body in [&b""[..], &[1, 0, 0, 0, 0, 0, 0, 0], b"\x01\x00\x0b\x00test-client\x00\x00\x00\x00"] {
        let reply = client.ask(HELLO, body).ok();
        assert_eq!((reply.body.len(), &reply.body[8..]), (10, &[1, 0][..]));
    }
    let (one, other) =
        (client.ask(HELLO, b"").ok().u64_at(0), server.connect().ask(HELLO, b"").ok().u64_at(0));
    assert_ne!(one, other, "every connection is a session");
}

#[test]
fn turns_are_appended_and_read_back() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    assert_eq!(client.append(context, b"one"), (1, 0));
    assert_eq!(client.append(context, b"two"), (2, 1));
    assert_eq!(client.append(context, b""), (3, 2));
    let head = client.ask(HEAD, &context.to_le_bytes()).ok();
    assert_eq!((head.body.len(), head.u64_at(0), head.u64_at(8), head.u32_at(16)), (20, 1, 3, 2));

    let (turns, left) = rows(&client.ask(LAST, &window(context, 10, 1)).ok());
    let texts: Vec<&[u8]> = turns.iter().map(|row| &row.payload[..]).collect();
    assert_eq!(texts, [&b"one"[..], b"two", b""]);
    assert_eq!(left, 1, "an empty payload at the end has a byte behind it");
    assert_eq!((turns[1].turn, turns[1].parent, turns[1].depth), (2, 1, 1));
    assert_eq!(
        (turns[1].type_id.as_str(), turns[1].compression, turns[1].uncompressed_len),
        ("test.Said", 0, 3)
    );

    let (turns, left) = rows(&client.ask(LAST, &window(context, 2, 0)).ok());
    assert_eq!(turns.iter().map(|row| (row.turn, row.payload.len())).collect::<Vec<_>>(), [(2, 0), (3, 0)]);
    assert_eq!(left, 1);
    let (turns, left) = rows(&client.ask(LAST, &window(context, 0, 1)).ok());
    assert_eq!((turns.len(), left), (0, 0));
}

#[test]
fn windows_before_a_turn_and_by_depth() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    for n in 0..9_u8 {
        client.append(context, &[n]);
    }
    let before = |turn: u64, limit: u32| {
        [&context.to_le_bytes()[..], &turn.to_le_bytes(), &limit.to_le_bytes(), &1_u32.to_le_bytes()].concat()
    };
    let (turns, _) = rows(&client.ask(BEFORE, &before(5, 2)).ok());
    assert_eq!(turns.iter().map(|row| row.turn).collect::<Vec<_>>(), [3, 4]);
    let by_depth =
        [&context.to_le_bytes()[..], &6_u32.to_le_bytes(), &9_u32.to_le_bytes(), &1_u32.to_le_bytes()];
    let (turns, _) = rows(&client.ask(BY_DEPTH, &by_depth.concat()).ok());
    assert_eq!(turns.iter().map(|row| (row.turn, row.depth)).collect::<Vec<_>>(), [(7, 6), (8, 7), (9, 8)]);

    let fork = client.ask(FORK, &4_u64.to_le_bytes()).ok();
    assert_eq!((fork.u64_at(0), fork.u64_at(8), fork.u32_at(16)), (2, 4, 3));
    let outside =
        [&2_u64.to_le_bytes()[..], &5_u64.to_le_bytes(), &9_u32.to_le_bytes(), &1_u32.to_le_bytes()];
    assert_eq!(client.ask(BEFORE, &outside.concat()).error().0, 404);
}

#[test]
fn requests_may_be_sent_ahead_and_are_answered_in_order() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    let mut bytes = Vec::new();
    for n in 0..50_u64 {
        bytes.extend(frame(APPEND, 0, n, &Append::new(context, &n.to_le_bytes()).encode()));
    }
    client.send(&bytes);
    for n in 0..50_u64 {
        let reply = client.receive();
        assert_eq!((reply.request_id, reply.u64_at(8), reply.u32_at(16)), (n, n + 1, n as u32));
    }
}

#[test]
fn compressed_payloads_are_stored_plain() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    let plain = vec![7; 300_000];
    let packed = zstd::bulk::compress(&plain, 1).unwrap();
    let request = Append { compression: 1, payload: packed, ..Append::new(context, &plain) };
    client.ask(APPEND, &request.encode()).ok();
    let (turns, _) = rows(&client.ask(LAST, &window(context, 1, 1)).ok());
    assert_eq!((turns[0].compression, turns[0].payload == plain), (0, true));
    let (turns, _) = rows(&client.ask(LAST, &window(context, 1, 0)).ok());
    assert_eq!((turns[0].compression, turns[0].uncompressed_len), (1, 300_000));
}

#[test]
fn the_same_key_makes_one_turn() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    let request = Append { key: b"idem-1", ..Append::new(context, b"once") };
    let first = client.ask(APPEND, &request.encode()).ok();
    assert_eq!(client.ask(APPEND, &request.encode()).ok().body, first.body);
    let other = Append { key: b"idem-1", ..Append::new(context, b"twice") };
    assert_eq!(client.ask(APPEND, &other.encode()).error().0, 409);
    assert_eq!(client.ask(HEAD, &context.to_le_bytes()).ok().u64_at(8), 1);
}

#[test]
fn blobs_and_trees() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    for bytes in [vec![], b"hello".to_vec(), vec![9; 65_537], vec![5; 2 << 20]] {
        let hash = client.put_blob(&bytes);
        let again =
            [hash.as_bytes(), &u32::try_from(bytes.len()).unwrap().to_le_bytes()[..], &bytes].concat();
        assert_eq!(client.ask(PUT_BLOB, &again).ok().body[32], 0, "it is there already");
        let read = client.ask(GET_BLOB, hash.as_bytes()).ok();
        assert_eq!((read.u32_at(0) as usize, read.body[4..] == bytes), (bytes.len(), true));
    }
    let root = client.put_blob(&[0x90]);
    let (turn, _) = client.append(context, b"x");
    let attach = [&turn.to_le_bytes()[..], root.as_bytes()].concat();
    assert_eq!(client.ask(ATTACH, &attach).ok().body, attach);
    let request = Append { tree: Some(*root.as_bytes()), ..Append::new(context, b"y") };
    client.ask_with(APPEND, 1, &request.encode()).ok();
    let missing = ContentHash::of(b"missing");
    let request = Append { tree: Some(*missing.as_bytes()), ..Append::new(context, b"z") };
    assert_eq!(client.ask_with(APPEND, 1, &request.encode()).error().0, 404);
    assert_eq!(client.ask(HEAD, &context.to_le_bytes()).ok().u64_at(8), 2, "nothing was appended");
}

#[test]
fn large_payloads_are_turns_like_others_and_answers_keep_the_newest() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    let large = |n: u8| vec![n; 25 << 20];
    for n in 1..=3 {
        client.append(context, &large(n));
    }
    let cut = client.ask(LAST, &window(context, 10, 1)).ok();
    let (turns, _) = rows(&cut);
    assert_eq!(turns.iter().map(|row| row.turn).collect::<Vec<_>>(), [2, 3], "two fit into a frame");
    assert!(turns[1].payload == large(3));
    assert_eq!(cut.flags, 1, "and the answer says that there are more");

    // What was left out is before the oldest that came.
    let before = |turn: u64, limit: u32| {
        [&context.to_le_bytes()[..], &turn.to_le_bytes(), &limit.to_le_bytes(), &1_u32.to_le_bytes()].concat()
    };
    let rest = client.ask(BEFORE, &before(2, 10)).ok();
    assert_eq!((rows(&rest).0[0].turn, rest.flags), (1, 0));
    // Whoever asks for no more than comes is not told of more.
    for (limit, with_payload) in [(2, 1), (1, 1), (0, 1), (10, 0)] {
        assert_eq!(client.ask(LAST, &window(context, limit, with_payload)).ok().flags, 0, "{limit}");
    }
    // A range by depth keeps the oldest, and goes on behind the newest of them.
    let by_depth = |depth: u32| {
        [&context.to_le_bytes()[..], &depth.to_le_bytes(), &9_u32.to_le_bytes(), &1_u32.to_le_bytes()]
            .concat()
    };
    let from = |client: &mut Client, depth| {
        let found = client.ask(BY_DEPTH, &by_depth(depth)).ok();
        (rows(&found).0.iter().map(|row| row.turn).collect::<Vec<_>>(), found.flags)
    };
    assert_eq!(from(&mut client, 0), (vec![1, 2], 1));
    assert_eq!(from(&mut client, 2), (vec![3], 0));
}

#[test]
fn bundles_of_types_are_published_once() {
    let server = Server::start();
    let mut client = server.connect();
    let publish = |client: &mut Client, id: &str, json: &str| {
        let counted =
            |text: &str| [&u32::try_from(text.len()).unwrap().to_le_bytes()[..], text.as_bytes()].concat();
        client.ask(PUT_BUNDLE, &[counted(id), counted(json)].concat())
    };
    let bundle = |id: &str, kind: &str| {
        let fields = format!(r#"{{"1":{{"name":"a","type":"{kind}"}}}}"#);
        format!(
            r#"{{"registry_version":1,"bundle_id":"{id}","types":{{"T":{{"versions":{{"1":{{"fields":{fields}}}}}}}}}}}"#
        )
    };
    let first = bundle("b", "u8");
    assert_eq!(publish(&mut client, "b", &first).ok().body, 201_u32.to_le_bytes());
    assert_eq!(publish(&mut client, "b", &first).ok().body, 204_u32.to_le_bytes());
    assert_eq!(
        publish(&mut client, "b", &bundle("b", "u16")).error().0,
        409,
        "other content under the same id"
    );
    assert_eq!(publish(&mut client, "c", &bundle("c", "u16")).error().0, 409, "another type of a tag");
    let (code, message) = publish(&mut client, "c", &first).error();
    assert_eq!((code, message.contains("the request says `c`")), (422, true), "{message}");
    assert_eq!(publish(&mut client, "b", "{").error().0, 422);
    assert_eq!(
        publish(&mut client, "c", &bundle("c", "u8")).ok().body,
        201_u32.to_le_bytes(),
        "no trace was left"
    );
}
