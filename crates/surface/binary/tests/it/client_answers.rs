//! The client against servers that answer nonsense.

use cairn_binary::WireError;
use cairn_binary::client::{AppendTurn, Client, ClientError, ContentHash, ContextId, TurnId};
use cairn_binary::limits;

use crate::fake::{Fake, Reaction, Request, hasty, run};
use crate::wire::{ERROR, HEAD, LAST, frame};

/// Answers every first request of a connection with what `nonsense` makes of it, and hears what a call
/// says about that. The next call has to be fine.
async fn check(
    nonsense: fn(&Request) -> Vec<u8>,
    call: impl AsyncFnOnce(&Client) -> ClientError,
) -> ClientError {
    let fake = Fake::start(move |request| async move {
        if request.connection == 1 { Reaction::Send(nonsense(&request)) } else { request.answer_head() }
    })
    .await;
    let client = fake.client(hasty()).await;
    let error = call(&client).await;
    assert_eq!(fake.connections(), 1, "it is not tried again: {error:?}");
    assert_eq!(client.head(ContextId(5)).await.unwrap().turn, Some(TurnId(7)), "{error:?}");
    assert_eq!(fake.connections(), 2, "the connection is not used again: {error:?}");
    error
}

async fn head(client: &Client) -> ClientError {
    client.head(ContextId(5)).await.unwrap_err()
}

async fn last(client: &Client) -> ClientError {
    client.last(ContextId(5), 1, true).await.unwrap_err()
}

/// A window with one turn.
fn one_turn(payload: &[u8], said_bytes: u32, hash: ContentHash) -> Vec<u8> {
    let mut body = 1_u32.to_le_bytes().to_vec();
    body.extend([0; 20]);
    body.extend([1, 0, 0, 0, b't']);
    body.extend([0; 12]);
    body.extend(said_bytes.to_le_bytes());
    body.extend(hash.as_bytes());
    body.extend(u32::try_from(payload.len()).unwrap().to_le_bytes());
    body.extend(payload);
    body
}

#[test]
fn answers_to_other_requests_are_not_taken() {
    run(async {
        let id = |request: &Request| frame(HEAD, 0, request.id + 1, &[0; 20]);
        let error = check(id, head).await;
        assert!(matches!(error, ClientError::WrongAnswer { asked: 2, found: 3, kind: HEAD }), "{error:?}");
        let kind = |request: &Request| frame(LAST, 0, request.id, &[0; 20]);
        let error = check(kind, head).await;
        assert!(matches!(error, ClientError::WrongAnswer { asked: 2, found: 2, kind: LAST }), "{error:?}");
        let id_of_error = |request: &Request| frame(ERROR, 0, request.id + 1, &[0; 8]);
        let error = check(id_of_error, head).await;
        assert!(matches!(error, ClientError::WrongAnswer { .. }), "{error:?}");
    });
}

#[test]
fn an_answer_over_the_limit_is_not_read() {
    run(async {
        let long = |request: &Request| {
            let mut header = frame(HEAD, 0, request.id, b"");
            let bytes = u32::try_from(limits::BINARY_FRAME_BYTES_MAX).unwrap() + 1;
            header[..4].copy_from_slice(&bytes.to_le_bytes());
            header
        };
        // It does not wait for what was announced.
        let error = check(long, head).await;
        assert!(matches!(error, ClientError::AnswerTooLarge { bytes: 67_108_865 }), "{error:?}");
    });
}

#[test]
fn bodies_have_to_be_what_they_say() {
    run(async {
        let cut = |request: &Request| frame(HEAD, 0, request.id, &[0; 19]);
        let error = check(cut, head).await;
        assert!(matches!(error, ClientError::Malformed(WireError::Cut { field: "head_depth" })), "{error:?}");
        let no_text = |request: &Request| frame(ERROR, 0, request.id, &[0, 0, 0, 0, 1, 0, 0, 0, 0xff]);
        let error = check(no_text, head).await;
        assert!(matches!(error, ClientError::Malformed(WireError::NotText { .. })), "{error:?}");
        let endless = |request: &Request| frame(LAST, 0, request.id, &u32::MAX.to_le_bytes());
        let error = check(endless, last).await;
        assert!(matches!(error, ClientError::Malformed(WireError::Cut { .. })), "{error:?}");
        let hash =
            |request: &Request| frame(LAST, 0, request.id, &one_turn(b"said", 4, ContentHash::of(b"meant")));
        let error = check(hash, last).await;
        assert!(matches!(error, ClientError::Malformed(WireError::WrongHash)), "{error:?}");
        let length =
            |request: &Request| frame(LAST, 0, request.id, &one_turn(b"said", 5, ContentHash::of(b"said")));
        let error = check(length, last).await;
        let expected = matches!(error, ClientError::Malformed(WireError::WrongLength { found: 4, said: 5 }));
        assert!(expected, "{error:?}");
    });
}

#[test]
fn what_was_stored_has_to_be_what_was_sent() {
    run(async {
        let zeros = |request: &Request| frame(request.kind, 0, request.id, &[0; 64]);
        let append = async |client: &Client| {
            client.append(AppendTurn::new(ContextId(0), "t", 1, *b"x")).await.unwrap_err()
        };
        let put = async |client: &Client| client.put_blob(b"x".to_vec()).await.unwrap_err();
        let get = async |client: &Client| client.get_blob(ContentHash::of(b"x")).await.unwrap_err();
        let attach =
            async |client: &Client| client.attach_tree(TurnId(0), ContentHash::of(b"x")).await.unwrap_err();
        for error in [
            check(zeros, append).await,
            check(zeros, put).await,
            check(zeros, get).await,
            check(zeros, attach).await,
        ] {
            assert!(matches!(error, ClientError::Malformed(WireError::WrongHash)), "{error:?}");
        }
    });
}

#[test]
fn nonsense_to_a_new_context_is_no_refusal() {
    run(async {
        let cut = |request: &Request| frame(request.kind, 0, request.id, &[0; 19]);
        let create = async |client: &Client| client.create_context().await.unwrap_err();
        let error = check(cut, create).await;
        let ClientError::OutcomeUnknown { reason } = error else { panic!("{error:?}") };
        assert!(matches!(*reason, ClientError::Malformed(_)), "{reason:?}");
    });
}

#[test]
fn more_bytes_than_asked_for_end_a_connection() {
    run(async {
        let fake = Fake::start(|request| async move {
            let Reaction::Send(answer) = request.answer_head() else { unreachable!() };
            Reaction::Send([answer, vec![0]].concat())
        })
        .await;
        let client = fake.client(hasty()).await;
        for _ in 0..3 {
            client.head(ContextId(5)).await.unwrap();
        }
        assert_eq!(fake.connections(), 3);
    });
}
