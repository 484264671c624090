//! The protocol over pipes inside the process, before a door that answers as the test wishes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cairn_base::ErrorCode;
use cairn_mcp::{Answer, CallError, Door, Offer, ServeError, serve};
use cairn_tools::Tool;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(300);

/// Answers what it was asked, each call when it has leave to.
struct Echo {
    entered: AtomicUsize,
    leave: Semaphore,
}

impl Door for Echo {
    fn call<'a>(&'a self, tool: &'static Tool, arguments: &'a cairn_base::Value) -> Answer<'a> {
        Box::pin(async move {
            self.entered.fetch_add(1, Ordering::SeqCst);
            self.leave.acquire().await.expect("open").forget();
            match arguments.get("command").and_then(cairn_base::Value::as_str) {
                Some("unreached") => {
                    let hint = Some("wait".to_owned());
                    Err(CallError {
                        code: ErrorCode::Unavailable,
                        message: "nobody is there".to_owned(),
                        hint,
                    })
                }
                Some("forbidden") => Err(CallError::new(ErrorCode::Forbidden, "you may not")),
                Some("wrong") => {
                    Ok(json!({"error": {"code": "KIP_2001", "message": "no such type", "hint": "look"}}))
                }
                _ => Ok(json!({"result": {"tool": tool.name, "arguments": arguments}, "next_cursor": "c"})),
            }
        })
    }
}

struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    say: WriteHalf<DuplexStream>,
    door: Arc<Echo>,
    served: JoinHandle<Result<(), ServeError>>,
}

impl Client {
    /// A client before a door with so many answers.
    fn new(leave: usize, offer: Offer) -> Client {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, output) = split(theirs);
        let door = Arc::new(Echo { entered: AtomicUsize::new(0), leave: Semaphore::new(leave) });
        let served = tokio::spawn(serve(input, output, Arc::clone(&door) as Arc<dyn Door>, offer));
        let (hear, say) = split(ours);
        Client { lines: BufReader::new(hear).lines(), say, door, served }
    }

    async fn begun(leave: usize, offer: Offer) -> Client {
        let mut client = Client::new(leave, offer);
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        client.send(0, "initialize", params).await;
        assert_eq!(client.hear().await["id"], 0);
        client
    }

    async fn say(&mut self, line: &str) {
        self.say.write_all(format!("{line}\n").as_bytes()).await.expect("it reads");
    }

    async fn send(&mut self, id: u64, method: &str, params: Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
    }

    async fn hear_text(&mut self) -> String {
        let line = timeout(PATIENCE, self.lines.next_line()).await.expect("an answer").expect("text");
        line.expect("it goes on")
    }

    async fn hear(&mut self) -> Value {
        serde_json::from_str(&self.hear_text().await).expect("JSON")
    }

    async fn call(&mut self, command: &str) -> Value {
        self.send(1, "tools/call", json!({"name": "execute_kip", "arguments": {"command": command}})).await;
        self.hear().await["result"].clone()
    }
}

