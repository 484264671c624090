//! A request that was let in, on its way to the engine.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use cairn_access::Principal;
use cairn_base::ErrorCode;
use cairn_engine::{Engine, EngineError, Prepared, Presence};
use cairn_gate::{Admission, Caller, GateError};
use cairn_tools::ToolCall;

use crate::ApiError;
use crate::app::AppState;

/// Who asks, and by which admission.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) app: AppState,
    pub(crate) admission: Arc<Admission>,
    pub(crate) principal: Principal,
    /// What it was let in by, for whatever outlasts the request.
    pub(crate) caller: Caller,
}

/// Who asks, as the frame has found out.
#[derive(Debug)]
pub(crate) struct Asking(pub(crate) Caller);

impl Asking {
    /// Who it is.
    pub(crate) fn principal(self) -> Principal {
        self.0.principal().clone()
    }
}

impl<S: Sync> FromRequestParts<S> for Asking {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Caller>().cloned().map(Asking).ok_or_else(outside)
    }
}

/// A route needs what only the frame gives it.
pub(crate) fn outside() -> ApiError {
    ApiError::new(ErrorCode::Internal, "the route stands outside of the frame")
}

impl FromRequestParts<AppState> for Call {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let admission = parts.extensions.get::<Arc<Admission>>().cloned();
        let Asking(caller) = Asking::from_request_parts(parts, app).await?;
        let principal = caller.principal().clone();
        Ok(Call { app: app.clone(), admission: admission.ok_or_else(outside)?, principal, caller })
    }
}

impl Call {
    /// The same as a call of a tool.
    pub(crate) fn tool(&self) -> ToolCall {
        ToolCall {
            gate: self.app.gate.clone(),
            admission: Arc::clone(&self.admission),
            principal: self.principal.clone(),
            memory: self.app.memory.clone(),
        }
    }

    /// When it is, in Unix milliseconds.
    pub(crate) fn now_ms(&self) -> u64 {
        self.app.gate.engine().clock().now_ms()
    }

    /// Who is connected.
    pub(crate) fn presence(&self) -> Result<Presence<'_>, ApiError> {
        Ok(self
            .app
            .gate
            .engine()
            .presence(&self.principal, self.principal.tenant())
            .map_err(GateError::from)?)
    }

    /// Carries out a write that a use case prepares.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        prepare: impl FnOnce(&Engine, &Principal) -> Prepared<T>,
    ) -> Result<T, ApiError> {
        let write = prepare(self.app.gate.engine(), &self.principal);
        Ok(self.app.gate.write(&self.admission, write).await?.value)
    }

    /// Looks up a few keys, here and now.
    pub(crate) fn look_up<T>(
        &self,
        body: impl FnOnce(&Engine, &Principal) -> Result<T, EngineError>,
    ) -> Result<T, ApiError> {
        Ok(self.app.gate.read_in_place(&self.admission, |engine| body(engine, &self.principal))?)
    }

    /// Does what may take a while on a thread where it may.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        body: impl FnOnce(&Engine, &Principal) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let principal = self.principal.clone();
        Ok(self.app.gate.read(&self.admission, move |engine| body(engine, &principal)).await?)
    }

    /// Has the engine change something that is not turns, on a thread where it may wait for the disk.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        body: impl FnOnce(&Engine, &Principal) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let principal = self.principal.clone();
        let done = self.app.gate.read(&self.admission, move |engine| body(engine, &principal)).await;
        // It goes on after its deadline, so it may be done all the same.
        let is_late = matches!(done, Err(GateError::ReadDeadline));
        Ok(if is_late { Err(GateError::WriteDeadline) } else { done }?)
    }
}
