//! `/v1/contexts/{id}/provenance`: where a context came from.

use std::collections::BTreeMap;

use axum::Json;
use cairn_base::Value;
use cairn_engine::DescribedContext;
use cairn_turns::{Metadata, Provenance, ProvenanceValue};
use cairn_wire::contexts::ProvenanceAnswer;

use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;

const CLIENT_ADDRESS: &str = "client_address";

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
    let described = call.look_up(|engine, principal| engine.context(principal, principal.tenant(), id))?;
    Ok(Json(ProvenanceAnswer { context_id: id, provenance: to_wire(&described).unwrap_or(Value::Null) }))
}

/// Every field by its name, if anything is said. From where it was written, if nothing is said of that, the
/// client that works on it now knows.
pub(super) fn to_wire(
    DescribedContext { said: Metadata { provenance, .. }, live, .. }: &DescribedContext,
) -> Option<Value> {
    let mut object = said(provenance.as_ref()?);
    if let Some(address @ Value::Null) = object.get_mut(CLIENT_ADDRESS) {
        *address = live.as_ref().and_then(|live| live.peer.clone()).map_or(Value::Null, Value::from);
    }
    Some(Value::Object(object))
}

fn said(provenance: &Provenance) -> BTreeMap<String, Value> {
    let fields = provenance.fields().map(|(field, value)| {
        let value = match value {
            None => Value::Null,
            Some(ProvenanceValue::Context(id)) => Value::from(id.to_string()),
            Some(ProvenanceValue::Text(text)) => Value::from(text.as_str()),
            Some(ProvenanceValue::Number(number)) => Value::from(*number),
            Some(ProvenanceValue::Texts(texts)) => texts
                .iter()
                .map(|(name, text)| (name.clone(), Value::from(text.as_str())))
                .collect::<BTreeMap<_, _>>()
                .into(),
        };
        (field.name.to_owned(), value)
    });
    fields.collect()
}
