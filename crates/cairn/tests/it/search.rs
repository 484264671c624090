//! `cairn search`, with and without a server, and what becomes of the index.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{Server, cairn, output, run, stderr, stdout};

const DATA: [&str; 2] = ["--data-dir", "data"];
/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(300);
/// Not too often: nobody reads the log of a server before its end, and it has to fit into its pipe.
const LOOK_EVERY: Duration = Duration::from_millis(100);

fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    said(dir.path(), &["init"]);
    dir
}

fn command(dir: &Path, arguments: &[&str]) -> Output {
    run(dir, &[&DATA, arguments].concat())
}

/// What a command prints that has to succeed.
fn said(dir: &Path, arguments: &[&str]) -> String {
    let output = command(dir, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn json(dir: &Path, arguments: &[&str]) -> Value {
    let text = said(dir, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn append(dir: &Path, context: &str, text: &str) {
    said(dir, &["turns", "append", context, "--type", "com.example.Note", "--text", text]);
}

fn total(dir: &Path, word: &str) -> u64 {
    json(dir, &["search", word])["total"].as_u64().expect("a number")
}

fn serve(dir: &Path) -> Server {
    Server::start(dir, &DATA)
}

fn stop(server: Server) {
    server.signal("-TERM");
    let (code, _, log) = server.wait();
    assert_eq!(code, Some(0), "{log}");
}

/// Waits until the index is ready, and says what was said of it before.
fn until_ready(dir: &Path) -> Vec<Value> {
    let (until, mut seen) = (Instant::now() + LONG, Vec::new());
    loop {
        let search = json(dir, &["stats"])["search"].clone();
        let is_ready = search["state"] == "ready" && search["detail"].is_null();
        seen.push(search);
        if is_ready {
            return seen;
        }
        assert!(Instant::now() < until, "{seen:?}");
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Files of the index, in order.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.join("data/search")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Changes one byte in the middle of a file of the index.
fn damage(dir: &Path, ending: &str) -> PathBuf {
    let file = files(dir).into_iter().find(|file| file.to_string_lossy().ends_with(ending));
    let file = file.unwrap_or_else(|| panic!("no {ending} in {:?}", files(dir)));
    let mut bytes = fs::read(&file).expect("it is there");
    let middle = bytes.len() / 4;
    bytes[middle] ^= 0x55;
    fs::write(&file, bytes).expect("it can be written");
    file
}

/// Something that happens to an index.
type Wreck = fn(&Path);

/// Everything that can be asked, over whatever there is.
fn story(dir: &Path) {
    assert!(said(dir, &["search", "stone"]).starts_with("nothing was found\nhint: "));
    append(dir, "new", "a stone by the river");
    append(dir, "1", "stones, and \u{1b}[31mmoss");
    append(dir, "new", "to rebuild the wall");
    let found = said(dir, &["search", "stone", "river"]);
    let lines: Vec<_> = found.lines().collect();
    assert!(lines[0].starts_with("turn 1 in context 1  "), "{found}");
    assert!(lines[0].contains(" ago  score 0.") || lines[0].contains("just now  score 0."), "{found}");
    assert_eq!(lines[1], "    a stone by the river");
    assert!(found.ends_with("2 hits\n"), "{found}");
    assert!(!found.contains('\u{1b}'), "no colours where nobody looks, and none from elsewhere");
    let first = said(dir, &["search", "stone", "--limit", "1"]);
    let cursor = first.lines().last().and_then(|line| line.strip_prefix("more: the same with --cursor "));
    let second = said(dir, &["search", "stone", "--limit", "1", "--cursor", cursor.expect("more")]);
    assert!(first.contains("1 of 2 hits\n") && second.contains("1 of 2 hits\n"), "{first}{second}");
    assert_ne!(first.lines().next(), second.lines().next());
    let page = json(dir, &["search", "the stone", "--in", "contexts", "--since", "-1h", "--recency", "30d"]);
    assert_eq!(
        (&page["in"], &page["total"], &page["ignored"]),
        (&json!("contexts"), &json!(1), &json!(["the"]))
    );
    let narrow = ["--type", "com.example.Note", "--type", "other", "--context", "2", "--until", "2200-01-01"];
    assert_eq!(json(dir, &[&["search", "wall"], &narrow[..]].concat())["total"], 1);
    assert!(said(dir, &["search", "the"]).contains("because it says too little: the\n"));
    assert_eq!(json(dir, &["search", "\"rebuild\""])["total"], 1);
    let report = json(dir, &["search", "rebuild"]);
    assert_eq!(report["figures"]["search_documents"], 3, "{report}");
    assert!(said(dir, &["search", "rebuild"]).starts_with("search_documents  3\n"));
    assert_eq!(total(dir, "stone"), 2);
}

#[test]
fn searching_is_the_same_without_a_server() {
    let dir = here();
    story(dir.path());
}

#[test]
fn searching_is_the_same_with_a_server() {
    let dir = here();
    let server = serve(dir.path());
    story(dir.path());
    stop(server);
}

#[test]
fn what_goes_wrong_says_why_and_what_to_do() {
    let dir = here();
    let long = "x".repeat(8193);
    for (arguments, code, message) in [
        (&["search"][..], 2, "WORDS"),
        (&["search", "..."], 1, "the query has no words"),
        (&["search", "x", "--in", "nowhere"], 1, "in is one of auto, turns, windows, contexts"),
        (&["search", "x", "--limit", "101"], 1, "limit is 101"),
        (&["search", "x", "--cursor", "y"], 1, "the cursor is of another search"),
        (&["search", &long], 2, "at most 8192 are read"),
        (&["search", "rebuild", "--limit", "1"], 2, "unexpected argument"),
    ] {
        let ended = command(dir.path(), arguments);
        assert_eq!(ended.status.code(), Some(code), "{arguments:?}: {ended:?}");
        assert!(stderr(&ended).contains(message), "{arguments:?}: {}", stderr(&ended));
    }
}

#[test]
fn where_search_is_switched_off_no_index_is_kept() {
    let dir = here();
    append(dir.path(), "new", "a stone");
    for server in [false, true] {
        let mut off = cairn(dir.path(), &["serve", "--json", "--http", "127.0.0.1:0", "--data-dir", "data"]);
        off.env("CAIRN_SEARCH_ENABLED", "off");
        let server = server.then(|| Server::spawn(off));
        let mut search = cairn(dir.path(), &[&DATA[..], &["search", "x"]].concat());
        let ended = output(search.env("CAIRN_SEARCH_ENABLED", "off"));
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        assert!(stderr(&ended).contains("search is switched off here"), "{ended:?}");
        server.into_iter().for_each(stop);
    }
    assert!(!dir.path().join("data/search").exists());
    assert_eq!(total(dir.path(), "stone"), 1, "until somebody switches it on");
}

#[test]
fn what_was_acknowledged_is_found_after_a_power_cut() {
    let dir = here();
    let server = serve(dir.path());
    append(dir.path(), "new", "a stone");
    assert_eq!(total(dir.path(), "stone"), 1);
    append(dir.path(), "1", "another stone");
    server.kill();
    assert_eq!(total(dir.path(), "stone"), 2, "without a server");
    let server = serve(dir.path());
    append(dir.path(), "1", "a third stone");
    server.kill();
    let server = serve(dir.path());
    assert_eq!(total(dir.path(), "stone"), 3);
    stop(server);
}

#[test]
fn an_index_that_is_gone_or_damaged_is_made_again_while_everything_else_is_served() {
    let dir = here();
    let dir = dir.path();
    for number in 0..20 {
        let context = if number == 0 { "new" } else { "1" };
        append(dir, context, &format!("stone number {number}"));
    }
    stop(serve(dir));
    let wrecks: [(&str, Wreck); 5] = [
        ("gone", |dir| fs::remove_dir_all(dir.join("data/search")).expect("it is there")),
        ("meta", |dir| fs::write(damage(dir, "meta.json"), "{").expect("it can be written")),
        ("terms", |dir| drop(damage(dir, ".term"))),
        ("postings", |dir| drop(damage(dir, ".idx"))),
        ("a file", |dir| {
            fs::remove_dir_all(dir.join("data/search")).expect("it is there");
            fs::write(dir.join("data/search"), "somebody's").expect("it can be written");
        }),
    ];
    for (what, wreck) in wrecks {
        assert_eq!(total(dir, "stone"), 20, "before: {what}");
        wreck(dir);
        let server = serve(dir);
        assert!(server.get("/readyz").starts_with("HTTP/1.1 200"), "{what}");
        assert_eq!(
            json(dir, &["turns", "show", "1", "--last", "20"])["turns"].as_array().map(Vec::len),
            Some(20)
        );
        if what == "a file" {
            // Nobody makes a folder of that: it is said, and everything else goes on.
            let until = Instant::now() + LONG;
            while json(dir, &["stats"])["search"]["state"] != "failed" {
                assert!(Instant::now() < until, "it is never said");
                std::thread::sleep(LOOK_EVERY);
            }
            let ended = command(dir, &["search", "stone"]);
            assert!(
                ended.status.code() == Some(1) && stderr(&ended).contains("the search index is not there"),
                "{ended:?}"
            );
            append(dir, "1", "one more stone");
            fs::remove_file(dir.join("data/search")).expect("it is there");
        }
        let seen = until_ready(dir);
        let expected = if what == "a file" { 21 } else { 20 };
        assert_eq!(total(dir, "stone"), expected, "{what}: {seen:?}");
        server.signal("-TERM");
        let (_, _, log) = server.wait();
        let is_told = log.contains("the search index is") || what == "gone";
        assert!(is_told, "{what}: {log}");
    }
}

#[test]
fn the_doctor_looks_at_the_index_and_has_it_made_again() {
    let dir = here();
    let dir = dir.path();
    append(dir, "new", "a stone");
    assert_eq!(said(dir, &["doctor"]).lines().last(), Some("all is well"), "there is none yet");
    stop(serve(dir));
    assert_eq!(total(dir, "stone"), 1);
    assert_eq!(said(dir, &["doctor"]).lines().last(), Some("all is well"));
    let wrong = |ended: &Output, file: &str| {
        assert_eq!(ended.status.code(), Some(4), "{ended:?}");
        assert!(
            stdout(ended).contains(file)
                || stdout(ended).contains("search at byte 0: the search index is damaged"),
            "{ended:?}"
        );
    };
    let file = damage(dir, ".idx");
    let name = file.strip_prefix(dir.join("data")).expect("inside").to_string_lossy().into_owned();
    wrong(&command(dir, &["doctor"]), &name);
    wrong(&command(dir, &["doctor"]), &name);
    assert!(said(dir, &["doctor", "--repair"]).contains("(repaired)"));
    assert!(files(dir).is_empty(), "whoever searches next makes it");
    assert_eq!(said(dir, &["doctor"]).lines().last(), Some("all is well"));
    assert_eq!(total(dir, "stone"), 1);

    let server = serve(dir);
    until_ready(dir);
    damage(dir, ".idx");
    assert_eq!(command(dir, &["doctor"]).status.code(), Some(4));
    assert!(said(dir, &["doctor", "--repair"]).contains("(repaired)"));
    assert_eq!(said(dir, &["doctor"]).lines().last(), Some("all is well"));
    assert_eq!(total(dir, "stone"), 1);
    stop(server);
}

#[test]
fn a_restored_store_makes_its_index_again() {
    let dir = here();
    append(dir.path(), "new", "a stone");
    assert_eq!(total(dir.path(), "stone"), 1);
    said(dir.path(), &["backup", "monday.cairnbak"]);
    let restored = run(dir.path(), &["--data-dir", "other", "restore", "monday.cairnbak"]);
    assert_eq!(restored.status.code(), Some(0), "{restored:?}");
    assert!(!dir.path().join("other/search").exists(), "it is in no backup");
    let found = run(dir.path(), &["--data-dir", "other", "--json", "search", "stone"]);
    let found: Value = serde_json::from_str(&stdout(&found)).expect("JSON");
    assert_eq!(found["total"], 1);
}

#[test]
fn what_is_forgotten_is_not_kept_in_the_index() {
    let dir = here();
    let dir = dir.path();
    append(dir, "new", "an unforgettable zanzibar");
    assert_eq!(total(dir, "zanzibar"), 1);
    let index = files(dir);
    assert!(!index.is_empty());
    said(dir, &["turns", "prune", "--context", "1", "--apply"]);
    said(dir, &["compact", "--forget", "tenant:1"]);
    assert!(files(dir).is_empty(), "it is made again from what is left");
    assert_eq!(total(dir, "zanzibar"), 0);
}

/// The names of files below a folder that hold a word.
fn holding(folder: &Path, word: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(holding(&path, word));
        } else if path.is_file() {
            let bytes = fs::read(&path).expect("a file").to_ascii_lowercase();
            if bytes.windows(word.len()).any(|part| part == word.as_bytes()) {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn a_sealed_store_has_a_sealed_index() {
    // Long and like nothing else, so that no accident finds it, and parts of it are found too.
    let word = "zanzibarquartz";
    for is_sealed in [false, true] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let data = dir.path().join("data");
        assert!(run(dir.path(), &["key", "generate", "store.key"]).status.success());
        let with_key = |arguments: &[&str]| {
            let mut command = cairn(dir.path(), &[arguments, &DATA].concat());
            is_sealed.then(|| command.env("CAIRN_ENCRYPTION_KEY_FILE", "store.key"));
            command
        };
        let server = Server::spawn(with_key(&["serve", "--json", "--http", "127.0.0.1:0"]));
        append(dir.path(), "new", &format!("the {word} is buried"));
        assert_eq!(total(dir.path(), word), 1);
        stop(server);
        assert!(files(dir.path()).iter().any(|file| file.to_string_lossy().ends_with(".term")));
        let found = holding(&data, word);
        assert_eq!(found.is_empty(), is_sealed, "{found:?}");
        // A damaged one never answers, sealed or not.
        damage(dir.path(), ".idx");
        let server = Server::spawn(with_key(&["serve", "--json", "--http", "127.0.0.1:0"]));
        until_ready(dir.path());
        assert_eq!(total(dir.path(), word), 1);
        server.signal("-TERM");
        let log = server.wait().2;
        assert!(log.contains("the search index is"), "{log}");
        let found = output(&mut with_key(&["search", word, "--json"]));
        assert_eq!(serde_json::from_str::<Value>(&stdout(&found)).expect("JSON")["total"], 1);
    }
}
