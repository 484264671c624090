//! From a request to a tool of the KB and back.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_access::Principal;
use cairn_engine::{Engine, EngineError, KbTarget};
use cairn_gate::GateError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use crate::call::Call;
use crate::content_type::{is_json, media_type};
use crate::held::HeldJson;
use crate::params::Params;
use crate::{ApiError, HttpCode, json};

/// Longer bodies are decoded where they hold nobody up.
const SHORT_BYTES: usize = 64 << 10;

/// The address of a branch.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes what `target` reads")]
pub(super) struct BranchPath {
    /// Id of the workspace: 1 to 64 of `A-Z`, `a-z`, `0-9`, `-`, `_` and `.`, not beginning with a dot
    #[param(example = "shop")]
    workspace: String,
    /// Name of the branch, percent-encoded as one segment: `feature%2Flogin`
    #[param(example = "main")]
    branch: String,
}

/// The branch that a path names.
pub(super) fn target(call: &Call, params: &Params) -> KbTarget {
    KbTarget {
        tenant: call.principal.tenant(),
        workspace: params.in_path("workspace").to_owned(),
        branch: params.in_path("branch").to_owned(),
    }
}

/// The input of a tool: a body that is JSON. Nothing and null stand for `{}`.
pub(super) async fn input<T: DeserializeOwned + Send + 'static>(
    call: &Call,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<T, ApiError> {
    if body.is_empty() || *body == *b"null" {
        return json::decode(b"{}");
    }
    if !is_json(&media_type(headers)) {
        let message = "the content type must be application/json";
        return Err(ApiError::new(HttpCode::UnsupportedMediaType, message));
    }
    if body.len() <= SHORT_BYTES {
        return json::decode(&body);
    }
    call.app.gate.query(&call.admission, move |_| Ok(json::decode(&body))).await?
}

/// Runs a tool that reads, on a thread where it may take a while and where its output is encoded.
pub(super) async fn read<T: Serialize>(
    call: &Call,
    tool: impl FnOnce(&Engine, &Principal) -> Result<T, EngineError> + Send + 'static,
) -> Result<HeldJson, ApiError> {
    Ok(run(call, tool).await?)
}

/// Runs a tool that may write. It goes on after its deadline, so it may be done all the same.
pub(super) async fn write<T: Serialize>(
    call: &Call,
    tool: impl FnOnce(&Engine, &Principal) -> Result<T, EngineError> + Send + 'static,
) -> Result<HeldJson, ApiError> {
    let done = run(call, tool).await;
    let is_late = matches!(done, Err(GateError::ReadDeadline));
    Ok(if is_late { Err(GateError::WriteDeadline) } else { done }?)
}

async fn run<T: Serialize>(
    call: &Call,
    tool: impl FnOnce(&Engine, &Principal) -> Result<T, EngineError> + Send + 'static,
) -> Result<HeldJson, GateError> {
    let (principal, memory) = (call.principal.clone(), call.app.memory.clone());
    let done = call.app.gate.query(&call.admission, move |engine| {
        let output = tool(engine, &principal)?;
        let json = serde_json::to_string(&output).expect("an output is plain data");
        let share = memory.take(json.len() as u64)?;
        Ok(HeldJson::of_text(json, share))
    });
    done.await
}
