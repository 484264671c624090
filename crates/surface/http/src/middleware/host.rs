//! The Host header must name this server.
//!
//! A web page can make a name of its own point to 127.0.0.1 and so reach a local server as if it were
//! the page's own; its requests then carry that name. On a loopback address only loopback names are right.
//!
//! A server that others can reach has names that it does not know. It lets in any, when callers have to say
//! who they are: a page has no token for it, whatever the page is called, and no cookie ever counts.
//!
//! No page reaches the local owner's socket, and there is no name to check.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use cairn_gate::Authentication;

use crate::app::AppState;
use crate::local::FromLocalOwner;
use crate::{ApiError, HttpCode};

/// Refuses a request whose Host header names another server.
pub(super) fn check(app: &AppState, request: &Request) -> Result<(), ApiError> {
    if request.extensions().get::<FromLocalOwner>().is_some() {
        return Ok(());
    }
    check_names(request, app.bound, any_name_is_ours(app))
}

/// Whether the server may be called by names that it does not know.
pub(super) fn any_name_is_ours(app: &AppState) -> bool {
    app.gate.config().authentication == Authentication::Required && !app.bound.ip().is_loopback()
}

fn check_names(request: &Request, bound: SocketAddr, any_name: bool) -> Result<(), ApiError> {
    let wrong = |message: String| ApiError::new(HttpCode::WrongHost, message);
    let mut hosts = request.headers().get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(wrong("a request has one Host header".to_owned()));
    };
    let named = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
    // A request line with a whole address in it (as to a proxy) must name us as well.
    for authority in named.as_ref().into_iter().chain(request.uri().authority()) {
        if !any_name && !is_ours(authority, bound) {
            return Err(wrong(format!("this server is not {authority}")));
        }
    }
    if named.is_none() {
        return Err(wrong("the Host header is not a host".to_owned()));
    }
    Ok(())
}

/// Whether a host is a loopback name or address, or the one we listen on, with whatever port: a
/// forwarded port (`ssh -L`) is another number at the client's end.
fn is_ours(authority: &Authority, bound: SocketAddr) -> bool {
    is_loopback(authority.host()) || address(authority.host()).is_some_and(|ip| ip == bound.ip())
}

/// `localhost`, `127.0.0.1` and its neighbours, `[::1]`.
pub(super) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || address(host).is_some_and(|ip| ip.is_loopback())
}

fn address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn check_row(uri: &str, hosts: &[&str], fine: bool) {
        check_with(false, uri, hosts, fine);
    }

    fn check_with(any_name: bool, uri: &str, hosts: &[&str], fine: bool) {
        let mut request = axum::http::Request::get(uri);
        for host in hosts {
            request = request.header(HOST, *host);
        }
        let request = request.body(Body::empty()).expect("a request");
        let bound = SocketAddr::from(([192, 0, 2, 7], 9010));
        assert_eq!(check_names(&request, bound, any_name).is_ok(), fine, "{any_name} {uri} {hosts:?}");
    }

    #[test]
    fn only_our_names_are_ours() {
        for host in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1",
            "127.0.0.1:9010",
            "127.9.9.9",
            "[::1]:9010",
            "192.0.2.7",
        ] {
            check_row("/", &[host], true);
        }
        for host in
            ["", "example.org", "localhost.example.org", "127.0.0.1.example.org", "192.0.2.8:9010", "a b"]
        {
            check_row("/", &[host], false);
        }
    }

    #[test]
    fn where_any_name_is_ours_it_is_still_one_name() {
        for host in ["example.org", "memory.example.org:9010", "192.0.2.8", "localhost"] {
            check_with(true, "/", &[host], true);
        }
        check_with(true, "http://example.org/", &["memory.example.org"], true);
        check_with(true, "/", &[], false);
        check_with(true, "/", &["a b"], false);
        check_with(true, "/", &["example.org", "example.org"], false);
    }

    #[test]
    fn one_host_and_no_other_in_the_request_line() {
        check_row("/", &[], false);
        check_row("/", &["localhost", "localhost"], false);
        check_row("http://localhost/", &["localhost"], true);
        check_row("http://example.org/", &["localhost"], false);
    }
}
