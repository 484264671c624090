//! `cairn artifact` and `cairn kcp`, with and without a server.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::program::{Server, cairn, run, stderr, stdout, within};

fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = run(dir.path(), &["--data-dir", "data", "init"]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    dir
}

fn call(dir: &Path, arguments: &[&str]) -> Output {
    run(dir, &[&["--data-dir", "data"], arguments].concat())
}

/// What a command prints that has to succeed.
fn said(dir: &Path, arguments: &[&str]) -> String {
    let output = call(dir, arguments);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    stdout(&output)
}

fn json(dir: &Path, arguments: &[&str]) -> Value {
    let text = said(dir, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Exit code and error of a command that has to fail.
fn failed(dir: &Path, arguments: &[&str]) -> (i32, String) {
    let output = call(dir, arguments);
    (output.status.code().expect("it ends by itself"), stderr(&output))
}

/// Runs it with something to read.
fn piped(dir: &Path, arguments: &[&str], input: Vec<u8>) -> Output {
    let mut command = cairn(dir, &[&["--data-dir", "data"], arguments].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // One that refuses before it reads closes the pipe.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = within("its end", move || child.wait_with_output()).expect("its output is read");
    writer.join().expect("it is written");
    output
}

fn write(dir: &Path, name: &str, content: &[u8]) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    std::fs::write(path, content).expect("a file");
}

/// The id at the beginning of a line.
fn id_in(line: &str) -> String {
    line.split_whitespace().next().expect("an id").to_owned()
}

/// Everything that can be done with artifacts, over whatever there is. `key`: the public key of the owner.
fn story(dir: &Path, key: &str) {
    assert!(said(dir, &["artifact", "list"]).starts_with("no artifacts"));
    write(dir, "root.csv", b"region,revenue\nnorth,7\n");
    write(dir, "report.md", b"# Gateway\n\nRate limits of the gateway were raised.\n");
    let root = id_in(&said(dir, &["artifact", "publish", "root.csv", "--visibility", "org"]));
    let line = said(
        dir,
        &[
            &["artifact", "publish", "report.md", "--title", "Gateway report", "--tags", "q3, limits"][..],
            &["--summary", "What changed", "--derived-from", &root, "--data-source", "s3://lake/x.csv"],
            &[
                "--agent",
                "reporter/2",
                "--query",
                "what changed?",
                "--source",
                "nightly",
                "--acl-user",
                "ada",
            ],
        ]
        .concat(),
    );
    assert!(line.ends_with("  Gateway report  markdown, 51 B, private, signed by you\n"), "{line}");
    let report = id_in(&line);

    let listed = said(dir, &["artifact", "list"]);
    assert!(listed.starts_with("ID ") && listed.contains(&root) && listed.contains(&report), "{listed}");
    assert!(listed.ends_with("2 artifacts\n"), "{listed}");
    let page = json(dir, &["artifact", "list", "--tags", "q3", "--limit", "1"]);
    assert_eq!((&page["total"], &page["results"][0]["id"]), (&1.into(), &report.as_str().into()));
    assert!(said(dir, &["artifact", "list", "--format", "html"]).starts_with("no artifacts"));
    assert!(said(dir, &["artifact", "list", "--limit", "1"]).contains("--offset 1"));
    let found = said(dir, &["artifact", "search", "rate", "limits"]);
    assert!(found.starts_with(&report) && found.contains("    # Gateway Rate limits"), "{found}");
    let found = json(dir, &["kcp", "search", "revenue"]);
    assert_eq!(found["results"][0]["id"], root.as_str(), "{found}");
    assert_eq!(said(dir, &["artifact", "search", "zeppelin"]), "nothing was found\n");

    let shown = said(dir, &["artifact", "get", &report]);
    for part in
        ["Gateway report", "q3, limits", "s3://lake/x.csv", "the author, key ", key, "reporter/2", &root]
    {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let artifact = json(dir, &["artifact", "get", &report.to_uppercase()]);
    assert_eq!((&artifact["user_id"], &artifact["tenant_id"]), (&"local-owner".into(), &"local".into()));
    assert_eq!(artifact["lineage"]["parent_reports"][0], root.as_str());
    assert_eq!(artifact["acl"]["allowed_users"][0], "ada");
    assert_eq!(
        call(dir, &["artifact", "get", &report, "--content"]).stdout,
        b"# Gateway\n\nRate limits of the gateway were raised.\n"
    );
    let file = format!("{report}.md");
    assert_eq!(said(dir, &["artifact", "get", &report, "--output", &file]), "");
    assert_eq!(std::fs::read(dir.join(&file)).ok(), std::fs::read(dir.join("report.md")).ok());
    assert_eq!(failed(dir, &["artifact", "get", &report, "--output", &file]).0, 2);
    let canonical = said(dir, &["artifact", "get", &report, "--canonical"]);
    assert!(canonical.starts_with("{\"acl\":{") && !canonical.contains("signature"), "{canonical}");
    assert!(
        !canonical.contains("_cairn") && canonical.ends_with("\"visibility\":\"private\"}"),
        "{canonical}"
    );

    lineage(dir, &root, &report);
    exports(dir, &report, key);

    let ids = said(dir, &["artifact", "ids"]);
    assert_eq!(ids, format!("{root}\n{report}\n"));
    let deleted = said(dir, &["artifact", "delete", &root, "--reason", "superseded"]);
    assert!(deleted.starts_with(&root) && deleted.ends_with("the tombstone is signed by you\n"), "{deleted}");
    let (code, why) = failed(dir, &["artifact", "get", &root]);
    assert!(code == 1 && why.starts_with("error: "), "{why}");
    assert_eq!(failed(dir, &["artifact", "delete", &root]).0, 1);
    assert!(said(dir, &["artifact", "list"]).ends_with("1 artifact\n"));
    let lineage = said(dir, &["artifact", "lineage", &report]);
    assert!(lineage.contains("[deleted]"), "{lineage}");
}

fn lineage(dir: &Path, root: &str, report: &str) {
    let tree = said(dir, &["artifact", "lineage", report]);
    let lines: Vec<_> = tree.lines().collect();
    assert!(lines[0].starts_with(&format!("{report}  Gateway report  markdown, by local-owner")), "{tree}");
    assert_eq!(lines[1], "derived from:");
    assert!(lines[2].starts_with(&format!("`- {root}  root.csv")), "{tree}");
    let down = said(dir, &["artifact", "lineage", root, "--direction", "down"]);
    assert!(down.contains(&format!("derivatives:\n`- {report}")), "{down}");
    let up = said(dir, &["kcp", "lineage", root, "--direction", "up"]);
    assert!(up.contains("no ancestors"), "{up}");
    let json = json(dir, &["artifact", "lineage", report, "--depth", "1"]);
    assert_eq!(json["ancestors"][0], root);
    for (format, part) in [
        ("dot", "digraph"),
        ("mermaid", "flowchart"),
        ("prov", "wasDerivedFrom"),
        ("openlineage", "\"eventType\":\"COMPLETE\""),
        ("json", "\"ancestors\""),
    ] {
        let text = said(dir, &["artifact", "lineage", report, "--format", format]);
        assert!(
            text.contains(part) && (text.contains(root) || text.contains("root.csv")),
            "{format}: {text}"
        );
    }
}

/// The JSON export of one artifact.
fn exports(dir: &Path, report: &str, key: &str) {
    let file = format!("{report}.json");
    assert_eq!(said(dir, &["artifact", "export", "--json", report, "--output", &file]), "");
    let text = std::fs::read_to_string(dir.join(&file)).expect("a file");
    let export: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&export["_kcp_export"]["public_key"], &export["id"]), (&key.into(), &report.into()));
    assert_eq!(export["_lineage"].as_array().map(Vec::len), Some(2));
    let nowhere = tempfile::tempdir().expect("a temporary folder");
    std::fs::copy(dir.join(&file), nowhere.path().join("one.json")).expect("a copy");
    let verified = run(nowhere.path(), &["artifact", "verify", "one.json"]);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    assert!(stdout(&verified).contains("proves nothing about the author"), "{verified:?}");
    let (code, why) = failed(dir, &["artifact", "export", "--json"]);
    assert!(code == 2 && why.contains("exactly one artifact"), "{why}");
}

/// Creates an identity, whose key is registered.
fn identity(dir: &Path) -> String {
    let created = call(dir, &["kcp", "identity", "create", "--json"]);
    assert_eq!(created.status.code(), Some(0), "{created:?}");
    let told: Value = serde_json::from_str(&stdout(&created)).expect("JSON");
    assert_eq!(told["registered"], true);
    told["node_id"].as_str().expect("text").to_owned()
}

#[test]
fn artifacts_without_a_server() {
    let dir = here();
    let key = identity(dir.path());
    story(dir.path(), &key);
}

#[test]
fn artifacts_with_a_server() {
    let dir = here();
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let key = identity(dir.path());
    story(dir.path(), &key);
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
}

#[test]
fn without_a_registered_key_the_node_signs() {
    let dir = here();
    write(dir.path(), "a.txt", b"text");
    let (code, why) = failed(dir.path(), &["artifact", "publish", "a.txt", "--sign"]);
    assert!(code == 2 && why.contains("has no identity"), "{why}");
    let line = said(dir.path(), &["artifact", "publish", "a.txt"]);
    assert!(line.ends_with("a.txt  text, 4 B, private, signed by the node\n"), "{line}");
    // The node has made itself an identity, which is nobody's.
    let (code, why) = failed(dir.path(), &["artifact", "publish", "a.txt", "--sign"]);
    assert!(code == 2 && why.contains("cairn access key add"), "{why}");
    let artifact = json(dir.path(), &["artifact", "publish", "a.txt"]);
    assert_eq!(artifact["_cairn"]["attested_by"], "node");
    let node_id = artifact["_cairn"]["public_key"].as_str().expect("text");
    assert_eq!(json(dir.path(), &["identity", "show"])["node_id"], node_id);
    let deleted = said(dir.path(), &["artifact", "delete", &id_in(&line)]);
    assert!(deleted.ends_with("signed by the node\n"), "{deleted}");
    // Now it is the owner's.
    said(dir.path(), &["access", "key", "add", node_id, "--user", "local-owner"]);
    let line = said(dir.path(), &["artifact", "publish", "a.txt", "--sign"]);
    assert!(line.ends_with("signed by you\n"), "{line}");
    let line = said(dir.path(), &["artifact", "publish", "a.txt", "--unsigned"]);
    assert!(line.ends_with("signed by the node\n"), "{line}");
}

#[test]
fn pipes_and_directories_are_published() {
    let dir = here();
    let publish = |more: &[&str], input: &[u8]| {
        piped(dir.path(), &[&["artifact", "publish"], more].concat(), input.to_vec())
    };
    let unnamed = publish(&["-"], b"x");
    assert!(unnamed.status.code() == Some(2) && stderr(&unnamed).contains("--title"), "{unnamed:?}");
    for arguments in [&["-", "--title", "Piped", "--format", "markdown"][..], &["--title", "Piped"]] {
        let published = publish(arguments, b"from a pipe");
        assert_eq!(published.status.code(), Some(0), "{published:?}");
        let id = id_in(&stdout(&published));
        assert_eq!(call(dir.path(), &["artifact", "get", &id, "--content"]).stdout, b"from a pipe");
    }

    for name in ["b.md", "a.html", ".hidden", "sub/c.json"] {
        write(&dir.path().join("tree"), name, name.as_bytes());
    }
    let published = said(dir.path(), &["artifact", "publish", "tree", "--tags", "tree", "--json"]);
    let published: Vec<Value> =
        published.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let found: Vec<_> = published.iter().map(|it| (it["title"].as_str(), it["format"].as_str())).collect();
    assert_eq!(
        found,
        [
            (Some("a.html"), Some("html")),
            (Some("b.md"), Some("markdown")),
            (Some("sub/c.json"), Some("json"))
        ]
    );
    assert_eq!(json(dir.path(), &["artifact", "list", "--tags", "tree"])["total"], 3);
    let (code, why) = failed(dir.path(), &["artifact", "publish", "tree", "--title", "All"]);
    assert!(code == 2 && why.contains("3 files"), "{why}");
    let (code, why) = failed(dir.path(), &["artifact", "publish", "nothing.md"]);
    assert!(code == 1 && why.contains("nothing.md"), "{why}");
    // A bad field is named, and what was published before it stays.
    let long = "x".repeat(600);
    let (code, why) = failed(dir.path(), &["artifact", "publish", "tree", "--summary", &long]);
    assert!(code == 1 && why.contains("a.html: ") && why.contains("summary"), "{why}");
}

#[test]
fn large_content_is_uploaded_first() {
    let dir = here();
    let large: Vec<u8> = (0..9_u32 << 20).map(|at| (at % 253) as u8).collect();
    write(dir.path(), "large.bin", &large);
    let from_file = said(dir.path(), &["artifact", "publish", "large.bin"]);
    assert!(from_file.contains("9.00 MiB"), "{from_file}");
    let mut other = large.clone();
    other.push(7);
    let from_pipe = piped(dir.path(), &["artifact", "publish", "--title", "Piped"], other.clone());
    assert_eq!(from_pipe.status.code(), Some(0), "{from_pipe:?}");
    for (line, content) in [(from_file, large), (stdout(&from_pipe), other)] {
        let content_now = call(dir.path(), &["artifact", "get", &id_in(&line), "--content"]).stdout;
        assert!(content_now == content, "{} bytes", content_now.len());
    }
}

#[test]
fn a_new_identity_is_registered_if_there_is_a_store() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let created = call(dir.path(), &["identity", "create", "--random"]);
    assert_eq!(created.status.code(), Some(0), "{created:?}");
    let text = stdout(&created);
    assert!(text.contains("not registered yet") && text.contains("cairn access key add "), "{text}");
    let show = |dir: &Path| json(dir, &["identity", "show"])["node_id"].as_str().expect("text").to_owned();
    let early = show(dir.path());
    assert!(text.contains(&early), "{text}");
    assert!(!dir.path().join("data/MANIFEST").exists(), "no store is made for that");

    let dir = here();
    let text = said(dir.path(), &["identity", "create", "--random"]);
    assert!(text.ends_with("the key is registered for local-owner in tenant local\n"), "{text}");
    let keys = json(dir.path(), &["access", "key", "list", "--user", "local-owner"]);
    assert_eq!(keys["keys"][0]["public_key"], show(dir.path()).as_str());
    let replaced = json(dir.path(), &["identity", "create", "--random", "--replace"]);
    assert_eq!(replaced["registered"], true);
    let keys = json(dir.path(), &["access", "key", "list", "--user", "local-owner"]);
    assert_eq!(keys["keys"].as_array().map(Vec::len), Some(2));
    // A revoked key never comes back, and the identity is kept all the same.
    let folder = replaced["replaced"].as_str().expect("a folder");
    let old = keys["keys"].as_array().expect("keys").iter().map(|key| key["public_key"].as_str());
    let old = old.flatten().find(|key| Some(*key) != replaced["node_id"].as_str()).expect("another key");
    said(dir.path(), &["access", "key", "revoke", old]);
    let back = said(dir.path(), &["identity", "import", folder, "--replace"]);
    assert!(back.contains("not registered yet: ") && back.contains(old), "{back}");
    assert_eq!(show(dir.path()), old);
}

