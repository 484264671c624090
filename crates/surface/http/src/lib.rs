//! HTTP over the engine.
//!
//! [`App`] is the frame every route stands in: request ids, log lines and metrics, limits on size,
//! time and number, Host and Origin checks, errors of one shape. Inside it are the routes for health,
//! metrics, administration, access, turns and events; the binary adds those of other surfaces with
//! [`App::with_routes`].
//! [`serve`] runs it on its listeners until told to stop, and then drains. [`Client`] is how the program
//! calls it, over the socket of whoever owns the data directory or, with [`serve_in_process`], inside
//! its own process: the same request, the same answer.
//!
//! A route decodes, calls the engine once through the gate, and encodes. HTTP/1.1 only, over TLS where
//! [`HttpConfig::tls`] says so; HTTP/2 is a reverse proxy's.

mod app;
mod call;
mod client;
mod config;
mod content_type;
mod error;
mod held;
mod json;
mod local;
mod metrics;
mod middleware;
mod params;
mod patience;
mod routes;
mod seat;
mod serve;

pub use app::App;
pub use axum::body::Bytes;
pub use client::{AuditPart, Bell, Client, ClientError, ContextOrder, ListPart, NewToken, NewTurn};
pub use config::HttpConfig;
pub use error::ApiError;
pub use json::ApiJson;
pub use routes::bulk::{ImportReport, KipImportReport, PruneJob, PruneReport};
pub use routes::kip::sleep::{
    SleepDuplicates, SleepElement, SleepJob, SleepList, SleepNamed, SleepReport, SleepTask,
};
pub use routes::kip::{IndexJob, KipIndex};
pub use routes::maintenance::wire::{Report, ReportedFinding, ReportedMissing};
pub use serve::{Drained, Listeners, serve, serve_in_process};
