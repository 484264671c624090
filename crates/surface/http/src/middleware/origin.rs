//! Which web pages may call, and CORS for those that may.
//!
//! A request with an Origin header comes from a page. Pages of this server itself may call it, and
//! pages of the origins in `http.allowed_origins`; nobody else's may, whether or not the browser would
//! show them the answer.

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HOST, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};

use super::host::{any_name_is_ours, is_loopback};
use crate::app::AppState;
use crate::{ApiError, HttpCode};

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, x-request-id, idempotency-key, if-match, if-none-match, if-range, range, \
     last-event-id, x-cairn-type-id, x-cairn-type-version, x-content-hash-b3",
);
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "retry-after, x-request-id, etag, accept-ranges, content-range, x-fs-hash, x-fs-mode",
);
/// Ten minutes, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// Where a request comes from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum From {
    /// A program, or a page of this server.
    Here,
    /// A page of an origin that is allowed.
    Allowed(HeaderValue),
    /// A page of somebody else.
    Elsewhere,
}

/// What pages of this server look like.
#[derive(Debug, Clone, Copy)]
enum Own {
    /// `http://` and a loopback name.
    Plain,
    /// `https://` and a loopback name, or any: no browser shows a page under a name that is not in the
    /// certificate.
    Encrypted { any_name: bool },
}

impl Own {
    fn is_page(self, origin: &str, host: Option<&str>) -> bool {
        let (scheme, any_name) = match self {
            Own::Plain => ("http://", false),
            Own::Encrypted { any_name } => ("https://", any_name),
        };
        let name = origin.strip_prefix(scheme).filter(|name| Some(*name) == host);
        name.is_some_and(|name| any_name || is_loopback(without_port(name)))
    }
}

/// Returns where a request comes from.
pub(super) fn of(app: &AppState, request: &Request) -> From {
    let own = if app.config.tls.is_some() {
        Own::Encrypted { any_name: any_name_is_ours(app) }
    } else {
        Own::Plain
    };
    origin_of(request.method(), request.headers(), &app.config.allowed_origins, own)
}

impl From {
    /// Returns the response to a request that no route sees: a refusal, or the answer to a preflight.
    pub(super) fn answer(&self, request: &Request) -> Option<Response> {
        match self {
            From::Here => None,
            From::Allowed(_) => is_preflight(request).then(preflight),
            From::Elsewhere => {
                let message = "pages of this origin may not call this server";
                Some(ApiError::new(HttpCode::WrongOrigin, message).into_response())
            }
        }
    }