#[test]
fn an_identity_that_the_node_created_becomes_the_owners() {
    let dir = here();
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let published = piped(dir.path(), &["artifact", "publish", "-", "--title", "One"], b"one".to_vec());
    assert_eq!(published.status.code(), Some(0), "{published:?}");
    let node = json(dir.path(), &["identity", "show"])["node_id"].as_str().expect("text").to_owned();
    let text = said(dir.path(), &["kcp", "identity", "create"]);
    assert!(text.contains(&node) && text.contains("the key is registered for local-owner"), "{text}");
    assert!(text.contains("cairn identity create --replace"), "{text}");
    assert_eq!(json(dir.path(), &["kcp", "identity", "create"])["node_id"], node.as_str());
    // Who wants words has to say that the other one goes.
    let (code, why) = failed(dir.path(), &["identity", "create", "--words", "24"]);
    assert!(code == 2 && why.contains("--replace"), "{why}");
    let published = piped(dir.path(), &["kcp", "publish", "-", "--title", "Two", "--sign"], b"two".to_vec());
    let shown = json(dir.path(), &["kcp", "get", &id_in(&stdout(&published))]);
    assert_eq!(
        (&shown["_cairn"]["attested_by"], &shown["_cairn"]["public_key"]),
        (&"author".into(), &node.as_str().into())
    );
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
}

