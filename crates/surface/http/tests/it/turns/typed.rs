//! The registry over HTTP, and turns as their types have them.

use cairn_wire::turns::{AppendedTurn, SingleTurn, TurnPage};
use serde_json::{Value, json};

use super::{MSGPACK, append, context, json, numbers, refused, send, text, turn};
use crate::client::{get, request};
use crate::server::Server;

const JSON: &str = "content-type: application/json\r\n";

const BUNDLE: &str = r#"{"registry_version":1,"bundle_id":"2025#1","types":{
    "com.example.Message":{"versions":{
        "1":{"fields":{"1":{"name":"role","type":"u8","enum":"Role"},"2":{"name":"text","type":"string"}},
             "renderer":{"esm_url":"builtin:MessageRenderer"}},
        "2":{"fields":{"1":{"name":"role","type":"u8","enum":"Role"},"2":{"name":"body","type":"string"},"3":{"name":"id","type":"u64"}}}
    }},
    "other/Type":{"versions":{"1":{"fields":{}}}}
},"enums":{"Role":{"1":"system","2":"user"}}}"#;

async fn publish(server: &Server, id: &str, body: &str) -> crate::client::Answer {
    send(server.addr, &format!("PUT /v1/registry/bundles/{id}"), JSON, body.as_bytes()).await
}

async fn published() -> Server {
    let server = Server::start().await;
    let answer = publish(&server, "2025%231", BUNDLE).await;
    assert_eq!((answer.status, answer.json()), (201, json!({"bundle_id": "2025#1"})));
    server
}

