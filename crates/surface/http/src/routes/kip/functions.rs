//! `GET /v1/kip/functions`.

use axum::Json;

use cairn_wire::kip::KipFunction;

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
pub(super) async fn functions() -> Json<[KipFunction; 2]> {
    Json(cairn_kip::functions().map(|function| KipFunction {
        description: function.description.to_owned(),
        name: function.name.to_owned(),
        parameters: function.parameters,
    }))
}
