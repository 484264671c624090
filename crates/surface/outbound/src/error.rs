//! Reasons why a request was not sent, or gave nothing.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use cairn_tls::TlsError;

use crate::{AddressClass, UrlError};

/// Situations that a caller of the client can act on.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The URL is invalid.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The authorities cannot be read, or a name does not fit into a certificate.
    #[error(transparent)]
    Trust(#[from] TlsError),
    /// The client has no thread to work on.
    #[error("the client for outgoing requests cannot start: {0}")]
    Start(io::Error),
    /// The name of the host does not resolve.
    #[error("the name {host} does not resolve: {cause}; check its spelling")]
    Resolve {
        /// The name.
        host: String,
        /// The error of the resolver.
        cause: String,
    },
    /// The name has far more addresses than a server needs.
    #[error("the name {host} has {count} addresses; use a host with fewer")]
    ManyAddresses {
        /// The name.
        host: String,
        /// Their number.
        count: usize,
    },
    /// The host has an address that may not be reached.
    #[error("{host} has the address {address}, which is {class}; {}", remedy(*class))]
    Address {
        /// The host as the URL names it.
        host: String,
        /// The address.
        address: IpAddr,
        /// Its class.
        class: AddressClass,
    },
    /// No connection came about.
    #[error("could not connect to {host}: {cause}; check that the server is up")]
    Connect {
        /// Host and port.
        host: String,
        /// The last error.
        cause: String,
    },
    /// The TLS handshake failed.
    #[error(
        "the TLS handshake with {host} failed: {cause}; check its certificate, and the authorities that are trusted"
    )]
    Handshake {
        /// Host and port.
        host: String,
        /// The error.
        cause: String,
    },
    /// The time is over.
    #[error("the server did not finish within {} ms; ask for less, or allow more time", after.as_millis())]
    Deadline {
        /// The time that it had.
        after: Duration,
    },
    /// The server redirects.
    #[error("the server responded with a redirect ({status}), and redirects are refused; use the final URL")]
    Redirect {
        /// The HTTP status.
        status: u16,
    },
    /// The server responds with an error.
    #[error(
        "the server responded with status {status}; check the request, and that the URL is the right one"
    )]
    Status {
        /// The HTTP status.
        status: u16,
    },
    /// The response has another content type.
    #[error("the server responded with content type {found}; {expected} is needed")]
    ContentType {
        /// The content type, shortened.
        found: String,
        /// The content type that was asked for.
        expected: &'static str,
    },
    /// The response is compressed, which was not asked for.
    #[error(
        "the server responded with encoding {found}, which was not asked for; use a server that can send plain bodies"
    )]
    Encoding {
        /// The encoding, shortened.
        found: String,
    },
    /// The body is too long.
    #[error("the response is longer than {max} bytes; ask for less")]
    TooLarge {
        /// The limit.
        max: usize,
    },
    /// The response broke off, or is not HTTP.
    #[error("the response broke off or is not HTTP/1.1: {cause}; try again, and check the server")]
    Broken {
        /// The error.
        cause: String,
    },
}

fn remedy(class: AddressClass) -> &'static str {
    if class.is_private() {
        "use a public server, or have an operator allow private addresses"
    } else {
        "use a server with a public address"
    }
}
