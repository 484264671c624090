//! `/v1/search`: finding what was said by its words.

mod cursor;
mod find;
mod question;
mod rebuild;
pub(super) mod status;
mod wire;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

/// The routes of search.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(find::find)).routes(routes!(rebuild::rebuild))
}