#[tokio::test]
async fn a_call_goes_through_the_door_and_its_answer_comes_back() {
    let mut client = Client::begun(9, Offer::Everything).await;
    let done = client.call("x").await;
    let arguments = json!({"command": "x"});
    let response = json!({"result": {"tool": "execute_kip", "arguments": arguments}, "next_cursor": "c"});
    assert_eq!((&done["isError"], &done["structuredContent"]), (&json!(false), &response), "{done:#}");
    let text: Value = serde_json::from_str(done["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(text, response);
    let wrong = client.call("wrong").await;
    assert_eq!(
        (&wrong["isError"], &wrong["structuredContent"]["error"]["code"]),
        (&json!(true), &json!("KIP_2001"))
    );
    assert_eq!(wrong["content"][0]["text"], "KIP_2001: no such type\nhint: look");
    let unreached = client.call("unreached").await;
    let error = json!({"error": {"code": "Unavailable", "message": "nobody is there", "hint": "wait", "retry": "later"}});
    assert_eq!((&unreached["isError"], &unreached["structuredContent"]), (&json!(true), &error));
    let forbidden = client.call("forbidden").await;
    let hint = "ask an administrator for the permission";
    let error =
        json!({"error": {"code": "Forbidden", "message": "you may not", "hint": hint, "retry": "never"}});
    assert_eq!((&forbidden["isError"], &forbidden["structuredContent"]), (&json!(true), &error));
    assert_eq!(forbidden["content"][0]["text"], format!("Forbidden: you may not\nhint: {hint}"));
}

/// A tool call with arguments as they are written.
fn call_line(arguments: &str) -> String {
    let params = format!(r#"{{"name":"execute_kip","arguments":{arguments}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
}

#[tokio::test]
async fn numbers_of_arguments_stay_exact() {
    let mut client = Client::begun(9, Offer::Everything).await;
    // serde_json reads the first one as 0.9812852326851966, and the last one as a float.
    let exact = r#"{"a":0.9812852326851965,"b":18446744073709551615,"c":-9223372036854775808}"#;
    client.say(&call_line(exact)).await;
    let answer = client.hear_text().await;
    assert!(
        answer
            .contains(&format!(r#""structuredContent":{{"next_cursor":"c","result":{{"arguments":{exact}"#)),
        "{answer}"
    );
    for (arguments, problem) in [
        (
            r#"{"n":18446744073709551617}"#,
            "the number 18446744073709551617 cannot be kept exactly; send it as a string",
        ),
        (r#"{"n":1e400}"#, "the number 1e400 cannot be kept exactly; send it as a string"),
        (r#"{"n":1,"n":2}"#, r#"the key "n" stands twice in one object; send it once"#),
    ] {
        client.say(&call_line(arguments)).await;
        let refused = client.hear().await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32602)), "{refused:#}");
        let message = refused["error"]["message"].as_str().expect("a message");
        assert!(message.starts_with("invalid arguments: ") && message.ends_with(problem), "{message}");
    }
    assert_eq!(client.door.entered.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_door_that_does_not_open_is_in_nobodys_way() {
    let mut client = Client::begun(0, Offer::Everything).await;
    client.send(1, "tools/call", json!({"name": "execute_kip", "arguments": {}})).await;
    for (id, method) in [(2, "tools/list"), (3, "resources/list"), (4, "ping")] {
        client.send(id, method, json!({})).await;
        assert_eq!(client.hear().await["id"], id, "{method}");
    }
    client.door.leave.add_permits(1);
    assert_eq!(client.hear().await["id"], 1);
}

#[tokio::test]
async fn so_many_calls_are_worked_on_and_no_more() {
    let mut client = Client::begun(0, Offer::Everything).await;
    for id in 1..=65 {
        client.send(id, "tools/call", json!({"name": "execute_kip", "arguments": {}})).await;
    }
    // One of them is too many, and is told so at once.
    let refused = client.hear().await["result"].clone();
    assert_eq!(refused["isError"], true, "{refused:#}");
    assert!(
        refused["content"][0]["text"].as_str().is_some_and(|text| text.contains("64 calls")),
        "{refused:#}"
    );
    assert_eq!(refused["structuredContent"]["error"]["code"], "Overloaded", "{refused:#}");
    assert_eq!(client.door.entered.load(Ordering::SeqCst), 64);
    client.door.leave.add_permits(64);
    for _ in 0..64 {
        assert_eq!(client.hear().await["result"]["isError"], false);
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_gives_its_place_back() {
    let mut client = Client::begun(0, Offer::Everything).await;
    for id in 1..=64 {
        client.send(id, "tools/call", json!({"name": "execute_kip", "arguments": {}})).await;
    }
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    client.say(&cancelled.to_string()).await;
    client.door.leave.add_permits(1000);
    let mut heard = Vec::new();
    for _ in 0..63 {
        heard.push(client.hear().await["id"].as_u64().expect("a number"));
    }
    assert!(!heard.contains(&7), "{heard:?}");
    assert_eq!(client.call("x").await["isError"], false);
}

#[tokio::test]
async fn only_reading_is_offered_where_that_was_asked_for() {
    let mut client = Client::begun(9, Offer::ReadOnly).await;
    client.send(1, "tools/list", json!({})).await;
    let tools = client.hear().await["result"]["tools"].clone();
    assert_eq!(
        (tools.as_array().map(Vec::len), &tools[0]["name"]),
        (Some(1), &json!("execute_kip_readonly"))
    );
    client.send(2, "tools/call", json!({"name": "execute_kip", "arguments": {"command": "x"}})).await;
    assert_eq!(client.hear().await["error"]["code"], -32602);
    assert_eq!(client.door.entered.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol_that_names_the_nearest() {
    let mut client = Client::begun(0, Offer::Everything).await;
    for (id, name, message) in [
        (1, "execute_kp", "there is no tool \"execute_kp\"; did you mean execute_kip?"),
        (2, "zzz", "there is no tool \"zzz\"; there are execute_kip, execute_kip_readonly"),
    ] {
        client.send(id, "tools/call", json!({"name": name, "arguments": {}})).await;
        let error = client.hear().await["error"].clone();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(message)));
    }
    assert_eq!(client.door.entered.load(Ordering::SeqCst), 0);
}

/// Providers refuse a whole request, or drop the tool in silence, where one of these is not met.
#[tokio::test]
async fn every_provider_accepts_the_tools() {
    let mut client = Client::begun(0, Offer::Everything).await;
    client.send(1, "tools/list", json!({})).await;
    let tools = client.hear().await["result"]["tools"].clone();
    let tools = tools.as_array().expect("tools");
    assert_eq!(tools.len(), 2);
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        assert!((1..=64).contains(&name.len()) && name.bytes().all(is_plain), "{name}");
        let length = tool["description"].as_str().expect("a description").chars().count();
        assert!(length <= 1_024, "{name} has a description of {length} characters");
        for schema in ["inputSchema", "outputSchema"] {
            let schema = tool[schema].as_object().expect("a schema");
            assert_eq!(schema["type"], "object", "{tool:#}");
            assert!(schema["properties"].is_object(), "{tool:#}");
            for keyword in ["oneOf", "anyOf", "allOf", "not", "if", "enum", "const", "$ref"] {
                assert!(!schema.contains_key(keyword), "{keyword} at the top of a schema of {name}");
            }
        }
        assert!(tool["inputSchema"].get("$schema").is_none(), "{tool:#}");
        assert!(!tool.to_string().contains("\"oneOf\""), "{tool:#}");
    }
}

#[tokio::test]
async fn the_tools_are_reviewed_like_code() {
    let mut client = Client::begun(0, Offer::Everything).await;
    client.send(1, "tools/list", json!({})).await;
    let tools = client.hear().await["result"]["tools"].clone();
    insta::assert_snapshot!(format!("{tools:#}"));
}

#[tokio::test]
async fn what_comes_before_the_first_request_ends_nothing() {
    let mut client = Client::new(9, Offer::Everything);
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
        "",
    ] {
        client.say(line).await;
    }
    client.say("nonsense").await;
    assert_eq!(client.hear().await["error"]["code"], -32700);
    // Asked too early: told so, and asked again.
    client.send(5, "tools/list", json!({})).await;
    assert_eq!(client.hear().await["error"]["code"], -32602);
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    client.send(6, "initialize", params).await;
    assert_eq!(client.hear().await["id"], 6);
}

#[tokio::test]
async fn it_ends_with_its_input_and_the_last_line_needs_no_end() {
    let mut client = Client::begun(9, Offer::Everything).await;
    let last = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "execute_kip", "arguments": {}}});
    client.say.write_all(last.to_string().as_bytes()).await.expect("it reads");
    client.say.shutdown().await.expect("it ends");
    assert_eq!(client.hear().await["id"], 1);
    timeout(PATIENCE, client.served).await.expect("in time").expect("no panic").expect("in order");
    let mut silent = Client::new(0, Offer::Everything);
    silent.say.shutdown().await.expect("it ends");
    timeout(PATIENCE, silent.served).await.expect("in time").expect("no panic").expect("in order");
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_by_its_id() {
    let mut client = Client::begun(9, Offer::Everything).await;
    // Good calls but for their length, with the id before and after what makes them long.
    let params = json!({"name": "execute_kip", "arguments": {"command": "x".repeat(18 << 20), "id": 1}});
    let lines = [
        (
            json!("seven"),
            format!(r#"{{"jsonrpc":"2.0","id":"seven","method":"tools/call","params":{params}}}"#),
        ),
        (json!(7), format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{params},"id":7}}"#)),
        (json!(null), params.to_string()),
    ];
    for (id, line) in lines {
        timeout(PATIENCE, client.say(&line)).await.expect("it is read");
        let refused = client.hear().await;
        assert_eq!((&refused["jsonrpc"], refused.get("id")), (&json!("2.0"), Some(&id)), "{refused:#}");
        let error = &refused["error"];
        assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32013), &json!("TooLarge")));
        assert_eq!(error["data"]["bytes_max"], 17 << 20);
    }
    client.send(8, "tools/call", json!({"name": "execute_kip", "arguments": {}})).await;
    assert_eq!(client.hear().await["id"], 8);
    assert_eq!(client.door.entered.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn every_line_that_is_no_message_is_refused_with_its_id_and_code() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":9,"method":"ping","params":{}{}}}"#,
        "[".repeat(999),
        "]".repeat(999)
    );
    let rows: &[(&[u8], Value, i32)] = &[
        (b"nonsense", json!(null), -32700),
        (b"\xff\xfe", json!(null), -32700),
        (br#"{"jsonrpc":"2.0","id":5,"method":"ping""#, json!(5), -32700),
        (br#"{"jsonrpc":"2.0","id":"a","method":ping}"#, json!("a"), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"\xff\"}", json!(6), -32700),
        (br#"{"jsonrpc":"2.0","method":"ping","id":12"#, json!(null), -32700),
        (br#"{"jsonrpc":"2.0","id":5,"method":"ping"} {}"#, json!(5), -32700),
        (b"7", json!(null), -32600),
        (b"{}", json!(null), -32600),
        (br#"[{"jsonrpc":"2.0","id":5,"method":"ping"}]"#, json!(null), -32600),
        (br#"{"id":5,"method":"ping"}"#, json!(5), -32600),
        (br#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, json!(5), -32600),
        (br#"{"jsonrpc":"2.0","id":5}"#, json!(5), -32600),
        (br#"{"jsonrpc":"2.0","id":5,"method":7}"#, json!(5), -32600),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, json!(null), -32600),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), -32600),
        (br#"{"jsonrpc":"2.0","id":{"id":5},"method":"ping"}"#, json!(null), -32600),
        (br#"{"jsonrpc":"2.0","id":5,"method":"ping","result":{}}"#, json!(5), -32600),
        (deep.as_bytes(), json!(9), -32602),
        (br#"{"jsonrpc":"2.0","id":5,"method":"no/such"}"#, json!(5), -32601),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call"}"#, json!(5), -32602),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":7}}"#, json!(5), -32602),
        (br#"{"jsonrpc":"2.0","id":5,"method":"resources/read","params":[]}"#, json!(5), -32602),
    ];
    let mut client = Client::begun(9, Offer::Everything).await;
    for (line, id, code) in rows {
        let text = String::from_utf8_lossy(line);
        client.say.write_all(&[line, &b"\n"[..]].concat()).await.expect("it reads");
        let refused = client.hear().await;
        assert_eq!(
            (refused.get("id"), &refused["error"]["code"]),
            (Some(id), &json!(code)),
            "{text}: {refused:#}"
        );
        assert_eq!(refused["jsonrpc"], "2.0");
        assert!(refused["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{refused}");
    }
    // Nobody waits for an answer to these.
    for line in [
        "",
        " \t\r",
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[7]}"#,
        r#"{"jsonrpc":"2.0","method":7}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":7}"#,
        r#"{"jsonrpc":"2.0","id":5,"error":7}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
    ] {
        client.say(line).await;
    }
    client.say("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}").await;
    let answer = client.hear().await;
    assert_eq!((&answer["id"], answer["result"].is_object()), (&json!("last"), true), "{answer:#}");
}

#[tokio::test]
async fn the_last_line_is_refused_as_well_before_it_ends() {
    let mut client = Client::begun(9, Offer::Everything).await;
    client.say.write_all(b"{\"id\":3,").await.expect("it reads");
    client.say.shutdown().await.expect("it ends");
    let refused = client.hear().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(3), &json!(-32700)), "{refused:#}");
    timeout(PATIENCE, client.served).await.expect("it ends").expect("no panic").expect("in order");
}
