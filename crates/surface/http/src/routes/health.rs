//! `GET /healthz`: the process is up.

use axum::Json;
use cairn_wire::health::Status;

/// Whether the process is up
///
/// Answers 200 as long as the server answers at all. Whether it can do its work is what `/readyz` says.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, description = "It is up", body = Status)))]
pub(super) async fn health() -> Json<Status> {
    Json(Status { status: "up".to_owned() })
}
