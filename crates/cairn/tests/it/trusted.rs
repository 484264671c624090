//! `binary.trusted_networks` of a real server.

use std::path::Path;

use crate::program::{Server, cairn, run, stderr, stdout};
use crate::turns::{ask, connect};

const CREATE: u16 = 2;
const ERROR: u16 = 255;

fn done(dir: &Path, arguments: &[&str]) -> String {
    let output = run(dir, &[arguments, &["--data-dir", "data"]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn with_user(dir: &Path) {
    done(dir, &["init"]);
    done(dir, &["access", "tenant", "create", "acme"]);
    done(dir, &["access", "user", "add", "sdk", "--role", "writer", "--tenant", "acme"]);
}

/// The settings of a rule, as variables.
fn rule(networks: &str, user: &str, role: &str) -> [(&'static str, String); 3] {
    [
        ("CAIRN_BINARY_TRUSTED_NETWORKS", networks.to_owned()),
        ("CAIRN_BINARY_TRUSTED_USER", user.to_owned()),
        ("CAIRN_BINARY_TRUSTED_ROLE", role.to_owned()),
    ]
}

#[test]
fn a_client_without_a_token_gets_in_from_a_trusted_network_and_the_trail_and_the_log_say_so() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    with_user(dir.path());
    let start = |networks: &str| {
        let mut command = cairn(
            dir.path(),
            &[
                "serve",
                "--json",
                "--data-dir",
                "data",
                "--auth",
                "on",
                "--http",
                "127.0.0.1:0",
                "--binary",
                "127.0.0.1:0",
            ],
        );
        command.envs(rule(networks, "acme/sdk", "writer"));
        Server::spawn(command)
    };
    let server = start("127.0.0.0/8, fd00::/8");
    let mut client = connect(&server);
    assert_eq!(ask(&mut client, CREATE, &[0; 8]).0, CREATE);
    assert!(server.get("/v1/contexts").starts_with("HTTP/1.1 401"), "over HTTP nothing has changed");
    server.signal("-TERM");
    let (code, _, log) = server.wait();
    assert_eq!(code, Some(0));
    assert!(log.contains("WARN") && log.contains("let in without credentials"), "{log}");
    assert!(log.contains("127.0.0.0/8, fd00::/8") && log.contains("acme/sdk (writer)"), "{log}");

    let trail = done(dir.path(), &["audit", "--tenant", "acme", "--json"]);
    assert!(
        trail.contains("trusted network 127.0.0.0/8, fd00::/8, without credentials, as acme/sdk (writer)"),
        "{trail}"
    );
    assert!(trail.contains("trusted network 127.0.0.0/8: 127.0.0.1"), "{trail}");

    // From elsewhere nobody gets in without a token.
    let server = start("127.0.0.2");
    assert_eq!(ask(&mut connect(&server), CREATE, &[0; 8]).0, ERROR);
}

#[test]
fn a_rule_that_does_not_hold_together_is_refused_at_the_start() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    with_user(dir.path());
    let refused = |rule: [(&'static str, String); 3], more: &[&str], why: &str| {
        let arguments =
            [&["serve", "--data-dir", "data", "--http", "127.0.0.1:0", "--binary", "127.0.0.1:0"], more]
                .concat();
        let mut command = cairn(dir.path(), &arguments);
        let output = crate::program::output(command.envs(rule));
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {text}");
        assert!(text.contains(why) && text.contains("hint: "), "{text}");
    };
    let auth = &["--auth", "on"][..];
    refused(rule("10.0.0.0/8", "acme/sdk", "writer"), &[], "authentication is off");
    refused(rule("10.0.0.0/8", "", "writer"), auth, "nothing says who");
    refused(rule("10.0.0.0/8", "acme/nobody", "writer"), auth, "no user \"nobody\"");
    refused(rule("10.0.0.0/8", "other/sdk", "writer"), auth, "no tenant \"other\"");
    refused(
        rule("10.0.0.0/8", "acme/sdk", "writer"),
        &["--auth", "on", "--insecure-behind-proxy"],
        "behind a proxy",
    );
    done(dir.path(), &["access", "user", "add", "viewer", "--role", "reader", "--tenant", "acme"]);
    refused(rule("10.0.0.0/8", "acme/viewer", "writer"), auth, "is not a writer");
    for (bad, why) in [
        (rule("0.0.0.0/0", "acme/sdk", "writer"), "too wide"),
        (rule("10.0.0.1/8", "acme/sdk", "writer"), "write 10.0.0.0/8"),
        (rule("::ffff:10.0.0.0/104", "acme/sdk", "writer"), "write it as IPv4"),
        (rule("10.0.0.0/8", "local/local-owner", "writer"), "local owner"),
        (rule("10.0.0.0/8", "acme/sdk", "admin"), "reader"),
    ] {
        let mut command = cairn(dir.path(), &["serve", "--data-dir", "data", "--auth", "on"]);
        let output = crate::program::output(command.envs(bad));
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    // An address that others can reach still needs authentication, and HTTP there still needs TLS.
    let refused_address = |arguments: &[&str], why: &str| {
        let mut command = cairn(dir.path(), &[&["serve", "--data-dir", "data"], arguments].concat());
        let output = crate::program::output(command.envs(rule("10.0.0.0/8", "acme/sdk", "writer")));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    };
    refused_address(&["--binary", "0.0.0.0:0"], "authentication is off");
    refused_address(&["--auth", "on", "--http", "0.0.0.0:0"], "in the open");
}
