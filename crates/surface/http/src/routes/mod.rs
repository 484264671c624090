//! The routes, one file each.

mod access;
mod audit;
mod blobs;
pub(crate) mod bulk;
pub(crate) mod events;
pub(crate) mod figures;
pub(crate) mod frame_answers;
mod health;
pub(crate) mod kip;
pub(crate) mod maintenance;
mod metrics;
pub(crate) mod openapi;
mod ready;
mod registry;
mod scrub;
mod search;
pub(crate) mod sessions;
mod stats;
mod store_figures;
mod turns;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

/// Answered whatever happens: no admission, no body, no deadline.
pub(crate) fn open() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(health::health))
        .routes(routes!(ready::ready))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openapi::openapi))
}

/// Answers that go on: no deadline, and admission only while they read.
pub(crate) fn streams() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(events::all_events))
        .routes(routes!(events::context_events))
        .merge(bulk::streams())
}

/// Answered within the limits of the gate.
pub(crate) fn guarded() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(stats::stats))
        .routes(routes!(figures::figures))
        .routes(routes!(maintenance::maintenance))
        .merge(bulk::routes())
        .routes(routes!(sessions::sessions))
        .merge(turns::routes())
        .merge(search::routes())
        .merge(kip::routes())
        .merge(blobs::routes())
        .merge(registry::routes())
        .merge(access::routes())
        .routes(routes!(audit::audit))
}

/// The same, with bodies that are a payload or a blob.
pub(crate) fn with_content() -> OpenApiRouter<AppState> {
    turns::routes_with_content().merge(blobs::routes_with_content())
}

/// The same, with bodies that are commands.
pub(crate) fn with_commands() -> OpenApiRouter<AppState> {
    kip::routes_with_commands()
}
