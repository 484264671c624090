//! `/v1/search`: finding what was said by its words.

mod cursor;
mod find;
mod question;
mod rebuild;
pub(super) mod status;
mod wire;

use utoipa_axum::routes;

use crate::route::Route;
use crate::routes::Routes;

/// The routes of this folder, with their descriptors.
pub(super) fn routes() -> Routes {
    Routes::new().with(Route::SEARCH, routes!(find::find)).with(Route::JOB, routes!(rebuild::rebuild))
}
