//! A request runs when the gate lets it in; what is too much is told to come back.

use std::sync::Arc;

use axum::extract::Request;
use cairn_gate::Admission;

use crate::ApiError;
use crate::app::AppState;

/// Waits until the gate admits a request. The admission ends when the returned value and the copy for the
/// handler are dropped.
pub(super) async fn admit(app: &AppState, request: &mut Request) -> Result<Arc<Admission>, ApiError> {
    let admission = Arc::new(app.gate.admit().await?);
    request.extensions_mut().insert(Arc::clone(&admission));
    Ok(admission)
}
