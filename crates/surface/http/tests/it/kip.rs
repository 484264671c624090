//! `/v1/kip` and `/kip`: every shape of a call, and everything that is wrong with one before KIP sees it.

use std::num::NonZeroU64;
use std::time::Duration;

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles};
use cairn_engine::NewToken;
use cairn_gate::{Allowance, Authentication, GateConfig};
use cairn_http::{Client, HttpConfig};
use cairn_wire::kip::{KipLogs, KipLogsBody};
use serde_json::{Value, json};

use crate::client::{Answer, get, post, send};
use crate::server::Server;

pub(crate) const DRUGS: &str = r#"UPSERT {
  CONCEPT ?type { {type: "$ConceptType", name: "Drug"} SET ATTRIBUTES { description: "d" } }
  CONCEPT ?drug { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk: 2 } }
}"#;
pub(crate) const NAMES: &str = r#"FIND(?d.name) WHERE { ?d {type: "Drug"} }"#;

async fn with_drugs() -> Server {
    let server = Server::start().await;
    let made = asked(&server, "/v1/kip", &json!({"command": DRUGS})).await;
    assert!(made.get("result").is_some(), "{made:#}");
    server
}

/// An answer of KIP, whatever it is.
async fn asked(server: &Server, path: &str, body: &Value) -> Value {
    let answer = post(server.addr, path, &body.to_string()).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")), "{answer:?}");
    answer.json()
}

fn code(response: &Value) -> &str {
    response["error"]["code"].as_str().unwrap_or("none")
}

#[tokio::test]
async fn every_shape_of_a_call_is_answered() {
    let server = with_drugs().await;
    let request = json!({"command": NAMES});
    let expected = json!({"result": ["Aspirin"]});
    let rpc = |id: Value| json!({"jsonrpc": "2.0", "id": id, "method": "execute_kip", "params": request});
    for (path, body, answer) in [
        ("/v1/kip", request.clone(), expected.clone()),
        ("/kip", json!({"method": "execute_kip", "params": request}), expected.clone()),
        ("/kip", json!({"method": "execute_kip_readonly", "params": request}), expected.clone()),
        ("/kip", json!({"function": {"name": "execute_kip", "arguments": request}}), expected.clone()),
        (
            "/kip",
            json!({"function": {"name": "execute_kip_readonly", "arguments": request.to_string()}}),
            expected.clone(),
        ),
        ("/kip", rpc(json!(7)), json!({"jsonrpc": "2.0", "id": 7, "result": expected})),
        ("/kip", rpc(json!("a")), json!({"jsonrpc": "2.0", "id": "a", "result": expected})),
        ("/kip", rpc(Value::Null), json!({"jsonrpc": "2.0", "id": null, "result": expected})),
    ] {
        assert_eq!(asked(&server, path, &body).await, answer, "{body}");
    }
}

#[tokio::test]
async fn the_log_is_its_wire_type() {
    let server = with_drugs().await;
    let long = format!("FIND(?d) WHERE {{ ?d {{name: \"{}\"}} }}", "x".repeat(100_000));
    for body in
        [json!({"command": DRUGS, "dry_run": true}), json!({"command": long}), json!({"command": "FIND("})]
    {
        asked(&server, "/v1/kip", &body).await;
    }
    for params in [json!({}), json!({"limit": 2}), json!({"limit": 0})] {
        let body = json!({"method": "list_logs", "params": params}).to_string();
        let answer = post(server.addr, "/kip", &body).await;
        let page: KipLogs = serde_json::from_str(&answer.body).expect("a page");
        assert_eq!(serde_json::to_string(&page).expect("plain data"), answer.body, "{params}");
    }
    let mut client = Client::over(server.local().await, Duration::from_secs(300)).await.expect("it connects");
    let page = client.kip_logs(&KipLogsBody::default()).await.expect("a page");
    let entries = page.result.expect("no error");
    let flags: Vec<_> = entries.iter().map(|entry| (entry.cut, entry.dry_run)).collect();
    assert_eq!(flags, [(false, false), (true, false), (false, true), (false, false)], "{entries:?}");
}

