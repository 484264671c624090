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
