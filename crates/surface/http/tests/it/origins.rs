//! Pages of other origins, and CORS for those that are allowed.

use cairn_gate::GateConfig;
use cairn_http::HttpConfig;

use crate::client::request;
use crate::server::Server;

const APP: &str = "https://app.example.org";

async fn with_allowed() -> Server {
    let http = HttpConfig { allowed_origins: vec![APP.to_owned()], ..HttpConfig::default() };
    Server::with(http, GateConfig::default()).await
}

#[tokio::test]
async fn pages_of_others_are_refused() {
    let server = Server::start().await;
    for origin in [APP, "null", "http://localhost:1"] {
        let answer = request(server.addr, "GET /v1/admin/stats", &format!("origin: {origin}\r\n")).await;
        assert_eq!(answer.error(), (403, "WrongOrigin".to_owned()), "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}");
    }
    let own = format!("origin: http://{}\r\n", server.addr);
    assert_eq!(request(server.addr, "GET /v1/admin/stats", &own).await.status, 200);
}

#[tokio::test]
async fn no_page_of_others_comes_in_by_another_door() {
    let server = Server::start().await;
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let post = |headers: String| async move {
        crate::client::send(server.addr, "POST /v1/contexts", &headers, b"base_turn_id=0").await.error()
    };
    let wrong_origin = (403, "WrongOrigin".to_owned());
    // A form, from a browser that says where it comes from, in the one or the other way.
    assert_eq!(post(format!("{form}origin: https://evil.example\r\n")).await, wrong_origin);
    assert_eq!(post(format!("{form}origin: null\r\n")).await, wrong_origin);
    let fetch_site = "sec-fetch-site: cross-site\r\n";
    assert_eq!(post(format!("{form}{fetch_site}")).await, wrong_origin);
    // Also when it leads here as a link does, with a body that would be taken.
    let leads_here = "sec-fetch-mode: navigate\r\nsec-fetch-dest: document\r\n";
    for media in [form, "content-type: application/json\r\n"] {
        assert_eq!(post(format!("{media}{fetch_site}{leads_here}")).await, wrong_origin);
    }
    // And from one that says nothing at all.
    assert_eq!(post(form.to_owned()).await, (415, "UnsupportedMediaType".to_owned()));
    let get = |path: &'static str, headers: String| async move {
        request(server.addr, &format!("GET {path}"), &headers).await.status
    };
    // A WebSocket: from a page it is refused, and there is none to be had.
    assert_eq!(get("/v1/events", format!("{upgrade}origin: https://evil.example\r\n")).await, 403);
    assert_eq!(get("/", upgrade.to_owned()).await, 404);
    // A picture or a script of another page, and a link to here.
    let embedded = |mode: &str, dest: &str| {
        format!("sec-fetch-site: cross-site\r\nsec-fetch-mode: {mode}\r\nsec-fetch-dest: {dest}\r\n")
    };
    assert_eq!(get("/v1/contexts", embedded("no-cors", "image")).await, 403);
    assert_eq!(get("/v1/contexts", embedded("navigate", "iframe")).await, 403);
    assert_eq!(get("/v1/contexts", embedded("navigate", "document")).await, 200);
    assert_eq!(get("/v1/contexts", "sec-fetch-site: same-origin\r\n".to_owned()).await, 200);
    // A name that somebody made to lead here.
    let rebound = "GET /v1/contexts HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    assert_eq!(crate::client::exchange(server.addr, rebound).await.error(), (421, "WrongHost".to_owned()));
    let contexts = request(server.addr, "GET /v1/contexts", "").await.json();
    assert_eq!(contexts["count"], 0, "nothing was made");
}

#[tokio::test]
async fn an_allowed_page_may_call_and_sees_the_answer() {
    let server = with_allowed().await;
    let answer = request(server.addr, "GET /v1/admin/stats", &format!("origin: {APP}\r\n")).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(APP)));
    assert_eq!(answer.header("vary"), Some("origin"));
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    let error = request(server.addr, "GET /nowhere", &format!("origin: {APP}\r\n")).await;
    assert_eq!((error.status, error.header("access-control-allow-origin")), (404, Some(APP)));
}

#[tokio::test]
async fn a_browser_may_ask_whether_it_may_ask() {
    let server = with_allowed().await;
    let ask = |origin: &str| format!("origin: {origin}\r\naccess-control-request-method: PUT\r\n");
    let yes = request(server.addr, "OPTIONS /v1/admin/stats", &ask(APP)).await;
    assert_eq!((yes.status, yes.header("access-control-allow-origin")), (204, Some(APP)));
    assert!(yes.header("access-control-allow-methods").is_some_and(|methods| methods.contains("PUT")));
    assert!(
        yes.header("access-control-allow-headers").is_some_and(|headers| headers.contains("content-type"))
    );
    let no = request(server.addr, "OPTIONS /v1/admin/stats", &ask("https://evil.example")).await;
    assert_eq!(no.error(), (403, "WrongOrigin".to_owned()));
}
