//! Contexts and turns: what was said and done.

mod append;
mod append_request;
mod context;
mod contexts;
mod filters;
mod forks;
mod media_type;
mod page;
mod payload;
mod provenance;
mod search;
mod tree;
mod turn;
mod view;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

/// Routes without large bodies.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(contexts::list, contexts::create))
        .routes(routes!(contexts::create_too))
        .routes(routes!(contexts::fork))
        .routes(routes!(contexts::get))
        .routes(routes!(search::search))
        .routes(routes!(provenance::provenance))
        .routes(routes!(forks::tree))
        .routes(routes!(page::page))
        .routes(routes!(turn::get))
        .routes(routes!(tree::list))
        .merge(tree::route_of_files())
}

/// Routes whose bodies are payloads.
pub(super) fn routes_with_content() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(append::append)).routes(routes!(append::append_too))
}
