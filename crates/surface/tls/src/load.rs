//! From files to what a server needs.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::fs::exposed_mode;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::ServerConfig;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use zeroize::Zeroizing;

use crate::valid_until::valid_until_ms;
use crate::{Protocol, TlsError, limits};

/// Where certificate and key are, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, followed by those that lead to the root.
    pub certificate: PathBuf,
    /// Its private key: PKCS#8, SEC1 or PKCS#1. Nobody but its owner may read it.
    pub key: PathBuf,
}

/// What one reading of the files gave.
#[derive(Debug)]
pub(crate) struct Loaded {
    http: Arc<ServerConfig>,
    binary: Arc<ServerConfig>,
    /// Until when the certificate is valid, in Unix milliseconds, where that could be read.
    pub(crate) valid_until_ms: Option<i64>,
}

impl Loaded {
    /// Reads both files, and refuses what could not be served.
    pub(crate) fn read(files: &TlsFiles) -> Result<Self, TlsError> {
        let chain = certificates(&files.certificate)?;
        let key = private_key(&files.key)?;
        let provider = provider();
        let key = provider.key_provider.load_private_key(key);
        let key = key.map_err(|_| TlsError::NoKey { path: files.key.clone() })?;
        let valid_until_ms = chain.first().and_then(|certificate| valid_until_ms(certificate));
        let certified = CertifiedKey::new(chain, key);
        certified.keys_match().map_err(|reason| {
            if matches!(reason, rustls::Error::InconsistentKeys(_)) {
                TlsError::OtherKey { certificate: files.certificate.clone(), key: files.key.clone() }
            } else {
                TlsError::BadCertificate { path: files.certificate.clone(), reason }
            }
        })?;
        let resolver = Arc::new(SingleCertAndKey::from(certified));
        let config = |protocol: Protocol| {
            let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
            let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
            let mut config = builder.with_cert_resolver(Arc::clone(&resolver) as Arc<_>);
            config.alpn_protocols = protocol.names();
            Ok::<_, TlsError>(Arc::new(config))
        };
        Ok(Loaded { http: config(Protocol::Http)?, binary: config(Protocol::Binary)?, valid_until_ms })
    }

    pub(crate) fn config(&self, protocol: Protocol) -> Arc<ServerConfig> {
        Arc::clone(match protocol {
            Protocol::Http => &self.http,
            Protocol::Binary => &self.binary,
        })
    }
}

/// The library that the store seals with, too.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let mut file = Source::open("certificate", path)?;
    let pem = file.read()?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    chain.ok_or_else(|| TlsError::NoCertificate { path: path.to_owned() })
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let mut file = Source::open("key file", path)?;
    if let Some(mode) = file.exposed_mode()? {
        return Err(TlsError::OpenKey { path: path.to_owned(), mode });
    }
    let pem = file.read()?;
    // What exactly is wrong is not said: it would quote the file.
    PrivateKeyDer::from_pem_slice(&pem).map_err(|_| TlsError::NoKey { path: path.to_owned() })
}

/// A file that was opened.
struct Source<'a> {
    what: &'static str,
    path: &'a Path,
    file: File,
}

impl<'a> Source<'a> {
    fn open(what: &'static str, path: &'a Path) -> Result<Self, TlsError> {
        let file = File::open(path).map_err(|source| unreadable(what, path, source))?;
        Ok(Source { what, path, file })
    }

    /// Its permissions if others may read it, and not those of whatever has its name by now.
    fn exposed_mode(&self) -> Result<Option<u32>, TlsError> {
        let found = self.file.metadata().map_err(|source| unreadable(self.what, self.path, source))?;
        Ok(exposed_mode(&found))
    }

    fn read(&mut self) -> Result<Zeroizing<Vec<u8>>, TlsError> {
        // Sized at once: growing would leave copies of a key behind.
        let mut content = Zeroizing::new(Vec::with_capacity(limits::TLS_FILE_BYTES_MAX + 2));
        let mut limited = (&mut self.file).take(limits::TLS_FILE_BYTES_MAX as u64 + 1);
        limited.read_to_end(&mut content).map_err(|source| unreadable(self.what, self.path, source))?;
        if content.len() > limits::TLS_FILE_BYTES_MAX {
            return Err(TlsError::TooLong { what: self.what, path: self.path.to_owned() });
        }
        Ok(content)
    }
}

fn unreadable(what: &'static str, path: &Path, source: io::Error) -> TlsError {
    TlsError::Unreadable { what, path: path.to_owned(), source }
}
