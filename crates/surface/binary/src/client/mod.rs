//! A client of the binary protocol.
//!
//! ```no_run
//! use cairn_binary::client::{AppendTurn, Client, ClientConfig, ClientError};
//!
//! # async fn example() -> Result<(), ClientError> {
//! let client = Client::connect("127.0.0.1:9009", ClientConfig::default()).await?;
//! let context = client.create_context().await?.context;
//! client.append(AppendTurn::new(context, "example.Said", 1, vec![0xa2, b'h', b'i'])).await?;
//! let turns = client.last(context, 10, true).await?;
//! assert_eq!(turns.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! - A client has a few connections, opened when they are needed. A call has one of them to itself; more
//!   calls than that wait, first come, first served.
//! - A connection is put back only after a whole answer that makes sense. Whatever else happens to a call
//!   (a timeout, a future that is dropped, an answer to another request), its connection is closed.
//! - Calls that may be repeated are, with growing pauses, when a connection breaks or the server says to
//!   come back later. That is all of them but creating and forking contexts: every append has an
//!   idempotency key, the caller's or one of its own.
//! - With [`ClientConfig::tls`] everything is encrypted, and the server proves who it is. One that cannot is
//!   not tried again.

mod append;
mod calls;
mod config;
mod connection;
mod error;
mod outgoing;
mod pause;
mod pool;
mod retry;
mod stream;

use std::fmt::Display;
use std::sync::Arc;

pub use cairn_base::{ContentHash, ContextId, TurnId};
pub use cairn_tls::{ClientTls, TlsError};

pub use crate::answer::{Appended, Head, TurnRecord, TurnWindow};
pub use append::{AppendTurn, MSGPACK};
pub use config::{ClientConfig, ClientToken};
pub use error::ClientError;

use pool::Pool;

/// A client. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Client {
    pool: Arc<Pool>,
}

impl Client {
    /// A client of the server at an address such as `127.0.0.1:9009`, with one connection to begin with.
    ///
    /// # Errors
    ///
    /// When the server cannot be reached, also after the retries of the configuration, or is not trusted.
    pub async fn connect(addr: impl Display, config: ClientConfig) -> Result<Self, ClientError> {
        config.check()?;
        let client = Client { pool: Arc::new(Pool::new(addr.to_string(), config)?) };
        client.greet().await?;
        Ok(client)
    }
}
