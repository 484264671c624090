//! `POST /kip`.

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use cairn_gate::GateError;
use cairn_wire::kip::KipCall;

use super::envelope::{Envelope, RpcCall};
use super::perform::perform;
use super::wire::{body, refused, rpc_answer};
use crate::ApiError;
use crate::call::Call;
use crate::held::HeldJson;

/// Call a function of KIP
///
/// Takes `{"method", "params"}`, JSON-RPC 2.0 (also batches of it, which are answered in order) and
/// `{"function": {"name", "arguments"}}` as models say it. Methods are `execute_kip`, `execute_kip_readonly`
/// and `list_logs`. What KIP answers is the body or, in JSON-RPC, its `result`; errors of KIP stand inside
/// of that and have status 200.
#[utoipa::path(
    post,
    path = "/kip",
    tag = "kip",
    request_body(content = KipCall, description = "A call, at most 17 MiB"),
    responses(
        (status = 200, description = "What KIP answers, or answers of JSON-RPC", body = Value),
        (status = 204, description = "Nobody asked for an answer: every call of JSON-RPC was without an id"),
    )
)]
pub(super) async fn rpc(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, ApiError> {
    match Envelope::from_wire(KipCall(body(&call, &headers, bytes).await?))? {
        Envelope::Bare(asked) => Ok(HeldJson::from(perform(&call, asked).await?).into_response()),
        Envelope::Rpc(one) => single(&call, one).await,
        Envelope::Batch(calls) => batch(&call, calls).await,
    }
}

async fn single(call: &Call, RpcCall { id, asked }: RpcCall) -> Result<Response, ApiError> {
    let outcome = match asked {
        Ok(asked) => Ok(perform(call, asked).await?),
        Err(error) => Err(error),
    };
    let Some(id) = id else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    let text = rpc_answer(&id, outcome.as_ref().map(|answered| answered.json.as_str()));
    let share = outcome.ok().and_then(|answered| answered.share);
    Ok(HeldJson::of_text(text, share).into_response())
}

/// One after the other: what a call changes, the next one sees. One that is refused does not take the
/// answers of others with it, so that it is an error in its place here, whatever its status would be alone.
async fn batch(call: &Call, calls: Vec<RpcCall>) -> Result<Response, ApiError> {
    let (mut answers, mut share) = (Vec::new(), None);
    let mut bytes = 0;
    for RpcCall { id, asked } in calls {
        let outcome = match asked {
            Ok(asked) => perform(call, asked).await.map_err(refused),
            Err(error) => Err(error),
        };
        let Some(id) = id else { continue };
        let text = rpc_answer(&id, outcome.as_ref().map(|answered| answered.json.as_str()));
        drop(outcome);
        bytes += text.len() as u64;
        call.app.memory.grow(&mut share, bytes).map_err(GateError::from)?;
        answers.push(text);
    }
    if answers.is_empty() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(HeldJson::of_text(format!("[{}]", answers.join(",")), share).into_response())
}
