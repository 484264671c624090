//! `cairn kip`, with and without a server.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::program::{Server, cairn, run, stderr, stdout, within};

const DATA: [&str; 2] = ["--data-dir", "data"];

const DRUGS: &str = r#"// What is known of drugs.
UPSERT {
  CONCEPT ?drug_type { {type: "$ConceptType", name: "Drug"} SET ATTRIBUTES { description: "Treats." } }
  CONCEPT ?aspirin { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk_level: 2 } }
}
UPSERT {
  CONCEPT ?ibuprofen { {type: "Drug", name: "Ibuprofen"} SET ATTRIBUTES { risk_level: 3 } }
}
WITH METADATA { source: "a test", author: "$self", confidence: 0.9 }
"#;
const RISKS: &str = r#"FIND(?d.name, ?d.attributes.risk_level) WHERE { ?d {type: "Drug"} } ORDER BY ?d.name"#;
const TABLE: &str = "?d.name    ?d.attributes.risk_level\nAspirin    2\nIbuprofen  3\n2 rows\n";

fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(command(dir.path(), &["init"]).status.code(), Some(0));
    fs::write(dir.path().join("drugs.kip"), DRUGS).expect("a file");
    dir
}

fn command(dir: &Path, arguments: &[&str]) -> Output {
    run(dir, &[&DATA, arguments].concat())
}

/// What a command prints that has to succeed.
fn said(dir: &Path, arguments: &[&str]) -> String {
    let output = command(dir, arguments);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    stdout(&output)
}

