//! `cairn mcp` and its callers: who they are, what they may do, and which errors they read.

use std::path::Path;

use serde_json::{Value, json};

use crate::mcp::{Agent, DATA, NOTES, TYPE, note};
use crate::owner::PlayedOwner;
use crate::program::{Server, cairn, output, run, stderr, stdout};

/// A data directory with the users rita, who reads, and will, who writes, and a file with a token of each.
fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    done(dir.path(), "init");
    for (user, role) in [("rita", "reader"), ("will", "writer")] {
        done(dir.path(), &format!("access user add {user} --role {role}"));
        let token = done(dir.path(), &format!("access token create --user {user}"));
        write_private(&dir.path().join(user), &token);
    }
    dir
}

fn done(dir: &Path, line: &str) -> String {
    let ran = run(dir, &DATA.into_iter().chain(line.split(' ')).collect::<Vec<_>>());
    assert_eq!(ran.status.code(), Some(0), "{line}: {ran:?}");
    stdout(&ran)
}

fn write_private(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).expect("a file");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("it is ours");
}

/// The error of a result, which its text says as well.
fn error(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result:#}");
    let error = result["structuredContent"]["error"].clone();
    let (code, message) = (error["code"].as_str().expect("a code"), error["message"].as_str().expect("text"));
    let text = result["content"][0]["text"].as_str().expect("text");
    assert!(text.starts_with(&format!("{code}: {message}")), "{text}");
    if let Some(hint) = error["hint"].as_str() {
        assert!(text.ends_with(&format!("\nhint: {hint}")), "{text}");
    }
    error
}

fn check_callers(dir: &Path) {
    let mut owner = Agent::legacy(dir, &[]);
    let mut rita = Agent::modern(dir, &["--token-file", "rita"]);
    let mut will = Agent::legacy(dir, &["--token-file", "will"]);
    assert_eq!(owner.call("execute_kip", json!({"command": TYPE}))["isError"], false);
    let refused = error(&rita.call("execute_kip", json!({"command": note("by rita")})));
    assert_eq!((&refused["code"], &refused["retry"]), (&json!("Forbidden"), &json!("never")), "{refused:#}");
    assert_eq!(refused["hint"], "ask an administrator for the permission");
    assert_eq!(will.call("execute_kip", json!({"command": note("by will")}))["isError"], false);
    for tool in ["execute_kip", "execute_kip_readonly"] {
        let found = rita.call(tool, json!({"command": NOTES}));
        assert_eq!(found["structuredContent"], json!({"result": 1}), "{found:#}");
    }
    // A mistake in a command stays one of KIP.
    assert_eq!(error(&rita.call("execute_kip", json!({"command": "FIND("})))["code"], "KIP_1001");
    let logs = run(dir, &[&DATA[..], &["kip", "logs", "--json"]].concat());
    let logs: Value = serde_json::from_str(&stdout(&logs)).expect("JSON");
    let lines = logs["result"].as_array().expect("lines");
    for (user, outcome) in [("local-owner", "ok"), ("rita", "Forbidden"), ("will", "ok")] {
        let is_there = lines.iter().any(|line| line["user"] == user && line["outcome"] == outcome);
        assert!(is_there, "{user} {outcome}: {logs:#}");
    }
    for agent in [rita, will, owner] {
        assert_eq!(agent.leave().0, Some(0));
    }
}

#[test]
fn a_token_makes_calls_as_its_user() {
    let dir = here();
    check_callers(dir.path());
}

#[test]
fn a_token_makes_calls_as_its_user_beside_a_server_too() {
    let dir = here();
    let server = Server::start(dir.path(), &DATA);
    check_callers(dir.path());
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
}

#[test]
fn limits_and_revoked_tokens_have_their_own_codes() {
    let dir = here();
    let mut command = cairn(dir.path(), &["serve", "--json", "--http", "127.0.0.1:0", DATA[0], DATA[1]]);
    command.env("CAIRN_LIMITS_WRITES_PER_MINUTE", "1");
    let _server = Server::spawn(command);
    let mut will = Agent::legacy(dir.path(), &["--token-file", "will"]);
    assert_eq!(will.call("execute_kip", json!({"command": TYPE}))["isError"], false);
    let limited = error(&will.call("execute_kip", json!({"command": note("one")})));
    assert_eq!(
        (&limited["code"], &limited["retry"]),
        (&json!("TooManyRequests"), &json!("later")),
        "{limited:#}"
    );
    assert!(limited["message"].as_str().is_some_and(|text| text.contains("; try again in ")), "{limited:#}");
    let tokens = done(dir.path(), "access token list --user will --json");
    let tokens: Value = serde_json::from_str(&tokens).expect("JSON");
    done(dir.path(), &format!("access token revoke {}", tokens["tokens"][0]["id"].as_str().expect("an id")));
    let revoked = error(&will.call("execute_kip_readonly", json!({"command": NOTES})));
    assert_eq!(
        (&revoked["code"], &revoked["retry"]),
        (&json!("TokenRevoked"), &json!("never")),
        "{revoked:#}"
    );
}

