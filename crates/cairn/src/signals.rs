//! Interrupt and SIGTERM: the first stops in order, the second at once. SIGHUP: files are read again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// Both signals that ask a server to stop.
#[derive(Debug)]
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// Takes over both signals from now on.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let take = |kind| signal(kind).map_err(|error| Failure::io("listen for signals", &error));
        Ok(StopSignals {
            interrupt: take(SignalKind::interrupt())?,
            terminate: take(SignalKind::terminate())?,
        })
    }

    /// Waits for one of them and yields its exit code by the custom of shells, 128 + its number.
    pub(crate) async fn next(&mut self) -> i32 {
        std::future::poll_fn(|context| {
            if self.interrupt.poll_recv(context).is_ready() {
                return std::task::Poll::Ready(128 + SignalKind::interrupt().as_raw_value());
            }
            self.terminate.poll_recv(context).map(|_| 128 + SignalKind::terminate().as_raw_value())
        })
        .await
    }
}

/// SIGHUP, which asks a server to read files again. From now on it no longer ends the process.
pub(crate) fn hangups() -> Result<Signal, Failure> {
    signal(SignalKind::hangup()).map_err(|error| Failure::io("listen for signals", &error))
}

/// For a command that tidies up when it is told to stop: the first signal is noted here, the second ends
/// the process. When this is dropped there is nothing to tidy up any more, and the first one does.
#[derive(Debug)]
pub(crate) struct StopFlag {
    asked: Arc<AtomicBool>,
}

impl StopFlag {
    /// Takes over both signals from now on.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let asked = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&asked);
        let failed = |error| Failure::io("listen for signals", &error);
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let mut signals = {
            let _inside = runtime.enter();
            StopSignals::listen()?
        };
        let wait = move || loop {
            let code = runtime.block_on(signals.next());
            if own.swap(true, Ordering::Relaxed) {
                std::process::exit(code);
            }
        };
        thread::Builder::new().name("cairn-signals".into()).spawn(wait).map_err(failed)?;
        Ok(StopFlag { asked })
    }

    /// Whether somebody asked to stop.
    pub(crate) fn is_set(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Drop for StopFlag {
    fn drop(&mut self) {
        self.asked.store(true, Ordering::Relaxed);
    }
}
