//! `/v1/registry`: what writers publish about their types.

mod bundles;
mod types;

use utoipa_axum::routes;

use crate::route::Route;
use crate::routes::Routes;

/// The routes of this folder, with their descriptors.
pub(super) fn routes() -> Routes {
    Routes::new()
        .with(Route::DOWNLOAD, routes!(bundles::get))
        .with(Route::WRITE, routes!(bundles::put))
        .with(Route::READ, routes!(types::list))
        .with(Route::READ, routes!(types::get))
        .with(Route::READ, routes!(types::renderers))
}
