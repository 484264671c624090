//! Having the engine do what was asked, whichever way it was.

use cairn_base::Value;
use cairn_engine::Engine;
use cairn_gate::Cost;
use cairn_tools::{ToolAnswer, execute_kip};
use cairn_wire::kip::KipResponse;

use crate::ApiError;
use crate::call::Call;

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

/// Calls the engine. An error is none of KIP: the request did not get as far.
pub(super) async fn perform(call: &Call, asked: Asked) -> Result<ToolAnswer, ApiError> {
    let Asked { method, params } = asked;
    match method {
        Method::Execute => Ok(execute_kip(&call.tool(), params, false).await?),
        Method::ExecuteReadonly => Ok(execute_kip(&call.tool(), params, true).await?),
        Method::ListLogs => logs(call, params).await,
    }
}

async fn logs(call: &Call, params: Value) -> Result<ToolAnswer, ApiError> {
    call.app.gate.spend(&call.principal, Cost::SEARCH)?;
    let (principal, memory) = (call.principal.clone(), call.app.memory.clone());
    let done = call.app.gate.query(&call.admission, move |engine: &Engine| {
        let json = KipResponse::from(engine.kip_logs(&principal, principal.tenant(), &params)?.into_value())
            .to_text();
        let share = memory.take(json.len() as u64)?;
        Ok(ToolAnswer { json, share })
    });
    Ok(done.await?)
}
