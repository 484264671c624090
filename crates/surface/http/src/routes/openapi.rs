//! `GET /openapi.json`: this API, described by its own code.

use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::CONTENT_TYPE;
use utoipa::OpenApi;

use crate::app::AppState;

/// What stands above the routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "cairn",
        description = "The durable memory of AI agents. Errors have one shape: `error.code` is stable, \
                       `error.message` is for people, and `error.details.hint` says what to do next.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "health", description = "Is it up, is it ready, how is it doing; answered also under overload"),
        (name = "turns", description = "What was said and done: contexts, turns, blobs and file trees"),
        (name = "search", description = "Finding what was said by its words"),
        (name = "kip", description = "The graph of what is known: commands of KIP"),
        (name = "kb", description = "The requirements KB: what must hold, and does it; one per workspace and branch"),
        (name = "artifacts", description = "Published artifacts, signed by their authors (Knowledge Context Protocol)"),
        (name = "tools", description = "What agents can call, the same as over MCP"),
        (name = "registry", description = "What writers publish about the types of their turns"),
        (name = "events", description = "What happens, as it happens, and who is connected"),
        (name = "access", description = "Who is known here, who may do what, and who did"),
        (name = "admin", description = "Looking after a node"),
    )
)]
struct Description;

/// The description without routes; the router adds them.
pub(crate) fn description() -> utoipa::openapi::OpenApi {
    Description::openapi()
}

/// This description
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "health",
    responses((status = 200, description = "OpenAPI 3.1", body = Object, content_type = "application/json"))
)]
pub(super) async fn openapi(State(app): State<AppState>) -> ([(HeaderName, &'static str); 1], String) {
    let text = app.openapi.get().expect("the router was made with its description").clone();
    ([(CONTENT_TYPE, "application/json")], text)
}
