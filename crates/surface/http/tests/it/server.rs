//! A server on a free port over a store in memory, with routes that fail on demand.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::routing::{get, post};
use cairn_access::identity::Identity;
use cairn_base::{ManualClock, SeededEntropy};
use cairn_engine::{Engine, EngineConfig, SearchHome, Signing, SigningError};
use cairn_gate::{Gate, GateConfig};
use cairn_http::{ApiError, ApiJson, App, Drained, HttpConfig, Listeners, Route, serve};
use cairn_seam::{MemoryStore, Store};
use serde_json::{Value, json};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    dir: tempfile::TempDir,
    pub(crate) gate: Gate,
    pub(crate) clock: Arc<ManualClock>,
    /// How often `/test/wait` has been entered.
    pub(crate) entered: Arc<Semaphore>,
    /// Gives `/test/wait` leave to answer, once per permit.
    pub(crate) leave: Arc<Semaphore>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<Drained>,
}

impl Server {
    pub(crate) async fn start() -> Server {
        Server::with(HttpConfig::default(), GateConfig::default()).await
    }

    pub(crate) async fn with(http: HttpConfig, gate: GateConfig) -> Server {
        Server::over(|store| Arc::new(store), http, gate).await
    }

    /// A server over the store that `wrap` makes of one in memory.
    pub(crate) async fn over(
        wrap: impl FnOnce(MemoryStore) -> Arc<dyn Store>,
        http: HttpConfig,
        gate: GateConfig,
    ) -> Server {
        Server::configured(wrap, http, gate, EngineConfig::default()).await
    }

    /// A server whose engine has these settings, and a key to sign with.
    pub(crate) async fn configured(
        wrap: impl FnOnce(MemoryStore) -> Arc<dyn Store>,
        http: HttpConfig,
        gate: GateConfig,
        config: EngineConfig,
    ) -> Server {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let entropy = Arc::new(SeededEntropy::new(7));
        let store = wrap(MemoryStore::new(clock.clone()));
        let config = EngineConfig { signing: Some(Arc::new(NodeKey)), ..config };
        let engine = Engine::open(store, clock.clone(), entropy, config).expect("a store in memory opens");
        let gate = Gate::new(engine, gate);
        let tcp = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = tcp.local_addr().expect("it is bound");
        let dir = tempfile::tempdir().expect("a temporary folder");
        let local = UnixListener::bind(dir.path().join("sock")).expect("a socket");
        let listeners = Listeners { tcp: Some(tcp), local: Some(local) };
        let (entered, leave) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let app = with_test_routes(App::new(gate.clone(), http, addr), &entered, &leave);
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(serve(listeners, app, async {
            // Told to, or forgotten by its test.
            let _ = stopped.await;
        }));
        Server { addr, dir, gate, clock, entered, leave, stop, served }
    }

    /// Keeps an index from now on, in memory.
    pub(crate) fn search(&self) {
        let home = SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
        self.gate.engine().start_search(home).expect("a thread");
    }

    /// A connection over the local owner's socket.
    pub(crate) async fn local(&self) -> UnixStream {
        UnixStream::connect(self.dir.path().join("sock")).await.expect("the server accepts")
    }

    /// Waits until `/test/wait` has been entered once more.
    pub(crate) async fn wait_entered(&self) {
        self.entered.acquire().await.expect("open").forget();
    }

    pub(crate) fn stop(self) -> JoinHandle<Drained> {
        self.stop.send(()).expect("it runs");
        self.served
    }
}

/// The key that the server signs with.
#[derive(Debug)]
pub(crate) struct NodeKey;

impl Signing for NodeKey {
    fn identity(&self) -> Result<Identity, SigningError> {
        Ok(Identity::random(&SeededEntropy::new(99), &ManualClock::new(0)))
    }
}

/// Seconds that a test never waits for.
pub(crate) const LONG: Duration = Duration::from_secs(600);

fn with_test_routes(app: App, entered: &Arc<Semaphore>, leave: &Arc<Semaphore>) -> App {
    let (entered, leave) = (Arc::clone(entered), Arc::clone(leave));
    let wait = move || async move {
        entered.add_permits(1);
        leave.acquire().await.expect("open").forget();
        "answered"
    };
    app.with_route(Route::WRITE, "/test/echo", post(echo))
        .with_route(Route::READ, "/test/panic", get(panics))
        .with_route(Route::READ, "/kcp/v1/test/panic", get(panics))
        .with_route(Route::READ, "/test/wait", get(wait))
}

#[derive(serde::Deserialize)]
struct Echo {
    number: u64,
}

async fn echo(ApiJson(echo): ApiJson<Echo>) -> Result<Json<Value>, ApiError> {
    Ok(Json(json!({"number": echo.number})))
}

async fn panics() -> &'static str {
    panic!("a secret of the server")
}
