//! The client when connections break and servers go: what was sent is done once, or nobody claims it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cairn_base::ErrorCode;
use cairn_binary::BinaryConfig;
use cairn_binary::client::{AppendTurn, Client, ClientConfig, ClientError, ContextId, TurnId};
use cairn_seam::StoreCode;
use tokio::runtime::Runtime;
use tokio::time::sleep;

use crate::fake::{Fake, Reaction, hasty, run};
use crate::proxy::{Cut, Proxy};
use crate::wire::{APPEND, CREATE, FORK, HEAD, HELLO, PUT_BLOB, Server, frame, store};

fn said(context: ContextId, payload: &[u8]) -> AppendTurn {
    AppendTurn::new(context, "test.Said", 3, payload)
}

#[test]
fn a_server_that_was_started_again_is_found() {
    let store = store();
    let server = Server::over(Arc::clone(&store), BinaryConfig::default());
    let runtime = Runtime::new().unwrap();
    let (proxy, client, context) = runtime.block_on(async {
        let proxy = Proxy::start(server.addr).await;
        let client = Client::connect(proxy.addr, hasty()).await.unwrap();
        let context = client.create_context().await.unwrap().context;
        client.append(said(context, b"before")).await.unwrap();
        (proxy, client, context)
    });
    drop(server);
    let server = Server::over(store, BinaryConfig::default());
    proxy.lead_to(server.addr);
    runtime.block_on(async {
        client.append(said(context, b"after")).await.unwrap();
        let turns = client.last(context, 10, true).await.unwrap();
        let texts: Vec<&[u8]> = turns.iter().map(|turn| turn.payload.as_deref().unwrap()).collect();
        assert_eq!(texts, [&b"before"[..], b"after"]);
        assert_eq!(client.create_context().await.unwrap().context, ContextId(2));
    });
    runtime.shutdown_timeout(Duration::from_secs(5));
}

#[test]
fn a_turn_whose_answer_was_lost_is_there_once() {
    let server = Server::start();
    run(async {
        let proxy = Proxy::start(server.addr).await;
        let client = Client::connect(proxy.addr, hasty()).await.unwrap();
        let context = client.create_context().await.unwrap().context;
        let cuts =
            [Cut::BeforeAnswer(APPEND), Cut::BeforeServer(APPEND), Cut::AtOnce, Cut::BeforeAnswer(APPEND)];
        cuts.into_iter().for_each(|cut| proxy.cut(cut));
        let appended = client.append(said(context, b"once")).await.unwrap();
        assert_eq!((appended.turn, appended.depth), (TurnId(1), 0));
        let sent = proxy.seen(APPEND);
        assert_eq!(sent.len(), 4, "three were cut");
        assert!(sent.iter().all(|body| *body == sent[0]), "all with the same key");
        assert_eq!(client.last(context, 10, false).await.unwrap().len(), 1);
    });
}

#[test]
fn uploads_and_reads_are_sent_again_too() {
    let server = Server::start();
    run(async {
        let proxy = Proxy::start(server.addr).await;
        let client = Client::connect(proxy.addr, hasty()).await.unwrap();
        let context = client.create_context().await.unwrap().context;
        proxy.cut(Cut::BeforeAnswer(PUT_BLOB));
        assert!(!client.put_blob(b"blob".to_vec()).await.unwrap().1, "the first one did it");
        proxy.cut(Cut::BeforeServer(HEAD));
        assert_eq!(client.head(context).await.unwrap().context, context);
        assert_eq!((proxy.seen(PUT_BLOB).len(), proxy.seen(HEAD).len()), (2, 2));
    });
}

#[test]
fn nobody_makes_two_contexts_for_one() {
    let server = Server::start();
    run(async {
        let proxy = Proxy::start(server.addr).await;
        let client = Client::connect(proxy.addr, hasty()).await.unwrap();
        let context = client.create_context().await.unwrap().context;
        let turn = client.append(said(context, b"x")).await.unwrap().turn;
        for (cut, kind) in [(Cut::BeforeAnswer(CREATE), CREATE), (Cut::BeforeServer(FORK), FORK)] {
            let before = proxy.seen(kind).len();
            proxy.cut(cut);
            let made = if kind == CREATE { client.create_context().await } else { client.fork(turn).await };
            let error = made.unwrap_err();
            assert!(
                matches!(&error, ClientError::OutcomeUnknown { reason } if matches!(**reason, ClientError::Lost(_)))
            );
            assert_eq!((error.code(), proxy.seen(kind).len()), (StoreCode::OutcomeUnknown, before + 1));
        }
        // Nothing was sent yet when these break.
        proxy.cut(Cut::BeforeServer(HELLO));
        proxy.cut(Cut::AtOnce);
        let made = client.create_context().await.unwrap();
        assert_eq!(made.context, ContextId(3), "the second was made and not heard of");
    });
}

