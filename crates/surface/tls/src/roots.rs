//! Authorities that a client trusts.

use std::fmt;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use crate::load::provider;
use crate::{Connector, TlsError};

/// Authorities that a client trusts, for connections to any server. Clones share them.
#[derive(Clone)]
pub struct Roots {
    config: Arc<ClientConfig>,
}

impl Roots {
    /// Reads authorities in PEM. Nobody else is trusted, the system's authorities included.
    ///
    /// # Errors
    ///
    /// If there is no certificate among them, or one that cannot be used.
    pub fn from_pem(pem: &[u8]) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        for root in CertificateDer::pem_slice_iter(pem) {
            let root = root.map_err(|_| TlsError::NoRoots)?;
            roots.add(root).map_err(|_| TlsError::NoRoots)?;
        }
        if roots.is_empty() { Err(TlsError::NoRoots) } else { Roots::of(roots) }
    }

    /// Reads the system's authorities. Blocks.
    ///
    /// # Errors
    ///
    /// If the system has no certificates that can be used.
    pub fn system() -> Result<Self, TlsError> {
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::debug!(%error, "an authority of the system could not be read");
        }
        let mut roots = RootCertStore::empty();
        // Stores of systems hold old certificates that nothing can parse; the others count.
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() { Err(TlsError::NoSystemRoots) } else { Roots::of(roots) }
    }

    /// Returns a connector that expects this name or address in the server's certificate.
    ///
    /// # Errors
    ///
    /// If it is neither a host name nor an address.
    pub fn connector(&self, server_name: &str) -> Result<Connector, TlsError> {
        let server = ServerName::try_from(server_name.to_owned());
        let server = server.map_err(|_| TlsError::BadName { name: server_name.to_owned() })?;
        Ok(Connector::of(TlsConnector::from(Arc::clone(&self.config)), server))
    }

    fn of(roots: RootCertStore) -> Result<Self, TlsError> {
        let builder =
            ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
        let config = builder.with_root_certificates(roots).with_no_client_auth();
        Ok(Roots { config: Arc::new(config) })
    }
}

impl fmt::Debug for Roots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Roots").finish_non_exhaustive()
    }
}
