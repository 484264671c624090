//! TLS for the surfaces: 1.3 and 1.2, over whatever they speak.
//!
//! - [`Tls`] holds the certificate that is served. It is read from files ([`TlsFiles`]) and read again when
//!   they change ([`Tls::watch`]); files that are of no use change nothing.
//! - [`Tls::accept`] shakes hands with a client, within a bound. The caller decides where that runs, so that
//!   nobody else waits for it.
//! - [`Connector`] is the other side: it trusts the certificates it was given, and nobody else. [`Roots`] makes
//!   connectors for several servers, from a file of authorities or from those of the system.
//!
//! Clients show no certificates: who somebody is, is told inside. There is no early data, which could be
//! sent twice by others. What is spoken over the streams is not known here.

mod client;
mod error;
pub mod limits;
mod load;
mod roots;
mod server;
mod stamp;
#[cfg(feature = "testing")]
pub mod testing;
mod valid_until;
mod watch;

pub use client::{ClientStream, ClientTls, Connector, is_distrust};
pub use error::TlsError;
pub use load::TlsFiles;
pub use roots::Roots;
pub use server::{Protocol, ServerStream, Tls};
