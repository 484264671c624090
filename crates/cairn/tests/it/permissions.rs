//! What other users of the machine may do with the files of cairn.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Server, cairn, output, run, stderr, stdout};

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().expect("it is there").permissions().mode() & 0o777
}

/// Everything in a folder, and below.
fn everything(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| if path.is_dir() { [everything(&path), vec![path]].concat() } else { vec![path] })
        .collect()
}

/// The program as a shell with a umask that keeps nothing back starts it.
fn loose(dir: &Path, arguments: &[&str]) -> Command {
    let program = cairn(dir, arguments);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "umask 000; exec \"$0\" \"$@\""]).arg(program.get_program()).args(program.get_args());
    command.current_dir(dir).env_clear();
    for (name, value) in program.get_envs() {
        value.map(|value| command.env(name, value));
    }
    command
}

#[test]
fn what_is_made_is_for_its_owner_alone_whatever_the_umask() {
    let dir = here();
    let made = output(&mut loose(dir.path(), &["--data-dir", "data", "init"]));
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let server = Server::spawn(loose(
        dir.path(),
        &["serve", "--json", "--http", "127.0.0.1:0", "--data-dir", "data", "--auth", "on"],
    ));
    let said = run(
        dir.path(),
        &["--data-dir", "data", "turns", "append", "new", "--type", "t", "--text", "a stone"],
    );
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    let found = run(dir.path(), &["--data-dir", "data", "search", "stone"]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let backup = output(&mut loose(dir.path(), &["--data-dir", "data", "backup", "monday.cairn"]));
    assert_eq!(backup.status.code(), Some(0), "{backup:?}");
    let data = dir.path().join("data");
    for name in ["cairn.toml", "endpoints.json", "cairn.sock", "LOCK", "identity/node.key"] {
        assert!(data.join(name).exists(), "{name}");
    }
    let files = [everything(&data), vec![data, dir.path().join("monday.cairn")]].concat();
    assert!(files.iter().any(|path| path.ends_with("meta.json")), "the search index is there: {files:?}");
    for path in files {
        assert_eq!(mode(&path) & 0o077, 0, "{} has mode {:o}", path.display(), mode(&path));
    }
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
}

#[test]
fn a_list_of_endpoints_that_a_crash_left_open_is_closed() {
    let dir = here();
    assert_eq!(run(dir.path(), &["--data-dir", "data", "init"]).status.code(), Some(0));
    for name in ["endpoints.json", "endpoints.json.new"] {
        fs::write(dir.path().join("data").join(name), "left behind").expect("a file");
        set(&dir.path().join("data").join(name), 0o666);
    }
    let _server = Server::start(dir.path(), &["--data-dir", "data"]);
    assert_eq!(mode(&dir.path().join("data/endpoints.json")), 0o600);
}

#[test]
fn a_world_writable_data_directory_is_refused_before_it_is_read() {
    let dir = here();
    let data = dir.path().join("data");
    assert_eq!(run(dir.path(), &["--data-dir", "data", "init"]).status.code(), Some(0));
    // Somebody has put a configuration there that cannot be read.
    fs::write(data.join("cairn.toml"), "nonsense").expect("a file");
    let serve = ["serve", "--http", "127.0.0.1:0"];
    let commands = [
        &serve[..],
        &["stats"],
        &["doctor"],
        &["backup", "file"],
        &["config"],
        &["identity", "show"],
        &["turns", "list"],
    ];
    for open in [0o777, 0o1777, 0o702] {
        set(&data, open);
        for command in commands {
            let refused = run(dir.path(), &[command, &["--data-dir", "data"]].concat());
            assert_eq!(refused.status.code(), Some(2), "{refused:?}");
            let said = stderr(&refused);
            let expected = format!("error: the data directory {} is world-writable", data.display());
            let named = said.starts_with(&expected) || said.contains("/data is world-writable (its mode is ");
            assert!(named && said.contains("\nhint: chmod 700 "), "{said}");
        }
    }
    set(&data, 0o700);
    fs::write(data.join("cairn.toml"), "").expect("a file");
    assert_eq!(run(dir.path(), &["--data-dir", "data", "stats"]).status.code(), Some(0));

    // Nothing is made in one either.
    let empty = dir.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    set(&empty, 0o777);
    for command in [&serve[..], &["init"], &["restore", "file"]] {
        let refused = run(dir.path(), &[command, &["--data-dir", "empty"]].concat());
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
    assert_eq!(fs::read_dir(&empty).expect("a folder").count(), 0);
}

#[test]
fn a_group_writable_data_directory_is_warned_about() {
    let dir = here();
    assert_eq!(run(dir.path(), &["--data-dir", "data", "init"]).status.code(), Some(0));
    for (mode, warns) in [(0o770, true), (0o775, true), (0o755, false), (0o700, false)] {
        set(&dir.path().join("data"), mode);
        let stats = run(dir.path(), &["--data-dir", "data", "stats", "--json"]);
        assert_eq!(stats.status.code(), Some(0), "{stats:?}");
        assert!(stdout(&stats).starts_with('{'), "{stats:?}");
        let said = stderr(&stats);
        assert_eq!(said.matches("is group-writable").count(), usize::from(warns), "{mode:o}: {said}");
    }
}

#[test]
fn keys_that_others_may_read_are_refused_and_named() {
    let dir = here();
    let check = |command: &mut Command, file: &str| {
        let path = dir.path().join(file);
        for (open, expected) in [(0o644, "644"), (0o640, "640"), (0o606, "606")] {
            set(&path, open);
            let refused = output(command);
            assert_eq!(refused.status.code(), Some(2), "{refused:?}");
            let said = stderr(&refused);
            assert!(said.contains("error: others may read the "), "{said}");
            assert!(said.contains(&format!("{file} (its mode is {expected})\nhint: chmod 600 ")), "{said}");
        }
        set(&path, 0o600);
    };
    assert_eq!(run(dir.path(), &["key", "generate", "store.key"]).status.code(), Some(0));
    let sealed = |arguments: &[&str]| {
        let mut command = cairn(dir.path(), arguments);
        command.env("CAIRN_ENCRYPTION_KEY_FILE", "store.key");
        command
    };
    check(&mut sealed(&["--data-dir", "sealed", "init"]), "store.key");
    assert!(!dir.path().join("sealed").exists(), "nothing was made with it");
    assert_eq!(output(&mut sealed(&["--data-dir", "sealed", "init"])).status.code(), Some(0));
    check(&mut sealed(&["--data-dir", "sealed", "stats"]), "store.key");
    check(&mut sealed(&["serve", "--data-dir", "sealed", "--http", "127.0.0.1:0"]), "store.key");
    set(&dir.path().join("store.key"), 0o400);
    assert_eq!(output(&mut sealed(&["--data-dir", "sealed", "stats"])).status.code(), Some(0));

    let server = Server::start(dir.path(), &["--data-dir", "data", "--auth", "on"]);
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    check(&mut cairn(dir.path(), &["--data-dir", "data", "identity", "show"]), "data/identity/node.key");
    check(
        &mut cairn(dir.path(), &["serve", "--data-dir", "data", "--http", "127.0.0.1:0", "--auth", "on"]),
        "data/identity/node.key",
    );
    check(
        &mut cairn(dir.path(), &["--data-dir", "other", "identity", "import", "data/identity"]),
        "data/identity/node.key",
    );
}
