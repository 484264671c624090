//! Who asks, before anything of the request is read but its head.

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{Extensions, HeaderMap};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cairn_engine::{Connection, EngineError};
use cairn_gate::{Caller, Credentials, GateError};

use super::Framed;
use crate::ApiError;
use crate::local::FromLocalOwner;
use crate::serve::PeerAddress;

/// Identifies the caller. One without credentials reaches only routes that are open to anonymous callers.
pub(crate) async fn identify(State(frame): State<Framed>, mut request: Request, next: Next) -> Response {
    match caller(&frame, request.headers(), request.extensions()) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(error) => error.into_response(),
    }
}

fn caller(frame: &Framed, headers: &HeaderMap, extensions: &Extensions) -> Result<Caller, ApiError> {
    let Framed { app, route } = frame;
    let engine = app.gate.engine();
    let credentials = Credentials {
        is_local_owner: extensions.get::<FromLocalOwner>().is_some(),
        bearer: bearer(headers),
        connection: extensions.get::<Connection>().copied().unwrap_or_else(|| engine.new_connection()),
    };
    let caller = app.gate.identify(credentials)?;
    if caller.principal().is_anonymous() && !route.admits_anonymous() {
        let refused: EngineError = engine.refuse_anonymous();
        return Err(GateError::from(refused).into());
    }
    Ok(match extensions.get::<PeerAddress>() {
        Some(PeerAddress(address)) => caller.from_address(*address),
        None => caller,
    })
}

/// What the header says. A header that is not text says something that nobody was given.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let header = headers.get(AUTHORIZATION)?.to_str().unwrap_or("?");
    let (scheme, credentials) = header.split_once(' ').unwrap_or((header, ""));
    Some(if scheme.eq_ignore_ascii_case("bearer") { credentials.trim() } else { header })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_word_bearer_is_written_as_one_likes() {
        for (header, expected) in [
            ("Bearer abc", "abc"),
            ("bearer  abc ", "abc"),
            ("Basic abc", "Basic abc"),
            ("abc", "abc"),
            ("Bearer", ""),
        ] {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(header))]);
            assert_eq!(bearer(&headers), Some(expected), "{header}");
        }
        assert_eq!(bearer(&HeaderMap::new()), None);
        let bytes = HeaderValue::from_bytes(b"Bearer \xff").expect("headers hold such bytes");
        assert_eq!(bearer(&HeaderMap::from_iter([(AUTHORIZATION, bytes)])), Some("?"));
    }
}
