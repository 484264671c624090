//! Owning a data directory beside other work: whoever else works on it comes in by the socket.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use cairn_base::SystemClock;
use cairn_engine::Engine;
use cairn_gate::Gate;
use cairn_http::{App, Drained, Listeners};
use cairn_seam::StoreCode;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::config::Config;
use crate::failure::Failure;
use crate::socket::{self, SocketFile};
use crate::wiring::Process;
use crate::{open, wiring};

/// A data directory that is open here and answers at its socket, and nowhere else.
#[derive(Debug)]
pub(crate) struct Owner {
    engine: Arc<Engine>,
    gate: Gate,
    stop: oneshot::Sender<()>,
    served: JoinHandle<Drained>,
    socket_file: SocketFile,
}

impl Owner {
    /// Opens a data directory, which is made if it is not there. Fails at once if another process has it.
    pub(crate) async fn open(dir: &Path, config: &Config) -> Result<Owner, Failure> {
        let (path, settings) = (dir.to_owned(), config.clone());
        let opened = spawn_blocking(move || {
            open::create_dir(&path)?;
            let store = open::embedded(&path, &settings, open::Loss::Refuse)?;
            wiring::engine(Arc::new(store), Arc::new(SystemClock), &settings, Some(&path), Process::Owner)
        });
        let engine = opened.await.map_err(lost)??;
        // Nobody else could reach it.
        let without =
            || Failure::new("the disk has no room for a socket").hint(StoreCode::StorageFull.hint());
        match socket::listen(dir).and_then(|made| made.ok_or_else(without)) {
            Ok((local, socket_file)) => {
                let gate = Gate::new(Arc::clone(&engine), wiring::gate(config));
                // Nobody listens on an address here.
                let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                let app = App::new(gate.clone(), wiring::http(config), nowhere);
                let (stop, stopped) = oneshot::channel();
                let listeners = Listeners { tcp: None, local: Some(local) };
                let served = tokio::spawn(cairn_http::serve(listeners, app, async {
                    // Told to, or forgotten.
                    let _ = stopped.await;
                }));
                Ok(Owner { engine, gate, stop, served, socket_file })
            }
            Err(failure) => {
                close(engine).await?;
                Err(failure)
            }
        }
    }

    /// Answers what is under way, and lets the directory go.
    pub(crate) async fn close(self, config: &Config) -> Result<(), Failure> {
        let Owner { engine, gate, stop, served, socket_file } = self;
        // It listens for as long as it serves.
        let _ = stop.send(());
        served.await.map_err(lost)?;
        gate.drain(config.http_deadline).await;
        // While the lock is still held: whoever gets it next makes its own.
        drop(socket_file);
        drop(gate);
        close(engine).await
    }
}

async fn close(engine: Arc<Engine>) -> Result<(), Failure> {
    Ok(spawn_blocking(move || engine.close()).await.map_err(lost)??)
}

fn lost(error: tokio::task::JoinError) -> Failure {
    Failure::new(format!("a part of the program failed: {error}"))
}