#[tokio::test]
async fn parameters_formats_and_batches_come_through() {
    let server = with_drugs().await;
    let find = r#"FIND(?d.name, ?d.attributes.risk) WHERE { ?d {type: "Drug", name: :name} }"#;
    let body = json!({"command": find, "parameters": {"name": "Aspirin"}, "format": "rows"});
    assert_eq!(asked(&server, "/v1/kip", &body).await, json!({"result": [["Aspirin", 2]]}));
    let body = json!({"commands": [NAMES, {"command": find, "parameters": {"name": "Aspirin"}}, "FIND("]});
    let batch = asked(&server, "/v1/kip", &body).await;
    assert_eq!(batch["result"][0], json!({"result": ["Aspirin"]}), "{batch:#}");
    assert_eq!(batch["result"][1], json!({"result": [["Aspirin"], [2]]}), "{batch:#}");
    assert_eq!(code(&batch["result"][2]), "KIP_1001", "{batch:#}");
    let dry = json!({"command": DRUGS.replace("Aspirin", "Ibuprofen"), "dry_run": true});
    assert!(asked(&server, "/v1/kip", &dry).await.get("result").is_some());
    assert_eq!(asked(&server, "/v1/kip", &json!({"command": NAMES})).await, json!({"result": ["Aspirin"]}));
}

