//! Work that ends early: long jobs whose caller is shut out, and a batch whose client disconnects.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles, Token};
use cairn_base::TenantId;
use cairn_engine::{KipImportOptions, NewToken, PrometheusText};
use cairn_gate::{Authentication, GateConfig};
use cairn_http::HttpConfig;
use cairn_kip::KipRequest;
use cairn_seam::{FaultPlan, FaultyStore, SeamFault, Store};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use crate::client::{Answer, send};
use crate::server::{LONG, Server};

/// More than fit into three transactions of an index.
const CONCEPTS: usize = 4000;
/// More operations of the store than a test makes.
const OPERATIONS: u64 = 20_000;

/// A server whose jobs can be halted before one of their operations on the store.
struct World {
    server: Server,
    tenant: TenantId,
    /// Operations of jobs so far.
    operations: Arc<AtomicU64>,
    /// The operation to halt before.
    halt_at: Arc<AtomicU64>,
    halted: UnboundedReceiver<()>,
    go_on: mpsc::Sender<()>,
}

impl World {
    async fn new() -> World {
        let (operations, halt_at) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (tell, halted) = unbounded_channel();
        let (go_on, told) = mpsc::channel();
        let halt = {
            // Everything but jobs runs on the test's own thread.
            let (own, told) = (thread::current().id(), Mutex::new(told));
            let (operations, halt_at) = (Arc::clone(&operations), Arc::clone(&halt_at));
            move |_: Duration| {
                if thread::current().id() == own {
                    return;
                }
                if operations.fetch_add(1, Ordering::SeqCst) + 1 == halt_at.load(Ordering::SeqCst) {
                    tell.send(()).expect("the test listens");
                    told.lock().expect("one job at a time").recv().expect("the test goes on");
                }
            }
        };
        let each = |plan: FaultPlan, n| plan.and(n, SeamFault::Delay(Duration::ZERO));
        let plan = (0..OPERATIONS).fold(FaultPlan::none(), each).waiting_by(halt);
        let wrap = |store| -> Arc<dyn Store> { Arc::new(FaultyStore::new(Arc::new(store), plan)) };
        let gate =
            GateConfig { authentication: Authentication::Required, deadline: LONG, ..GateConfig::default() };
        let server = Server::over(wrap, HttpConfig::default(), gate).await;
        let (engine, owner) = (server.gate.engine(), Principal::local_owner());
        let tenant = engine.create_tenant(&owner, &TenantName::parse("acme").expect("a name"));
        let tenant = tenant.expect("it is made").id;
        engine.put_user(&owner, tenant, &ada(), writes()).expect("it is made");
        let line = |n: usize| format!("{{\"concept\":{{\"type\":\"Domain\",\"name\":\"{n}\"}}}}\n");
        let lines: String = (0..CONCEPTS).map(line).collect();
        let writer = Principal::new("bob", tenant, writes());
        let options = KipImportOptions::default();
        let imported = engine.kip_import(&writer, tenant, &mut lines.as_bytes(), &options, &mut |_| true);
        imported.expect("it is taken");
        World { server, tenant, operations, halt_at, halted, go_on }
    }

    fn token(&self) -> Token {
        let wanted = NewToken { user: ada(), label: String::new(), scope: writes(), expires_at_ms: None };
        let issued = self.server.gate.engine().issue_token(&Principal::local_owner(), self.tenant, wanted);
        issued.expect("it is made").0
    }

    /// Starts a job that halts before this operation, or never if it is 0.
    fn start(
        &self,
        token: &Token,
        halt_at: u64,
        path: &str,
        job: &Value,
    ) -> impl Future<Output = Answer> + use<> {
        self.operations.store(0, Ordering::SeqCst);
        self.halt_at.store(halt_at, Ordering::SeqCst);
        let (addr, line, body) = (self.server.addr, format!("POST {path}"), job.to_string());
        let headers = format!(
            "content-type: application/json\r\nauthorization: Bearer {}\r\n",
            token.reveal().as_str()
        );
        async move { send(addr, &line, &headers, body.as_bytes()).await }
    }
}

fn ada() -> UserId {
    UserId::parse("ada").expect("a name")
}

fn writes() -> Roles {
    Roles::NONE.with(Role::Writer)
}

/// The last line of a stream. Between the lines stand the lengths of its chunks.
fn last(answer: &Answer) -> Value {
    let line = answer.body.lines().rfind(|line| line.starts_with('{')).expect("a line");
    serde_json::from_str(line).expect("JSON")
}

