//! Who asks, before anything of the request is read but its head.

use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{Extensions, HeaderMap};
use cairn_engine::{Connection, EngineError};
use cairn_gate::{Caller, Credentials, GateError};

use crate::ApiError;
use crate::app::AppState;
use crate::local::FromLocalOwner;
use crate::route::Route;
use crate::serve::PeerAddress;

/// Puts the caller of a request into its extensions. A caller without credentials reaches only routes that are open to
/// anonymous callers.
pub(super) fn identify(app: &AppState, route: Route, request: &mut Request) -> Result<(), ApiError> {
    let caller = caller(app, route, request.headers(), request.extensions())?;
    request.extensions_mut().insert(caller);
    Ok(())
}

fn caller(
    app: &AppState,
    route: Route,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> Result<Caller, ApiError> {
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
