//! `/v1/kip` and `/kip`: commands of KIP, over HTTP, and the ordered indexes of what they ask.
//!
//! Whatever KIP answers has status 200, errors included; other statuses are for what is wrong with the
//! request itself: no JSON, too large, no permission, too much going on.

mod envelope;
mod execute;
mod functions;
mod indexes;
mod perform;
mod rpc;
pub(crate) mod sleep;
mod wire;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use self::indexes::{IndexJob, KipIndex};
use crate::app::AppState;

/// Inside of the limits of other routes.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(functions::functions))
        .routes(routes!(indexes::list, indexes::create, indexes::remove))
        .routes(routes!(sleep::sleep))
}

/// With bodies as long as the longest capsule.
pub(super) fn routes_with_commands() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(execute::execute)).routes(routes!(rpc::rpc))
}
