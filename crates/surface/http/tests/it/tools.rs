//! `/v1/tools`: the tools of agents, with the permissions of whoever calls them.

use std::num::NonZeroU64;

use cairn_gate::{Allowance, GateConfig};
use cairn_http::{Client, ClientError, HttpConfig};
use cairn_wire::kip::KipLogsBody;
use serde_json::{Value, json};

use crate::client::{get, post, send};
use crate::kip::{DRUGS, NAMES, World, world};
use crate::server::{LONG, Server};

const EXECUTE: &str = "/v1/tools/execute_kip";
const READ: &str = "/v1/tools/execute_kip_readonly";

#[tokio::test]
async fn a_tool_answers_as_its_use_case_does() {
    let server = Server::start().await;
    let made = post(server.addr, EXECUTE, &json!({"command": DRUGS}).to_string()).await;
    assert_eq!((made.status, made.header("content-type")), (200, Some("application/json")), "{made:?}");
    for path in [EXECUTE, READ] {
        let found = post(server.addr, path, &json!({"command": NAMES}).to_string()).await;
        assert_eq!((found.status, found.json()), (200, json!({"result": ["Aspirin"]})), "{path}");
    }
    for (path, body, code) in [
        (EXECUTE, json!({"command": "FIND("}), "KIP_1001"),
        (EXECUTE, json!({"command": r#"FIND(?d) WHERE { ?d {type: "drug"} }"#}), "KIP_2001"),
        (EXECUTE, json!([]), "KIP_1001"),
        (READ, json!({"command": DRUGS}), "KIP_1001"),
    ] {
        let answer = post(server.addr, path, &body.to_string()).await;
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (200, &json!(code)), "{path} {body}");
    }
}

#[tokio::test]
async fn a_page_of_a_tool_ends_where_its_text_does() {
    let server = Server::start().await;
    let long = "x".repeat(2_000);
    let drugs: String = (0..20)
        .map(|n| {
            format!(r#"CONCEPT {{ {{type: "Drug", name: "{n:02}"}} SET ATTRIBUTES {{ text: "{long}" }} }} "#)
        })
        .collect();
    for command in [DRUGS, &format!("UPSERT {{ {drugs} }}")] {
        let made = post(server.addr, EXECUTE, &json!({"command": command}).to_string()).await.json();
        assert!(made.get("result").is_some(), "{made:?}");
    }
    // Whatever the caller says of pages.
    let find = r#"FIND(?d.attributes.text) WHERE { ?d {type: "Drug"} }"#;
    for body in [json!({"command": find}), json!({"command": find, "page_bytes": 1 << 20})] {
        let page = post(server.addr, READ, &body.to_string()).await;
        assert!(
            page.body.len() < 16 << 10 && page.json()["next_cursor"].is_string(),
            "{} bytes",
            page.body.len()
        );
    }
}

#[tokio::test]
async fn what_is_wrong_before_a_tool_sees_it_has_its_own_status() {
    let server = Server::start().await;
    for (path, body, expected) in [
        ("/v1/tools/execute_kp", "{}", (404, "NotFound", "did you mean execute_kip?")),
        ("/v1/tools/zzz", "{}", (404, "NotFound", "there are execute_kip, execute_kip_readonly")),
        ("/v1/tools/zzz", "{", (404, "NotFound", "there are execute_kip, execute_kip_readonly")),
        (EXECUTE, "{", (400, "MalformedJson", "correct the JSON at the named line and column")),
    ] {
        let answer = post(server.addr, path, body).await;
        let (status, code) = answer.error();
        let hint = answer.json()["error"]["details"]["hint"].clone();
        assert_eq!(
            (status, code.as_str(), hint),
            (expected.0, expected.1, json!(expected.2)),
            "{path} {body}"
        );
    }
    let text = send(server.addr, &format!("POST {EXECUTE}"), "content-type: text/plain\r\n", b"{}").await;
    assert_eq!(text.error(), (415, "UnsupportedMediaType".to_owned()));
    assert_eq!(get(server.addr, EXECUTE).await.error(), (405, "MethodNotAllowed".to_owned()));
}

#[tokio::test]
async fn a_reader_reads_through_a_tool_and_writes_nothing() {
    let world = world(Allowance::NONE).await;
    let (read, write) = (json!({"command": NAMES}), json!({"command": DRUGS}));
    assert_eq!(world.ask("", EXECUTE, &read).await.error().0, 401);
    assert_eq!(world.ask(&world.reader, EXECUTE, &write).await.error(), (403, "Forbidden".to_owned()));
    assert_eq!(world.ask(&world.writer, EXECUTE, &write).await.status, 200);
    for path in [EXECUTE, READ] {
        assert_eq!(
            world.ask(&world.reader, path, &read).await.json(),
            json!({"result": ["Aspirin"]}),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_call_of_a_tool_counts_as_what_it_is() {
    let one = NonZeroU64::new(1);
    let world =
        world(Allowance { searches_per_minute: one, writes_per_minute: one, ..Allowance::NONE }).await;
    let limited = async |path: &str, command: &str| {
        let answer = world.ask(&world.writer, path, &json!({"command": command})).await;
        (answer.status, answer.json()["error"]["details"]["limit"].clone())
    };
    assert_eq!(limited(EXECUTE, DRUGS).await, (200, Value::Null));
    assert_eq!(limited(READ, NAMES).await, (200, Value::Null));
    assert_eq!(limited(EXECUTE, DRUGS).await, (429, json!("writes")));
    assert_eq!(limited(READ, NAMES).await, (429, json!("searches")));
}

/// A client over the owner's socket that shows a token.
async fn over_the_socket(world: &World, token: &str) -> Client {
    let mut client = Client::over(world.server.local().await, LONG).await.expect("it connects");
    let token = token.trim_end().rsplit(' ').next().expect("a token");
    client.set_token(token).expect("it can be sent");
    client
}

#[tokio::test]
async fn over_the_socket_a_token_counts_and_its_user_is_in_the_log() {
    let world = world(Allowance::NONE).await;
    let arguments = |command: &str| json!({"command": command});
    let mut reader = over_the_socket(&world, &world.reader).await;
    assert_eq!(reader.whoami().await.expect("it answers").user_id, "rita");
    let refused = reader.call_tool("execute_kip", &arguments(DRUGS)).await.expect_err("it may not");
    let ClientError::Refused { code, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!(code.map(cairn_base::ErrorCode::name), Some("Forbidden"));
    let mut writer = over_the_socket(&world, &world.writer).await;
    let made = writer.call_tool("execute_kip", &arguments(DRUGS)).await.expect("it may");
    assert!(made.0.get("result").is_some(), "{made:?}");
    // Each sees its own commands.
    for (client, user, outcome) in [(&mut reader, "rita", "Forbidden"), (&mut writer, "will", "ok")] {
        let logs = client.kip_logs(&KipLogsBody::default()).await.expect("it answers");
        let entries = logs.result.expect("no error");
        let found: Vec<_> =
            entries.iter().map(|entry| (entry.user.as_str(), entry.outcome.as_str())).collect();
        assert_eq!(found, [(user, outcome)], "{entries:?}");
    }
    let mut nobody = over_the_socket(&world, "cairn_x").await;
    let refused = nobody.whoami().await.expect_err("no such token");
    assert!(matches!(
        &refused,
        ClientError::Refused { code: Some(cairn_access::AccessCode::TokenMalformed), .. }
    ));
    // Without a token it is the owner.
    let mut owner = Client::over(world.server.local().await, LONG).await.expect("it connects");
    assert!(owner.whoami().await.expect("it answers").is_local_owner);
}

#[tokio::test]
async fn over_the_socket_a_token_counts_also_where_nobody_has_to_show_one() {
    let server = Server::with(HttpConfig::default(), GateConfig::default()).await;
    let mut client = Client::over(server.local().await, LONG).await.expect("it connects");
    client.set_token("cairn_x").expect("it can be sent");
    let refused = client.whoami().await.expect_err("no such token");
    assert!(matches!(
        &refused,
        ClientError::Refused { code: Some(cairn_access::AccessCode::TokenMalformed), .. }
    ));
}
