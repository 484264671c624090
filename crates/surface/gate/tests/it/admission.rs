//! How many get in, how many wait, and who is sent away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cairn_base::ErrorCode;
use cairn_gate::{GateConfig, GateError};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, advance};

use crate::support::{CONFIG, gate};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn never_more_than_the_bound_run_among_a_thousand() {
    let gate = gate(GateConfig { in_flight_max: 7, waiting_max: 1000, ..CONFIG });
    let [running, most] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let mut tasks = JoinSet::new();
    for _ in 0..1000 {
        let (gate, running, most) = (gate.clone(), Arc::clone(&running), Arc::clone(&most));
        tasks.spawn(async move {
            let _admission = gate.admit().await.expect("there is room to wait");
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            for _ in 0..10 {
                yield_now().await;
            }
            running.fetch_sub(1, Ordering::SeqCst);
        });
    }
    while let Some(task) = tasks.join_next().await {
        task.unwrap();
    }
    let most = most.load(Ordering::SeqCst);
    assert!((1..=7).contains(&most), "{most}");
    assert_eq!(gate.in_flight(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn exactly_as_many_as_may_are_let_in_and_wait_and_the_rest_is_told_at_once() {
    let gate = gate(GateConfig { in_flight_max: 10, waiting_max: 20, ..CONFIG });
    let (open, door) = tokio::sync::watch::channel(false);
    let mut tasks = JoinSet::new();
    for _ in 0..1000 {
        let (gate, mut door) = (gate.clone(), door.clone());
        tasks.spawn(async move {
            let _admission = gate.admit().await?;
            door.wait_for(|open| *open).await.expect("the test holds the other end");
            Ok::<_, GateError>(())
        });
    }
    // While the door is shut, nobody leaves: only those sent away finish.
    for _ in 0..970 {
        let refused = tasks.join_next().await.unwrap().unwrap().unwrap_err();
        assert!(matches!(refused, GateError::Overloaded { retry_after_s: 1 }));
        assert_eq!((refused.code(), refused.retry_after_s()), (ErrorCode::Overloaded, Some(1)));
    }
    open.send(true).unwrap();
    let mut admitted = 0;
    while let Some(task) = tasks.join_next().await {
        task.unwrap().unwrap();
        admitted += 1;
    }
    assert_eq!(admitted, 30);
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_at_the_deadline() {
    let gate = gate(CONFIG);
    let mut inside = Vec::new();
    for _ in 0..CONFIG.in_flight_max {
        inside.push(gate.admit().await.unwrap());
    }
    let started = Instant::now();
    let refused = gate.admit().await.unwrap_err();
    assert!(matches!(refused, GateError::Overloaded { .. }));
    assert_eq!(started.elapsed(), CONFIG.deadline);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_counts_from_arrival() {
    let gate = gate(GateConfig { in_flight_max: 1, ..CONFIG });
    let first = gate.admit().await.unwrap();
    let arrived = Instant::now();
    let waiting = tokio::spawn({
        let gate = gate.clone();
        async move { gate.admit().await.unwrap().deadline() }
    });
    yield_now().await;
    advance(Duration::from_secs(20)).await;
    drop(first);
    assert_eq!(waiting.await.unwrap(), arrived + CONFIG.deadline);
}

#[tokio::test]
async fn a_cancelled_wait_gives_its_place_back() {
    let gate = gate(GateConfig { in_flight_max: 1, waiting_max: 1, ..CONFIG });
    let _inside = gate.admit().await.unwrap();
    for _ in 0..10 {
        let waiting = tokio::spawn({
            let gate = gate.clone();
            async move { gate.admit().await.map(drop) }
        });
        yield_now().await;
        assert!(matches!(gate.admit().await, Err(GateError::Overloaded { .. })), "the one place is taken");
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
    }
}

#[tokio::test]
async fn no_place_to_wait_means_now_or_never() {
    let gate = gate(GateConfig { in_flight_max: 0, waiting_max: 0, ..CONFIG });
    let inside = gate.admit().await.expect("a gate lets at least one in");
    assert!(matches!(gate.admit().await, Err(GateError::Overloaded { .. })));
    drop(inside);
    drop(gate.admit().await.unwrap());
}
