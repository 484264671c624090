//! The routes, one file each.

mod access;
mod artifacts;
mod audit;
mod blobs;
pub(crate) mod bulk;
pub(crate) mod events;
pub(crate) mod figures;
pub(crate) mod frame_answers;
mod health;
mod kb;
pub(crate) mod kip;
pub(crate) mod maintenance;
mod metrics;
pub(crate) mod openapi;
mod ready;
mod registered;
mod registry;
mod scrub;
mod search;
pub(crate) mod sessions;
mod stats;
mod store_figures;
mod tools;
mod turns;

use utoipa_axum::routes;

pub(crate) use self::registered::Routes;
use crate::route::Route;

/// Every route, with its descriptor.
pub(crate) fn all() -> Routes {
    Routes::new()
        .with(Route::PROBE, routes!(health::health))
        .with(Route::PROBE, routes!(ready::ready))
        .with(Route::METRICS, routes!(metrics::metrics))
        .with(Route::OPEN, routes!(openapi::openapi))
        .with(Route::READ, routes!(stats::stats))
        .with(Route::READ, routes!(figures::figures))
        .with(Route::JOB, routes!(maintenance::maintenance))
        .with(Route::READ, routes!(sessions::sessions))
        .with(Route::EVENTS, routes!(events::all_events))
        .with(Route::EVENTS, routes!(events::context_events))
        .with(Route::READ, routes!(audit::audit))
        .merge(access::routes())
        .merge(turns::routes())
        .merge(blobs::routes())
        .merge(registry::routes())
        .merge(artifacts::routes())
        .merge(search::routes())
        .merge(kip::routes())
        .merge(kb::routes())
        .with(Route::COMMANDS, routes!(tools::call_tool))
        .merge(bulk::routes())
}
