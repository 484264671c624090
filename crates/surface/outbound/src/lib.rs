//! Requests that cairn sends to servers elsewhere.
//!
//! - [`OutboundUrl`] is a URL of http or https without user, password, fragment or odd spellings.
//! - [`AddressFilter`] decides which addresses may be reached. It sees the addresses that a name resolves to, and
//!   the connection goes to exactly the address that was checked, so that a second answer of DNS changes nothing.
//! - [`OutboundClient`] sends one request over one connection, within a deadline and a number of bytes. It follows
//!   no redirects, keeps no cookies, shows no credentials and knows no proxies.
//! - [`SparqlClient`] implements remote SPARQL of the requirements KB on it.
//!
//! Nothing here listens.

mod address;
mod answer;
mod client;
mod connect;
mod error;
pub mod limits;
mod resolve;
mod sparql;
mod url;

pub use address::{AddressClass, AddressFilter};
pub use client::{OutboundClient, OutboundConfig, OutboundRequest};
pub use error::OutboundError;
pub use resolve::{Resolve, Resolving, SystemResolver};
pub use sparql::{SparqlClient, SparqlConfig};
pub use url::{Host, OutboundUrl, Scheme, UrlError};
