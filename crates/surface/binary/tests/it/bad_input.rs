//! Whatever is sent: an ERROR frame, nothing stored, and the connection goes on.

use std::io::Read;
use std::time::Duration;

use cairn_binary::BinaryConfig;
use cairn_turns::limits;

use crate::wire::*;

#[test]
fn every_cut_of_every_request_is_an_error_and_stores_nothing() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    client.append(context, b"hello");
    let append = Append { key: b"k", tree: Some([7; 32]), ..Append::new(context, b"x") }.encode();
    let rest = [&context.to_le_bytes()[..], &[0; 12]].concat();
    for (kind, flags, body) in [
        (CREATE, 0, vec![0; 8]),
        (FORK, 0, vec![0; 8]),
        (HEAD, 0, context.to_le_bytes().to_vec()),
        (APPEND, 1, append),
        (LAST, 0, window(context, 1, 1)),
        (BEFORE, 0, [&rest[..8], &1_u64.to_le_bytes(), &[0; 8]].concat()),
        (BY_DEPTH, 0, rest.clone()),
        (GET_BLOB, 0, vec![7; 32]),
        (ATTACH, 0, vec![7; 40]),
        (PUT_BLOB, 0, [&[7; 32][..], &5_u32.to_le_bytes(), b"hello"].concat()),
        (PUT_BUNDLE, 0, [&1_u32.to_le_bytes()[..], b"b", &2_u32.to_le_bytes(), b"{}"].concat()),
        (HELLO, 0, b"\x01\x00\x03\x00tag\x02\x00\x00\x00{}".to_vec()),
    ] {
        // No bytes at all is a HELLO of old clients.
        for cut in usize::from(kind == HELLO)..body.len() {
            let (code, message) = client.ask_with(kind, flags, &body[..cut]).error();
            assert_eq!(code, 422, "{kind} cut at {cut}: {message}");
        }
    }
    assert_eq!(client.ask(HEAD, &context.to_le_bytes()).ok().u64_at(8), 1);
    assert_eq!(client.create(), 2, "nothing else was made");
}

#[test]
fn lies_are_found_out() {
    let server = Server::start();
    let mut client = server.connect();
    let context = client.create();
    let good = Append::new(context, b"hello");
    let bomb = zstd::bulk::compress(&vec![0; 300 << 20], 1).unwrap();
    let lies = [
        (Append { context: 9, ..good.clone() }, 404),
        (Append { context: 9, parent: 1, ..good.clone() }, 404),
        (Append { parent: 7, ..good.clone() }, 404),
        (Append { hash: [0; 32], ..good.clone() }, 422),
        (Append { uncompressed_len: 4, ..good.clone() }, 422),
        (Append { uncompressed_len: u32::MAX, ..good.clone() }, 413),
        (Append { compression: 2, ..good.clone() }, 422),
        (Append { compression: 1, ..good.clone() }, 422),
        (Append { compression: 1, payload: bomb.clone(), ..good.clone() }, 422),
        (Append { compression: 1, payload: bomb, uncompressed_len: 300 << 20, ..good.clone() }, 413),
        (Append { type_id: b"\xff\xfe", ..good.clone() }, 422),
        (Append { type_id: &[b't'; limits::TYPE_ID_BYTES_MAX + 1], ..good.clone() }, 422),
        (Append { key: &[1; limits::IDEMPOTENCY_KEY_BYTES_MAX + 1], ..good.clone() }, 422),
    ];
    for (lie, expected) in lies {
        let (code, message) = client.ask(APPEND, &lie.encode()).error();
        assert_eq!(code, expected, "{message}");
    }
    // Lengths that reach behind the message.
    for at in [16, 83 + 9 - 32 - 4] {
        let mut bytes = good.encode();
        bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!([413, 422].contains(&client.ask(APPEND, &bytes).error().0), "length at {at}");
    }
    let wrong_hash = [&[0; 32][..], &5_u32.to_le_bytes(), b"hello"].concat();
    assert_eq!(client.ask(PUT_BLOB, &wrong_hash).error().0, 422);
    assert_eq!(client.ask(GET_BLOB, &[0; 32]).error().0, 404);
    assert_eq!(client.ask(GET_BLOB, &[0; 33]).error().0, 422);
    for kind in [0, 13, 254, 255, 65_535] {
        let (code, message) = client.ask(kind, b"").error();
        assert_eq!((code, message), (422, format!("there is no message type {kind}")));
    }
    assert_eq!(client.ask(HELLO, b"\x01\x00\x02\x00\xff\xff\x00\x00\x00\x00").error().0, 422);
    assert_eq!(client.append(context, b"hello"), (1, 0), "nothing was stored before");
}

