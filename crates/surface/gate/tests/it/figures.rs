//! The gate's metrics.

use std::time::Duration;

use cairn_engine::PrometheusText;
use cairn_gate::GateConfig;

use crate::support::{CONFIG, gate};

#[tokio::test]
async fn metrics_are_reviewed_like_code() {
    let gate = gate(GateConfig { in_flight_max: 2, waiting_max: 0, ..CONFIG });
    let [first, _second] = [gate.admit().await.unwrap(), gate.admit().await.unwrap()];
    let _ = gate.admit().await;
    let _ = gate.read(&first, |_| -> Result<(), _> { panic!("counted") }).await;
    drop(first);
    gate.drain(Duration::ZERO).await;
    let _ = gate.admit().await;
    let mut text = PrometheusText::new();
    gate.write_metrics(&mut text);
    insta::assert_snapshot!(text.finish());
}

#[tokio::test]
async fn a_request_gets_the_clients_id_or_a_new_one() {
    let gate = gate(CONFIG);
    assert_eq!(gate.request_id(Some("abc-1")).as_str(), "abc-1");
    let [a, b] = [gate.request_id(None), gate.request_id(Some("not visible"))];
    assert_eq!((a.as_str().len(), b.as_str().len()), (16, 16));
    assert_ne!(a, b);
}
