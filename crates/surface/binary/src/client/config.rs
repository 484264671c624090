//! What a client can be told.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cairn_base::{Entropy, SystemEntropy};
use cairn_tls::ClientTls;
use zeroize::Zeroizing;

use super::error::ClientError;
use crate::limits;

/// A token. Wiped when dropped, and not shown by accident.
#[derive(Clone)]
pub struct ClientToken(Zeroizing<String>);

impl ClientToken {
    /// Takes a token over.
    pub fn new(token: impl Into<String>) -> Self {
        ClientToken(Zeroizing::new(token.into()))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ClientToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientToken(…)")
    }
}

/// How a client behaves.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// Whom it trusts, and whom it expects, where the server speaks TLS; without this, nothing is encrypted.
    pub tls: Option<ClientTls>,
    /// What it calls itself; contexts that it makes carry it.
    pub tag: String,
    /// A token that says who it is, for servers that ask.
    pub token: Option<ClientToken>,
    /// How long it takes to connect at most.
    pub dial_timeout: Duration,
    /// How long one try of a call takes at most, waiting for a connection included.
    pub request_timeout: Duration,
    /// Connections at once, at least 1.
    pub connections_max: usize,
    /// How often a call is tried again.
    pub retries: u32,
    /// The first pause before that; the next ones double.
    pub pause_min: Duration,
    /// The longest pause.
    pub pause_max: Duration,
    /// Payloads of so many bytes and more are compressed on their way, if that makes them shorter.
    pub compress_from: Option<usize>,
    /// Where idempotency keys and the length of pauses come from.
    pub entropy: Arc<dyn Entropy>,
}

impl Default for ClientConfig {
    fn default() -> Self {
        ClientConfig {
            tls: None,
            tag: String::new(),
            token: None,
            dial_timeout: limits::CLIENT_DIAL,
            request_timeout: limits::CLIENT_REQUEST,
            connections_max: limits::CLIENT_CONNECTIONS,
            retries: limits::CLIENT_RETRIES,
            pause_min: limits::CLIENT_PAUSE_MIN,
            pause_max: limits::CLIENT_PAUSE_MAX,
            compress_from: None,
            entropy: Arc::new(SystemEntropy),
        }
    }
}

impl ClientConfig {
    pub(crate) fn check(&self) -> Result<(), ClientError> {
        ClientError::check_size("client tag", self.tag.len(), usize::from(u16::MAX))
    }

    /// Connections at once, within reason: a server has no more either.
    pub(crate) fn connections(&self) -> usize {
        self.connections_max.clamp(1, limits::BINARY_CONNECTIONS_MAX)
    }
}
