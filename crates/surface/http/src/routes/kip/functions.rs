//! `GET /v1/kip/functions`.

use axum::Json;
use axum::response::IntoResponse;

use super::wire::KipFunction;

/// Read what models can call
///
/// The definitions of `execute_kip` and `execute_kip_readonly`, to be given to a language model as they are.
/// What it then calls is a body of `POST /kip`.
#[utoipa::path(
    get,
    path = "/v1/kip/functions",
    tag = "kip",
    responses((status = 200, description = "One definition for each function", body = [KipFunction]))
)]
pub(super) async fn functions() -> impl IntoResponse {
    Json(cairn_kip::functions().map(|function| function.to_value()))
}