#[test]
fn bundles_go_out_and_in() {
    let dir = here();
    let key = identity(dir.path());
    write(dir.path(), "a.md", b"# A");
    write(dir.path(), "b.md", b"# B");
    let first = id_in(&said(dir.path(), &["artifact", "publish", "a.md", "--tags", "x"]));
    let second = id_in(&said(dir.path(), &["artifact", "publish", "b.md", "--derived-from", &first]));
    let wrote = said(dir.path(), &["artifact", "export", "--output", "all.kcp"]);
    assert!(wrote.starts_with("wrote all.kcp, "), "{wrote}");
    said(dir.path(), &["artifact", "export", "--output", "one.kcp", &second]);
    said(dir.path(), &["artifact", "export", "--output", "x.kcp", "--tags", "x"]);
    assert_eq!(failed(dir.path(), &["artifact", "export", "--output", "all.kcp"]).0, 2);
    let nowhere = tempfile::tempdir().expect("a temporary folder");
    for (file, count) in [("all.kcp", 2), ("one.kcp", 1), ("x.kcp", 1)] {
        std::fs::copy(dir.path().join(file), nowhere.path().join(file)).expect("a copy");
        let verified = run(nowhere.path(), &["artifact", "verify", file, "--json"]);
        assert_eq!(verified.status.code(), Some(0), "{verified:?}");
        let report: Value = serde_json::from_str(&stdout(&verified)).expect("JSON");
        assert_eq!(report["artifacts"].as_array().map(Vec::len), Some(count), "{report}");
    }
    // Known here; unknown to another node, which does not trust the keys inside.
    let known = said(dir.path(), &["artifact", "import", "all.kcp"]);
    assert!(known.starts_with("imported 0 artifacts") && known.contains("2 known already"), "{known}");
    said(dir.path(), &["artifact", "export", "--json", &first, "--output", "one.json"]);
    run(dir.path(), &["--data-dir", "other", "init"]);
    let import = |file: &str| {
        let imported = run(dir.path(), &["--data-dir", "other", "artifact", "import", file]);
        assert_eq!(imported.status.code(), Some(0), "{imported:?}");
        stdout(&imported)
    };
    let text = import("one.json");
    assert!(
        text.starts_with("imported 0 artifacts with 3 B of content; 1 quarantined\n")
            && text.contains(&first),
        "{text}"
    );
    // Once the key is registered for its author, the same file is imported.
    let add = ["--data-dir", "other", "access", "key", "add", &key, "--user", "local-owner"];
    assert_eq!(run(dir.path(), &add).status.code(), Some(0));
    let text = import("one.json");
    assert!(text.starts_with("imported 1 artifact") && !text.contains("quarantined"), "{text}");
    let text = import("all.kcp");
    assert!(text.starts_with("imported 1 artifact") && text.contains("; 1 known already\n"), "{text}");
    let content = run(dir.path(), &["--data-dir", "other", "artifact", "get", &second, "--content"]);
    assert_eq!(stdout(&content), "# B");
    // A bundle grows by what is new, and by nothing else.
    let append = || said(dir.path(), &["artifact", "export", "--append", "all.kcp"]);
    assert_eq!(append(), "appended 0 artifacts and 0 tombstones to all.kcp, 5 entries\n");
    let before = std::fs::read(dir.path().join("all.kcp")).expect("a file");
    write(dir.path(), "c.md", b"# C");
    let third = id_in(&said(dir.path(), &["artifact", "publish", "c.md"]));
    said(dir.path(), &["artifact", "delete", &first]);
    // The end of an append that was cut is cut off.
    std::fs::write(dir.path().join("all.kcp"), [&before[..], b"torn"].concat()).expect("a file");
    assert_eq!(append(), "appended 1 artifact and 1 tombstone to all.kcp, 8 entries\n");
    let now = std::fs::read(dir.path().join("all.kcp")).expect("a file");
    assert!(now.starts_with(&before) && now.len() > before.len());
    let verified = json(dir.path(), &["artifact", "verify", "all.kcp"]);
    assert_eq!(verified["artifacts"].as_array().map(Vec::len), Some(3), "{verified}");
    assert!(verified.to_string().contains(&third), "{verified}");
    assert!(said(dir.path(), &["artifact", "export", "--append", "new.kcp"]).starts_with("wrote new.kcp, "));
    write(dir.path(), "other.kcp", b"something else");
    let (code, why) = failed(dir.path(), &["artifact", "export", "--append", "other.kcp"]);
    assert!(code == 2 && why.contains("not a KCP bundle"), "{why}");
    assert_eq!(std::fs::read(dir.path().join("other.kcp")).expect("a file"), b"something else");
    let left = std::fs::read_dir(dir.path()).expect("a folder").flatten().map(|entry| entry.file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains(".kcp.")).collect();
    assert!(left.is_empty(), "{left:?}");
    // What was changed on the way is not imported.
    let mut bytes = std::fs::read(dir.path().join("all.kcp")).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(dir.path().join("changed.kcp"), bytes).expect("a file");
    let refused = run(dir.path(), &["--data-dir", "other", "artifact", "import", "changed.kcp"]);
    assert!(refused.status.code() == Some(1) && stderr(&refused).starts_with("error: "), "{refused:?}");
}
