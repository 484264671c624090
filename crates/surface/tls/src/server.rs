//! The certificate that is served, and shaking hands with it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use cairn_base::{Clock, SystemClock, to_iso};
use parking_lot::RwLock;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::load::Loaded;
use crate::stamp::Stamp;
use crate::{TlsError, TlsFiles, limits};

/// A connection to a client.
pub type ServerStream = tokio_rustls::server::TlsStream<TcpStream>;

/// What is spoken inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// The binary protocol of turns.
    Binary,
}

impl Protocol {
    /// What is agreed on with clients that say what they want to speak (ALPN). The binary protocol has no
    /// name there, and whoever names something gets no answer to it.
    pub(crate) fn names(self) -> Vec<Vec<u8>> {
        match self {
            Protocol::Http => vec![b"http/1.1".to_vec()],
            Protocol::Binary => Vec::new(),
        }
    }
}

/// A certificate that can be replaced while it is served. Clones share it.
#[derive(Debug, Clone)]
pub struct Tls {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) files: TlsFiles,
    handshake: Duration,
    current: RwLock<Arc<Loaded>>,
    /// How the files looked before they were read first.
    pub(crate) first: Stamp,
    /// Rung when the files shall be read again at once.
    pub(crate) asked: Notify,
}

impl Tls {
    /// Reads certificate and key.
    ///
    /// # Errors
    ///
    /// When they cannot be read, are not what they should be, or do not belong together; also when others
    /// may read the key.
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        Tls::with_handshake(files, limits::TLS_HANDSHAKE)
    }

    /// The same, with another bound on handshakes.
    ///
    /// # Errors
    ///
    /// As [`Tls::open`].
    pub fn with_handshake(files: TlsFiles, handshake: Duration) -> Result<Self, TlsError> {
        // Before reading: what changes meanwhile is seen as a change.
        let first = Stamp::of(&files);
        let loaded = Loaded::read(&files)?;
        let current = RwLock::new(Arc::new(loaded));
        let tls = Tls { inner: Arc::new(Inner { files, handshake, current, first, asked: Notify::new() }) };
        tls.tell("serving with the certificate");
        Ok(tls)
    }

    /// Shakes hands with a client. Connections keep what they agreed on, whatever is served later.
    ///
    /// # Errors
    ///
    /// When client and server do not agree, or not in time. The client has been told, as far as it listens.
    pub async fn accept(&self, stream: TcpStream, protocol: Protocol) -> io::Result<ServerStream> {
        let config = self.inner.current.read().config(protocol);
        match timeout(self.inner.handshake, TlsAcceptor::from(config).accept(stream)).await {
            Ok(agreed) => agreed,
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake took too long")),
        }
    }

    /// Reads the files again, and serves what they hold from now on. Blocks.
    ///
    /// # Errors
    ///
    /// As [`Tls::open`]; then everything stays as it is.
    pub fn reload(&self) -> Result<(), TlsError> {
        let loaded = Arc::new(Loaded::read(&self.inner.files)?);
        *self.inner.current.write() = loaded;
        self.tell("serving with a new certificate");
        Ok(())
    }

    fn tell(&self, what: &str) {
        let until_ms = self.inner.current.read().valid_until_ms;
        let valid_until = until_ms.and_then(to_iso).unwrap_or_else(|| "unknown".to_owned());
        let file = self.inner.files.certificate.display();
        tracing::info!(%file, valid_until, "{what}");
        let now_ms = i64::try_from(SystemClock.now_ms()).unwrap_or(i64::MAX);
        if until_ms.is_some_and(|until_ms| until_ms < now_ms) {
            tracing::warn!(%file, valid_until, "the certificate has expired: clients will refuse it");
        }
    }
}