/// The job runs once to its end, and once until half of its work is done and its token is revoked.
async fn stops_when_its_token_is_revoked(world: &mut World, path: &str, jobs: [Value; 2]) {
    let token = world.token();
    let whole = world.start(&token, 0, path, &jobs[0]).await;
    assert!(last(&whole).get("report").is_some(), "{whole:?}");
    let half = world.operations.load(Ordering::SeqCst) / 2;

    let job = tokio::spawn(world.start(&token, half, path, &jobs[1]));
    timeout(LONG, world.halted.recv()).await.expect("it gets there").expect("it runs");
    let engine = world.server.gate.engine();
    engine.revoke_token(&Principal::local_owner(), world.tenant, token.id()).expect("it is there");
    world.go_on.send(()).expect("the job waits");
    let cut = timeout(LONG, job).await.expect("it ends").expect("an answer");
    assert_eq!(cut.status, 200, "{cut:?}");
    assert!(cut.body.contains("{\"stage\":"), "it was under way: {cut:?}");
    assert_eq!(last(&cut)["error"]["code"], "TokenRevoked", "{cut:?}");
}

#[tokio::test]
async fn the_creation_of_an_index_stops_when_its_caller_is_shut_out() {
    let mut world = World::new().await;
    let jobs = ["one", "two"].map(|key| json!({"type": "Domain", "field": format!("attributes.{key}")}));
    stops_when_its_token_is_revoked(&mut world, "/v1/kip/indexes", jobs).await;
    let reader = Principal::new("bob", world.tenant, writes());
    let made = world.server.gate.engine().ordered_indexes(&reader, world.tenant, "memory").expect("a list");
    let states: Vec<_> = made.iter().map(|index| (index.field.as_str(), index.state)).collect();
    assert_eq!(states, [("attributes.one", "ready"), ("attributes.two", "building")]);
}

#[tokio::test]
async fn a_sleep_cycle_stops_when_its_caller_is_shut_out() {
    let mut world = World::new().await;
    stops_when_its_token_is_revoked(&mut world, "/v1/kip/sleep", [json!({}), json!({})]).await;
}

fn has_queries(server: &Server) -> bool {
    let mut text = PrometheusText::new();
    server.gate.write_metrics(&mut text);
    !text.finish().contains("\ncairn_gate_queries 0\n")
}

#[tokio::test]
async fn a_batch_stops_between_commands_when_its_client_disconnects() {
    let mut world = World::new().await;
    let upsert = |name: &str| format!(r#"UPSERT {{ CONCEPT {{ {{type: "Domain", name: "{name}"}} }} }}"#);
    let find = r#"FIND(COUNT(?d)) WHERE { ?d {type: "Domain", name: "before"} }"#;
    let body = json!({"commands": [upsert("before"), find, upsert("behind")]}).to_string();
    let token = world.token();
    let head = format!(
        "POST /v1/kip HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer \
         {}\r\ncontent-length: {}\r\n\r\n",
        token.reveal().as_str(),
        body.len()
    );
    // An UPSERT into a space that was written to before waits for the store on the test's thread, so that the FIND is
    // the first to use another one.
    let warm = world.start(&token, 0, "/v1/kip", &json!({"command": upsert("warm")})).await;
    assert!(warm.json().get("result").is_some(), "{warm:?}");
    world.operations.store(0, Ordering::SeqCst);
    world.halt_at.store(1, Ordering::SeqCst);
    let mut client = TcpStream::connect(world.server.addr).await.expect("the server accepts");
    client.write_all(format!("{head}{body}").as_bytes()).await.expect("it reads");
    timeout(LONG, world.halted.recv()).await.expect("it gets there").expect("it runs");
    drop(client);
    // The request is over while its FIND still runs.
    world.server.gate.drain(LONG).await;
    assert_eq!(world.server.gate.in_flight(), 0);
    world.go_on.send(()).expect("the query waits");
    // Whatever goes on unheard is over before the graph is looked at.
    let ended = async {
        while has_queries(&world.server) {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, ended).await.expect("it ends");

    let reader = Principal::new("bob", world.tenant, writes());
    let names = r#"FIND(?d.name) WHERE { ?d {type: "Domain"} FILTER(STARTS_WITH(?d.name, "be")) }"#;
    let request = json!({"command": names}).to_string();
    let request = cairn_base::Value::parse_json(request.as_bytes()).expect("JSON");
    let request = KipRequest::decode(request).expect("a request");
    let found = world.server.gate.engine().kip(&reader, world.tenant, &request).expect("an answer");
    assert_eq!(found.into_value().to_json(), r#"{"result":["before"]}"#);
}
