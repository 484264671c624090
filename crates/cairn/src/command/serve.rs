//! `cairn serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::{Clock, SystemClock};
use cairn_binary::BinaryConfig;
use cairn_engine::Engine;
use cairn_gate::Gate;
use cairn_http::{App, Drained, HttpConfig, Listeners};
use cairn_seam::{MemoryStore, Store};
use cairn_tls::Tls;
use clap::Args;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{oneshot, watch};

use crate::config::{Assignment, Config};
use crate::endpoints::{self, EndpointsFile};
use crate::exposure::Exposure;
use crate::failure::Failure;
use crate::signals::StopSignals;
use crate::wiring::Process;
use crate::{logging, open, reach, socket, tls, trusted, wiring};

/// What `serve` takes besides the configuration.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address and port of the HTTP API; port 0 takes a free one [default: 127.0.0.1:9010]
    #[arg(long, value_name = "ADDR")]
    http: Option<String>,

    /// Address and port of the binary protocol; port 0 takes a free one [default: 127.0.0.1:9009]
    #[arg(long, value_name = "ADDR")]
    binary: Option<String>,

    /// Require authentication over TCP [default: off]
    #[arg(long, value_name = "on|off", num_args = 0..=1, default_missing_value = "on")]
    auth: Option<String>,

    /// Server certificate in PEM; needs --tls-key
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<String>,

    /// Private key of the certificate in PEM, readable by you only
    #[arg(long, value_name = "FILE")]
    tls_key: Option<String>,

    /// Serve other machines without TLS: a TLS proxy in front is the only way in
    #[arg(long)]
    insecure_behind_proxy: bool,

    /// Keep everything in memory; all data is lost at exit
    #[arg(long, conflicts_with = "accept_loss")]
    in_memory: bool,

    /// Serve a damaged data directory without its unreadable records
    #[arg(long)]
    accept_loss: bool,

    /// Log format: text or json [default: text]
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<String>,

    /// Log level: error, warn, info, debug or trace [default: info]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
}

