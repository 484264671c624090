//! `cairn mcp` as clients run it: over pipes, in both eras of the protocol.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::owner::PlayedOwner;
use crate::program::{Server, cairn, run, stdout, within};

pub(crate) const DATA: [&str; 2] = ["--data-dir", "data"];
const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(300);

pub(crate) const TYPE: &str =
    r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Note"} SET ATTRIBUTES { description: "n" } } }"#;
pub(crate) const NOTES: &str = r#"FIND(COUNT(?n)) WHERE { ?n {type: "Note"} }"#;

pub(crate) fn note(name: &str) -> String {
    format!(r#"UPSERT {{ CONCEPT {{ {{type: "Note", name: "{name}"}} }} }}"#)
}

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A client and the program it started; ended with the test.
pub(crate) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
    /// What every request carries in the newer era.
    meta: Option<Value>,
}

impl Agent {
    pub(crate) fn start(dir: &Path, arguments: &[&str]) -> Agent {
        let mut command = cairn(dir, &[&DATA[..], &["mcp"], arguments].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let lines = lines_of(child.stdout.take().expect("it is piped"));
        Agent { child, stdin, lines, next_id: 1, meta: None }
    }

    /// One that has begun as clients did until 2025.
    pub(crate) fn legacy(dir: &Path, arguments: &[&str]) -> Agent {
        let mut agent = Agent::start(dir, arguments);
        let about = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let begun = agent.ask("initialize", about);
        assert_eq!(begun["result"]["protocolVersion"], LEGACY, "{begun:#}");
        agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    /// One whose requests stand alone.
    pub(crate) fn modern(dir: &Path, arguments: &[&str]) -> Agent {
        let mut agent = Agent::start(dir, arguments);
        agent.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        }));
        agent
    }

    fn say(&mut self, message: &Value) {
        self.say_text(&message.to_string());
    }

    fn say_text(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("it is open");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }

    fn hear_text(&mut self) -> String {
        self.lines.recv_timeout(LONG).expect("an answer")
    }

    pub(crate) fn hear(&mut self) -> Value {
        let line = self.hear_text();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} on standard output: {line:?}"))
    }

    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let id = self.next_id;
        self.next_id += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer:#}");
        answer
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        answer.get("result").cloned().unwrap_or_else(|| panic!("no result: {answer:#}"))
    }

    fn execute(&mut self, command: &str) -> Value {
        let result = self.call("execute_kip", json!({"command": command}));
        assert_eq!(result["isError"], false, "{command}: {result:#}");
        result["structuredContent"]["result"].clone()
    }

    /// Closes its input, and waits for its end: the exit code, and what it said beside answers.
    pub(crate) fn leave(mut self) -> (Option<i32>, String) {
        drop(self.stdin.take());
        let mut stderr = self.child.stderr.take().expect("it is piped");
        let mut child = std::mem::replace(&mut self.child, finished());
        within("its end", move || {
            let mut said = String::new();
            std::io::Read::read_to_string(&mut stderr, &mut said).expect("text");
            (child.wait().expect("it ends").code(), said)
        })
    }

    fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // Only what a failing test left behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A process that has ended, to stand in the place of one that is waited for.
fn finished() -> Child {
    std::process::Command::new("true").spawn().expect("it is there")
}

fn lines_of(stdout: ChildStdout) -> Receiver<String> {
    let (tell, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            let Ok(line) = line else { return };
            if tell.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// What both eras are told: the tools, the page, and that unknown things are unknown.
fn looks_around(agent: &mut Agent) -> Value {
    let tools = agent.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<_> = tools.as_array().expect("tools").iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["execute_kip", "execute_kip_readonly"]);
    for tool in tools.as_array().expect("tools") {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool:#}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool:#}");
        let reads = tool["name"] == "execute_kip_readonly";
        let hints = &tool["annotations"];
        assert_eq!(
            (&hints["readOnlyHint"], &hints["destructiveHint"]),
            (&json!(reads), &json!(!reads)),
            "{tool:#}"
        );
        assert_eq!(
            (&hints["idempotentHint"], &hints["openWorldHint"]),
            (&json!(reads), &json!(false)),
            "{tool:#}"
        );
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 40), "{tool:#}");
    }
    let resources = agent.ask("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(resources[0]["uri"], "cairn://docs/kip", "{resources:#}");
    let page =
        agent.ask("resources/read", json!({"uri": "cairn://docs/kip"}))["result"]["contents"][0].clone();
    assert_eq!(page["mimeType"], "text/markdown", "{page:#}");
    let text = page["text"].as_str().expect("text");
    assert!(text.contains("UPSERT {") && text.contains("DESCRIBE PRIMER") && text.len() < 16 << 10, "{text}");
    let nothing = agent.ask("resources/read", json!({"uri": "cairn://docs/nothing"}));
    assert!(nothing["error"]["message"].is_string(), "{nothing:#}");
    let nobody = agent.ask("tools/call", json!({"name": "drop_everything", "arguments": {}}));
    assert_eq!(nobody["error"]["code"], -32602, "{nobody:#}");
    nothing["error"]["code"].clone()
}

