//! `/v1/contexts/{id}/provenance`: where a context came from.

use axum::Json;
use cairn_turns::{Provenance, ProvenanceValue};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;

/// Where a context came from.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProvenanceAnswer {
    /// The context.
    #[schema(example = "1")]
    context_id: String,
    /// What its first turn says; null if it says nothing of it.
    #[schema(value_type = Option<Object>)]
    provenance: Option<Value>,
}

/// Where a context came from
///
/// What its first turn says. Every field there is, null where nothing was said.
#[utoipa::path(
    get,
    path = "/v1/contexts/{id}/provenance",
    tag = "turns",
    params(("id" = String, Path, description = "The context's number")),
    responses(
        (status = 200, description = "Its provenance", body = ProvenanceAnswer),
        (status = 404, description = "There is no such context", body = ErrorBody),
        (status = 422, description = "That is no number", body = ErrorBody),
    )
)]
pub(super) async fn provenance(call: Call, params: Params) -> Result<Json<ProvenanceAnswer>, ApiError> {
    let id = params.context_id()?;
    let said = call.look_up(|snapshot, scope| {
        cairn_turns::head(snapshot, scope, id)?;
        Ok(cairn_turns::metadata(snapshot, scope, &[id])?)
    })?;
    let provenance = said.first().and_then(|said| said.provenance.as_ref()).map(to_wire);
    Ok(Json(ProvenanceAnswer { context_id: id.to_string(), provenance }))
}

/// Every field by its name.
pub(super) fn to_wire(provenance: &Provenance) -> Value {
    let fields = provenance.fields().map(|(field, value)| {
        let value = match value {
            None => Value::Null,
            Some(ProvenanceValue::Context(id)) => Value::from(id.to_string()),
            Some(ProvenanceValue::Text(text)) => Value::from(text.as_str()),
            Some(ProvenanceValue::Number(number)) => Value::from(*number),
            Some(ProvenanceValue::Texts(texts)) => texts
                .iter()
                .map(|(name, text)| (name.clone(), Value::from(text.as_str())))
                .collect::<Map<_, _>>()
                .into(),
        };
        (field.name.to_owned(), value)
    });
    Value::Object(fields.collect())
}
