//! The framed binary protocol of turns.
//!
//! A connection sends frames and gets one answer to each, in order. Every failure is an ERROR frame, and
//! the connection goes on. It ends after a frame over the size limit, because what follows is not known, and
//! when somebody has shown credentials in vain a few times.

mod alone;
mod answer;
pub mod client;
mod error;
mod fields;
mod frame;
pub mod limits;
mod memory;
mod payload;
mod request;
mod send;
mod serve;
mod session;
mod trusted;

pub use alone::serve_connection;
pub use error::WireError;
pub use frame::{HEADER_BYTES, Header, MessageType};
pub use serve::{BinaryConfig, Drained, serve};
pub use trusted::Trusted;
