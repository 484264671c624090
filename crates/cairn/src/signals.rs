//! Interrupt and SIGTERM: the first stops in order, the second at once.

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
