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

use utoipa_axum::routes;

pub(super) use self::wire::body;
use crate::route::Route;
use crate::routes::Routes;

/// The routes of this folder, with their descriptors.
pub(super) fn routes() -> Routes {
    Routes::new()
        .with(Route::COMMANDS, routes!(execute::execute))
        .with(Route::COMMANDS, routes!(rpc::rpc))
        .with(Route::READ, routes!(functions::functions))
        .with(Route::READ, routes!(indexes::list))
        .with(Route::JOB, routes!(indexes::create))
        .with(Route::WRITE, routes!(indexes::remove))
        .with(Route::JOB, routes!(sleep::sleep))
}
