//! What is wrong has its status, its code and the details that a program needs; nothing is changed by it.

use serde_json::{Value, json};

use super::{tool, with_main};
use crate::client::{get, post, send};
use crate::server::Server;

const MAIN: &str = "/v1/kb/shop/main";

/// Posts to a tool of `main` and returns status, code and details.
async fn refused(server: &Server, name: &str, body: &str) -> (u16, String, Value) {
    let answer = post(server.addr, &format!("{MAIN}/{name}"), body).await;
    let (status, code) = answer.error();
    (status, code, answer.json()["error"].clone())
}

#[tokio::test]
async fn malformed_input_names_the_field_and_what_was_meant() {
    let server = with_main().await;
    for (name, body, field, hint) in [
        ("query", r#"{"tpye": "req"}"#, "tpye", "did you mean type?"),
        ("query", r#"{"type": "reqq"}"#, "type", "did you mean req?"),
        ("query", r#"{"limit": "many"}"#, "limit", "correct"),
        ("query", r#"{"tags": "a"}"#, "tags", "correct"),
        ("find_gaps", r#"{"missingRelationships": ["verifies"]}"#, "missingRelationships[0]", "did you mean"),
        ("check", r#"{"rules": ["no-cycle"]}"#, "rules[0]", "did you mean no-cycles?"),
        ("coverage", r#"{"by": "symbols"}"#, "by", "did you mean symbol?"),
        ("graph", r#"{"seedIDs": []}"#, "seedIDs", "did you mean seedIds?"),
        (
            "upsert",
            r#"{"type": "req", "id": "R", "relationships": [{"type": "verifid_by", "from": "R", "to": "T"}]}"#,
            "relationships[0].type",
            "did you mean verified_by?",
        ),
    ] {
        let (status, code, error) = refused(&server, name, body).await;
        assert_eq!((status, code.as_str()), (422, "InvalidRequest"), "{body}: {error}");
        assert_eq!(error["details"]["field"], field, "{body}: {error}");
        assert!(error["details"]["hint"].as_str().expect("a hint").starts_with(hint), "{body}: {error}");
    }
    let (status, code, _) = refused(&server, "query", "{").await;
    assert_eq!((status, code.as_str()), (400, "MalformedJson"));
    let untyped =
        send(server.addr, &format!("POST {MAIN}/query"), "content-type: text/plain\r\n", b"{}").await;
    assert_eq!(untyped.error(), (415, "UnsupportedMediaType".to_owned()));
}

#[tokio::test]
async fn invalid_entities_list_their_fields() {
    let server = with_main().await;
    let before = tool(&server, "status", json!({})).await;
    let body = json!({"type": "req", "id": "REQ-2",
        "properties": {"title": "x", "status": "opne", "textRef": "y", "source": "x"}});
    let (status, code, error) = refused(&server, "upsert", &body.to_string()).await;
    assert_eq!((status, code.as_str()), (422, "KbInvalidEntity"), "{error}");
    let fields = error["details"]["fields"].as_array().expect("a list");
    let named: Vec<_> = fields.iter().filter_map(|field| field["field"].as_str()).collect();
    assert!(named.contains(&"status") && named.contains(&"textRef"), "{error}");
    assert!(error["message"].as_str().expect("a text").contains("text_ref"), "{error}");
    let valid = tool(&server, "validate_upsert", body).await;
    assert_eq!(
        (&valid["valid"], valid["errors"].as_array().map(Vec::len)),
        (&json!(false), Some(fields.len()))
    );
    assert_eq!(tool(&server, "status", json!({})).await, before, "nothing changed");
}

#[tokio::test]
async fn refusals_have_their_details() {
    let server = with_main().await;
    let link = |from: &str, to: &str| json!({"type": "req", "id": "REQ-1", "relationships": [{"type": "specified_by", "from": from, "to": to}]});
    for (name, body, status, code, path, detail) in [
        ("upsert", link("REQ-2", "SCEN-1"), 422, "KbInvalidRelationship", "/index", json!(0)),
        ("upsert", link("REQ-1", "SCEN-9"), 422, "KbInvalidRelationship", "/index", json!(0)),
        (
            "upsert",
            json!({"type": "test", "id": "REQ-1", "properties": {"title": "x", "status": "pending", "source": "x"}}),
            422,
            "KbInvalidEntity",
            "/type",
            json!("req"),
        ),
        (
            "delete",
            json!({"ids": ["SCEN-1"]}),
            409,
            "KbBlocked",
            "/dependents",
            json!([{"id": "SCEN-1", "from": [{"type": "specified_by", "id": "REQ-1"}], "count": 1}]),
        ),
        ("query", json!({"limit": 1001}), 422, "KbInvalidArgument", "/parameter", json!("limit")),
        (
            "graph",
            json!({"seedIds": ["REQ-1"], "depth": 6}),
            422,
            "KbInvalidArgument",
            "/parameter",
            json!("depth"),
        ),
    ] {
        let (found, found_code, error) = refused(&server, name, &body.to_string()).await;
        assert_eq!((found, found_code.as_str()), (status, code), "{body}: {error}");
        assert_eq!(error["details"].pointer(path), Some(&detail), "{body}: {error}");
    }
}

#[tokio::test]
async fn a_contradiction_is_explained() {
    let server = with_main().await;
    let fact = |id: &str, value: u64| {
        json!({"type": "fact", "id": id, "properties": {"title": id, "status": "active", "source": "x",
            "fact_kind": "property_value", "subject_key": "session", "property_key": "timeout",
            "operator": "eq", "value_type": "int", "value_int": value, "unit": "min"}})
    };
    let claim = |id: &str, fact: &str| {
        json!({"type": "req", "id": id, "properties": {"title": id, "status": "open", "source": "x"},
        "relationships": [
            {"type": "requires_property", "from": id, "to": fact},
            {"type": "constrains", "from": id, "to": "FACT-S"},
        ]})
    };
    let subject = json!({"type": "fact", "id": "FACT-S", "properties": {"title": "s", "status": "active",
        "source": "x", "fact_kind": "subject", "subject_key": "session"}});
    for input in [subject, fact("FACT-1", 30), fact("FACT-2", 60), claim("REQ-A", "FACT-1")] {
        tool(&server, "upsert", input).await;
    }
    let (status, code, error) = refused(&server, "upsert", &claim("REQ-B", "FACT-2").to_string()).await;
    assert_eq!((status, code.as_str()), (409, "KbContradiction"), "{error}");
    assert_eq!(error["details"]["others"], json!(["REQ-A"]), "{error}");
    assert_eq!(error["details"]["conflicts"].as_array().map(Vec::len), Some(1), "{error}");
}

#[tokio::test]
async fn addresses_that_name_nothing_say_so() {
    let server = with_main().await;
    let near = get(server.addr, "/v1/kb/shop/mian").await;
    assert_eq!(near.error(), (404, "KbNoBranch".to_owned()));
    assert_eq!(near.json()["error"]["details"]["near"], "main", "{near:?}");
    for (line, status, code) in [
        ("GET /v1/kb/other/main", 404, "KbNoBranch"),
        ("GET /v1/kb/a%20b/main", 422, "KbInvalidArgument"),
        ("GET /v1/kb/shop/a..b", 422, "KbInvalidArgument"),
        ("GET /v1/kb/shop/%FF", 422, "InvalidRequest"),
        ("PUT /v1/kb/shop/-x", 422, "KbInvalidArgument"),
        ("PUT /v1/kb/shop/x?form=main", 422, "InvalidRequest"),
        ("GET /v1/kb/shop/diff?from=main", 422, "InvalidRequest"),
        ("GET /v1/kb/shop/diff?from=main&to=nope", 404, "KbNoBranch"),
        ("POST /v1/kb/shop/main/nothing", 404, "NotFound"),
        ("DELETE /v1/kb/shop", 405, "MethodNotAllowed"),
    ] {
        let answer = send(server.addr, line, "", b"").await;
        assert_eq!(answer.error(), (status, code.to_owned()), "{line}: {answer:?}");
    }
}

#[tokio::test]
async fn entities_are_limited_and_not_by_their_escapes() {
    let server = with_main().await;
    let entity = |body: &str, more: &str| {
        format!(
            r#"{{"type":"req","id":"REQ-9","properties":{{"title":"x","status":"open","source":"x","body":"{body}"{more}}}}}"#
        )
    };
    // 256 KiB of text, in 1.5 MiB of JSON.
    let escaped = "\\u0061".repeat(256 << 10);
    let stored = post(server.addr, &format!("{MAIN}/upsert"), &entity(&escaped, "")).await;
    assert_eq!(stored.status, 200, "{}", stored.body);
    let (status, code, error) = refused(&server, "upsert", &entity(&"a".repeat((256 << 10) + 1), "")).await;
    assert_eq!((status, code.as_str()), (422, "KbInvalidEntity"), "{error}");
    assert_eq!(error["details"]["fields"][0]["field"], "body", "{error}");
    let large = send(
        server.addr,
        &format!("POST {MAIN}/upsert"),
        "content-type: application/json\r\n",
        &vec![b' '; (4 << 20) + 1],
    )
    .await;
    assert_eq!(large.error(), (413, "TooLarge".to_owned()));
    let plain = send(
        server.addr,
        &format!("POST {MAIN}/query"),
        "content-type: application/json\r\n",
        &vec![b' '; (1 << 20) + 1],
    )
    .await;
    assert_eq!(plain.error(), (413, "TooLarge".to_owned()));
}
