//! Contexts and turns: what was said and done.

mod append;
mod append_request;
mod context;
mod contexts;
mod filters;
mod forks;
mod media_type;
mod page;
mod provenance;
mod search;
mod tree;
mod turn;
mod turn_json;
mod view;

use utoipa_axum::routes;

use crate::route::Route;
use crate::routes::Routes;

/// The routes of this folder, with their descriptors.
pub(super) fn routes() -> Routes {
    Routes::new()
        .with(Route::READ, routes!(contexts::list))
        .with(Route::WRITE, routes!(contexts::create))
        .with(Route::WRITE, routes!(contexts::create_too))
        .with(Route::WRITE, routes!(contexts::fork))
        .with(Route::READ, routes!(contexts::get))
        .with(Route::SEARCH, routes!(search::search))
        .with(Route::READ, routes!(provenance::provenance))
        .with(Route::READ, routes!(forks::tree))
        .with(Route::READ, routes!(page::page))
        .with(Route::CONTENT, routes!(append::append))
        .with(Route::CONTENT, routes!(append::append_too))
        .with(Route::READ, routes!(turn::get))
        .with(Route::READ, routes!(tree::list))
        // The router and the description spell a path with slashes in different ways.
        .with_path(Route::DOWNLOAD, "/v1/turns/{id}/fs/{*path}", routes!(tree::get))
}