    /// Adds the CORS headers of a response.
    pub(super) fn add_headers(self, app: &AppState, headers: &mut HeaderMap) {
        if let From::Allowed(origin) = self {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
        if !app.config.allowed_origins.is_empty() {
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
    }
}

fn origin_of(method: &Method, headers: &HeaderMap, allowed: &[String], own: Own) -> From {
    let mut origins = headers.get_all(ORIGIN).iter();
    let (origin, None) = (origins.next(), origins.next()) else { return From::Elsewhere };
    let Some(origin) = origin else {
        return if is_from_page(method, headers) { From::Elsewhere } else { From::Here };
    };
    let text = origin.to_str().unwrap_or("");
    if allowed.iter().any(|known| known == text) {
        return From::Allowed(origin.clone());
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    if own.is_page(text, host) { From::Here } else { From::Elsewhere }
}

/// Returns whether a page of another site makes the browser send this request: an image, a script or a form.
/// Browsers send no Origin with some of these, but Sec-Fetch-Site. A link is allowed if it only reads: a form
/// that navigates here looks like a link except for its method.
fn is_from_page(method: &Method, headers: &HeaderMap) -> bool {
    let says = |name: &str| headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let is_foreign = says("sec-fetch-site").any(|site| site != b"same-origin" && site != b"none");
    let is_link = [Method::GET, Method::HEAD].contains(method)
        && says("sec-fetch-mode").eq([b"navigate"])
        && says("sec-fetch-dest").eq([b"document"]);
    is_foreign && !is_link
}

fn without_port(host: &str) -> &str {
    let port = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    port.map_or(host, |(name, _)| name)
}

/// Whether the browser only asks whether it may ask.
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight() -> Response {
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
        (ACCESS_CONTROL_MAX_AGE, MAX_AGE),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, origins: &[&str], expected: &From) {
        check_own(Own::Plain, host, origins, expected);
    }

    fn check_own(own: Own, host: &str, origins: &[&str], expected: &From) {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).expect("a header"));
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_str(origin).expect("a header"));
        }
        let allowed = ["https://app.example.org".to_owned()];
        assert_eq!(&origin_of(&Method::GET, &headers, &allowed, own), expected, "{own:?} {host} {origins:?}");
    }

    #[test]
    fn own_and_allowed_pages_may_call() {
        check("localhost:9010", &[], &From::Here);
        check("localhost:9010", &["http://localhost:9010"], &From::Here);
        check("[::1]:9010", &["http://[::1]:9010"], &From::Here);
        check("localhost", &["http://localhost"], &From::Here);
        let allowed = From::Allowed(HeaderValue::from_static("https://app.example.org"));
        check("localhost:9010", &["https://app.example.org"], &allowed);
    }

    #[test]
    fn what_a_page_of_another_site_has_sent_is_not_from_here() {
        let link = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        let foreign = [("sec-fetch-site", "cross-site")];
        let others = [&foreign[..], &link].concat();
        let same_site = [&[("sec-fetch-site", "same-site")][..], &link].concat();
        let own = [("sec-fetch-site", "same-origin")];
        let typed = [&[("sec-fetch-site", "none")][..], &link].concat();
        let both = [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")];
        let two_modes = [&others[..], &[("sec-fetch-mode", "no-cors")]].concat();
        let (get, head, post) = (&Method::GET, &Method::HEAD, &Method::POST);
        for (method, said, expected) in [
            (post, &[][..], From::Here),
            (post, &own, From::Here),
            (post, &typed, From::Here),
            (post, &foreign, From::Elsewhere),
            (post, &others, From::Elsewhere),
            (post, &same_site, From::Elsewhere),
            (&Method::PUT, &others, From::Elsewhere),
            (&Method::DELETE, &others, From::Elsewhere),
            (&Method::PATCH, &others, From::Elsewhere),
            (get, &foreign, From::Elsewhere),
            (get, &others, From::Here),
            (head, &others, From::Here),
            (get, &both, From::Elsewhere),
            (get, &two_modes, From::Elsewhere),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in said {
                headers.append(*name, HeaderValue::from_static(value));
            }
            assert_eq!(origin_of(method, &headers, &[], Own::Plain), expected, "{method} {said:?}");
        }
    }

    #[test]
    fn pages_over_tls_are_those_over_tls() {
        let (loopback, any) = (Own::Encrypted { any_name: false }, Own::Encrypted { any_name: true });
        for (own, host, origin, expected) in [
            (loopback, "localhost:9010", "https://localhost:9010", From::Here),
            (loopback, "localhost:9010", "http://localhost:9010", From::Elsewhere),
            (loopback, "memory.example.org", "https://memory.example.org", From::Elsewhere),
            (any, "memory.example.org", "https://memory.example.org", From::Here),
            (any, "memory.example.org", "http://memory.example.org", From::Elsewhere),
            (any, "memory.example.org", "https://evil.example", From::Elsewhere),
        ] {
            check_own(own, host, &[origin], &expected);
        }
    }

    #[test]
    fn other_pages_may_not() {
        for origin in [
            "null",
            "",
            "http://localhost:3000",
            "https://localhost:9010",
            "http://127.0.0.1:9010",
            "https://app.example.org.evil.example",
            "http://app.example.org",
        ] {
            check("localhost:9010", &[origin], &From::Elsewhere);
        }
        check("evil.example", &["http://evil.example"], &From::Elsewhere);
        check("localhost:9010", &["http://localhost:9010", "https://app.example.org"], &From::Elsewhere);
    }
}
