//! The side that calls.

use std::fmt;
use std::io;

use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::{Roots, TlsError};

/// A connection to a server.
pub type ClientStream = tokio_rustls::client::TlsStream<TcpStream>;

/// Whom a client trusts, and whom it expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientTls {
    /// Certificates in PEM: of the authorities that vouch for the server, or the server's own. Nobody else
    /// is trusted, the system's authorities included.
    pub roots_pem: Vec<u8>,
    /// The name or address that the server's certificate must have.
    pub server_name: String,
}

/// What shakes hands with servers. Clones share what is needed to come back quickly.
#[derive(Clone)]
pub struct Connector {
    connector: TlsConnector,
    server: ServerName<'static>,
}

impl Connector {
    /// Reads the roots and the name.
    ///
    /// # Errors
    ///
    /// When there is no certificate among the roots, or the name is none.
    pub fn new(tls: &ClientTls) -> Result<Self, TlsError> {
        Roots::from_pem(&tls.roots_pem)?.connector(&tls.server_name)
    }

    pub(crate) fn of(connector: TlsConnector, server: ServerName<'static>) -> Self {
        Connector { connector, server }
    }

    /// Shakes hands with a server. The caller bounds the time.
    ///
    /// # Errors
    ///
    /// When they do not agree, or the server is not who it should be; [`is_distrust`] tells which.
    pub async fn connect(&self, stream: TcpStream) -> io::Result<ClientStream> {
        self.connector.connect(self.server.clone(), stream).await
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Whether a handshake failed because of the server's certificate: trying again will not help.
pub fn is_distrust(error: &io::Error) -> bool {
    let error = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    matches!(error, Some(rustls::Error::InvalidCertificate(_)))
}
