//! `POST /v1/kb-sparql`.

use cairn_gate::GateError;
use cairn_kb::tools::{SparqlRemoteInput, SparqlRemoteOutput};
use tokio::sync::oneshot;

use crate::call::Call;
use crate::error::{ErrorBody, FAILED_INSIDE};
use crate::held::HeldJson;
use crate::{ApiError, ApiJson};

/// Query a SPARQL endpoint elsewhere
///
/// Sends a SELECT query to an endpoint of http or https and returns its rows. Off unless `kb.sparql_remote` is on. Endpoints
/// with private addresses are refused unless `kb.sparql_allow_private` is on; redirects are not followed.
#[utoipa::path(
    post,
    path = "/v1/kb-sparql",
    tag = "kb",
    request_body = SparqlRemoteInput,
    responses(
        (status = 200, description = "The rows", body = SparqlRemoteOutput),
        (status = 403, description = "It is off, the endpoint may not be reached, or the caller may not do this", body = ErrorBody),
        (status = 413, description = "The query, its answer or the body is too large", body = ErrorBody),
        (status = 502, description = "The endpoint cannot be reached, or does not send SPARQL results", body = ErrorBody),
    )
)]
pub(super) async fn sparql(
    call: Call,
    ApiJson(input): ApiJson<SparqlRemoteInput>,
) -> Result<HeldJson, ApiError> {
    let (principal, memory) = (call.principal.clone(), call.app.memory.clone());
    let (tell, told) = oneshot::channel();
    // It waits for others and not for the store, so it takes no place of a read. The client of the engine bounds how many
    // wait, and for how long.
    call.app.gate.run_long(
        move |engine| {
            let output = engine.kb_sparql(&principal, &input)?;
            let json = serde_json::to_string(&output).expect("an output is plain data");
            let share = memory.take(json.len() as u64)?;
            Ok(HeldJson::of_text(json, share))
        },
        // The request may be past its deadline.
        move |outcome| drop(tell.send(outcome)),
    );
    let lost = |_| GateError::Internal { message: FAILED_INSIDE.to_owned() };
    Ok(told.await.map_err(lost)??)
}
