//! `cairn access` and `cairn audit`, with and without a server.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::{Server, cairn, output, run, stderr, stdout, within};

/// The public key of RFC 8032, test 1.
const KEY: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = run(dir.path(), &["--data-dir", "data", "init"]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    dir
}

/// Standard output and standard error of a command that has to succeed; `line` is split at spaces.
fn both(dir: &Path, line: &str) -> (String, String) {
    let arguments: Vec<_> = ["--data-dir", "data"].into_iter().chain(line.split(' ')).collect();
    let output = run(dir, &arguments);
    assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
    (stdout(&output), stderr(&output))
}

fn said(dir: &Path, line: &str) -> String {
    let (out, err) = both(dir, line);
    assert_eq!(err, "", "{line}");
    out
}

fn json(dir: &Path, line: &str) -> Value {
    let text = said(dir, &format!("{line} --json"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn failed(dir: &Path, line: &str) -> (i32, String) {
    let arguments: Vec<_> = ["--data-dir", "data"].into_iter().chain(line.split(' ')).collect();
    let output = run(dir, &arguments);
    assert_eq!(stdout(&output), "", "{line}");
    (output.status.code().expect("it ends by itself"), stderr(&output))
}

/// A table without what differs from run to run: times, how long ago they were, widths of columns.
fn plain(table: &str) -> String {
    let line = |line: &str| {
        let mut cells: Vec<String> = Vec::new();
        for cell in line.split("  ").filter(|cell| !cell.is_empty()) {
            let is_time =
                |at: &usize| cell.as_bytes().get(at + 19) == Some(&b'Z') && cell[*at..].starts_with("20");
            let cell = match cell.find("20").filter(is_time) {
                Some(at) => format!("{}[time]", &cell[..at]),
                None => cell.to_owned(),
            };
            cells.push(cell.trim().to_owned());
        }
        cells.join("  ") + "\n"
    };
    table.lines().map(line).collect()
}

/// Everything that can be asked, over whatever there is.
fn story(dir: &Path) {
    assert_eq!(said(dir, "access tenant create acme"), "tenant acme is made\n");
    assert_eq!(said(dir, "access user add root --role admin --tenant acme"), "user root: admin\n");
    assert_eq!(
        said(dir, "access user add ada@x/y --tenant acme --role reader,writer"),
        "user ada@x/y: reader, writer\n"
    );
    assert_eq!(said(dir, "access user roles ada@x/y writer --tenant acme"), "user ada@x/y: writer\n");
    assert_eq!(said(dir, "access user disable root --tenant acme"), "user root is shut out\n");
    insta::assert_snapshot!("users", plain(&said(dir, "access user list --tenant acme")));
    assert_eq!(said(dir, "access user enable root --tenant acme"), "user root: admin\n");
    assert_eq!(json(dir, "access user show root --tenant acme")["disabled"], false);

    assert_eq!(said(dir, "access team create core --tenant acme"), "team core is there\n");
    assert_eq!(
        said(dir, "access team add core ada@x/y --tenant acme"),
        "user ada@x/y belongs to team core\n"
    );
    assert_eq!(said(dir, "access team members core --tenant acme"), "USER\nada@x/y\n");
    insta::assert_snapshot!("user", plain(&said(dir, "access user show ada@x/y --tenant acme")));
    insta::assert_snapshot!("teams", plain(&said(dir, "access team list --tenant acme")));
    assert_eq!(
        json(dir, "access team drop core ada@x/y --tenant acme"),
        json!({"team": "core", "user": "ada@x/y", "belongs": false})
    );
    assert_eq!(said(dir, "access team members core --tenant acme"), "no members\n");
    assert_eq!(said(dir, "access team remove core --tenant acme"), "team core is removed\n");
    assert_eq!(json(dir, "access team list --tenant acme"), json!({"teams": [], "next": null}));

    let (token, about) =
        both(dir, "access token create --user ada@x/y --tenant acme --label laptop --expires 30d");
    let token = token.strip_suffix('\n').expect("one line");
    assert!(token.starts_with("cairn_") && token.len() == 56, "{token}");
    let list = json(dir, "access token list --tenant acme --user ada@x/y");
    let id = list["tokens"][0]["id"].as_str().expect("an id");
    assert!(about.starts_with(&format!("token {id} of user ada@x/y: writer; expires: 20")), "{about}");
    let never = json(dir, "access token create --user root --tenant acme --role reader --expires never");
    assert_eq!((&never["expires_at_ms"], &never["roles"]), (&Value::Null, &json!(["reader"])));
    let table = said(dir, "access token list --tenant acme --user ada@x/y");
    insta::assert_snapshot!("tokens", plain(&table).replace(id, "[id]"));
    let page = said(dir, "access token list --tenant acme --limit 1");
    assert!(
        page.lines().last().is_some_and(|more| more.starts_with("more: the same with --after '")),
        "{page}"
    );
    assert_eq!(
        said(dir, &format!("access token revoke {id} --tenant acme")),
        format!("token {id} of user ada@x/y is revoked\n")
    );
    assert_eq!(json(dir, "access token list --tenant acme --user ada@x/y")["tokens"][0]["state"], "revoked");

    assert_eq!(
        said(dir, &format!("access key add {KEY} --user root --tenant acme")),
        format!("key {KEY} is registered for user root\n")
    );
    assert_eq!(
        said(dir, &format!("access key revoke {KEY} --tenant acme")),
        format!("key {KEY} of user root is revoked\n")
    );
    insta::assert_snapshot!("keys", plain(&said(dir, "access key list --tenant acme")));
    assert_eq!(said(dir, "access key list --user nobody"), "no keys\n");

    assert_eq!(said(dir, "access tenant disable acme"), "users of tenant acme are shut out\n");
    insta::assert_snapshot!("tenants", plain(&said(dir, "access tenant list")));
    assert_eq!(said(dir, "access tenant enable acme"), "users of tenant acme are let in\n");
    insta::assert_snapshot!("whoami", said(dir, "access whoami"));
    assert_eq!(json(dir, "access whoami")["is_local_owner"], true);

    let trail = said(dir, "audit --tenant acme --limit 3");
    insta::assert_snapshot!("audit", plain(&trail).replace(id, "[id]"));
    let all = said(dir, "audit --tenant acme --since -24h --json");
    let lines: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.len() > 10 && all.contains("user ada@x/y"), "{all}");
    assert_eq!(
        said(dir, "audit --tenant acme --since -24h --limit 1 --json").lines().last(),
        all.lines().last()
    );
    assert_eq!(said(dir, "audit --tenant acme --since 2999-01-01"), "");
    assert_eq!(said(dir, "audit --tenant acme -n 0"), "");
    assert!(said(dir, "audit --node").contains("tenant.change on node  tenant acme"));

    // A secret stands in the one answer that makes it, and nowhere else.
    let secret = &token[22..];
    for line in [
        "access token list --tenant acme --json",
        "audit --tenant acme --json -n 1000",
        "audit --node --json -n 1000",
    ] {
        assert!(!said(dir, line).contains(secret), "{line}");
    }
    assert!(![&about, &table, &trail].iter().any(|text| text.contains(secret)));
}

#[test]
fn commands_do_the_same_without_a_server() {
    let dir = here();
    story(dir.path());
}

#[test]
fn commands_do_the_same_with_a_server() {
    let dir = here();
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    story(dir.path());
    server.signal("-TERM");
    let (code, out, err) = server.wait();
    assert_eq!(code, Some(0));
    assert!(!out.contains("cairn_") && !err.contains("Bearer"), "no token in the log: {out}{err}");
}

#[test]
fn what_goes_wrong_says_why_and_what_to_do() {
    let dir = here();
    let dir = dir.path();
    said(dir, "access user add ada --role reader");
    for (line, code, message, hint) in [
        ("access user add ada --role admin", 1, "there is a user ada already", "access user roles"),
        ("access user add bob", 2, "--role", "--help"),
        ("access user add bob --role king", 1, "there is no role \"king\"", "correct the request"),
        (
            "access user add bob --role reader --tenant nope",
            1,
            "there is no tenant \"nope\"",
            "check the name",
        ),
        ("access user roles bob reader", 1, "there is no user \"bob\"", "check the name"),
        ("access user show bob", 1, "there is no user \"bob\"", "check the name"),
        ("access user disable local-owner", 1, "local owner cannot be disabled", ""),
        ("access tenant create local", 1, "there is a tenant \"local\" already", ""),
        ("access team create a:b", 1, "the name of a team", ""),
        ("access token create --user bob", 1, "there is no user \"bob\"", ""),
        ("access token create --user ada --role admin", 1, "the token would allow nothing", ""),
        ("access token create --user ada --expires soon", 1, "expires_in is a time", ""),
        ("access token revoke cairn_x", 1, "16 hexadecimal digits", ""),
        ("access key add 00 --user ada", 1, "64 hexadecimal digits", ""),
        ("access user list --limit 1001", 1, "limit is 1001", ""),
        ("audit --tenant nope", 1, "there is no tenant \"nope\"", ""),
        ("audit --since soon", 1, "since is Unix milliseconds", ""),
        ("audit --node --tenant local", 2, "cannot be used with", ""),
    ] {
        let (exit, said) = failed(dir, line);
        assert_eq!(exit, code, "{line}: {said}");
        assert!(said.contains(message) && said.contains(hint), "{line}: {said}");
    }
    assert_eq!(json(dir, "access user show ada")["roles"], json!(["reader"]), "nothing was changed");
}

#[test]
fn help_is_for_strangers() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for line in [
        "access",
        "access tenant",
        "access user",
        "access user add",
        "access team",
        "access token",
        "access token create",
        "access token list",
        "access key",
        "access whoami",
        "audit",
    ] {
        let arguments: Vec<_> = line.split(' ').chain(["--help"]).collect();
        let output = run(dir.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{line}");
        insta::assert_snapshot!(format!("help_{}", line.replace(' ', "_")), stdout(&output));
    }
}

/// A command that goes on, ended with the test.
struct Following(Child);

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_trail_is_followed_across_a_restart_of_the_server() {
    let dir = here();
    let start = || Server::start(dir.path(), &["--data-dir", "data"]);
    let server = start();
    said(dir.path(), "access user add before --role reader");
    let mut command = cairn(dir.path(), &["--data-dir", "data", "audit", "-n", "1", "--follow", "--json"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut following = Following(child.expect("the program starts"));
    let out = BufReader::new(following.0.stdout.take().expect("it is piped"));
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
    let next = || {
        let line = told.recv_timeout(Duration::from_secs(300)).expect("a line comes");
        let line: Value = serde_json::from_str(&line).expect("JSON");
        line["subject"].as_str().expect("a subject").to_owned()
    };
    assert_eq!(next(), "user before {\"reader\"}");
    said(dir.path(), "access team create one");
    assert_eq!(next(), "team one");
    server.signal("-TERM");
    server.wait();
    said(dir.path(), "access team create two");
    let server = start();
    assert_eq!(next(), "team two", "what came while nobody served");
    said(dir.path(), "access team create three");
    assert_eq!(next(), "team three", "and each line once");
    let pid = following.0.id().to_string();
    let status = std::process::Command::new("kill").args(["-INT", &pid]).status();
    assert!(status.expect("kill is there").success());
    let code = within("its end", move || following.0.wait().expect("it ends").code());
    assert_eq!(code, Some(0), "being interrupted is how following ends");
    server.kill();
}

/// Backups of plain and sealed stores carry the key that tokens are read with.
#[test]
fn a_token_is_good_on_a_restored_store_and_unknown_on_another() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(run(dir.path(), &["key", "generate", "a.key"]).status.code(), Some(0));
    for key in [None, Some("a.key")] {
        let name = |role: &str| format!("{role}-{}", key.unwrap_or("plain"));
        let with_key = |arguments: &[&str]| {
            let mut command = cairn(dir.path(), arguments);
            key.map(|key| command.env("CAIRN_ENCRYPTION_KEY_FILE", key));
            command
        };
        let done = |arguments: &[&str]| {
            let ended = output(&mut with_key(arguments));
            assert_eq!(ended.status.code(), Some(0), "{ended:?}");
            stdout(&ended)
        };
        let [first, copy, other, backup] = ["first", "copy", "other", "backup"].map(name);
        done(&["--data-dir", &first, "init"]);
        let token = done(&["--data-dir", &first, "access", "token", "create", "--user", "local-owner"]);
        done(&["--data-dir", &first, "backup", &backup]);
        done(&["--data-dir", &copy, "restore", &backup]);
        for (data, status) in [(&copy, "HTTP/1.1 200 "), (&other, "HTTP/1.1 401 ")] {
            let serve = ["serve", "--json", "--http", "127.0.0.1:0", "--auth", "on", "--data-dir", data];
            let server = Server::spawn(with_key(&serve));
            let bearer = format!("authorization: Bearer {}\r\n", token.trim_end());
            let answer = server.get_with("/v1/access/whoami", &bearer);
            assert!(answer.starts_with(status), "{data}: {answer}");
        }
    }
}
