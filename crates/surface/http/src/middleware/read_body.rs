//! Reads the whole body, up to the limit, before anything else is done for the request.
//!
//! Before admission, so that a client that sends slowly holds its own connection and nobody's turn. It
//! has as long to send as the request then has to be answered. Memory is taken as bytes come in, so that
//! who says much and sends little holds little; when there is none left, the request is refused, because
//! bodies that waited for each other would all come too late.

use axum::body::Body;
use axum::extract::Request;
use cairn_base::ErrorCode;
use cairn_gate::{Caller, Cost, GateError, Memory, Share};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::time::timeout;

use super::allowance::announced;
use crate::ApiError;
use crate::app::AppState;
use crate::call::outside;

/// Replaces the body by one that is in memory, and returns the share of memory that it holds.
pub(super) async fn read_body(
    app: &AppState,
    bytes_max: usize,
    request: Request,
) -> Result<(Request, Share), ApiError> {
    let (parts, body) = request.into_parts();
    let caller = parts.extensions.get::<Caller>();
    // What was announced was counted with the request.
    let is_counted = announced(&body).is_some();
    let spend = |bytes: usize| {
        if is_counted {
            return Ok(());
        }
        let caller = caller.ok_or_else(outside)?;
        Ok(app.gate.spend(caller.counted_as(), Cost::bytes(bytes as u64))?)
    };
    let (body, share) =
        timeout(app.gate.config().deadline, read(body, bytes_max, &app.memory, spend)).await.map_err(
            |_elapsed| ApiError::new(ErrorCode::DeadlineExceeded, "the body did not arrive in time"),
        )??;
    Ok((Request::from_parts(parts, body), share))
}

async fn read(
    mut body: Body,
    bytes_max: usize,
    memory: &Memory,
    spend: impl Fn(usize) -> Result<(), ApiError>,
) -> Result<(Body, Share), ApiError> {
    // A length that is announced is refused before a byte of it is read.
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(too_large(bytes_max));
    }
    let (mut bytes, mut share) = (Vec::new(), None);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            ApiError::new(ErrorCode::InvalidRequest, format!("the body could not be read: {error}"))
        })?;
        // Trailers say nothing that is used here.
        let Ok(data) = frame.into_data() else { continue };
        let length = bytes.len() + data.len();
        if length > bytes_max {
            return Err(too_large(bytes_max));
        }
        spend(data.len())?;
        memory.grow(&mut share, length as u64).map_err(GateError::from)?;
        bytes.extend_from_slice(&data);
    }
    Ok((Body::from(bytes), share))
}

fn too_large(bytes_max: usize) -> ApiError {
    let message = format!("the body has more than {bytes_max} bytes");
    ApiError::new(ErrorCode::TooLarge, message).detail("body_bytes_max", bytes_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(_: usize) -> Result<(), ApiError> {
        Ok(())
    }

    #[tokio::test]
    async fn the_limit_is_the_last_length_that_passes() {
        let memory = Memory::new(1 << 20);
        assert!(read(Body::from("12345"), 5, &memory, free).await.is_ok());
        assert!(read(Body::from("123456"), 5, &memory, free).await.is_err());
        assert!(read(Body::empty(), 0, &memory, free).await.is_ok());
    }

    #[tokio::test]
    async fn bodies_share_their_memory() {
        let memory = Memory::new(2 << 20);
        let large = || Body::from(vec![7; 1 << 20]);
        let both = (read(large(), 1 << 20, &memory, free).await, read(large(), 1 << 20, &memory, free).await);
        assert!(both.0.is_ok() && both.1.is_ok());
        assert!(read(large(), 1 << 20, &memory, free).await.is_err(), "there is none left");
        assert!(read(Body::from("short"), 5, &memory, free).await.is_ok(), "short ones need none");
        drop(both);
        assert!(read(large(), 1 << 20, &memory, free).await.is_ok());
    }
}