#[tokio::test]
async fn bundles_are_published_once_and_read_as_they_were_sent() {
    let server = published().await;
    let addr = server.addr;
    assert_eq!(publish(&server, "2025%231", BUNDLE).await.status, 204);
    let changed = BUNDLE.replace("system", "root");
    assert_eq!(publish(&server, "2025%231", &changed).await.error(), (409, "Conflict".to_owned()));
    let read = get(addr, "/v1/registry/bundles/2025%231").await;
    assert_eq!((read.status, read.body.as_str()), (200, BUNDLE));
    let etag = format!("if-none-match: {}\r\n", read.header("etag").expect("an etag"));
    assert_eq!(request(addr, "GET /v1/registry/bundles/2025%231", &etag).await.status, 304);
    refused(addr, "/v1/registry/bundles/other", (404, "NotFound")).await;
    // A path that says something else, a body that is no bundle, a type nobody reads.
    let wrong = publish(&server, "other", BUNDLE).await;
    assert_eq!(
        (wrong.error().0, wrong.json()["error"]["details"]["field"].clone()),
        (422, json!("bundle_id"))
    );
    let wrong = publish(&server, "x", r#"{"registry_version":1,"bundle_id":"x","types":{"T":[]}}"#).await;
    assert_eq!(wrong.error(), (422, "InvalidRequest".to_owned()));
    assert_eq!(wrong.json()["error"]["details"]["field"], "types.T");
    let text = send(addr, "PUT /v1/registry/bundles/x", "content-type: text/plain\r\n", b"{}").await;
    assert_eq!(text.error(), (415, "UnsupportedMediaType".to_owned()));
    let illegal = BUNDLE
        .replace("2025#1", "next")
        .replace(r#""3":{"name":"id","type":"u64"}"#, r#""3":{"name":"id","type":"u32"}"#);
    assert_eq!(publish(&server, "next", &illegal).await.error(), (409, "Conflict".to_owned()));
    // As MessagePack.
    let mut writer = cairn_base::MsgpackWriter::new();
    writer.map(2);
    writer.text("registry_version");
    writer.unsigned(1);
    writer.text("bundle_id");
    writer.text("packed");
    let packed = send(addr, "PUT /v1/registry/bundles/packed", MSGPACK, &writer.into_bytes()).await;
    assert_eq!(packed.status, 201, "{packed:?}");
}

#[tokio::test]
async fn types_and_renderers_are_listed_and_have_names_of_their_own() {
    let server = published().await;
    let addr = server.addr;
    for path in [
        "/v1/registry/types",
        "/v1/registry/renderers",
        "/v1/registry/types/com.example.Message/versions/1",
        "/v1/registry/types/other%2FType/versions/1",
    ] {
        let read = get(addr, path).await;
        assert_eq!(read.status, 200, "{path}: {read:?}");
        let etag = format!("if-none-match: {}\r\n", read.header("etag").expect("an etag"));
        assert_eq!(request(addr, &format!("GET {path}"), &etag).await.status, 304, "{path}");
    }
    insta::assert_snapshot!(
        "descriptor",
        format!("{:#}", json(addr, "/v1/registry/types/com.example.Message/versions/1").await)
    );
    let types = json(addr, "/v1/registry/types").await;
    let message =
        types["types"].as_array().expect("a list").iter().find(|it| it["type_id"] == "com.example.Message");
    let expected =
        json!({"type_id": "com.example.Message", "versions": [1, 2], "latest": 2, "built_in": false});
    assert_eq!(message, Some(&expected));
    let renderers = json(addr, "/v1/registry/renderers").await;
    assert_eq!(renderers["renderers"]["com.example.Message"]["esm_url"], "builtin:MessageRenderer");
    refused(addr, "/v1/registry/types/com.example.Message/versions/9", (404, "NotFound")).await;
    refused(addr, "/v1/registry/types/nope/versions/1", (404, "NotFound")).await;
    refused(addr, "/v1/registry/types/nope/versions/x", (422, "InvalidRequest")).await;
}

/// Three turns: one of version 1, one of a type nobody published, one that is no map.
async fn story(server: &Server) {
    let addr = server.addr;
    context(addr).await;
    let of = |id: &str, version: u32| format!("type_id={id}&type_version={version}");
    let payload = [0x83, 1, 2, 2, 0xa2, b'h', b'i', 3, 7];
    assert_eq!(append(addr, "1", &of("com.example.Message", 1), "", &payload).await.status, 201);
    assert_eq!(append(addr, "1", &of("nobody.knows", 1), "", &payload).await.status, 201);
    assert_eq!(append(addr, "1", &of("com.example.Message", 1), "", &[0x91, 1]).await.status, 201);
}

#[tokio::test]
async fn one_turn_that_cannot_be_shown_hides_no_other() {
    let server = published().await;
    story(&server).await;
    let page = json(server.addr, "/v1/contexts/1/turns").await;
    insta::assert_snapshot!("page", format!("{page:#}"));
    refused(server.addr, "/v1/contexts/1/turns?strict=1", (424, "FailedDependency")).await;
    refused(server.addr, "/v1/turns/3?strict=1", (500, "DecodeError")).await;
    assert_eq!(json(server.addr, "/v1/turns/1").await["data"]["text"], "hi");
}

#[tokio::test]
async fn payloads_are_read_as_the_reader_says() {
    let server = published().await;
    let addr = server.addr;
    context(addr).await;
    let payload = [0x84, 1, 2, 2, 0xa2, b'h', b'i', 3, 7, 9, 0xff];
    append(addr, "1", "type_id=com.example.Message&type_version=1", "", &payload).await;
    let rows = [
        ("", json!({"role": "user", "text": "hi"}), Value::Null),
        ("type_hint_mode=latest", json!({"role": "user", "body": "hi", "id": "7"}), Value::Null),
        (
            "type_hint_mode=explicit&as_type_id=com.example.Message&as_type_version=2&u64_format=number&enum_render=both",
            json!({"role": {"label": "user", "value": 2}, "body": "hi", "id": 7}),
            Value::Null,
        ),
        ("include_unknown=1", json!({"role": "user", "text": "hi"}), json!({"3": 7, "9": -1})),
        (
            "include_unknown=true&view=both&enum_render=number",
            json!({"role": 2, "text": "hi"}),
            json!({"3": 7, "9": -1}),
        ),
    ];
    for (query, data, unknown) in rows {
        for one in [
            json(addr, &format!("/v1/contexts/1/turns?{query}")).await["turns"][0].clone(),
            json(addr, &format!("/v1/turns/1?{query}")).await,
        ] {
            assert_eq!((&one["data"], &one["unknown"]), (&data, &unknown), "{query}");
            assert_eq!(one["bytes_b64"].is_string(), query.contains("both&"), "{query}: {one}");
        }
    }
    let explicit = "type_hint_mode=explicit";
    refused(addr, &format!("/v1/turns/1?{explicit}"), (422, "MissingTypeHint")).await;
    refused(addr, &format!("/v1/turns/1?{explicit}&as_type_id=x"), (422, "MissingTypeHint")).await;
    refused(addr, &format!("/v1/turns/1?{explicit}&as_type_id=x&as_type_version=1"), (409, "Conflict")).await;
    let unknown = format!("/v1/contexts/1/turns?{explicit}&as_type_id=com.example.Message&as_type_version=9");
    refused(addr, &unknown, (424, "FailedDependency")).await;
}

#[tokio::test]
async fn turns_in_json_are_encoded_as_their_types_say() {
    let server = published().await;
    let addr = server.addr;
    context(addr).await;
    let path = "POST /v1/contexts/1/turns";
    let sent = r#"{"type_id":"com.example.Message","type_version":2,"payload":{"body":"hi","role":"user","id":"18446744073709551615"}}"#;
    let appended = send(addr, path, JSON, sent.as_bytes()).await;
    assert_eq!(appended.status, 201, "{appended:?}");
    let read = json(addr, "/v1/turns/1?view=both&bytes_render=hex").await;
    assert_eq!(read["data"], json!({"role": "user", "body": "hi", "id": "18446744073709551615"}));
    assert_eq!(read["bytes_hex"], "83010202a2686903cfffffffffffffffff");
    // Once, however often it is sent; and only if the head is the one expected.
    let keyed = format!("{JSON}idempotency-key: k\r\nif-match: \"1\"\r\n");
    assert_eq!(send(addr, path, &keyed, sent.as_bytes()).await.status, 201);
    assert_eq!(send(addr, path, &keyed, sent.as_bytes()).await.status, 200);
    let stale = send(addr, path, &format!("{JSON}if-match: \"1\"\r\n"), sent.as_bytes()).await;
    assert_eq!(stale.error(), (409, "Conflict".to_owned()));
    let below = sent.replace(r#""payload""#, r#""parent_turn_id":"1","payload""#);
    assert_eq!(send(addr, path, JSON, below.as_bytes()).await.json()["parent_turn_id"], "1");

    let rows = [
        ("{", 400, "MalformedJson", ""),
        ("[]", 422, "InvalidRequest", ""),
        (r#"{"type_version":1,"payload":{}}"#, 422, "InvalidRequest", "type_id"),
        (r#"{"type_id":"com.example.Message","payload":{}}"#, 422, "InvalidRequest", "type_version"),
        (r#"{"type_id":"com.example.Message","type_version":1}"#, 422, "InvalidRequest", "payload"),
        (
            r#"{"type_id":"com.example.Message","type_version":1,"payload":{},"more":1}"#,
            422,
            "InvalidRequest",
            "more",
        ),
        (
            r#"{"type_id":"com.example.Message","type_version":1,"payload":{},"parent_turn_id":"x"}"#,
            422,
            "InvalidRequest",
            "parent_turn_id",
        ),
        (r#"{"type_id":"com.example.Message","type_version":9,"payload":{}}"#, 424, "FailedDependency", ""),
        (
            r#"{"type_id":"com.example.Message","type_version":1,"payload":{"nope":1}}"#,
            422,
            "InvalidRequest",
            "",
        ),
    ];
    for (body, status, code, field) in rows {
        let answer = send(addr, path, JSON, body.as_bytes()).await;
        assert_eq!(answer.error(), (status, code.to_owned()), "{body}: {answer:?}");
        if !field.is_empty() {
            assert_eq!(answer.json()["error"]["details"]["field"], field, "{body}");
        }
    }
    let misfit = r#"{"type_id":"com.example.Message","type_version":1,"payload":{"role":"nobody","text":7}}"#;
    let misfits =
        send(addr, path, JSON, misfit.as_bytes()).await.json()["error"]["details"]["misfits"].clone();
    assert_eq!(misfits[1], json!({"field": "payload.text", "problem": "must be a text"}));
    assert_eq!(numbers(&json(addr, "/v1/contexts/1/turns").await), [1, 3], "nothing of it was stored");
}

#[tokio::test]
async fn a_strict_server_takes_only_published_types() {
    let server = published().await;
    server.gate.engine().set_strict_types(true);
    context(server.addr).await;
    let refused = append(server.addr, "1", "type_id=t", "", b"\x80").await;
    assert_eq!(refused.error(), (412, "PreconditionFailed".to_owned()));
    let taken = append(server.addr, "1", "type_id=com.example.Message&type_version=2", "", b"\x80").await;
    assert_eq!(taken.status, 201, "{taken:?}");
    server.gate.engine().set_strict_types(false);
    assert_eq!(
        text(
            &json(server.addr, &format!("/v1/turns/{}", turn(server.addr, "1", b"\x80").await)).await,
            "turn_id"
        ),
        "2"
    );
}

#[tokio::test]
async fn a_turn_in_json_may_call_its_payload_data_and_name_its_key() {
    let server = published().await;
    let addr = server.addr;
    context(addr).await;
    let send_json = async |extra: &str, body: &Value| {
        let head = format!("{JSON}{extra}");
        send(addr, "POST /v1/contexts/1/append", &head, body.to_string().as_bytes()).await
    };
    let fields = json!({"role": "user", "text": "hi"});
    let turn = |more: Value| {
        let mut turn = json!({"type_id": "com.example.Message", "type_version": 1});
        turn.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        turn
    };
    let keyed = turn(json!({"data": fields, "idempotency_key": "once"}));
    let first = send_json("", &keyed).await;
    assert_eq!(first.status, 201, "{first:?}");
    // The same key by either name, and the same content under either name.
    let again = send_json("", &keyed).await;
    assert_eq!((again.status, &again.json()["turn_id"]), (200, &first.json()["turn_id"]));
    for (extra, body) in [
        ("idempotency-key: once\r\n", turn(json!({"payload": fields}))),
        ("idempotency-key: once\r\n", keyed.clone()),
        ("", turn(json!({"payload": fields, "data": null, "idempotency_key": "once"}))),
    ] {
        let same = send_json(extra, &body).await;
        assert_eq!((same.status, &same.json()["turn_id"]), (200, &first.json()["turn_id"]), "{body}");
    }
    let shown = json(addr, "/v1/turns/1").await;
    assert_eq!(shown["data"], json!({"role": "user", "text": "hi"}));
    for (extra, body, field) in [
        ("", turn(json!({"payload": fields, "data": fields})), "data"),
        ("", turn(json!({"data": fields, "idempotency_key": 7})), "idempotency_key"),
        ("", turn(json!({"idempotency_key": "other"})), "payload"),
        ("idempotency-key: another\r\n", keyed.clone(), ""),
        ("", turn(json!({"data": fields, "idempotency_key": "k".repeat(257)})), ""),
    ] {
        let refused = send_json(extra, &body).await;
        assert_eq!(refused.error(), (422, "InvalidRequest".to_owned()), "{extra} {body}");
        let details = refused.json()["error"]["details"]["field"].clone();
        assert_eq!(details.as_str().unwrap_or_default(), field, "{extra} {body}: {refused:?}");
    }
    let differs = send_json("", &turn(json!({"data": {"text": "x"}, "idempotency_key": "once"}))).await;
    assert_eq!(differs.error(), (409, "Conflict".to_owned()));
    assert_eq!(json(addr, "/v1/contexts/1").await["head_turn_id"], "1", "one turn in all");
}

#[tokio::test]
async fn a_bundle_needs_no_content_type() {
    let server = Server::start().await;
    let path = "PUT /v1/registry/bundles/2025%231";
    let first = send(server.addr, path, "", BUNDLE.as_bytes()).await;
    assert_eq!(first.status, 201, "{first:?}");
    assert_eq!(send(server.addr, path, "", BUNDLE.as_bytes()).await.status, 204);
    let nonsense = send(server.addr, "PUT /v1/registry/bundles/x", "", b"hello").await;
    assert_eq!(nonsense.error(), (422, "InvalidRequest".to_owned()));
    for wrong in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let typed = format!("content-type: {wrong}\r\n");
        let refused = send(server.addr, path, &typed, BUNDLE.as_bytes()).await;
        assert_eq!(refused.error(), (415, "UnsupportedMediaType".to_owned()), "{wrong:?}");
    }
}

#[tokio::test]
async fn the_time_of_the_built_in_conversation_is_an_integer_unless_iso_is_asked_for() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    // {"1": "system", "3": 1700000000000}
    let payload = b"\x82\xa1\x31\xa6system\xa1\x33\xcf\x00\x00\x01\x8b\xcf\xe5\x68\x00";
    let query = "type_id=cxdb.ConversationItem&type_version=3";
    assert_eq!(append(addr, "1", query, "", payload).await.status, 201);
    for (query, expected) in [
        ("", json!(1_700_000_000_000_u64)),
        ("?time_render=unix_ms", json!(1_700_000_000_000_u64)),
        ("?time_render=iso", json!("2023-11-14T22:13:20+00:00")),
    ] {
        let shown = json(addr, &format!("/v1/contexts/1/turns{query}")).await;
        assert_eq!(shown["turns"][0]["data"]["timestamp"], expected, "{query:?}");
    }
    refused(addr, "/v1/contexts/1/turns?time_render=x", (422, "InvalidRequest")).await;
}

#[tokio::test]
async fn every_conflict_says_what_helps() {
    let server = published().await;
    let addr = server.addr;
    context(addr).await;
    turn(addr, "1", b"\x80").await;
    let changed = BUNDLE.replace("system", "root");
    let illegal = BUNDLE
        .replace("2025#1", "next")
        .replace(r#""3":{"name":"id","type":"u64"}"#, r#""3":{"name":"id","type":"u32"}"#);
    let key = "idempotency-key: once\r\n";
    append(addr, "1", "type_id=t", key, b"\x01").await;
    let other_type =
        "/v1/contexts/1/turns?type_hint_mode=explicit&as_type_id=com.example.Message&as_type_version=1";
    for (answer, helps) in [
        (publish(&server, "2025%231", &changed).await, "new bundle_id"),
        (publish(&server, "next", &illegal).await, "new version"),
        (append(addr, "1", "type_id=t", key, b"\x02").await, "new key"),
        (append(addr, "1", "type_id=t", "if-match: 9\r\n", b"\x02").await, "decide again"),
        (get(addr, other_type).await, "as_type_id"),
    ] {
        assert_eq!(answer.error(), (409, "Conflict".to_owned()));
        let hint = answer.json()["error"]["details"]["hint"].as_str().expect("a hint").to_owned();
        assert!(hint.contains(helps) && !hint.contains("send the request again"), "{hint}");
    }
}

#[tokio::test]
async fn what_is_written_is_what_is_described() {
    let server = published().await;
    let addr = server.addr;
    context(addr).await;
    // {1: 2, 2: "hi", 3: 2^64 - 1, 9: 0.1}, one that cannot be shown, and one of no type.
    let known = b"\x84\x01\x02\x02\xa2hi\x03\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x09\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a";
    for (declared, payload) in
        [("com.example.Message", &known[..]), ("com.example.Message", b"\xc1"), ("a%22b", b"\x80")]
    {
        let appended = append(addr, "1", &format!("type_id={declared}"), "", payload).await;
        assert_eq!(appended.status, 201, "{appended:?}");
        let read: AppendedTurn = serde_json::from_str(&appended.body).expect("a turn");
        assert_eq!(serde_json::to_string(&read).expect("plain data"), appended.body);
    }
    for query in [
        "",
        "view=raw",
        "view=both&bytes_render=hex&include_unknown=1&u64_format=number",
        "view=both&bytes_render=len_only",
        "limit=1&type_hint_mode=latest",
    ] {
        let body = get(addr, &format!("/v1/contexts/1/turns?{query}")).await.body;
        let page: TurnPage = serde_json::from_str(&body).expect("a page");
        assert_eq!(serde_json::to_string(&page).expect("plain data"), body, "{query}");
        for turn in 1..=3 {
            let query = query.trim_start_matches("limit=1&");
            let body = get(addr, &format!("/v1/turns/{turn}?{query}")).await.body;
            let read: SingleTurn = serde_json::from_str(&body).expect("a turn");
            assert_eq!(serde_json::to_string(&read).expect("plain data"), body, "{query}");
        }
    }
}
