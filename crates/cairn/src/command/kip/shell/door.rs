//! The way to the memory, for as long as the shell is open.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cairn_wire::kip::KipResponse;
use serde::Serialize;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use crate::config::Config;
use crate::failure::Failure;
use crate::keeper::Keeper;

/// How long the end waits for the store to be closed.
const CLOSE_WITHIN: Duration = Duration::from_secs(20);

/// Goes through whoever has the data directory open, or opens it.
pub(super) struct Door {
    runtime: Runtime,
    keeper: Arc<Keeper>,
    /// Whether Interrupt gives up waiting for an answer, and does not end the process.
    gives_up: bool,
}

impl Door {
    /// Opens nothing yet: the first question does.
    pub(super) fn new(dir: &Path, config: &Config, gives_up: bool) -> Result<Self, Failure> {
        let runtime = Runtime::new().map_err(|error| Failure::io("start the runtime", &error))?;
        let keeper = Arc::new(Keeper::new(dir.to_owned(), config.clone()));
        Ok(Door { runtime, keeper, gives_up })
    }

    /// Calls a function of KIP.
    pub(super) fn ask(&self, function: &str, arguments: &impl Serialize) -> Result<KipResponse, Failure> {
        let asked = self.keeper.ask(function, arguments);
        self.runtime.block_on(async {
            if !self.gives_up {
                return asked.await;
            }
            let listening = signal(SignalKind::interrupt());
            let mut interrupt = listening.map_err(|error| Failure::io("listen for signals", &error))?;
            tokio::select! {
                answer = asked => answer,
                _ = interrupt.recv() => Err(Failure::new("not waited for; what it does may be done all the same")),
            }
        })
    }

    /// Lets the data directory go, if it is held here.
    pub(super) fn close(self) -> Result<(), Failure> {
        let closed = self.runtime.block_on(async { timeout(CLOSE_WITHIN, self.keeper.close()).await });
        self.runtime.shutdown_background();
        closed.unwrap_or_else(|_elapsed| {
            tracing::warn!("left the store as it is: closing takes too long; what was answered is on disk");
            Ok(())
        })
    }
}
