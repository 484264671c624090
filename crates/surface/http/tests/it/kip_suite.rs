//! The suite of KIP, over HTTP.

use std::time::{Duration, Instant};

use cairn_base::Value;
use cairn_conformance::{Door, own, run, shared};
use tokio::runtime::{Builder, Runtime};

use crate::client::post;
use crate::server::{LONG, Server};

/// A server of its own, asked by the local owner.
struct OverHttp {
    runtime: Runtime,
    server: Server,
}

impl OverHttp {
    fn new() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let server = runtime.block_on(Server::start());
        server.search();
        let until = Instant::now() + LONG;
        while server.gate.engine().search_status().state != "ready" {
            assert!(Instant::now() < until, "the index is never ready");
            std::thread::park_timeout(Duration::from_millis(1));
        }
        OverHttp { runtime, server }
    }
}

impl Door for OverHttp {
    /// What only reads goes the way of functions, everything else is sent as it is.
    fn execute(&mut self, request: &Value) -> Value {
        let mut plain = request.as_object().expect("a request is an object").clone();
        let (path, body) = match plain.remove("readonly") {
            Some(Value::Bool(true)) => {
                let plain = Value::Object(plain).to_json();
                ("/kip", format!(r#"{{"method": "execute_kip_readonly", "params": {plain}}}"#))
            }
            _ => ("/v1/kip", Value::Object(plain).to_json()),
        };
        let answer = self.runtime.block_on(post(self.server.addr, path, &body));
        assert_eq!(answer.status, 200, "{body}\n{answer:?}");
        Value::parse_json(&answer.bytes).expect("an answer is JSON")
    }
}

#[test]
fn the_server_answers_as_the_suite_says() {
    let report = run(&own().expect("a suite"), OverHttp::new);
    assert!(report.mismatches.is_empty(), "{report}");
}

#[test]
fn the_server_answers_as_the_suite_that_was_handed_to_us_says() {
    let Some(groups) = shared().expect("a suite") else { return };
    let report = run(&groups, OverHttp::new);
    assert!(report.mismatches.is_empty(), "{report}");
}
