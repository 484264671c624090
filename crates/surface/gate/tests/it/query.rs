//! Queries, and that long ones are in nobody's way.

use std::sync::mpsc;
use std::time::Duration;

use cairn_engine::PrometheusText;
use cairn_gate::{Gate, GateConfig, GateError};
use tokio::time::timeout;

use crate::support::{CONFIG, gate};

/// Longer than any of this takes.
const PATIENCE: Duration = Duration::from_secs(300);

/// Queries that have begun and go on until this is dropped.
struct Long {
    leave: Vec<mpsc::Sender<()>>,
    queries: Vec<tokio::task::JoinHandle<Result<(), GateError>>>,
}

async fn long(gate: &Gate, count: usize) -> Long {
    let (mut leaves, mut queries) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (leave, left) = mpsc::channel::<()>();
        let (enter, entered) = tokio::sync::oneshot::channel();
        leaves.push(leave);
        let gate = gate.clone();
        queries.push(tokio::spawn(async move {
            let admission = gate.admit().await?;
            gate.query(&admission, move |_| {
                enter.send(()).expect("the test listens");
                // It ends with its sender.
                let _ = left.recv();
                Ok(())
            })
            .await
        }));
        timeout(PATIENCE, entered).await.expect("it has a place").expect("it begins");
    }
    Long { leave: leaves, queries }
}

fn running(gate: &Gate) -> String {
    let mut text = PrometheusText::new();
    gate.write_metrics(&mut text);
    let text = text.finish();
    let line = text.lines().find(|line| line.starts_with("cairn_gate_queries ")).expect("a figure");
    line.to_owned()
}

#[tokio::test]
async fn other_reads_find_a_thread_whatever_queries_do() {
    let gate = gate(GateConfig { in_flight_max: 10, ..CONFIG });
    let long = long(&gate, CONFIG.queries_max + CONFIG.long_queries_max).await;
    let admission = gate.admit().await.unwrap();
    let read = timeout(PATIENCE, gate.read(&admission, |engine| Ok(engine.position()))).await;
    read.expect("at once").unwrap();
    assert_eq!(running(&gate), "cairn_gate_queries 3");
    drop(long.leave);
    for query in long.queries {
        query.await.unwrap().unwrap();
    }
    assert_eq!(running(&gate), "cairn_gate_queries 0");
}

#[tokio::test]
async fn a_query_that_takes_long_makes_room_for_the_next() {
    let config = GateConfig { in_flight_max: 10, queries_max: 1, long_queries_max: 2, ..CONFIG };
    let gate = gate(config);
    // Each of them would be in the way of the next, if it kept its place.
    let _long = long(&gate, 2).await;
    let admission = gate.admit().await.unwrap();
    timeout(PATIENCE, gate.query(&admission, |_| Ok(7))).await.expect("it has a place").unwrap();
}

#[tokio::test]
async fn there_are_only_so_many_and_one_that_nobody_hears_still_counts() {
    let config = GateConfig {
        in_flight_max: 10,
        deadline: Duration::from_millis(200),
        queries_max: 1,
        long_queries_max: 1,
        ..CONFIG
    };
    let gate = gate(config);
    let mut long = long(&gate, 2).await;
    for query in std::mem::take(&mut long.queries) {
        assert!(matches!(query.await.unwrap(), Err(GateError::ReadDeadline)));
    }
    let admission = gate.admit().await.unwrap();
    let starved = gate.query(&admission, |_| -> Result<(), _> { panic!("it ran") }).await;
    assert!(matches!(starved, Err(GateError::ReadDeadline)), "{starved:?}");
    drop(long);
    let free = async { while gate.query(&gate.admit().await.unwrap(), |_| Ok(())).await.is_err() {} };
    timeout(PATIENCE, free).await.expect("their places are free again");
}

#[tokio::test]
async fn one_that_nobody_waits_for_makes_room_as_well() {
    let config = GateConfig { in_flight_max: 10, queries_max: 1, long_queries_max: 1, ..CONFIG };
    let gate = gate(config);
    let long = long(&gate, 1).await;
    long.queries[0].abort();
    let admission = gate.admit().await.unwrap();
    timeout(PATIENCE, gate.query(&admission, |_| Ok(()))).await.expect("it has a place").unwrap();
}

#[tokio::test]
async fn a_panic_gives_its_place_back() {
    let gate = gate(CONFIG);
    let admission = gate.admit().await.unwrap();
    for _ in 0..CONFIG.queries_max * 2 {
        let failed = gate.query(&admission, |_| -> Result<(), _> { panic!("query") }).await.unwrap_err();
        assert!(matches!(&failed, GateError::Internal { message } if message == "query"), "{failed}");
    }
}
