//! A request runs when the gate lets it in; what is too much is told to come back.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::ApiError;
use crate::app::AppState;

pub(crate) async fn admission(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    match app.gate.admit().await {
        Ok(admission) => {
            let admission = Arc::new(admission);
            request.extensions_mut().insert(Arc::clone(&admission));
            let response = next.run(request).await;
            drop(admission);
            response
        }
        Err(error) => ApiError::from(error).into_response(),
    }
}
