//! `cairn kip index`, with and without a server.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::program::{Server, cairn, run, stderr, stdout};

const DATA: [&str; 2] = ["--data-dir", "data"];
const DRUGS: &str = r#"UPSERT {
  CONCEPT ?type { {type: "$ConceptType", name: "Drug"} }
  CONCEPT ?one { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { dose: 2 } }
  CONCEPT ?other { {type: "Drug", name: "Ibuprofen"} SET ATTRIBUTES { dose: "a lot" } }
}"#;
const SORTED: &str = r#"FIND(?d.name) WHERE { ?d {type: "Drug"} } ORDER BY ?d.attributes.dose DESC"#;

fn command(dir: &Path, arguments: &[&str]) -> Output {
    run(dir, &[&DATA, arguments].concat())
}

/// What a command prints that has to succeed.
fn said(dir: &Path, arguments: &[&str]) -> String {
    let output = command(dir, arguments);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    stdout(&output)
}

fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    said(dir.path(), &["init"]);
    said(dir.path(), &["kip", "-c", DRUGS]);
    dir
}

#[test]
fn indexes_are_made_listed_and_dropped_with_and_without_a_server() {
    let dir = here();
    let none = said(dir.path(), &["kip", "index", "list"]);
    assert!(none.starts_with("there are no indexes"), "{none}");
    for has_server in [false, true] {
        let server = has_server.then(|| Server::start(dir.path(), &DATA));
        let before = said(dir.path(), &["kip", "-c", SORTED]);
        let made = said(dir.path(), &["kip", "index", "create", "Drug", "attributes.dose"]);
        assert_eq!(made, "ready: 2 concepts by Drug attributes.dose\n");
        let list = "type  field            state  concepts  made\nDrug  attributes.dose  ready  2         on request\n";
        assert_eq!(said(dir.path(), &["kip", "index", "list"]), list);
        let page: Value =
            serde_json::from_str(&said(dir.path(), &["kip", "index", "list", "--json"])).expect("JSON");
        let index = json!({"type": "Drug", "field": "attributes.dose", "state": "ready", "entries": 2,
            "concepts": 2, "automatic": false});
        assert_eq!(page, json!({"indexes": [index]}));
        assert_eq!(said(dir.path(), &["kip", "-c", SORTED]), before);
        let dropped = said(dir.path(), &["kip", "index", "drop", "Drug", "attributes.dose"]);
        assert_eq!(dropped, "dropped: Drug attributes.dose\n");
        let again = command(dir.path(), &["kip", "index", "drop", "Drug", "attributes.dose"]);
        assert_eq!(again.status.code(), Some(1), "{again:?}");
        assert!(stderr(&again).contains("there is no index of Drug attributes.dose"), "{again:?}");
        if let Some(server) = server {
            server.signal("-TERM");
            assert_eq!(server.wait().0, Some(0));
        }
    }
}

#[test]
fn an_index_is_that_of_its_space() {
    let dir = here();
    said(dir.path(), &["kip", "-c", DRUGS, "--space", "work"]);
    let field = ["Drug", "attributes.dose"];
    let index = |verb: &str, space: &str| {
        said(dir.path(), &[&["kip", "index", verb][..], &field, &["--space", space]].concat())
    };
    let list = |space: &str| said(dir.path(), &["kip", "index", "list", "--space", space]);
    index("create", "memory");
    assert!(list("work").starts_with("there are no indexes"));
    index("create", "work");
    index("drop", "work");
    assert!(list("work").starts_with("there are no indexes"));
    assert!(list("memory").contains("Drug  attributes.dose"));
}

#[test]
fn mistakes_say_what_to_do() {
    let dir = here();
    for (arguments, says) in [
        (&["create", "Drgu", "attributes.dose"][..], "Drug"),
        (&["create", "Drug", "dose"], "attributes.KEY"),
        (&["create", "Drug", "attributes.dose", "--space", "nowhere"], "nowhere"),
    ] {
        let output = command(dir.path(), &[&["kip", "index"], arguments].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(stderr(&output).contains(says), "{output:?}");
    }
    let bare = command(dir.path(), &["kip", "index", "create", "Drug"]);
    assert_eq!(bare.status.code(), Some(2), "{bare:?}");
}

#[test]
fn an_encrypted_data_directory_has_no_indexes() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    said(dir.path(), &["key", "generate", "store.key"]);
    let with_key = |arguments: &[&str]| {
        let mut command = cairn(dir.path(), &[&DATA, arguments].concat());
        command.env("CAIRN_ENCRYPTION_KEY_FILE", "store.key");
        command.output().expect("it runs")
    };
    assert_eq!(with_key(&["init"]).status.code(), Some(0));
    assert_eq!(with_key(&["kip", "-c", DRUGS]).status.code(), Some(0));
    let refused = with_key(&["kip", "index", "create", "Drug", "attributes.dose"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(stderr(&refused).contains("this store is sealed"), "{refused:?}");
    assert!(stdout(&with_key(&["kip", "index", "list"])).starts_with("there are no indexes"));
}
