//! The end of service.

use std::time::Duration;

use cairn_base::ErrorCode;
use cairn_gate::{Drained, GateConfig, GateError};
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::support::{CONFIG, gate};

#[tokio::test(start_paused = true)]
async fn draining_refuses_new_and_waiting_requests_and_waits_for_running_ones() {
    let gate = gate(GateConfig { in_flight_max: 2, ..CONFIG });
    let [first, second] = [gate.admit().await.unwrap(), gate.admit().await.unwrap()];
    let spawn_admit = || {
        let gate = gate.clone();
        tokio::spawn(async move { gate.admit().await.map(drop) })
    };
    let started = Instant::now();
    let waiting = spawn_admit();
    yield_now().await;
    let draining = tokio::spawn({
        let gate = gate.clone();
        async move { gate.drain(Duration::from_secs(10)).await }
    });
    assert!(matches!(waiting.await.unwrap(), Err(GateError::Unavailable)));
    let refused = gate.admit().await.unwrap_err();
    assert_eq!((refused.code(), refused.retry_after_s()), (ErrorCode::Unavailable, Some(1)));
    assert!(gate.is_draining());
    drop(first);
    yield_now().await;
    assert!(!draining.is_finished());
    drop(second);
    assert_eq!(draining.await.unwrap(), Drained { still_running: 0 });
    assert_eq!(started.elapsed(), Duration::ZERO, "the last to leave ends it, not the clock");
    assert!(matches!(gate.admit().await, Err(GateError::Unavailable)));
}

#[tokio::test(start_paused = true)]
async fn draining_gives_up_when_time_is_up() {
    let gate = gate(CONFIG);
    let _stuck = gate.admit().await.unwrap();
    let started = Instant::now();
    assert_eq!(gate.drain(Duration::from_secs(10)).await, Drained { still_running: 1 });
    assert_eq!(started.elapsed(), Duration::from_secs(10));
}

#[tokio::test]
async fn an_idle_gate_is_drained_at_once_and_twice() {
    let gate = gate(CONFIG);
    for _ in 0..2 {
        assert_eq!(gate.drain(Duration::ZERO).await, Drained { still_running: 0 });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_is_inside_when_draining_begins_is_waited_for() {
    for _ in 0..200 {
        let gate = gate(CONFIG);
        let racer = tokio::spawn({
            let gate = gate.clone();
            async move {
                let admission = gate.admit().await;
                yield_now().await;
                admission.map(|_admission| Instant::now())
            }
        });
        let drained = gate.drain(Duration::from_secs(60)).await;
        let idle_at = Instant::now();
        assert_eq!(drained, Drained { still_running: 0 });
        match racer.await.unwrap() {
            Ok(left_at) => assert!(left_at <= idle_at, "it was still inside"),
            Err(refused) => assert!(matches!(refused, GateError::Unavailable)),
        }
    }
}
