//! A connection as it comes, or encrypted.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use mio::net::TcpStream;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// A connection that does not block.
pub(super) enum Stream {
    Plain(TcpStream),
    Encrypted(Box<StreamOwned<ClientConnection, TcpStream>>),
}

/// Whom to trust, and whom to expect.
#[derive(Debug, Clone)]
pub(crate) struct Trust {
    config: Arc<ClientConfig>,
    server: ServerName<'static>,
}

impl Trust {
    pub(crate) fn new(tls: &cairn_tls::ClientTls) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        for root in CertificateDer::pem_slice_iter(&tls.roots_pem) {
            roots.add(root?)?;
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let config = Arc::new(builder.with_root_certificates(roots).with_no_client_auth());
        Ok(Trust { config, server: ServerName::try_from(tls.server_name.clone())? })
    }
}

impl Stream {
    /// Connects, and shakes hands where there is somebody to trust.
    pub(super) fn connect(addr: SocketAddr, trust: Option<&Trust>) -> Result<Self> {
        let mut stream = std::net::TcpStream::connect(addr).context("connecting to the server")?;
        stream.set_nodelay(true)?;
        let Some(trust) = trust else {
            stream.set_nonblocking(true)?;
            return Ok(Stream::Plain(TcpStream::from_std(stream)));
        };
        let mut tls = ClientConnection::new(Arc::clone(&trust.config), trust.server.clone())?;
        while tls.is_handshaking() {
            tls.complete_io(&mut stream).context("shaking hands with the server")?;
        }
        stream.set_nonblocking(true)?;
        Ok(Stream::Encrypted(Box::new(StreamOwned::new(tls, TcpStream::from_std(stream)))))
    }

    /// What to wait for.
    pub(super) fn socket(&mut self) -> &mut TcpStream {
        match self {
            Stream::Plain(stream) => stream,
            Stream::Encrypted(stream) => &mut stream.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.read(out),
            Stream::Encrypted(stream) => stream.read(out),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.write(bytes),
            Stream::Encrypted(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(stream) => stream.flush(),
            Stream::Encrypted(stream) => stream.flush(),
        }
    }
}
