//! HTTP over the engine.
//!
//! [`App`] is the frame every route stands in: request ids, log lines and metrics, limits on size,
//! time and number, Host and Origin checks, errors of one shape. Inside it are the routes for health,
//! metrics, administration, access, turns and events; the binary adds those of other surfaces with
//! [`App::with_route`].
//! [`serve`] runs it on its listeners until told to stop, and then drains. [`Client`] is how the program
//! calls it, over the socket of whoever owns the data directory or, with [`serve_in_process`], inside
//! its own process: the same request, the same answer.
//!
//! A route decodes, calls the engine once through the gate, and encodes. HTTP/1.1 only, over TLS where
//! [`HttpConfig::tls`] says so; HTTP/2 is a reverse proxy's.

mod app;
mod artifact_error;
mod call;
mod client;
mod code;
mod config;
mod content;
mod content_type;
mod dialect;
mod error;
mod held;
mod into_wire;
mod json;
mod kb_error;
pub mod limits;
mod local;
mod long_job;
mod metrics;
mod middleware;
mod params;
mod patience;
mod route;
mod routes;
mod seat;
mod serve;

pub use app::App;
pub use axum::body::Bytes;
pub use client::{AuditPart, Bell, Client, ClientError, ContextOrder, ListPart, NewToken, NewTurn};
pub use code::{HttpCode, error_codes};
pub use config::HttpConfig;
pub use error::ApiError;
pub use into_wire::IntoWire;
pub use json::ApiJson;
pub use route::Route;
pub use routes::maintenance::wire::missing_from_wire;
pub use serve::{Drained, Listeners, serve, serve_in_process};
