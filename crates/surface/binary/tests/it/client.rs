//! Every call of the client, against the server.

use cairn_binary::client::{
    AppendTurn, Client, ClientConfig, ClientError, ContentHash, ContextId, Head, TurnId,
};
use cairn_engine::limits;

use crate::fake::run;
use crate::wire::{LAST, Server, rows, window};

fn said(context: ContextId, payload: &[u8]) -> AppendTurn {
    AppendTurn::new(context, "test.Said", 3, payload)
}

fn server_error<T: std::fmt::Debug>(result: Result<T, ClientError>) -> (u32, String, String) {
    let error = result.unwrap_err();
    let ClientError::Server { code, name, hint, .. } = error else { panic!("{error:?}") };
    (code, name, hint)
}

#[test]
fn contexts_turns_and_windows() {
    let server = Server::start();
    run(async {
        let config = ClientConfig { tag: "a test".into(), ..ClientConfig::default() };
        let client = Client::connect(server.addr, config).await.unwrap();
        let head = client.create_context().await.unwrap();
        let context = head.context;
        assert_eq!(head, Head { context: ContextId(1), turn: None, depth: 0 });
        for (n, payload) in [&b"one"[..], b"two", b""].into_iter().enumerate() {
            let appended = client.append(said(context, payload)).await.unwrap();
            assert_eq!((appended.context, appended.turn), (context, TurnId(n as u64 + 1)));
            assert_eq!((appended.depth, appended.hash), (n as u32, ContentHash::of(payload)));
        }
        let head = client.head(context).await.unwrap();
        assert_eq!(head, Head { context, turn: Some(TurnId(3)), depth: 2 });

        let turns = client.last(context, 10, true).await.unwrap();
        let texts: Vec<&[u8]> = turns.iter().map(|turn| turn.payload.as_deref().unwrap()).collect();
        assert_eq!(texts, [&b"one"[..], b"two", b""]);
        let two = &turns[1];
        assert_eq!((two.turn, two.parent, two.depth), (TurnId(2), Some(TurnId(1)), 1));
        assert_eq!((two.type_id.as_str(), two.type_version, two.encoding), ("test.Said", 3, 1));
        assert_eq!((two.payload_bytes, two.hash, turns[0].parent), (3, ContentHash::of(b"two"), None));

        let turns = client.last(context, 2, false).await.unwrap();
        let found: Vec<_> = turns.iter().map(|turn| (turn.turn.0, turn.payload.is_none())).collect();
        assert_eq!(found, [(2, true), (3, true)]);
        let turns = client.before(context, TurnId(3), 1, true).await.unwrap();
        assert_eq!(turns.iter().map(|turn| turn.turn.0).collect::<Vec<_>>(), [2]);
        let turns = client.range_by_depth(context, 1, 9, true).await.unwrap();
        assert_eq!(turns.iter().map(|turn| turn.turn.0).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(client.last(context, 0, true).await.unwrap().turns, []);

        let fork = client.fork(TurnId(2)).await.unwrap();
        assert_eq!(fork, Head { context: ContextId(2), turn: Some(TurnId(2)), depth: 1 });
        let below = AppendTurn { parent: Some(TurnId(1)), ..said(fork.context, b"other") };
        assert_eq!(client.append(below).await.unwrap().depth, 1);
    });
}

#[test]
fn blobs_and_trees() {
    let server = Server::start();
    run(async {
        let client = Client::connect(server.addr, ClientConfig::default()).await.unwrap();
        let context = client.create_context().await.unwrap().context;
        for bytes in [vec![], b"hello".to_vec(), vec![5; 2 << 20]] {
            let hash = ContentHash::of(&bytes);
            assert_eq!(client.put_blob(bytes.clone()).await.unwrap(), (hash, true));
            assert_eq!(client.put_blob(bytes.clone()).await.unwrap(), (hash, false));
            assert!(client.get_blob(hash).await.unwrap() == bytes);
        }
        let (root, _) = client.put_blob(vec![0x90]).await.unwrap();
        let turn = client.append(said(context, b"x")).await.unwrap().turn;
        client.attach_tree(turn, root).await.unwrap();
        client.append(AppendTurn { tree_root: Some(root), ..said(context, b"y") }).await.unwrap();
        let missing = Some(ContentHash::of(b"missing"));
        let refused = client.append(AppendTurn { tree_root: missing, ..said(context, b"z") }).await;
        assert_eq!(server_error(refused).0, 404, "the tree was sent");
        let too_long = client.put_blob(vec![0; limits::BINARY_BLOB_BYTES_MAX + 1]).await;
        assert!(matches!(too_long, Err(ClientError::TooLarge { what: "blob", .. })));
        let most = vec![1; limits::BINARY_BLOB_BYTES_MAX];
        let (hash, _) = client.put_blob(most.clone()).await.unwrap();
        assert!(client.get_blob(hash).await.unwrap() == most);
    });
}

#[test]
fn what_the_server_refuses_is_told_at_once_with_name_and_hint() {
    let server = Server::start();
    run(async {
        let client = Client::connect(server.addr, ClientConfig::default()).await.unwrap();
        let context = client.create_context().await.unwrap().context;
        let gone = ("NotFound".to_owned(), "check the name or id".to_owned());
        for refused in [
            client.head(ContextId(9)).await.map(drop),
            client.fork(TurnId(9)).await.map(drop),
            client.append(said(ContextId(9), b"x")).await.map(drop),
            client.last(ContextId(9), 1, true).await.map(drop),
            client.before(context, TurnId(9), 1, true).await.map(drop),
            client.range_by_depth(ContextId(9), 0, 1, true).await.map(drop),
            client.get_blob(ContentHash::of(b"missing")).await.map(drop),
            client.attach_tree(TurnId(9), ContentHash::of(b"missing")).await,
        ] {
            let (code, name, hint) = server_error(refused);
            assert_eq!((code, (name, hint)), (404, gone.clone()));
        }
        let with_key = |payload| AppendTurn { idempotency_key: Some(b"k".into()), ..said(context, payload) };
        let first = client.append(with_key(b"once")).await.unwrap();
        assert_eq!(client.append(with_key(b"once")).await.unwrap(), first);
        assert_eq!(server_error(client.append(with_key(b"twice")).await).0, 409);
        let long_type = AppendTurn { type_id: "t".repeat(300), ..said(context, b"x") };
        assert_eq!(server_error(client.append(long_type).await).0, 422);
        assert_eq!(client.append(said(context, b"after")).await.unwrap().turn, TurnId(2));
    });
}

#[test]
fn long_payloads_are_compressed_on_their_way_and_read_back_plain() {
    let server = Server::start();
    let payload = [b"abcdefgh".repeat(200_000), (0..=255).collect()].concat();
    run(async {
        let config = ClientConfig { compress_from: Some(1_000), ..ClientConfig::default() };
        let client = Client::connect(server.addr, config).await.unwrap();
        let context = client.create_context().await.unwrap().context;
        client.append(said(context, b"short")).await.unwrap();
        client.append(said(context, &payload)).await.unwrap();
        let turns = client.last(context, 10, true).await.unwrap();
        assert!(turns[1].payload.as_deref() == Some(&payload[..]));
    });
    let (sent, _) = rows(&server.connect().ask(LAST, &window(1, 10, 0)).ok());
    assert_eq!(sent.iter().map(|row| row.compression).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn fifty_appends_at_once_with_one_key_make_one_turn_and_without_one_fifty() {
    let server = Server::start();
    run(async {
        let client = Client::connect(server.addr, ClientConfig::default()).await.unwrap();
        let context = client.create_context().await.unwrap().context;
        for (key, turns) in [(Some(b"same".to_vec()), 1), (None, 51)] {
            let calls: Vec<_> = (0..50)
                .map(|_| {
                    let turn = AppendTurn { idempotency_key: key.clone(), ..said(context, b"once") };
                    let client = client.clone();
                    tokio::spawn(async move { client.append(turn).await.unwrap() })
                })
                .collect();
            let mut answers = Vec::new();
            for call in calls {
                answers.push(call.await.unwrap());
            }
            assert_eq!(answers.iter().all(|answer| *answer == answers[0]), key.is_some());
            assert_eq!(client.last(context, 100, false).await.unwrap().len(), turns);
        }
    });
}

#[test]
fn a_cut_window_says_so_and_goes_on_before_its_oldest_turn() {
    let server = Server::start();
    run(async {
        let client = Client::connect(server.addr, ClientConfig::default()).await.unwrap();
        let context = client.create_context().await.unwrap().context;
        for n in 1..=3 {
            client.append(said(context, &vec![n; 25 << 20])).await.unwrap();
        }
        let mut window = client.last(context, 100, true).await.unwrap();
        let (mut seen, mut cuts) = (Vec::new(), Vec::new());
        loop {
            seen.splice(0..0, window.iter().map(|turn| turn.turn.0));
            cuts.push(window.is_cut);
            if !window.is_cut {
                break;
            }
            window = client.before(context, window[0].turn, 100, true).await.unwrap();
        }
        assert_eq!((seen, cuts), (vec![1, 2, 3], vec![true, false]));
    });
}