#[test]
fn every_error_of_the_owner_keeps_its_code() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut owner = PlayedOwner::new(dir.path());
    owner.listen();
    let mut agent = Agent::legacy(dir.path(), &[]);
    for (status, code, retry) in [
        ("503 Service Unavailable", "Overloaded", "later"),
        ("504 Gateway Timeout", "DeadlineExceeded", "look"),
        ("507 Insufficient Storage", "StorageFull", "later"),
        ("500 Internal Server Error", "Internal", "look"),
    ] {
        let body = json!({"error": {"code": code, "message": "because", "details": {"hint": "do this"}}});
        let id = agent.send("tools/call", json!({"name": "execute_kip", "arguments": {"command": TYPE}}));
        let request = owner.answer(status, &body.to_string());
        assert!(request.starts_with("POST /v1/tools/execute_kip "), "{request}");
        let answer = agent.hear();
        let expected = json!({"code": code, "message": "because", "hint": "do this", "retry": retry});
        assert_eq!((&answer["id"], error(&answer["result"])), (&json!(id), expected));
    }
    // An owner that has no such tool is of another version.
    agent.send("tools/call", json!({"name": "execute_kip", "arguments": {}}));
    let body =
        json!({"error": {"code": "NotFound", "message": "there is nothing", "details": {"hint": "look"}}});
    owner.answer("404 Not Found", &body.to_string());
    let unknown = error(&agent.hear()["result"]);
    assert!(unknown["hint"].as_str().is_some_and(|hint| hint.contains("another version")), "{unknown:#}");
}

#[test]
fn a_write_that_was_lost_has_an_unknown_outcome() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut owner = PlayedOwner::new(dir.path());
    owner.listen();
    let mut agent = Agent::legacy(dir.path(), &[]);
    for (tool, command, code, retry) in [
        ("execute_kip", TYPE, "OutcomeUnknown", "look"),
        ("execute_kip_readonly", NOTES, "Unavailable", "later"),
    ] {
        agent.send("tools/call", json!({"name": tool, "arguments": {"command": command}}));
        // Each owner reads the request and goes away; the last one was one too many.
        for _ in 0..4 {
            drop(owner.accept());
        }
        let lost = error(&agent.hear()["result"]);
        assert_eq!((&lost["code"], &lost["retry"]), (&json!(code), &json!(retry)), "{lost:#}");
    }
}

#[test]
fn whatever_the_store_does_both_eras_are_told_what_is_here() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    // Somebody has the directory, and there is no socket.
    let _owner = PlayedOwner::new(dir.path());
    let mut legacy = Agent::legacy(dir.path(), &[]);
    let mut modern = Agent::modern(dir.path(), &[]);
    assert_eq!(modern.ask("server/discover", json!({}))["result"]["resultType"], "complete");
    let [one, other] = [&mut legacy, &mut modern].map(|agent| {
        let tools = agent.ask("tools/list", json!({}))["result"]["tools"].clone();
        let unknown = agent.ask("tools/call", json!({"name": "execute_kp", "arguments": {}}));
        assert_eq!(unknown["error"]["code"], -32602, "{unknown:#}");
        assert_eq!(unknown["error"]["message"], "there is no tool \"execute_kp\"; did you mean execute_kip?");
        tools
    });
    assert_eq!((one.as_array().map(Vec::len), &one), (Some(2), &other));
}

#[test]
fn a_token_file_has_to_hold_a_token() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    write_private(&dir.path().join("empty"), "\n");
    for (file, said) in [
        ("missing", "could not read missing"),
        ("empty", "empty is empty"),
        ("-", "standard input is the client's"),
    ] {
        let refused = output(&mut cairn(dir.path(), &[DATA[0], DATA[1], "mcp", "--token-file", file]));
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(stderr(&refused).contains(said), "{refused:?}");
    }
}
