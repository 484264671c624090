//! Many clients at once.

use std::thread;

use crate::wire::*;

#[test]
fn connections_that_append_to_one_context_make_one_chain() {
    let server = Server::start();
    let context = server.connect().create();
    thread::scope(|scope| {
        for writer in 0..64_u8 {
            let mut client = server.connect();
            scope.spawn(move || {
                for n in 0..10_u8 {
                    client.append(context, &[writer, n]);
                }
            });
        }
    });
    let (turns, _) = rows(&server.connect().ask(LAST, &window(context, 1000, 1)).ok());
    let chain: Vec<(u64, u64, u32)> = turns.iter().map(|row| (row.turn, row.parent, row.depth)).collect();
    assert_eq!(chain, (0..640).map(|n| (n + 1, n, n as u32)).collect::<Vec<_>>());
    let mut payloads: Vec<Vec<u8>> = turns.into_iter().map(|row| row.payload).collect();
    payloads.sort();
    payloads.dedup();
    assert_eq!(payloads.len(), 640, "none is lost");
}

#[test]
fn one_key_sent_by_fifty_at_once_makes_one_turn() {
    let server = Server::start();
    let context = server.connect().create();
    let request = Append { key: b"same", ..Append::new(context, b"once") }.encode();
    let answers: Vec<Vec<u8>> = thread::scope(|scope| {
        let clients: Vec<_> = (0..50)
            .map(|_| {
                let (mut client, request) = (server.connect(), &request);
                scope.spawn(move || client.ask(APPEND, request).ok().body)
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    let (turns, _) = rows(&server.connect().ask(LAST, &window(context, 10, 1)).ok());
    assert_eq!(turns.len(), 1);
}