#[test]
fn a_frame_over_the_limit_ends_the_connection_and_nothing_else() {
    let server = Server::start();
    let mut client = server.connect();
    let mut other = server.connect();
    let context = other.create();
    let too_long = u32::try_from(cairn_binary::limits::BINARY_FRAME_BYTES_MAX).unwrap() + 1;
    let mut header = frame(APPEND, 0, 7, b"");
    header[..4].copy_from_slice(&too_long.to_le_bytes());
    client.send(&header);
    let reply = client.receive();
    assert_eq!((reply.error().0, reply.request_id), (413, 7));
    assert_eq!(client.stream.read(&mut [0; 1]).unwrap_or(0), 0, "it is closed");
    assert_eq!(other.append(context, b"x"), (1, 0));
}

#[test]
fn whoever_stalls_is_cut_off_and_delays_nobody() {
    let patience = Duration::from_millis(300);
    let server = Server::with(BinaryConfig { patience, memory_bytes: 4 << 20, ..BinaryConfig::default() });
    let mut stalled: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    for client in &mut stalled {
        let mut half = frame(PUT_BLOB, 0, 1, &[0; 200_000]);
        half[..4].copy_from_slice(&(60_u32 << 20).to_le_bytes());
        client.send(&half);
    }
    let mut client = server.connect();
    let context = client.create();
    for n in 0..100_u8 {
        client.append(context, &[n]);
    }
    // Memory comes back when they are cut off.
    client.put_blob(&vec![1; 3 << 20]);
    for client in &mut stalled {
        assert_eq!(client.stream.read(&mut [0; 16]).unwrap_or(0), 0, "it was cut off");
    }
}

#[test]
fn connections_over_the_limit_are_closed_and_silent_ones_in_time() {
    let idle = Duration::from_millis(200);
    let server = Server::with(BinaryConfig { connections_max: 2, idle, ..BinaryConfig::default() });
    let mut one = server.connect();
    let mut two = server.connect();
    one.create();
    two.create();
    let mut three = server.connect();
    assert_eq!(three.stream.read(&mut [0; 1]).unwrap_or(0), 0);
    assert_eq!(one.stream.read(&mut [0; 1]).unwrap_or(0), 0, "it was silent for too long");
    let mut four = server.connect();
    four.create();
}

#[test]
fn large_answers_have_a_bound_together_and_short_ones_go_on() {
    let patience = Duration::from_secs(15);
    let server = Server::with(BinaryConfig { patience, memory_bytes: 40 << 20, ..BinaryConfig::default() });
    let mut client = server.connect();
    let context = client.create();
    client.append(context, &vec![7; 16 << 20]);
    // They ask, and do not take the answer.
    let mut slow: Vec<Client> = (0..6).map(|_| server.connect()).collect();
    for client in &mut slow {
        client.send(&frame(LAST, 0, 1, &window(context, 1, 1)));
    }
    let refused_or_sent = |client: &mut Client| client.receive().kind;
    // Short requests are answered meanwhile; one more large one is told to come back later.
    std::thread::sleep(Duration::from_millis(500));
    let (turns, _) = rows(&client.ask(LAST, &window(context, 1, 0)).ok());
    assert_eq!(turns.len(), 1);
    assert_eq!(client.ask(LAST, &window(context, 1, 1)).error().0, 503);
    let kinds: Vec<u16> = slow.iter_mut().map(refused_or_sent).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == LAST).count(), 2, "{kinds:?}: as many as fit");
    // They have taken their answers now.
    let (turns, _) = rows(&client.ask(LAST, &window(context, 1, 1)).ok());
    assert_eq!(turns[0].payload.len(), 16 << 20);
}

#[test]
fn what_a_web_page_can_send_is_no_frame() {
    let server = Server::start();
    // Whatever the method, its letters are a length that no frame has.
    for method in ["GET ", "POST", "PUT ", "HEAD", "OPTIONS", "PATCH"] {
        let mut client = server.connect();
        client
            .send(format!("{method} / HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\n\r\n").as_bytes());
        assert_eq!(client.receive().error().0, 413, "{method}");
        // Cut, in order or because not all of it was read.
        let ended = client.stream.read(&mut [0; 16]);
        assert!(ended.as_ref().map_or(true, |read| *read == 0), "{method}: {ended:?}");
    }
}
