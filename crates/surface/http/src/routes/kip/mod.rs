//! `/v1/kip` and `/kip`: commands of KIP, over HTTP.
//!
//! Whatever KIP answers has status 200, errors included; other statuses are for what is wrong with the
//! request itself: no JSON, too large, no permission, too much going on.

mod envelope;
mod execute;
mod functions;
mod perform;
mod rpc;
mod wire;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

/// Inside of the limits of other routes.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(functions::functions))
}

/// With bodies as long as the longest capsule.
pub(super) fn routes_with_commands() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(execute::execute)).routes(routes!(rpc::rpc))
}