/// Reads and writes, good and bad.
fn works(agent: &mut Agent) {
    let made = agent.call("execute_kip", json!({"command": TYPE}));
    assert_eq!(made["isError"], false, "{made:#}");
    agent.execute(&note("one"));
    let found = agent.call("execute_kip_readonly", json!({"command": NOTES}));
    assert_eq!(
        (&found["isError"], &found["structuredContent"]),
        (&json!(false), &json!({"result": 1})),
        "{found:#}"
    );
    assert_eq!(found["content"], json!([{"type": "text", "text": "{\"result\":1}"}]), "{found:#}");
    let batch = agent.call("execute_kip", json!({"commands": [NOTES, "FIND("]}));
    assert_eq!(batch["structuredContent"]["result"][0], json!({"result": 1}), "{batch:#}");
    for (tool, arguments, code) in [
        ("execute_kip", json!({"command": r#"FIND(?n) WHERE { ?n {type: "note"} }"#}), "KIP_2001"),
        ("execute_kip_readonly", json!({"command": note("two")}), "KIP_1001"),
        ("execute_kip", json!({}), "KIP_1001"),
        ("execute_kip", json!({"command": 7}), "KIP_1001"),
        ("execute_kip", json!({"command": NOTES, "commands": [NOTES]}), "KIP_1001"),
        ("execute_kip_readonly", json!({"command": NOTES, "commands": [NOTES]}), "KIP_1001"),
        ("execute_kip_readonly", json!({}), "KIP_1001"),
    ] {
        let result = agent.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{arguments}: {result:#}");
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["code"], code, "{arguments}: {result:#}");
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.starts_with(&format!("{code}: ")) && text.contains("\nhint: "), "{text}");
    }
}

#[test]
fn clients_that_initialize_are_answered() {
    let dir = here();
    let mut agent = Agent::start(dir.path(), &[]);
    let about =
        json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let begun = agent.ask("initialize", about)["result"].clone();
    assert_eq!(
        (&begun["protocolVersion"], &begun["serverInfo"]["name"]),
        (&json!(LEGACY), &json!("cairn")),
        "{begun:#}"
    );
    assert!(
        begun["capabilities"]["tools"].is_object() && begun["capabilities"]["resources"].is_object(),
        "{begun:#}"
    );
    assert!(begun["instructions"].as_str().is_some_and(|text| text.contains("DESCRIBE PRIMER")), "{begun:#}");
    agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert!(agent.ask("ping", json!({}))["result"].is_object());
    assert_eq!(looks_around(&mut agent), -32002);
    works(&mut agent);
    assert_eq!(agent.leave(), (Some(0), String::new()));
    // And again, on what the first one left.
    let mut agent = Agent::legacy(dir.path(), &[]);
    assert_eq!(agent.execute(NOTES), json!(1));
    assert_eq!(agent.leave(), (Some(0), String::new()));
}

#[test]
fn every_older_version_is_spoken() {
    let dir = here();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut agent = Agent::start(dir.path(), &[]);
        let about = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        assert_eq!(agent.ask("initialize", about)["result"]["protocolVersion"], version);
        assert_eq!(agent.leave().0, Some(0));
    }
}

#[test]
fn requests_that_stand_alone_are_answered() {
    let dir = here();
    let mut agent = Agent::modern(dir.path(), &[]);
    let found = agent.ask("server/discover", json!({}))["result"].clone();
    assert_eq!(found["resultType"], "complete", "{found:#}");
    let versions = found["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!(MODERN)) && versions.contains(&json!(LEGACY)), "{found:#}");
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "cairn", "{found:#}");
    assert!(found["capabilities"]["tools"].is_object() && found["instructions"].is_string(), "{found:#}");
    assert_eq!(looks_around(&mut agent), -32602);
    let tools = agent.ask("tools/list", json!({}))["result"].clone();
    assert_eq!(
        (&tools["resultType"], tools["ttlMs"].is_u64(), tools["cacheScope"].is_string()),
        (&json!("complete"), true, true)
    );
    works(&mut agent);
    agent.meta.as_mut().expect("meta")["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    let refused = agent.ask("tools/list", json!({}));
    assert_eq!(refused["error"]["code"], -32022, "{refused:#}");
    assert!(refused["error"]["data"]["supported"].is_array(), "{refused:#}");
    assert_eq!(agent.leave().0, Some(0));
}

#[test]
fn numbers_come_back_as_they_were_sent() {
    let dir = here();
    let mut agent = Agent::legacy(dir.path(), &[]);
    agent.execute(TYPE);
    let call = |command: &str, parameters: &str| {
        let arguments = format!(r#"{{"command":{},"parameters":{parameters}}}"#, json!(command));
        let params = format!(r#"{{"name":"execute_kip","arguments":{arguments}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{params}}}"#)
    };
    let write = r#"UPSERT { CONCEPT { {type: "Note", name: "n"} SET ATTRIBUTES { x: :x, y: :y } } }"#;
    agent.say_text(&call(write, r#"{"x":0.9812852326851965,"y":18446744073709551615}"#));
    assert_eq!(agent.hear()["result"]["isError"], false);
    let read = r#"FIND(?n.attributes.x, ?n.attributes.y) WHERE { ?n {type: "Note", name: :name} }"#;
    agent.say_text(&call(read, r#"{"name":"n"}"#));
    let answer = agent.hear_text();
    let exact = r#"{"result":[[0.9812852326851965],[18446744073709551615]]}"#;
    // Once as structured content, once as text.
    assert!(answer.contains(exact) && answer.contains(&exact.replace('"', "\\\"")), "{answer}");
    agent.say_text(&call(write, r#"{"x":18446744073709551617,"y":1}"#));
    let refused = agent.hear();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(77), &json!(-32602)), "{refused:#}");
    let message = refused["error"]["message"].as_str().expect("a message");
    assert!(
        message.contains("18446744073709551617 cannot be kept exactly; send it as a string"),
        "{message}"
    );
}

#[test]
fn a_read_only_one_offers_reading() {
    let dir = here();
    let mut agent = Agent::legacy(dir.path(), &["--read-only"]);
    let tools = agent.ask("tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(tools.as_array().map(Vec::len), Some(1), "{tools:#}");
    let refused = agent.ask("tools/call", json!({"name": "execute_kip", "arguments": {"command": TYPE}}));
    assert_eq!(refused["error"]["code"], -32602, "{refused:#}");
    let primer = agent.call("execute_kip_readonly", json!({"command": "DESCRIBE PRIMER"}));
    assert_eq!(primer["isError"], false, "{primer:#}");
}

#[test]
fn beside_a_server_it_goes_through_it() {
    let dir = here();
    let server = Server::start(dir.path(), &DATA);
    let mut agent = Agent::legacy(dir.path(), &[]);
    works(&mut agent);
    let kip = run(dir.path(), &[&DATA[..], &["kip", "--json", "-c", NOTES]].concat());
    assert_eq!(serde_json::from_str::<Value>(&stdout(&kip)).expect("JSON"), json!({"result": 1}));
    // The server goes, and the agent goes on.
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    agent.execute(&note("two"));
    assert_eq!(agent.execute(NOTES), json!(2));
    // Now it has the directory, and commands go through it.
    let kip = run(dir.path(), &[&DATA[..], &["kip", "--json", "-c", NOTES]].concat());
    assert_eq!(serde_json::from_str::<Value>(&stdout(&kip)).expect("JSON"), json!({"result": 2}), "{kip:?}");
    assert_eq!(agent.leave().0, Some(0));
}

#[test]
fn two_at_once_lose_no_write() {
    let dir = here();
    let mut agents = [Agent::legacy(dir.path(), &[]), Agent::modern(dir.path(), &[])];
    agents[0].execute(TYPE);
    // Both write at the same time: each sends all of its calls before it hears an answer.
    for (which, agent) in agents.iter_mut().enumerate() {
        for number in 0..30 {
            agent.send(
                "tools/call",
                json!({"name": "execute_kip", "arguments": {"command": note(&format!("{which}-{number}"))}}),
            );
        }
    }
    for agent in &mut agents {
        for _ in 0..30 {
            let answer = agent.hear();
            assert_eq!(answer["result"]["isError"], false, "{answer:#}");
        }
    }
    for agent in &mut agents {
        assert_eq!(agent.execute(NOTES), json!(60));
    }
    // Whichever has the directory: one goes at once, and the other one has everything and goes on.
    let [first, mut second] = agents;
    first.kill();
    assert_eq!(second.execute(NOTES), json!(60));
    second.execute(&note("more"));
    assert_eq!(second.leave().0, Some(0));
    let mut third = Agent::modern(dir.path(), &[]);
    assert_eq!(third.execute(NOTES), json!(61));
}

#[test]
fn nobody_waits_for_the_store_to_be_told_what_is_here() {
    let dir = here();
    // Somebody has the directory and does not answer.
    let mut owner = PlayedOwner::new(dir.path());
    let mut agent = Agent::legacy(dir.path(), &[]);
    // Nobody could tell it anything of the store: there is no socket yet.
    looks_around(&mut agent);
    owner.listen();
    let id = agent.send("tools/call", json!({"name": "execute_kip", "arguments": {"command": TYPE}}));
    // It goes away unanswered, again and again: the call is made anew.
    for _ in 0..2 {
        let (_, request) = owner.accept();
        assert!(request.starts_with("POST /v1/tools/execute_kip "), "{request}");
    }
    owner.stop_listening();
    // A call waits, and others are answered meanwhile.
    assert!(agent.ask("ping", json!({}))["result"].is_object());
    owner.leave();
    let answer = agent.hear();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(false)), "{answer:#}");
}

#[test]
fn whatever_is_said_it_goes_on() {
    let dir = here();
    let mut agent = Agent::start(dir.path(), &[]);
    // Before anything has begun.
    agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    agent.say(&json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
    agent.say_text("not JSON at all");
    agent.say_text("");
    agent.say_text("[1,2,3]");
    agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}));
    agent.say_text("\u{0}\u{1b}[2J");
    agent.say_text(&"x".repeat(1 << 20));
    let about = json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    agent.next_id = 100;
    agent.send("initialize", about);
    let begun = until(&mut agent, 100);
    assert_eq!(begun["result"]["protocolVersion"], LEGACY, "the newest that begins so: {begun:#}");
    for message in [
        json!({"jsonrpc": "2.0", "id": 101, "method": "tools/call", "params": {"name": "execute_kip", "arguments": []}}),
        json!({"jsonrpc": "2.0", "id": 102, "method": "tools/call"}),
        json!({"jsonrpc": "2.0", "id": 103, "method": "no/such/method"}),
        json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "execute_kip"}}),
        json!({"jsonrpc": "2.0", "id": 104, "method": "tools/list", "params": {"cursor": "x"}}),
        json!([]),
        json!(null),
    ] {
        agent.say(&message);
    }
    agent.next_id = 200;
    agent.send("tools/list", json!({}));
    let tools = until(&mut agent, 200);
    assert!(tools["result"]["tools"].is_array(), "{tools:#}");
    assert_eq!(agent.leave().0, Some(0));
}

/// The answer to a request, past answers to others.
fn until(agent: &mut Agent, id: u64) -> Value {
    loop {
        let answer = agent.hear();
        if answer["id"] == id {
            return answer;
        }
        assert!(answer["error"].is_object(), "{answer:#}");
    }
}

#[test]
fn whoever_leaves_is_answered_what_was_asked() {
    let dir = here();
    let mut agent = Agent::legacy(dir.path(), &[]);
    agent.send("tools/call", json!({"name": "execute_kip", "arguments": {"command": TYPE}}));
    drop(agent.stdin.take());
    let answer = agent.hear();
    assert_eq!(answer["result"]["isError"], false, "{answer:#}");
    // Who says nothing at all may leave too.
    let agent = Agent::start(dir.path(), &[]);
    assert_eq!(agent.leave(), (Some(0), String::new()));
}

/// What a client sees that reads texts only.
fn text(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str().expect("text");
    assert!(text.len() <= 16 << 10, "{} bytes", text.len());
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn whoever_reads_only_texts_loses_no_row_and_sees_none_twice() {
    let dir = here();
    let mut agent = Agent::legacy(dir.path(), &[]);
    agent.execute(TYPE);
    // Of all lengths, up to more than a text holds.
    let lengths: Vec<usize> = (0..400).map(|n| if n % 97 == 13 { 20_000 } else { (n * 37) % 700 }).collect();
    for some in (0..400).collect::<Vec<_>>().chunks(50) {
        let notes: String = some
            .iter()
            .map(|n| {
                let text = "é\\\"".repeat(lengths[*n] / 4);
                format!(
                    r#"CONCEPT {{ {{type: "Note", name: "n{n:03}"}} SET ATTRIBUTES {{ text: "{text}" }} }} "#
                )
            })
            .collect();
        agent.execute(&format!("UPSERT {{ {notes} }}"));
    }
    let expected: Vec<Value> = (0..400).map(|n| json!(format!("n{n:03}"))).collect();
    let find = r#"FIND(?n.name, ?n.attributes.text) WHERE { ?n {type: "Note"} } ORDER BY ?n.name LIMIT 150"#;
    for (format, names) in [("columns", "/result/0"), ("rows", "/result")] {
        let (mut shown, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let arguments = json!({"command": format!("{find} {cursor}"), "format": format});
            let result = agent.call("execute_kip_readonly", arguments);
            let page = text(&result);
            // Text and structured content go on from the same row.
            let structured = &result["structuredContent"];
            assert_eq!(page.get("next_cursor"), structured.get("next_cursor"), "{page}");
            let is_part = result["content"].get(1).is_some();
            assert_eq!(page != *structured, is_part, "what is left out is told");
            let page_names = page.pointer(names).and_then(Value::as_array).expect("names").clone();
            shown.extend(
                page_names.into_iter().map(|row| if format == "rows" { row[0].clone() } else { row }),
            );
            pages += 1;
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("CURSOR {next:?}"),
                None => break,
            }
        }
        assert_eq!(shown, expected, "as {format}, in {pages} pages");
        assert!(pages > 10, "{pages}");
    }
    // Each command of a batch has a page that goes on behind what it shows.
    let batch = agent.call("execute_kip_readonly", json!({"commands": [find, NOTES, find]}));
    let page = text(&batch);
    assert_eq!(page, batch["structuredContent"]);
    let rows = page["result"][0]["result"][0].as_array().map_or(0, Vec::len);
    let rest = format!("{find} CURSOR :next");
    let next = json!({"command": rest, "parameters": {"next": page["result"][0]["next_cursor"]}});
    let next = text(&agent.call("execute_kip_readonly", next));
    assert_eq!(next["result"][0][0], expected[rows], "{next}");
    assert_eq!(agent.leave().0, Some(0));
}

#[test]
fn a_long_primer_still_says_who_one_is() {
    let dir = here();
    let mut agent = Agent::legacy(dir.path(), &[]);
    let long = "what it is about ".repeat(30);
    let domains: String = (0..90)
        .map(|n| format!(r#"CONCEPT {{ {{type: "Domain", name: "Domain {n}"}} SET ATTRIBUTES {{ description: "{long}" }} }} "#))
        .collect();
    agent.execute(&format!("UPSERT {{ {domains} }}"));
    let primer = agent.call("execute_kip_readonly", json!({"command": "DESCRIBE PRIMER"}));
    let shown = text(&primer);
    let whole = &primer["structuredContent"];
    assert_eq!(shown["result"]["identity"], whole["result"]["identity"]);
    assert_eq!(shown["result"]["total_domains"], json!(93));
    let map = shown["result"]["domain_map"].as_array().expect("domains");
    let (mark, map) = map.split_last().expect("some");
    assert!(mark.as_str().is_some_and(|mark| mark.ends_with(" more]")), "{mark}");
    assert_eq!(Some(map), whole["result"]["domain_map"].as_array().map(|all| &all[..map.len()]));
}
