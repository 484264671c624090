//! The side that calls.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::TlsError;
use crate::load::provider;

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
        let mut roots = RootCertStore::empty();
        for root in CertificateDer::pem_slice_iter(&tls.roots_pem) {
            let root = root.map_err(|_| TlsError::NoRoots)?;
            roots.add(root).map_err(|_| TlsError::NoRoots)?;
        }
        if roots.is_empty() {
            return Err(TlsError::NoRoots);
        }
        let name = tls.server_name.clone();
        let server = ServerName::try_from(name.clone()).map_err(|_| TlsError::BadName { name })?;
        let builder =
            ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
        let config = builder.with_root_certificates(roots).with_no_client_auth();
        Ok(Connector { connector: TlsConnector::from(Arc::new(config)), server })
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
