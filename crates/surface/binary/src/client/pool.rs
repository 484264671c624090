//! Connections that calls share.

use cairn_tls::Connector;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::config::ClientConfig;
use super::connection::Connection;
use super::error::ClientError;

/// As many connections as the configuration allows; those that nobody uses are kept here.
///
/// Whoever takes one owns it until it is put back. A call that ends in any other way drops it, and with
/// it what may still come over it.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) addr: String,
    pub(crate) config: ClientConfig,
    pub(crate) tls: Option<Connector>,
    slots: Semaphore,
    unused: Mutex<Vec<Connection>>,
}

impl Pool {
    pub(crate) fn new(addr: String, config: ClientConfig) -> Result<Self, ClientError> {
        let slots = Semaphore::new(config.connections());
        let tls = config.tls.as_ref().map(Connector::new).transpose()?;
        Ok(Pool { addr, config, tls, slots, unused: Mutex::new(Vec::new()) })
    }

    /// The right to have a connection. First come, first served.
    pub(crate) async fn slot(&self) -> SemaphorePermit<'_> {
        self.slots.acquire().await.expect("nobody closes the semaphore")
    }

    /// The connection that was used last, if it is still good.
    pub(crate) fn take(&self) -> Option<Connection> {
        let mut unused = self.unused.lock();
        while let Some(mut connection) = unused.pop() {
            if connection.is_quiet() {
                return Some(connection);
            }
        }
        None
    }

    pub(crate) fn put_back(&self, connection: Connection) {
        self.unused.lock().push(connection);
    }

    /// Closes what is unused: where one connection broke, the others are not to be trusted.
    pub(crate) fn clear(&self) {
        let unused = std::mem::take(&mut *self.unused.lock());
        drop(unused);
    }
}
