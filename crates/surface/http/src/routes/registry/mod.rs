//! `/v1/registry`: what writers publish about their types.

mod bundles;
mod tagged;
mod types;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(bundles::get, bundles::put))
        .routes(routes!(types::list))
        .routes(routes!(types::get))
        .routes(routes!(types::renderers))
}