#[tokio::test]
async fn whatever_kip_answers_has_status_200() {
    let server = with_drugs().await;
    for (path, body, expected) in [
        ("/v1/kip", json!({"command": "FIND("}), "KIP_1001"),
        ("/v1/kip", json!({"command": r#"FIND(?d) WHERE { ?d {type: "drug"} }"#}), "KIP_2001"),
        ("/v1/kip", json!({}), "KIP_1001"),
        ("/v1/kip", json!([]), "KIP_1001"),
        ("/v1/kip", json!("FIND"), "KIP_1001"),
        ("/v1/kip", json!({"command": NAMES, "commands": [NAMES]}), "KIP_1001"),
        ("/kip", json!({"method": "execute_kip", "params": {"command": 7}}), "KIP_1001"),
        ("/kip", json!({"method": "execute_kip_readonly", "params": {"command": DRUGS}}), "KIP_1001"),
        ("/kip", json!({"function": {"name": "execute_kip", "arguments": {}}}), "KIP_1001"),
        ("/kip", json!({"method": "list_logs", "params": {"limit": 0}}), "KIP_1001"),
    ] {
        let answer = asked(&server, path, &body).await;
        assert_eq!(code(&answer), expected, "{body}: {answer:#}");
        assert!(answer["error"]["message"].is_string() && answer["error"]["hint"].is_string(), "{answer:#}");
    }
    let inside = json!({"jsonrpc": "2.0", "id": 1, "method": "execute_kip", "params": {"command": "FIND("}});
    let answer = asked(&server, "/kip", &inside).await;
    assert_eq!((code(&answer["result"]), answer.get("error")), ("KIP_1001", None), "{answer:#}");
}

#[tokio::test]
async fn what_is_wrong_before_kip_sees_it_has_its_own_status() {
    let server = Server::start().await;
    for (path, body, expected) in [
        ("/v1/kip", "{\"command\":", (400, "MalformedJson")),
        ("/v1/kip", "", (400, "MalformedJson")),
        ("/v1/kip", "{\"command\": \"a\", \"command\": \"b\"}", (400, "MalformedJson")),
        ("/kip", "FIND(?x)", (400, "MalformedJson")),
        ("/kip", "{}", (422, "InvalidRequest")),
        ("/kip", "7", (422, "InvalidRequest")),
        ("/kip", r#"{"command": "DESCRIBE PRIMER"}"#, (422, "InvalidRequest")),
        ("/kip", r#"{"method": "drop_everything"}"#, (422, "InvalidRequest")),
        ("/kip", r#"{"function": {"name": "drop_everything"}}"#, (422, "InvalidRequest")),
    ] {
        let answer = post(server.addr, path, body).await;
        let (status, code) = answer.error();
        assert_eq!((status, code.as_str()), expected, "{path} {body}");
    }
    let text = send(server.addr, "POST /kip", "content-type: text/plain\r\n", b"{}").await;
    assert_eq!(text.error(), (415, "UnsupportedMediaType".to_owned()));
    assert_eq!(get(server.addr, "/kip").await.error(), (405, "MethodNotAllowed".to_owned()));
}

#[tokio::test]
async fn json_rpc_has_its_own_errors() {
    let server = with_drugs().await;
    let error = async |body: &str| {
        let answer = post(server.addr, "/kip", body).await;
        assert_eq!(answer.status, 200, "{body}: {answer:?}");
        let answer = answer.json();
        (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap_or(0))
    };
    for (body, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"drop"}"#, (json!(1), -32601)),
        (r#"{"jsonrpc":"2.0","id":1}"#, (json!(1), -32600)),
        (r#"{"jsonrpc":"3.0","id":1,"method":"execute_kip"}"#, (json!(1), -32600)),
        (r#"{"jsonrpc":"2.0","id":[],"method":"execute_kip"}"#, (json!(null), -32600)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"execute_kip","params":["FIND"]}"#, (json!(1), -32602)),
        ("[]", (json!(null), -32600)),
    ] {
        assert_eq!(error(body).await, expected, "{body}");
    }
}

#[tokio::test]
async fn what_has_no_id_is_done_and_not_answered() {
    let server = with_drugs().await;
    let silent = |name: &str| {
        let command = DRUGS.replace("Aspirin", name);
        json!({"jsonrpc": "2.0", "method": "execute_kip", "params": {"command": command}})
    };
    for body in [silent("Ibuprofen"), json!([silent("Codeine"), silent("Morphine")])] {
        let answer = post(server.addr, "/kip", &body.to_string()).await;
        assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{body}");
    }
    let names = asked(&server, "/v1/kip", &json!({"command": NAMES})).await;
    assert_eq!(names["result"].as_array().map(Vec::len), Some(4), "{names}");
}

#[tokio::test]
async fn a_batch_of_calls_is_answered_in_order() {
    let server = Server::start().await;
    let call = |id: u64, method: &str, command: &str| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"command": command}});
    let silent = json!({"jsonrpc": "2.0", "method": "execute_kip", "params": {"command": DRUGS.replace("Aspirin", "Codeine")}});
    let body = json!([
        call(1, "execute_kip", DRUGS),
        call(2, "execute_kip", NAMES),
        silent,
        7,
        call(3, "drop", ""),
        call(4, "execute_kip_readonly", NAMES),
    ]);
    let answers = asked(&server, "/kip", &body).await;
    let ids: Vec<_> = answers.as_array().expect("a list").iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!(2), json!(null), json!(3), json!(4)], "{answers:#}");
    assert_eq!(answers[1]["result"], json!({"result": ["Aspirin"]}), "it sees what the first one wrote");
    assert_eq!(
        (&answers[2]["error"]["code"], &answers[3]["error"]["code"]),
        (&json!(-32600), &json!(-32601))
    );
    assert_eq!(answers[4]["result"], json!({"result": ["Aspirin", "Codeine"]}), "{answers:#}");
}

#[tokio::test]
async fn a_capsule_is_longer_than_other_bodies_and_has_a_limit_as_well() {
    let http = HttpConfig { commands_bytes_max: 4 << 20, ..HttpConfig::default() };
    let server = Server::with(http, GateConfig::default()).await;
    let padded = |bytes: usize| {
        let body = json!({"command": DRUGS}).to_string();
        body.clone() + &" ".repeat(bytes - body.len())
    };
    for path in ["/v1/kip", "/kip", "/v1/tools/execute_kip"] {
        assert_ne!(post(server.addr, path, &padded(4 << 20)).await.status, 413, "{path}");
        let refused = post(server.addr, path, &padded((4 << 20) + 1)).await;
        assert_eq!(refused.error(), (413, "TooLarge".to_owned()), "{path}");
    }
    let other = post(server.addr, "/v1/contexts", &padded(4 << 20)).await;
    assert_eq!(other.error(), (413, "TooLarge".to_owned()), "others are as they were");
    assert_eq!(HttpConfig::default().commands_bytes_max, 17 << 20);
}

/// A server that asks who it is, and what callers of two tenants show.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) reader: String,
    pub(crate) writer: String,
    other: String,
}

pub(crate) async fn world(allowance: Allowance) -> World {
    let gate = GateConfig { authentication: Authentication::Required, allowance, ..GateConfig::default() };
    let server = Server::with(HttpConfig::default(), gate).await;
    let (engine, owner) = (server.gate.engine().clone(), Principal::local_owner());
    let tenant =
        |name| engine.create_tenant(&owner, &TenantName::parse(name).expect("a name")).expect("new").id;
    let token = |tenant, name: &str, role| {
        let (user, roles) = (UserId::parse(name).expect("a name"), Roles::NONE.with(role));
        engine.put_user(&owner, tenant, &user, roles).expect("it is made");
        let wanted = NewToken { user, label: String::new(), scope: roles, expires_at_ms: None };
        let token = engine.issue_token(&owner, tenant, wanted).expect("it is made").0;
        format!("authorization: Bearer {}\r\n", *token.reveal())
    };
    let (acme, stranger) = (tenant("acme"), tenant("other"));
    let reader = token(acme, "rita", Role::Reader);
    let (writer, other) = (token(acme, "will", Role::Writer), token(stranger, "otto", Role::Writer));
    World { server, reader, writer, other }
}

impl World {
    pub(crate) async fn ask(&self, token: &str, path: &str, body: &Value) -> Answer {
        let head = format!("content-type: application/json\r\n{token}");
        send(self.server.addr, &format!("POST {path}"), &head, body.to_string().as_bytes()).await
    }
}

#[tokio::test]
async fn readers_read_and_whoever_shows_nothing_does_nothing() {
    let world = world(Allowance::NONE).await;
    let (read, write) = (json!({"command": NAMES}), json!({"command": DRUGS}));
    for path in ["/v1/kip", "/kip"] {
        assert_eq!(world.ask("", path, &read).await.error().0, 401, "{path}");
    }
    assert_eq!(world.ask(&world.reader, "/v1/kip", &write).await.error(), (403, "Forbidden".to_owned()));
    let call = |id: u64, request: &Value| json!({"jsonrpc": "2.0", "id": id, "method": "execute_kip", "params": request});
    assert_eq!(
        world.ask(&world.reader, "/kip", &call(1, &write)).await.error(),
        (403, "Forbidden".to_owned())
    );
    let dry = json!({"command": DRUGS, "dry_run": true});
    assert_eq!(world.ask(&world.reader, "/v1/kip", &dry).await.error().0, 403, "trying is writing");
    assert_eq!(world.ask(&world.writer, "/v1/kip", &write).await.status, 200);
    let found = world.ask(&world.reader, "/v1/kip", &read).await;
    assert_eq!(found.json(), json!({"result": ["Aspirin"]}));
    // In an array the others are answered for all that.
    let mixed = world.ask(&world.reader, "/kip", &json!([call(1, &write), call(2, &read)])).await;
    assert_eq!(mixed.status, 200, "{mixed:?}");
    let mixed = mixed.json();
    assert_eq!(
        (&mixed[0]["error"]["code"], &mixed[0]["error"]["data"]["code"]),
        (&json!(-32003), &json!("Forbidden"))
    );
    assert_eq!(mixed[1]["result"], json!({"result": ["Aspirin"]}));
}

#[tokio::test]
async fn tenants_do_not_see_each_other() {
    let world = world(Allowance::NONE).await;
    let write = json!({"command": DRUGS, "space": "project"});
    assert_eq!(world.ask(&world.writer, "/v1/kip", &write).await.status, 200);
    assert_eq!(world.ask(&world.writer, "/v1/kip", &json!({"command": DRUGS})).await.status, 200);
    let read = |space: &str| json!({"command": NAMES, "space": space});
    let unknown = |answer: &Answer| answer.json()["error"]["code"].as_str().unwrap_or("none").to_owned();
    let own = world.ask(&world.reader, "/v1/kip", &read("project")).await;
    assert_eq!(own.json(), json!({"result": ["Aspirin"]}));
    let theirs = world.ask(&world.other, "/v1/kip", &read("project")).await;
    let nobodys = world.ask(&world.other, "/v1/kip", &read("nowhere")).await;
    assert_eq!((unknown(&theirs), unknown(&nobodys)), ("KIP_3002".to_owned(), "KIP_3002".to_owned()));
    assert_eq!(theirs.body.replace("project", "nowhere"), nobodys.body, "the same words");
    // A type that only others have is no type.
    let memory = world.ask(&world.other, "/v1/kip", &read("memory")).await;
    assert_eq!(unknown(&memory), "KIP_2001");
    assert!(!memory.body.contains("Aspirin"), "{memory:?}");
    let logs = json!({"method": "list_logs", "params": {}});
    let mine = world.ask(&world.writer, "/kip", &logs).await.json();
    assert_eq!(mine["result"].as_array().map(Vec::len), Some(2), "{mine:#}");
    let theirs = world.ask(&world.other, "/kip", &logs).await;
    assert!(!theirs.body.contains("Aspirin"), "{theirs:?}");
}

#[tokio::test]
async fn reading_and_writing_count_as_what_they_are() {
    let one = NonZeroU64::new(1);
    let allowance = Allowance { searches_per_minute: one, writes_per_minute: one, ..Allowance::NONE };
    let world = world(allowance).await;
    let call = |method: &str, command: &str| json!({"method": method, "params": {"command": command}});
    let limited = |answer: &Answer| answer.json()["error"]["details"]["limit"].clone();
    assert_eq!(world.ask(&world.writer, "/kip", &call("execute_kip", DRUGS)).await.status, 200);
    assert_eq!(world.ask(&world.writer, "/kip", &call("execute_kip_readonly", NAMES)).await.status, 200);
    let again = world.ask(&world.writer, "/kip", &call("execute_kip", DRUGS)).await;
    assert_eq!((again.status, limited(&again)), (429, json!("writes")));
    let again = world.ask(&world.writer, "/kip", &call("execute_kip_readonly", NAMES)).await;
    assert_eq!((again.status, limited(&again)), (429, json!("searches")));
}

#[tokio::test]
async fn the_functions_are_what_calls_take() {
    let server = Server::start().await;
    let functions = get(server.addr, "/v1/kip/functions").await;
    assert_eq!(functions.status, 200);
    let functions = functions.json();
    let names: Vec<_> = functions.as_array().expect("a list").iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, [json!("execute_kip"), json!("execute_kip_readonly")]);
    for function in functions.as_array().expect("a list") {
        // Providers drop a function, or refuse the request, that has one of these at the top.
        let schema = function["parameters"].as_object().expect("a schema");
        assert_eq!(schema["type"], "object", "{function:#}");
        for keyword in ["oneOf", "anyOf", "allOf", "not", "enum", "$ref", "$schema"] {
            assert!(!schema.contains_key(keyword), "{keyword}: {function:#}");
        }
        assert!(function["description"].as_str().is_some_and(|text| text.len() <= 1_024), "{function:#}");
        // What a model would call, made of the definition alone.
        let fields = function["parameters"]["properties"].as_object().expect("fields");
        assert!(fields.contains_key("command") && fields.contains_key("commands"), "{function:#}");
        for arguments in [json!({"command": "DESCRIBE PRIMER"}), json!({"commands": ["DESCRIBE PRIMER"]})] {
            let call = json!({"function": {"name": function["name"], "arguments": arguments}});
            let answer = asked(&server, "/kip", &call).await;
            assert!(answer.get("result").is_some(), "{call}: {answer:#}");
        }
    }
}

/// The schema cannot say it, so the engine does, at every door.
#[tokio::test]
async fn one_of_command_and_commands_is_sent_and_not_both() {
    let server = with_drugs().await;
    let both = json!({"command": NAMES, "commands": [NAMES]});
    for (request, said) in [
        (both.clone(), "exclude each other"),
        (json!({}), "there is no command"),
        (json!({"command": null, "commands": null}), "there is no command"),
        (json!({"dry_run": true}), "there is no command"),
    ] {
        for method in ["execute_kip", "execute_kip_readonly"] {
            let rpc = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": request});
            for (path, body, place) in [
                ("/v1/kip", request.clone(), ""),
                ("/kip", json!({"method": method, "params": request}), ""),
                ("/kip", json!({"function": {"name": method, "arguments": request}}), ""),
                ("/kip", rpc, "/result"),
            ] {
                let answer = asked(&server, path, &body).await;
                let answer = answer.pointer(place).unwrap_or(&Value::Null);
                assert_eq!(code(answer), "KIP_1001", "{path} {body}: {answer:#}");
                let message = answer["error"]["message"].as_str().unwrap_or_default();
                assert!(message.contains(said), "{path} {body}: {message}");
            }
        }
    }
    let write = json!({"command": DRUGS.replace("Aspirin", "Other"), "commands": [DRUGS.replace("Aspirin", "Other")]});
    asked(&server, "/v1/kip", &write).await;
    let names = asked(&server, "/v1/kip", &json!({"command": NAMES})).await;
    assert_eq!(names, json!({"result": ["Aspirin"]}), "neither of them was carried out");
}

#[tokio::test]
async fn a_page_ends_where_its_bytes_do() {
    let server = with_drugs().await;
    let more = r#"UPSERT { CONCEPT { {type: "Drug", name: "Ibuprofen"} } CONCEPT { {type: "Drug", name: "Naproxen"} } }"#;
    asked(&server, "/v1/kip", &json!({"command": more})).await;
    let page = asked(&server, "/v1/kip", &json!({"command": NAMES, "page_bytes": 30})).await;
    assert_eq!(page["result"], json!(["Aspirin", "Ibuprofen"]), "{page:#}");
    let next = format!("{NAMES} CURSOR :next");
    let request = json!({"command": next, "parameters": {"next": page["next_cursor"]}, "page_bytes": 1});
    assert_eq!(asked(&server, "/v1/kip", &request).await, json!({"result": ["Naproxen"]}));
    let wrong = asked(&server, "/v1/kip", &json!({"command": NAMES, "page_bytes": 0})).await;
    assert_eq!(code(&wrong), "KIP_1001");
}

#[tokio::test]
async fn the_client_of_the_program_gets_the_same() {
    let server = with_drugs().await;
    let mut client = Client::over(server.local().await, Duration::from_secs(20)).await.expect("it connects");
    let answer = client.kip("execute_kip", &json!({"command": NAMES})).await.expect("an answer");
    assert_eq!(json!(answer), json!({"result": ["Aspirin"]}));
    let answer =
        client.kip("execute_kip", &json!({"command": "FIND("})).await.expect("an answer all the same");
    assert_eq!(code(&json!(answer)), "KIP_1001");
    let logs = client.kip("list_logs", &json!({"limit": 2})).await.expect("an answer");
    assert_eq!(logs.result().as_array().map(<[_]>::len), Some(2), "{logs:?}");
}

#[tokio::test]
async fn a_sleep_cycle_tells_and_removes_only_when_it_is_told_to() {
    let server = with_drugs().await;
    let old = r#"UPSERT { CONCEPT { {type: "Drug", name: "Old"} } } WITH METADATA { expires_at: "2001-01-01T00:00:00Z" }"#;
    asked(&server, "/v1/kip", &json!({"command": old})).await;
    let slept = async |body: Value| {
        let answer = post(server.addr, "/v1/kip/sleep", &body.to_string()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let last = answer.body.lines().rfind(|line| line.starts_with('{')).expect("a line").to_owned();
        serde_json::from_str::<Value>(&last).expect("JSON")["report"].clone()
    };
    let told = slept(json!({"limit": 1})).await;
    assert_eq!(
        (&told["applied"], &told["removed_concepts"], &told["space"]),
        (&json!(false), &json!(1), &json!("memory"))
    );
    let expected = json!({"total": 1, "shown": [
        {"id": told["expired"]["shown"][0]["id"], "type": "Drug", "name": "Old", "expires_at": "2001-01-01T00:00:00Z"}
    ]});
    assert_eq!(told["expired"], expected);
    assert_eq!(
        (&told["without_domain"]["total"], told["without_domain"]["shown"].as_array().map(Vec::len)),
        (&json!(1), Some(1))
    );
    assert_eq!(
        asked(&server, "/v1/kip", &json!({"command": NAMES})).await,
        json!({"result": ["Aspirin", "Old"]})
    );
    assert_eq!(slept(json!({"apply": true})).await["applied"], true);
    assert_eq!(asked(&server, "/v1/kip", &json!({"command": NAMES})).await, json!({"result": ["Aspirin"]}));
    let missing = post(server.addr, "/v1/kip/sleep", r#"{"space":"nowhere"}"#).await;
    assert_eq!(missing.status, 422, "{missing:?}");
    let wrong = post(server.addr, "/v1/kip/sleep", r#"{"aply":true}"#).await;
    assert_eq!(wrong.status, 422, "{wrong:?}");
}

#[tokio::test]
async fn upserts_need_no_thread_of_queries() {
    let gate = GateConfig { queries_max: 1, long_queries_max: 1, ..GateConfig::default() };
    let server = Server::with(HttpConfig::default(), gate).await;
    // The first one makes the types of the space, and may block.
    assert!(asked(&server, "/v1/kip", &json!({"command": DRUGS})).await.get("result").is_some());
    let (mut leave, mut held) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let (leaving, left) = std::sync::mpsc::channel::<()>();
        let (enter, entered) = tokio::sync::oneshot::channel();
        let gate = server.gate.clone();
        held.push(tokio::spawn(async move {
            let admission = gate.admit().await?;
            gate.query(&admission, move |_| {
                enter.send(()).expect("the test listens");
                // It ends with its sender.
                let _ = left.recv();
                Ok(())
            })
            .await
        }));
        leave.push(leaving);
        entered.await.expect("it has a place");
    }
    let drug = |name: &str| DRUGS.replace("Aspirin", name);
    let one = asked(&server, "/v1/kip", &json!({"command": drug("Ibuprofen")})).await;
    assert_eq!(one["result"]["created"]["concepts"], json!(1), "{one:#}");
    let batch = json!({"commands": [drug("Naproxen"), "UPSERT {", drug("Codeine")]});
    let batch = asked(&server, "/v1/kip", &batch).await;
    let created = |at: usize| &batch["result"][at]["result"]["created"]["concepts"];
    assert_eq!((created(0), created(2)), (&json!(1), &json!(1)), "{batch:#}");
    assert_eq!(code(&batch["result"][1]), "KIP_1001", "{batch:#}");
    let wrong = json!({"command": r#"UPSERT { CONCEPT { {type: "Nothing", name: "x"} } }"#});
    assert_eq!(code(&asked(&server, "/v1/kip", &wrong).await), "KIP_2001");
    drop(leave);
    for query in held {
        query.await.expect("no panic").expect("it ended");
    }
    let names = asked(&server, "/v1/kip", &json!({"command": NAMES})).await;
    assert_eq!(names["result"].as_array().map(Vec::len), Some(4), "{names:#}");
}
