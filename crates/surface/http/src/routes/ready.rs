//! `GET /readyz`: the server can do its work.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use cairn_base::ErrorCode;
use cairn_gate::Authentication;
use cairn_seam::{Health, StoreCode};
use cairn_wire::health::Ready;

use super::scrub;
use crate::ApiError;
use crate::app::AppState;
use crate::error::ErrorBody;

/// Whether reads and writes are served
///
/// Answers 503 and says why while the server stops, the disk is nearly full, or a write to disk failed.
/// Damage that was found in files is shown, and does not make a server unready as long as it takes writes.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "health",
    responses(
        (status = 200, description = "It is ready", body = Ready),
        (status = 503, description = "It is not, and why", body = ErrorBody),
    )
)]
pub(super) async fn ready(State(app): State<AppState>) -> Result<Json<Ready>, ApiError> {
    if app.gate.is_draining() {
        return Err(ApiError::new(ErrorCode::Unavailable, "the server is stopping"));
    }
    // Where others can ask, how much room a disk has is not for everybody.
    let is_open = app.gate.config().authentication == Authentication::Off;
    match obstacle(&app.gate.engine().health()) {
        // The same goes for damage.
        None => {
            let scrub = Some(app.gate.engine().scrub_status()).filter(|_| is_open);
            let scrub = scrub.as_ref().and_then(scrub::details);
            Ok(Json(Ready { status: "ready".to_owned(), scrub }))
        }
        Some(obstacle) => {
            let told = if is_open { obstacle } else { obstacle.without_particulars() };
            Err(told.status(StatusCode::SERVICE_UNAVAILABLE))
        }
    }
}

fn obstacle(health: &Health) -> Option<ApiError> {
    match health {
        Health::Serving => None,
        Health::Full { free_bytes, reserve_bytes } => {
            let message =
                format!("the disk is nearly full: {free_bytes} bytes free, {reserve_bytes} must stay free");
            let error = ApiError::new(StoreCode::StorageFull, message);
            Some(error.detail("free_bytes", *free_bytes).detail("reserve_bytes", *reserve_bytes))
        }
        Health::Poisoned { cause } => {
            let message = format!("the store is read-only until restarted, because a write failed: {cause}");
            Some(ApiError::new(StoreCode::StorePoisoned, message))
        }
        Health::ReadOnly { cause } => {
            let message = format!("the store is open read-only, because its log is damaged: {cause}");
            Some(ApiError::new(StoreCode::StoreReadOnly, message))
        }
        Health::Closed => Some(ApiError::new(ErrorCode::Unavailable, "the store is closed")),
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use http_body_util::BodyExt;

    use super::*;

    async fn body(health: &Health) -> String {
        let response = obstacle(health).expect("it is not ready").into_response();
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        format!("{body:#}")
    }

    #[tokio::test]
    async fn each_obstacle_says_why() {
        assert!(obstacle(&Health::Serving).is_none());
        insta::assert_snapshot!("full", body(&Health::Full { free_bytes: 5, reserve_bytes: 10 }).await);
        insta::assert_snapshot!(
            "poisoned",
            body(&Health::Poisoned { cause: "fdatasync: I/O error".into() }).await
        );
        insta::assert_snapshot!("closed", body(&Health::Closed).await);
    }
}
