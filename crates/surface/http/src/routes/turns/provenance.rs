//! `/v1/contexts/{id}/provenance`: where a context came from.

use axum::Json;
use cairn_engine::LiveIn;
use cairn_turns::{Provenance, ProvenanceValue};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;

const CLIENT_ADDRESS: &str = "client_address";

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
/// What its first turn says. Every field there is, null where nothing was said; `client_address` is then
/// that of the client that works on it now.
#[utoipa::path(
    get,
    path = "/v1/contexts/{id}/provenance",
    tag = "turns",
    params(("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The context's number")),
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
    let live = call.presence()?.live(id);
    let provenance = said.first().and_then(|said| said.provenance.as_ref());
    let provenance = provenance.map(|provenance| to_wire(provenance, live.as_ref()));
    Ok(Json(ProvenanceAnswer { context_id: id.to_string(), provenance }))
}

/// Every field by its name. From where it was written, if nothing is said of that, whoever works on it now
/// knows.
pub(super) fn to_wire(provenance: &Provenance, live: Option<&LiveIn>) -> Value {
    let mut object = said(provenance);
    if let Some(address @ Value::Null) = object.get_mut(CLIENT_ADDRESS) {
        *address = live.and_then(|live| live.peer.clone()).into();
    }
    Value::Object(object)
}

fn said(provenance: &Provenance) -> Map<String, Value> {
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
    fields.collect()
}
