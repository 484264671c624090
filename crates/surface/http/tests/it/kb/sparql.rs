//! `POST /v1/kb-sparql`.

use std::sync::Arc;

use cairn_engine::EngineConfig;
use cairn_gate::GateConfig;
use cairn_http::HttpConfig;
use cairn_kb::tools::SparqlRemoteInput;
use cairn_kb::{
    SparqlAnswer, SparqlEndpoint, SparqlError, SparqlRequest, SparqlRow, SparqlTerm, SparqlTermType,
};
use serde_json::json;

use super::client;
use crate::client::post;
use crate::server::Server;

/// Answers with its own URL, unless that names an error.
#[derive(Debug)]
struct Echo;

impl SparqlEndpoint for Echo {
    fn select(&self, request: &SparqlRequest) -> Result<SparqlAnswer, SparqlError> {
        let value = request.endpoint().to_owned();
        if value.ends_with("private") {
            return Err(SparqlError::Refused { reason: "it is private".to_owned() });
        }
        if value.ends_with("broken") {
            return Err(SparqlError::Failed { reason: "it is broken".to_owned() });
        }
        let term = SparqlTerm { kind: SparqlTermType::Uri, value, lang: None, datatype: None };
        let row = SparqlRow::from([("a".to_owned(), term)]);
        Ok(SparqlAnswer { vars: vec!["a".to_owned()], rows: vec![row] })
    }
}

fn asked(path: &str, query: &str) -> String {
    json!({"endpoint": format!("http://example.org/{path}"), "query": query}).to_string()
}

#[tokio::test]
async fn it_is_off_by_default() {
    let server = Server::start().await;
    let answer = post(server.addr, "/v1/kb-sparql", &asked("", "SELECT * {}")).await;
    assert_eq!(answer.error(), (403, "KbSwitchedOff".to_owned()));
    assert_eq!(answer.json()["error"]["details"]["setting"], "kb.sparql_remote", "{answer:?}");
}

#[tokio::test]
async fn rows_and_errors_come_back() {
    let config = EngineConfig { sparql: Some(Arc::new(Echo)), ..EngineConfig::default() };
    let (http, gate) = (HttpConfig::default(), GateConfig::default());
    let server = Server::configured(|store| Arc::new(store), http, gate, config).await;
    for (path, query, status, code) in [
        ("private", "SELECT * {}", 403, "SparqlEndpointRefused"),
        ("broken", "SELECT * {}", 502, "SparqlEndpointFailed"),
        ("", "DROP ALL", 422, "InvalidRequest"),
    ] {
        let answer = post(server.addr, "/v1/kb-sparql", &asked(path, query)).await;
        assert_eq!(answer.error(), (status, code.to_owned()), "{path} {query}: {answer:?}");
    }
    let input = SparqlRemoteInput {
        endpoint: "http://example.org/a".to_owned(),
        query: "SELECT ?a { ?a ?b ?c }".to_owned(),
        timeout_ms: None,
        request_id: None,
    };
    let output = client(&server).await.kb_sparql(&input).await.expect("rows");
    assert_eq!((output.count, output.rows[0]["a"].value.as_str()), (1, "http://example.org/a"));
}
