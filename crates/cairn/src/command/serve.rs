//! `cairn serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cairn_base::{Clock, SystemClock, SystemEntropy};
use cairn_engine::Engine;
use cairn_gate::Gate;
use cairn_http::{App, Drained, Listeners};
use cairn_seam::{MemoryStore, Store};
use clap::Args;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{oneshot, watch};

use crate::config::{Assignment, Config};
use crate::endpoints::{self, EndpointsFile};
use crate::failure::Failure;
use crate::signals::StopSignals;
use crate::{logging, open, reach, socket, wiring};

/// How often the store tidies up.
const UPKEEP_EVERY: Duration = Duration::from_secs(1);

/// What `serve` takes besides the configuration.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address and port of the HTTP API; port 0 takes a free one [default: 127.0.0.1:9010]
    #[arg(long, value_name = "ADDR")]
    http: Option<String>,

    /// Address and port of the binary protocol; port 0 takes a free one [default: 127.0.0.1:9009]
    #[arg(long, value_name = "ADDR")]
    binary: Option<String>,

    /// Keep everything in memory, and nothing after the end
    #[arg(long, conflicts_with = "accept_loss")]
    in_memory: bool,

    /// Open a damaged data directory without what lies after the damage, and say what is gone
    #[arg(long)]
    accept_loss: bool,

    /// Log lines as text or json [default: text]
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<String>,

    /// error, warn, info, debug or trace [default: info]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
}

impl ServeArgs {
    /// The flags that are settings.
    fn assignments(&self) -> Vec<Assignment> {
        let flags = [
            ("http.addr", &self.http, "--http"),
            ("binary.addr", &self.binary, "--binary"),
            ("log.format", &self.log_format, "--log-format"),
            ("log.level", &self.log_level, "--log-level"),
        ];
        let given = flags.into_iter().filter_map(|(key, value, flag)| Some((key, value.as_ref()?, flag)));
        given.map(|(key, value, flag)| Assignment::flag(key, value, flag)).collect()
    }
}

/// Serves until told to stop.
pub(super) fn serve(data_dir: Option<&Path>, as_json: bool, arguments: &ServeArgs) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &arguments.assignments())?;
    let config = settings.config;
    refuse_beyond_loopback(config.http_addr)?;
    refuse_beyond_loopback(config.binary_addr)?;
    logging::start(&config)?;

    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (store, dir): (Arc<dyn Store>, Option<PathBuf>) = if arguments.in_memory {
        (Arc::new(MemoryStore::new(Arc::clone(&clock))), None)
    } else {
        let loss = if arguments.accept_loss { open::Loss::Accept } else { open::Loss::Refuse };
        open::create_dir(&data_dir.path)?;
        (Arc::new(reach::own(&data_dir.path, &config, loss)?), Some(data_dir.path))
    };
    let engine = Engine::open(store, clock, Arc::new(SystemEntropy))?;
    engine.set_compaction(wiring::compaction(&config));
    engine.set_strict_types(config.turns_strict_types);
    engine.start_upkeep(UPKEEP_EVERY)?;
    let served = Runtime::new()
        .map_err(|error| Failure::io("start the runtime", &error))
        .and_then(|runtime| runtime.block_on(run(Arc::clone(&engine), &config, dir.as_deref(), as_json)));
    // Also after a failure: what was written is on disk, and closing makes the next opening quick.
    let closed = engine.close();
    served?;
    closed?;
    tracing::info!("stopped");
    Ok(())
}

async fn run(engine: Arc<Engine>, config: &Config, dir: Option<&Path>, as_json: bool) -> Result<(), Failure> {
    let (tcp, addr) = bind(config.http_addr, "--http").await?;
    let (binary, binary_addr) = bind(config.binary_addr, "--binary").await?;
    let signals = StopSignals::listen()?;
    let (local, socket_file) = dir.map(socket::listen).transpose()?.unzip();
    let endpoints = endpoints::describe(addr, binary_addr);
    let endpoints_file = dir.map(|dir| EndpointsFile::write(dir, &endpoints)).transpose()?;
    announce((addr, binary_addr), endpoints, dir, as_json)?;

    let gate = Gate::new(engine, wiring::gate(config));
    let app = App::new(gate.clone(), wiring::http(config), addr);
    let (stop, mut stopped) = watch::channel(());
    let on_signal = async {
        first_signal(signals).await;
        // Whoever waits for a change sees the sender go.
        drop(stop);
    };
    let on_stop = async {
        let _ = stopped.changed().await;
    };
    let (http, binary) = tokio::join!(
        cairn_http::serve(Listeners { tcp, local }, app, on_signal),
        cairn_binary::serve(binary, gate.clone(), wiring::binary(config), on_stop),
    );
    let cut = binary.cut + if let Drained::Cut { connections } = http { connections } else { 0 };
    if cut > 0 {
        tracing::warn!(connections = cut, "cut connections that did not end in time");
    }
    let left = gate.drain(config.http_deadline).await;
    if left.still_running > 0 {
        tracing::warn!(requests = left.still_running, "left requests that did not end in time");
    }
    // While the lock is still held: whoever gets it next makes its own.
    drop((endpoints_file, socket_file));
    Ok(())
}

/// Authentication comes later; until then only this machine may call.
fn refuse_beyond_loopback(addr: SocketAddr) -> Result<(), Failure> {
    if addr.ip().is_loopback() {
        return Ok(());
    }
    Err(Failure::usage(format!("{addr} can be reached from other machines, and cairn cannot yet tell who calls"))
        .hint("serve on 127.0.0.1 or [::1]; from elsewhere, come through an SSH tunnel or a proxy that authenticates"))
}

/// Listens, and says where.
async fn bind(addr: SocketAddr, flag: &str) -> Result<(TcpListener, SocketAddr), Failure> {
    let listener = TcpListener::bind(addr).await.map_err(|error| {
        Failure::io(format_args!("listen on {addr}"), &error)
            .hint(format!("choose another address with {flag}; port 0 takes a free one"))
    })?;
    let bound = listener.local_addr().map_err(|error| Failure::io("read the bound address", &error))?;
    Ok((listener, bound))
}

fn announce(
    (http, binary): (SocketAddr, SocketAddr),
    endpoints: Value,
    dir: Option<&Path>,
    as_json: bool,
) -> Result<(), Failure> {
    let line = match (as_json, dir) {
        (true, dir) => {
            let mut line = endpoints;
            line["data_dir"] = dir.map_or(Value::Null, |dir| json!(dir.to_string_lossy()));
            line.to_string()
        }
        (false, Some(dir)) => {
            format!("cairn serves http://{http} and the binary protocol on {binary} from {}", dir.display())
        }
        (false, None) => format!(
            "cairn serves http://{http} and the binary protocol on {binary} from memory; nothing is kept"
        ),
    };
    super::print(&format!("{line}\n"))
}

/// Completes at the first signal. The second ends the process at once: what was answered is on disk.
async fn first_signal(mut signals: StopSignals) {
    let (tell, told) = oneshot::channel();
    tokio::spawn(async move {
        signals.next().await;
        tracing::info!("stopping: requests under way are answered first; once more to stop at once");
        // Nobody listens only when the server has ended already.
        let _ = tell.send(());
        std::process::exit(signals.next().await);
    });
    let _ = told.await;
}
