//! Having the engine do what was asked, whichever way it was.

use cairn_base::Value;
use cairn_engine::Engine;
use cairn_gate::{Cost, GateError, Share};
use cairn_kip::{KipRequest, response};

use crate::ApiError;
use crate::call::Call;
use crate::held::HeldJson;

/// What can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// `execute_kip`
    Execute,
    /// `execute_kip_readonly`
    ExecuteReadonly,
    /// `list_logs`
    ListLogs,
}

impl Method {
    pub(super) const ALL: [Method; 3] = [Method::Execute, Method::ExecuteReadonly, Method::ListLogs];

    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Execute => "execute_kip",
            Method::ExecuteReadonly => "execute_kip_readonly",
            Method::ListLogs => "list_logs",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// A call, without what was around it.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) method: Method,
    pub(super) params: Value,
}

/// What KIP answers, as JSON, and the memory that it holds.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) json: String,
    pub(super) share: Share,
}

impl Answered {
    /// As a body.
    pub(super) fn into_body(self) -> HeldJson {
        HeldJson::of_text(self.json, self.share)
    }
}

/// Calls the engine. An error is none of KIP: the request did not get as far.
pub(super) async fn perform(call: &Call, asked: Asked) -> Result<Answered, ApiError> {
    let Asked { method, params } = asked;
    match method {
        Method::Execute => execute(call, params, false).await,
        Method::ExecuteReadonly => execute(call, params, true).await,
        Method::ListLogs => logs(call, params).await,
    }
}

async fn execute(call: &Call, params: Value, readonly: bool) -> Result<Answered, ApiError> {
    let mut request = match KipRequest::decode(params) {
        Ok(request) => request,
        // No command is at fault.
        Err(error) => return Ok(short(&response::failure(&error, ""))),
    };
    request.readonly |= readonly;
    // A read was counted when its head came; what it is beyond that is known now.
    let cost = if request.readonly { Cost::SEARCH } else { Cost::WRITE };
    call.app.gate.spend(&call.principal, cost)?;
    let may_write = !request.readonly && !request.dry_run;
    let (principal, memory) = (call.principal.clone(), call.app.memory.clone());
    let done = call.app.gate.query(&call.admission, move |engine: &Engine| {
        let json = engine.kip(&principal, principal.tenant(), &request)?.to_value().to_json();
        let share = memory.take(json.len() as u64)?;
        Ok(Answered { json, share })
    });
    let done = done.await;
    // It goes on after its deadline, so it may be done all the same.
    let is_late = may_write && matches!(done, Err(GateError::ReadDeadline));
    Ok(if is_late { Err(GateError::WriteDeadline) } else { done }?)
}

async fn logs(call: &Call, params: Value) -> Result<Answered, ApiError> {
    call.app.gate.spend(&call.principal, Cost::SEARCH)?;
    let (principal, memory) = (call.principal.clone(), call.app.memory.clone());
    let done = call.app.gate.query(&call.admission, move |engine: &Engine| {
        let json = engine.kip_logs(&principal, principal.tenant(), &params)?.to_value().to_json();
        let share = memory.take(json.len() as u64)?;
        Ok(Answered { json, share })
    });
    Ok(done.await?)
}

fn short(response: &Value) -> Answered {
    Answered { json: response.to_json(), share: None }
}
