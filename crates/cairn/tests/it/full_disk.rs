//! The program on a disk that is nearly full, as a setting that no disk fulfils makes it.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::program::{Server, cairn, output, run, stderr, stdout};

const FULL: (&str, &str) = ("CAIRN_STORE_RESERVE_BYTES", "1125899906842624");

fn here(line: &str) -> Vec<&str> {
    ["--data-dir", "data"].into_iter().chain(line.split(' ')).collect()
}

fn done(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    serde_json::from_str(&stdout(output)).expect("JSON")
}

/// A command of a machine whose disk is nearly full.
fn full(dir: &Path, line: &str) -> Output {
    output(cairn(dir, &here(line)).env(FULL.0, FULL.1))
}

fn refused(output: &Output) {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("nearly full") && said.contains("free at least"), "{said}");
}

#[test]
fn administrators_stay_in_control_of_a_full_disk_with_and_without_a_server() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    for line in ["init", "access tenant create acme", "access user add ada --role writer --tenant acme"] {
        let made = run(dir, &here(line));
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    }
    let token = || {
        let made = run(dir, &here("access token create --user ada --tenant acme --json"));
        done(&made)["id"].as_str().expect("an id").to_owned()
    };
    let tokens = [token(), token()];
    let another = "access token create --user ada --tenant acme --json";
    let server = |with_server: bool| {
        with_server.then(|| {
            let mut command = cairn(dir, &["serve", "--json", "--http", "127.0.0.1:0", "--data-dir", "data"]);
            command.env(FULL.0, FULL.1);
            Server::spawn(command)
        })
    };
    for (token, with_server) in tokens.iter().zip([false, true]) {
        let server = server(with_server);
        let listed = done(&full(dir, "access token list --tenant acme --json"));
        assert_eq!(listed["tokens"].as_array().map(Vec::len), Some(2), "reading goes on");
        refused(&full(dir, another));
        done(&full(dir, &format!("access token revoke {token} --tenant acme --json")));
        refused(&full(dir, another));
        if let Some(server) = server {
            assert!(server.get("/readyz").starts_with("HTTP/1.1 503"));
            server.signal("-TERM");
            assert_eq!(server.wait().0, Some(0), "it stops in order");
        }
    }
    done(&full(dir, "access user disable ada --tenant acme --json"));
    let listed = done(&run(dir, &here("access token list --tenant acme --json")));
    let states: Vec<_> =
        listed["tokens"].as_array().expect("a list").iter().map(|token| &token["state"]).collect();
    assert!(states.iter().all(|state| *state == "revoked"), "{states:?}");
    let verified = run(dir, &here("doctor"));
    assert_eq!(verified.status.code(), Some(0), "{}", stderr(&verified));
}