fn json(dir: &Path, arguments: &[&str]) -> Value {
    let text = said(dir, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Runs it with something on standard input.
fn fed(dir: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = cairn(dir, &[&DATA, arguments].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_owned();
    // It may end without reading all of it.
    std::thread::spawn(move || std::io::Write::write_all(&mut stdin, input.as_bytes()));
    within("its end", move || child.wait_with_output().expect("it ends"))
}

#[test]
fn commands_are_executed_with_and_without_a_server() {
    let dir = here();
    said(dir.path(), &["kip", "run", "drugs.kip"]);
    let alone = said(dir.path(), &["kip", "-c", RISKS]);
    let server = Server::start(dir.path(), &DATA);
    let attached = said(dir.path(), &["kip", "-c", RISKS]);
    assert_eq!((alone.as_str(), attached.as_str()), (TABLE, TABLE));
    let columns = json!({"result": [["Aspirin", "Ibuprofen"], [2, 3]]});
    assert_eq!(json(dir.path(), &["kip", "-c", RISKS]), columns);
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    assert_eq!(json(dir.path(), &["kip", "-c", RISKS]), columns);
}

#[test]
fn several_files_run_in_order_until_one_fails() {
    let dir = here();
    fs::write(dir.path().join("risks.kip"), RISKS).expect("a file");
    fs::write(dir.path().join("wrong.kip"), r#"FIND(?x) WHERE { ?x {type: "Dug"} }"#).expect("a file");
    let output = command(dir.path(), &["kip", "run", "drugs.kip", "risks.kip", "wrong.kip", "risks.kip"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stdout(&output).ends_with(TABLE), "{output:?}");
    assert_eq!(stdout(&output).matches("2 rows").count(), 1, "what comes after is not run: {output:?}");
    let told = stderr(&output);
    assert!(
        told.starts_with("error: KIP_2001 TypeMismatch: ")
            && told.contains("\nhint: ")
            && told.contains("Drug"),
        "{told}"
    );
    fs::write(dir.path().join("codeine.kip"), DRUGS.replace("Ibuprofen", "Codeine")).expect("a file");
    let output = command(dir.path(), &["kip", "run", "wrong.kip", "codeine.kip"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(said(dir.path(), &["kip", "-c", RISKS]), TABLE, "nor does it change anything");
    // A mistake in the text is told before anything is done.
    fs::write(dir.path().join("broken.kip"), "FIND(?x WHERE {}").expect("a file");
    let output = command(dir.path(), &["kip", "run", "codeine.kip", "broken.kip"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "{output:?}");
    assert!(stderr(&output).contains("--> broken.kip:1:9"), "{output:?}");
    assert_eq!(said(dir.path(), &["kip", "-c", RISKS]), TABLE, "nothing was changed");
}

#[test]
fn standard_input_is_a_file_like_others() {
    let dir = here();
    let output = fed(dir.path(), &["kip", "run", "-"], DRUGS);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let output = fed(dir.path(), &["kip", "-c", "-"], RISKS);
    assert_eq!(stdout(&output), TABLE, "{output:?}");
    let output = fed(dir.path(), &["kip", "check", "-"], "FIND(");
    assert!(stderr(&output).contains("--> standard input:1:5"), "{output:?}");
}

#[test]
fn flags_are_the_fields_of_a_request() {
    let dir = here();
    said(dir.path(), &["kip", "run", "drugs.kip", "--dry-run"]);
    let missing = command(dir.path(), &["kip", "-c", RISKS]);
    assert!(stderr(&missing).contains("KIP_2001"), "nothing was changed: {missing:?}");
    let refused = command(dir.path(), &["kip", "run", "drugs.kip", "--readonly"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(stderr(&refused).starts_with("error: KIP_1001"), "{refused:?}");
    said(dir.path(), &["kip", "run", "drugs.kip", "--space", "pharmacy"]);
    assert_eq!(said(dir.path(), &["kip", "-c", RISKS, "--space", "pharmacy"]), TABLE);
    let missing = command(dir.path(), &["kip", "-c", RISKS]);
    assert!(stderr(&missing).contains("KIP_2001"), "spaces are apart: {missing:?}");
    let find = r#"FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.risk_level == :risk || ?d.name == :name) }"#;
    let found = said(
        dir.path(),
        &["kip", "-c", find, "--space", "pharmacy", "--param", "risk=3", "--param", "name=\"none\""],
    );
    assert_eq!(found, "?d.name\nIbuprofen\n1 row\n");
    let wrong = command(dir.path(), &["kip", "-c", find, "--param", "risk=high"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
    assert!(stderr(&wrong).contains("a text needs quotes"), "{wrong:?}");
}

#[test]
fn errors_are_json_where_that_is_asked_for() {
    let dir = here();
    let output = command(dir.path(), &["kip", "--json", "-c", r#"FIND(?x) WHERE { ?x {type: "Dug"} }"#]);
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(answer["error"]["code"], "KIP_2001", "{answer:#}");
}

#[test]
fn other_answers_are_tables_and_lists() {
    let dir = here();
    said(dir.path(), &["kip", "run", "drugs.kip"]);
    let types = said(dir.path(), &["kip", "-c", "DESCRIBE CONCEPT TYPES"]);
    assert!(types.lines().any(|line| line == "Drug") && types.contains(" rows"), "{types}");
    let found = said(dir.path(), &["kip", "-c", r#"SEARCH CONCEPT "aspirin""#]);
    assert!(found.starts_with("id ") && found.contains("Aspirin"), "{found}");
    let primer = said(dir.path(), &["kip", "-c", "DESCRIBE PRIMER"]);
    assert!(primer.starts_with("{\n") && primer.contains("\"identity\""), "{primer}");
}

#[test]
fn check_shows_mistakes_with_their_places() {
    let dir = here();
    fs::write(dir.path().join("broken.kip"), "FIND(?d)\nWHRE { ?d {type: \"Drug\"} }\n").expect("a file");
    assert_eq!(said(dir.path(), &["kip", "check", "drugs.kip"]), "");
    let output = command(dir.path(), &["kip", "check", "broken.kip", "drugs.kip"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "{output:?}");
    let told = stderr(&output);
    let lines: Vec<_> = told.lines().collect();
    assert!(lines[0].starts_with("error: KIP_1001 InvalidSyntax: "), "{told}");
    assert_eq!(
        lines[1..5],
        [" --> broken.kip:2:1", "  |", "2 | WHRE { ?d {type: \"Drug\"} }", "  | ^^^^"],
        "{told}"
    );
    assert!(lines[5].starts_with("hint: "), "{told}");
    let output = command(dir.path(), &["kip", "check", "--json", "broken.kip", "drugs.kip"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(
        (&found[0]["line"], &found[0]["column"], found.as_array().map(Vec::len)),
        (&json!(2), &json!(1), Some(1))
    );
}

#[test]
fn fmt_writes_files_anew_and_says_which_it_would() {
    let dir = here();
    let file = dir.path().join("ugly.kip");
    let ugly = "// keep me\nFIND( ?d.name )WHERE{?d{type:\"Drug\"}}LIMIT 3";
    fs::write(&file, ugly).expect("a file");
    let output = command(dir.path(), &["kip", "fmt", "--check", "ugly.kip"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), "ugly.kip\n"), "{output:?}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), ugly, "nothing was changed");
    assert_eq!(said(dir.path(), &["kip", "fmt", "ugly.kip"]), "");
    let formatted = fs::read_to_string(&file).expect("it is there");
    assert!(
        formatted.contains("// keep me") && formatted.ends_with('\n') && formatted != ugly,
        "{formatted}"
    );
    assert_eq!(said(dir.path(), &["kip", "fmt", "--check", "ugly.kip"]), "");
    assert_eq!(stdout(&fed(dir.path(), &["kip", "fmt", "-"], ugly)), formatted);
    fs::write(&file, "FIND(").expect("a file");
    let output = command(dir.path(), &["kip", "fmt", "ugly.kip"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "FIND(", "a mistake is left alone");
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 3, "nothing is left beside");
}

#[test]
fn logs_say_what_a_server_was_asked() {
    let dir = here();
    let server = Server::start(dir.path(), &DATA);
    said(dir.path(), &["kip", "run", "drugs.kip"]);
    command(dir.path(), &["kip", "-c", r#"FIND(?x) WHERE { ?x {type: "Dug"} }"#]);
    let table = said(dir.path(), &["kip", "logs"]);
    assert!(table.contains("UPSERT") && table.contains("KIP_2001") && table.contains("2 rows"), "{table}");
    let page = json(dir.path(), &["kip", "logs", "--limit", "1"]);
    assert_eq!(page["result"].as_array().map(Vec::len), Some(1), "{page:#}");
    let cursor = page["next_cursor"].as_str().expect("there is more");
    let next = json(dir.path(), &["kip", "logs", "--cursor", cursor]);
    assert_eq!(next["result"][0]["kind"], "UPSERT", "{next:#}");
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
}

#[test]
fn a_sleep_cycle_tells_first_and_removes_when_it_is_told_to() {
    let dir = here();
    said(dir.path(), &["kip", "run", "drugs.kip"]);
    let old = r#"UPSERT { CONCEPT { {type: "Drug", name: "Old"} } } WITH METADATA { expires_at: "2001-01-01T00:00:00Z" }"#;
    said(dir.path(), &["kip", "-c", old]);
    let told = said(dir.path(), &["kip", "sleep"]);
    assert!(told.contains("\n1 past expires_at, and would go:\n  C:"), "{told}");
    assert!(told.contains("Drug \"Old\"  2001-01-01T00:00:00Z\n"), "{told}");
    assert!(
        told.ends_with("would remove 1 concept and 0 links\nnothing was changed; --apply does it\n"),
        "{told}"
    );
    let server = Server::start(dir.path(), &DATA);
    let report = json(dir.path(), &["kip", "sleep", "--limit", "1"]);
    assert_eq!((&report["expired"]["total"], &report["applied"]), (&json!(1), &json!(false)));
    assert_eq!(
        (&report["without_domain"]["total"], report["without_domain"]["shown"].as_array().map(Vec::len)),
        (&json!(2), Some(1))
    );
    let done = said(dir.path(), &["kip", "sleep", "--apply"]);
    assert!(done.ends_with("removed 1 concept and 0 links\n"), "{done}");
    drop(server);
    let again = said(dir.path(), &["kip", "sleep", "--apply"]);
    assert!(again.ends_with("removed 0 concepts and 0 links\n"), "{again}");
    assert_eq!(said(dir.path(), &["kip", "-c", RISKS]), TABLE);
    let audit = said(dir.path(), &["audit"]);
    assert!(audit.contains("sleep cycle in memory: 1 past expires_at"), "{audit}");
    let missing = command(dir.path(), &["kip", "sleep", "--space", "nowhere"]);
    assert!(missing.status.code() == Some(1) && stderr(&missing).contains("nowhere"), "{missing:?}");
}
