//! `GET /v1/metrics`.

use cairn_base::TenantId;
use serde_json::{Value, json};

use crate::client::{get, post, send};
use crate::server::Server;

async fn figures(server: &Server) -> Value {
    let answer = get(server.addr, "/v1/metrics").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    answer.json()
}

#[tokio::test]
async fn the_figures_are_those_of_what_is_there() {
    let server = Server::start().await;
    for _ in 0..3 {
        assert_eq!(send(server.addr, "POST /v1/contexts", "", b"").await.status, 201);
    }
    for context in [1, 1, 2] {
        let line = format!("POST /v1/contexts/{context}/turns?type_id=t");
        let appended = send(server.addr, &line, "content-type: application/msgpack\r\n", b"\xa1x").await;
        assert_eq!(appended.status, 201);
    }
    get(server.addr, "/v1/contexts/1/turns").await;
    get(server.addr, "/v1/contexts/9/turns").await;
    let idle = server.gate.engine().open_session(TenantId::LOCAL, None);
    idle.failed();

    let found = figures(&server).await;
    let objects = json!({
        "contexts_total": 3, "turns_total": 3, "heads_total": 3, "blobs_total": 0,
        "registry_bundles_total": 0, "registry_types_total": found["objects"]["registry_types_total"],
    });
    assert_eq!(found["objects"], objects);
    assert!(found["objects"]["registry_types_total"].as_u64() >= Some(1), "some are built in");
    assert_eq!(found["ts"], "2023-11-14T22:13:20.000Z");
    assert_eq!(found["errors"], json!({"total": 2, "by_type": {"http": 1, "binary": 1}}));
    let sessions =
        json!({"total": 1, "active": 1, "idle": 0, "last_activity_unix_ms": 1_700_000_000_000_u64});
    assert_eq!(found["sessions"], sessions);
    // A store in memory has no disk.
    assert_eq!(found["storage"]["data_dir_free_bytes"], 0);

    // What was pruned is no longer there.
    let pruned = post(server.addr, "/v1/admin/prune", r#"{"contexts":["1"],"apply":true}"#).await;
    assert_eq!(pruned.status, 200, "{pruned:?}");
    let found = figures(&server).await;
    let totals = ["contexts_total", "turns_total", "heads_total"].map(|name| found["objects"][name].as_u64());
    assert_eq!(totals, [Some(2), Some(1), Some(2)]);
}

#[tokio::test]
async fn asking_changes_nothing() {
    let server = Server::start().await;
    get(server.addr, "/nowhere").await;
    // A request is counted when it ends, which may be a moment after its response was read.
    let mut first = figures(&server).await;
    for _ in 0..10_000 {
        if first["perf"]["http_latency_ms"]["count"] == 1 {
            break;
        }
        first = figures(&server).await;
    }
    for _ in 0..5 {
        let again = figures(&server).await;
        assert_eq!((&again["perf"], &again["errors"]), (&first["perf"], &first["errors"]));
    }
    // Time stands still in this server: there is no rate yet, and what is counted is.
    assert_eq!(first["perf"]["http_req_tps_1m"], 0.0);
    assert_eq!(first["errors"]["by_type"]["http"], 1);
}

#[tokio::test]
async fn every_field_has_its_place() {
    let server = Server::start().await;
    let found = figures(&server).await;
    let names = |object: &Value| object.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    let mut lines = Vec::new();
    for part in names(&found) {
        let inside = found[&part].as_object().map(|_| names(&found[&part]).join(" "));
        lines.push(inside.map_or(part.clone(), |inside| format!("{part}: {inside}")));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

/// Dashboards call methods of numbers on every one of these.
#[tokio::test]
async fn what_is_not_known_is_zero_or_left_out_and_never_null() {
    fn nulls(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Null => found.push(at.to_owned()),
            Value::Object(fields) => {
                fields.iter().for_each(|(name, inside)| nulls(inside, &format!("{at}.{name}"), found));
            }
            Value::Array(items) => items.iter().for_each(|inside| nulls(inside, at, found)),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let server = Server::start().await;
    let found = figures(&server).await;
    let mut null = Vec::new();
    for part in ["memory", "sessions", "objects", "storage", "perf", "errors"] {
        nulls(&found[part], part, &mut null);
    }
    assert_eq!(null, [""; 0]);
    for part in ["sessions", "objects", "storage"] {
        let members = found[part].as_object().expect("an object");
        assert!(members.values().all(Value::is_number), "{part}: {members:?}");
    }
    for name in ["append", "get_last", "get_blob", "http"] {
        let times = &found["perf"][format!("{name}_latency_ms")];
        assert!(["p50", "p95", "p99", "max", "count"].iter().all(|at| times[at].is_number()), "{times}");
    }
    assert_eq!(found.get("filesystem"), None);
}