#[test]
fn connections_that_ended_while_nobody_used_them_are_not_used() {
    run(async {
        let fake = Fake::start_rude(|request| async move {
            let hello = frame(HELLO, 0, request.id, &[1, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
            match (request.kind, request.connection) {
                (HELLO, 1) => Reaction::SendAndClose(hello),
                (HELLO, _) => Reaction::Send(hello),
                _ => request.answer(&[&[1; 8][..], &[0; 12]].concat()),
            }
        })
        .await;
        let client = fake.client(ClientConfig { retries: 0, ..hasty() }).await;
        // The end is on its way; this lets the runtime look at the socket.
        sleep(Duration::from_millis(20)).await;
        client.create_context().await.unwrap();
        assert_eq!(fake.connections(), 2);
    });
}

#[test]
fn come_back_later_is_done_and_other_errors_are_told() {
    run(async {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let fake = Fake::start(move |request| {
            let nth = count.fetch_add(1, Ordering::SeqCst);
            async move {
                let busy = r#"{"code":"Overloaded","message":"too much","details":{"hint":"wait"}}"#;
                match request.kind {
                    CREATE if nth == 3 => request.answer(&[&[1; 8][..], &[0; 12]].concat()),
                    HEAD => request.refuse(404, "no such context"),
                    _ => request.refuse(503, busy),
                }
            }
        })
        .await;
        let client = fake.client(ClientConfig { retries: 4, ..hasty() }).await;
        client.create_context().await.unwrap();
        assert_eq!(asked.swap(0, Ordering::SeqCst), 4, "three times later");
        let error = client.append(said(ContextId(1), b"x")).await.unwrap_err();
        let ClientError::Server { code, name, message, hint } = error else { panic!("{error:?}") };
        let told = (code, name.as_str(), message.as_str(), hint.as_str());
        assert_eq!(told, (503, "Overloaded", "too much", "wait"));
        assert_eq!(asked.swap(0, Ordering::SeqCst), 5, "once, and four times more");
        let error = client.head(ContextId(1)).await.unwrap_err();
        assert_eq!((error.code(), asked.load(Ordering::SeqCst)), (ErrorCode::NotFound, 1));
        assert_eq!(fake.connections(), 1, "errors of the server break no connection");
    });
}

#[test]
fn nobody_waits_for_ever() {
    run(async {
        let fake = Fake::start_rude(|request| async move {
            match (request.kind, request.connection) {
                (HELLO, 1..4) => request.answer(&[1, 0, 0, 0, 0, 0, 0, 0, 1, 0]),
                _ => Reaction::Silence,
            }
        })
        .await;
        let short = Duration::from_millis(250);
        let config = ClientConfig { request_timeout: short, dial_timeout: short, retries: 1, ..hasty() };
        let client = fake.client(config.clone()).await;
        let error = client.head(ContextId(1)).await.unwrap_err();
        assert!(matches!(error, ClientError::TimedOut { after } if after == short), "{error:?}");
        let error = client.create_context().await.unwrap_err();
        let ClientError::OutcomeUnknown { reason } = error else { panic!("{error:?}") };
        assert!(matches!(*reason, ClientError::TimedOut { .. }), "{reason:?}");
        assert_eq!(fake.connections(), 2, "each had one of its own");
        let error = client.head(ContextId(1)).await.unwrap_err();
        assert!(matches!(error, ClientError::TimedOut { .. }), "{error:?}");
        // Nobody greets any more: twice each.
        let error = client.create_context().await.unwrap_err();
        assert!(matches!(error, ClientError::TimedOut { .. }), "nothing was sent: {error:?}");
        let error = Client::connect(fake.addr, config).await.unwrap_err();
        assert!(matches!(error, ClientError::TimedOut { .. }), "{error:?}");
        assert_eq!(fake.connections(), 3 + 2 + 2);
    });
}

#[test]
fn where_no_server_is_that_is_said() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    run(async {
        let error = Client::connect(free, ClientConfig { retries: 2, ..hasty() }).await.unwrap_err();
        assert!(matches!(&error, ClientError::Connect { addr, .. } if *addr == free.to_string()));
        assert!(error.to_string().contains("is the server running"), "{error}");
        let config = ClientConfig { tag: "t".repeat(65_536), ..hasty() };
        let error = Client::connect(free, config).await.unwrap_err();
        assert!(matches!(error, ClientError::TooLarge { what: "client tag", .. }), "{error:?}");
    });
}