impl ServeArgs {
    /// The flags that are settings.
    fn assignments(&self) -> Vec<Assignment> {
        let flags = [
            ("http.addr", &self.http, "--http"),
            ("binary.addr", &self.binary, "--binary"),
            ("auth.required", &self.auth, "--auth"),
            ("tls.cert_file", &self.tls_cert, "--tls-cert"),
            ("tls.key_file", &self.tls_key, "--tls-key"),
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
    let tls_files = tls::files(&config)?;
    let exposure = Exposure {
        has_auth: config.auth_required,
        has_tls: tls_files.is_some(),
        is_behind_proxy: arguments.insecure_behind_proxy,
        trusts_networks: false,
    };
    exposure.check("http.addr", config.http_addr)?;
    let trusted = trusted::rule(&config, exposure)?;
    Exposure { trusts_networks: trusted.is_some(), ..exposure }.check("binary.addr", config.binary_addr)?;
    logging::start(&config)?;
    let tls = tls_files.map(tls::open).transpose()?;

    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (store, dir): (Arc<dyn Store>, Option<PathBuf>) = if arguments.in_memory {
        (Arc::new(MemoryStore::new(Arc::clone(&clock))), None)
    } else {
        let loss = if arguments.accept_loss { open::Loss::Accept } else { open::Loss::Refuse };
        open::create_dir(&data_dir.path)?;
        (Arc::new(reach::own(&data_dir.path, &config, loss)?), Some(data_dir.path))
    };
    let engine = wiring::engine(store, clock, &config, dir.as_deref(), Process::Server)?;
    let ready = trusted.as_ref().map_or(Ok(()), |rule| trusted::announce(&engine, rule));
    let runtime =
        ready.and_then(|()| Runtime::new().map_err(|error| Failure::io("start the runtime", &error)));
    let served = runtime.and_then(|runtime| {
        let binary = BinaryConfig { tls: tls.clone(), trusted, ..wiring::binary(&config) };
        runtime.block_on(run(Arc::clone(&engine), &config, (tls, binary), dir.as_deref(), as_json))
    });
    // Also after a failure: what was written is on disk, and closing makes the next opening quick.
    let closed = engine.close();
    served?;
    closed?;
    tracing::info!("stopped");
    Ok(())
}

async fn run(
    engine: Arc<Engine>,
    config: &Config,
    (tls, binary_config): (Option<Tls>, BinaryConfig),
    dir: Option<&Path>,
    as_json: bool,
) -> Result<(), Failure> {
    let (tcp, addr) = bind(config.http_addr, "--http").await?;
    let (binary, binary_addr) = bind(config.binary_addr, "--binary").await?;
    let signals = StopSignals::listen()?;
    let (local, socket_file) = dir.map(socket::listen).transpose()?.flatten().unzip();
    let endpoints = endpoints::describe(addr, binary_addr, tls.is_some());
    let endpoints_file = dir.map(|dir| EndpointsFile::write(dir, &endpoints)).transpose()?;
    if let Some(tls) = &tls {
        tls::keep_fresh(tls)?;
    }
    super::print(&format!("{}\n", announcement((addr, binary_addr), endpoints, dir, as_json)))?;

    let gate = Gate::new(engine, wiring::gate(config));
    let app = App::new(gate.clone(), HttpConfig { tls, ..wiring::http(config) }, addr);
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
        cairn_http::serve(Listeners { tcp: Some(tcp), local }, app, on_signal),
        cairn_binary::serve(binary, gate.clone(), binary_config, on_stop),
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

/// Listens, and says where.
async fn bind(addr: SocketAddr, flag: &str) -> Result<(TcpListener, SocketAddr), Failure> {
    let listener = TcpListener::bind(addr).await.map_err(|error| {
        Failure::io(format_args!("listen on {addr}"), &error)
            .hint(format!("choose another address with {flag}; port 0 takes a free one"))
    })?;
    let bound = listener.local_addr().map_err(|error| Failure::io("read the bound address", &error))?;
    Ok((listener, bound))
}

/// What is said at the start: where the server is.
fn announcement(
    (http, binary): (SocketAddr, SocketAddr),
    mut endpoints: Value,
    dir: Option<&Path>,
    as_json: bool,
) -> String {
    if as_json {
        endpoints["data_dir"] = dir.map_or(Value::Null, |dir| json!(dir.to_string_lossy()));
        return endpoints.to_string();
    }
    let (scheme, with_tls) = if endpoints["tls"] == true { ("https", " with TLS") } else { ("http", "") };
    let from = dir.map_or("memory; nothing is kept".to_owned(), |dir| dir.display().to_string());
    format!("cairn serves {scheme}://{http} and the binary protocol{with_tls} on {binary} from {from}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_says_where_the_server_is_and_whether_it_is_encrypted() {
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let line = |with_tls, dir: Option<&str>, as_json| {
            let endpoints = endpoints::describe(at(1), at(2), with_tls);
            announcement((at(1), at(2)), endpoints, dir.map(Path::new), as_json)
        };
        assert_eq!(
            line(false, None, false),
            "cairn serves http://127.0.0.1:1 and the binary protocol on 127.0.0.1:2 from memory; nothing is kept"
        );
        assert_eq!(
            line(true, Some("data"), false),
            "cairn serves https://127.0.0.1:1 and the binary protocol with TLS on 127.0.0.1:2 from data"
        );
        let json: Value = serde_json::from_str(&line(true, Some("data"), true)).expect("JSON");
        assert_eq!((&json["tls"], &json["data_dir"]), (&json!(true), &json!("data")));
        let json: Value = serde_json::from_str(&line(false, None, true)).expect("JSON");
        assert_eq!((json.get("tls"), &json["data_dir"]), (None, &Value::Null));
    }
}
