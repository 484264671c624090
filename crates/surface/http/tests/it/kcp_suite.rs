//! Frozen requests of v1 clients (`suites/kcp`), over HTTP.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use cairn_access::identity::Identity;
use cairn_base::{ManualClock, SeededEntropy, from_iso};
use cairn_engine::{Engine, EngineConfig, SearchHome, SearchMode, Signing, SigningError};
use cairn_gate::{Gate, GateConfig};
use cairn_http::{App, HttpConfig, Listeners, serve};
use cairn_seam::MemoryStore;
use serde::Deserialize;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::client::{Answer, send};

/// The time of groups that hold at any time: the first day of 2100.
const LATE_MS: i64 = 4_102_444_800_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    #[serde(rename = "description")]
    _description: String,
    now: Option<String>,
    cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    request: Request,
    expected: Expected,
    #[serde(default)]
    keep: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    method: String,
    path: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    values: BTreeMap<String, Value>,
}

/// Parts of responses by their names.
#[derive(Debug, Default)]
struct Kept(BTreeMap<String, String>);

impl Kept {
    fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    fn fill_value(&self, value: &Value) -> Value {
        serde_json::from_str(&self.fill(&value.to_string())).expect("ids are no JSON")
    }
}

/// The key of the node.
#[derive(Debug)]
struct Key(Identity);

impl Signing for Key {
    fn identity(&self) -> Result<Identity, SigningError> {
        Ok(self.0.clone())
    }
}

/// A node with authentication off, at a time.
async fn node(now_ms: u64) -> SocketAddr {
    let clock = Arc::new(ManualClock::new(now_ms));
    let identity = Identity::random(&SeededEntropy::new(9), &*clock);
    let home = SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
    let config = EngineConfig {
        signing: Some(Arc::new(Key(identity))),
        search: SearchMode::Kept(home),
        ..EngineConfig::default()
    };
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let engine = Engine::open(store, clock, Arc::new(SeededEntropy::new(7)), config).expect("it opens");
    let tcp = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = tcp.local_addr().expect("it is bound");
    let app = App::new(Gate::new(engine, GateConfig::default()), HttpConfig::default(), addr);
    let listeners = Listeners { tcp: Some(tcp), local: None };
    tokio::spawn(serve(listeners, app, std::future::pending()));
    addr
}

/// Sends a request; returns what is wrong with the response.
async fn run(addr: SocketAddr, case: &Case, kept: &mut Kept) -> Vec<String> {
    let Request { method, path, headers, body } = &case.request;
    let head: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let line = format!("{method} {}", kept.fill(path));
    let answer = send(addr, &line, &head, kept.fill(body).as_bytes()).await;
    let wrong = compare(&case.expected, kept, &answer);
    for (name, pointer) in &case.keep {
        let value = answer.json().pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        kept.0.extend(value.map(|value| (name.clone(), value)));
    }
    let shown = |wrong| format!("{}: {wrong}\n{line}\n{} {}", case.name, answer.status, answer.body);
    wrong.into_iter().map(shown).collect()
}

fn compare(expected: &Expected, kept: &Kept, answer: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    if answer.status != expected.status {
        wrong.push(format!("expected {}", expected.status));
    }
    for (name, value) in &expected.headers {
        if answer.header(name) != Some(&kept.fill(value)) {
            wrong.push(format!("expected {name}: {value}, got {:?}", answer.header(name)));
        }
    }
    if expected.body.as_ref().is_some_and(|body| kept.fill(body).as_bytes() != answer.bytes) {
        wrong.push("expected another body".to_owned());
    }
    if expected.keys.is_empty() && expected.values.is_empty() {
        return wrong;
    }
    let json = answer.json();
    wrong.extend(
        expected.keys.iter().filter(|key| json.pointer(key).is_none()).map(|key| format!("no {key}")),
    );
    for (pointer, value) in &expected.values {
        let value = kept.fill_value(value);
        if json.pointer(pointer) != Some(&value) {
            wrong.push(format!("expected {value} at {pointer}"));
        }
    }
    wrong
}

#[tokio::test]
async fn requests_of_v1_clients_are_answered_as_ever() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../suites/kcp");
    let (mut groups, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(&folder).expect("the suite") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a file");
        let group: Group =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(path.file_stem().and_then(|stem| stem.to_str()), Some(group.name.as_str()));
        let now_ms = group.now.as_deref().map_or(LATE_MS, |now| from_iso(now).expect("a time"));
        let addr = node(u64::try_from(now_ms).expect("after 1970")).await;
        let mut kept = Kept::default();
        for case in &group.cases {
            let found = run(addr, case, &mut kept).await;
            wrong.extend(found.into_iter().map(|wrong| format!("{}: {wrong}", group.name)));
        }
        groups += 1;
    }
    assert!(groups >= 6, "{groups} groups in {}", folder.display());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
