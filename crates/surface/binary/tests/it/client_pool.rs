//! Calls that share connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cairn_binary::client::{ClientConfig, ClientError, ContextId, TurnId};
use tokio::sync::{Barrier, Notify};
use tokio::time::{sleep, timeout};

use crate::fake::{Fake, hasty, run, run_on_one_thread};

#[test]
fn calls_have_a_connection_each_up_to_the_limit() {
    run(async {
        // Nobody is answered before three ask at once, and a fourth would be seen.
        let together = Arc::new(Barrier::new(3));
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (fake_now, fake_most) = (Arc::clone(&now), Arc::clone(&most));
        let fake = Fake::start(move |request| {
            let together = Arc::clone(&together);
            let (now, most) = (Arc::clone(&fake_now), Arc::clone(&fake_most));
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                together.wait().await;
                now.fetch_sub(1, Ordering::SeqCst);
                request.answer_head()
            }
        })
        .await;
        let client = fake.client(ClientConfig { connections_max: 3, ..hasty() }).await;
        let calls: Vec<_> = (1..=30)
            .map(|n| {
                let client = client.clone();
                tokio::spawn(async move { (n, client.head(ContextId(n)).await.unwrap().context) })
            })
            .collect();
        for call in calls {
            let (asked, answered) = call.await.unwrap();
            assert_eq!(answered, ContextId(asked), "everybody gets their own answer");
        }
        assert_eq!((fake.connections(), most.load(Ordering::SeqCst)), (3, 3));
    });
}

#[test]
fn a_call_that_was_dropped_leaves_nothing_to_the_next() {
    run(async {
        let request_timeout = Duration::from_secs(5);
        let (came, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (fake_came, fake_go) = (Arc::clone(&came), Arc::clone(&go));
        let fake = Fake::start(move |request| {
            let (came, go) = (Arc::clone(&fake_came), Arc::clone(&fake_go));
            async move {
                if request.body[0] == 1 {
                    came.notify_one();
                    go.notified().await;
                }
                request.answer_head()
            }
        })
        .await;
        let client = fake.client(ClientConfig { connections_max: 1, request_timeout, ..hasty() }).await;
        tokio::select! {
            answered = client.head(ContextId(1)) => panic!("{answered:?}"),
            () = came.notified() => {}
        }
        // The first connection is not listened to: whoever used it now would wait in vain.
        assert_eq!(client.head(ContextId(2)).await.unwrap().context, ContextId(2));
        go.notify_one();
        assert_eq!(client.head(ContextId(3)).await.unwrap().context, ContextId(3));
        assert_eq!(fake.connections(), 2, "one was closed, one is used again");
    });
}

#[test]
fn whoever_waits_is_served_in_order_and_not_for_ever() {
    // One thread, so that they come in the order in which they are spawned.
    run_on_one_thread(async {
        let fake = Fake::start(|request| async move {
            sleep(Duration::from_millis(200)).await;
            request.answer_head()
        })
        .await;
        let request_timeout = Duration::from_millis(700);
        let client = fake.client(ClientConfig { connections_max: 1, request_timeout, ..hasty() }).await;
        let mut calls = Vec::new();
        for n in 1..=12 {
            let client = client.clone();
            calls.push(tokio::spawn(async move { client.head(ContextId(n)).await }));
        }
        let mut results = Vec::new();
        for call in calls {
            results.push(timeout(Duration::from_secs(300), call).await.unwrap().unwrap());
        }
        let answered = results.iter().take_while(|result| result.is_ok()).count();
        assert!(answered <= 3, "{results:?}");
        assert!(results[answered..].iter().all(Result::is_err), "first come, first served: {results:?}");
        let busy = results.iter().filter(|result| matches!(result, Err(ClientError::Busy { .. }))).count();
        assert!(busy >= 1, "{results:?}");
        // They have left nothing behind.
        assert_eq!(client.head(ContextId(5)).await.unwrap().turn, Some(TurnId(7)));
    });
}
