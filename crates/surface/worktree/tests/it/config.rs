//! The settings of the KB.

use cairn_worktree::{ConfigOrigin, KbConfig, WorktreeCode, WorktreeError};

use crate::repo::Repo;

const RULES: &[&str] = &["no-cycles", "symbol-coverage"];

fn read(file: &str, content: &str) -> Result<KbConfig, WorktreeError> {
    let repo = Repo::plain();
    repo.write(file, content);
    KbConfig::read(&repo.root, RULES)
}

fn check_refused(file: &str, content: &str, expected: &str) {
    let error = read(file, content).unwrap_err();
    assert_eq!(error.code(), WorktreeCode::KbConfig);
    assert!(error.to_string().contains(expected), "{error} is not {expected}");
}

#[test]
fn without_a_file_all_settings_have_their_defaults() {
    let config = KbConfig::read(&Repo::plain().root, RULES).unwrap();
    assert_eq!(config, KbConfig::default());
    assert_eq!(config.paths.requirements, "documentation/requirements");
    assert_eq!(config.paths.symbols, "documentation/symbols.yaml");
}

#[test]
fn toml_goes_before_json() {
    let repo = Repo::plain();
    repo.write(
        ".kb/config.json",
        r#"{"schemaVersion": 2, "defaultBranch": "main", "x": {"y": 1},
        "paths": {"adr": "docs/adr"}, "checks": {"rules": {"no-cycles": false, "other": true},
        "symbolTraceability": {"requireAdr": true}}}"#,
    );
    let json = KbConfig::read(&repo.root, RULES).unwrap();
    assert_eq!((json.origin, json.schema_version), (ConfigOrigin::Json, Some(2)));
    assert_eq!((json.paths.adr.as_str(), json.checks.require_adr), ("docs/adr", true));
    assert_eq!(json.checks.rules.into_iter().collect::<Vec<_>>(), [("no-cycles".to_owned(), false)]);
    assert_eq!(json.ignored, ["checks.rules.other", "defaultBranch", "x"]);
    repo.write(
        "cairn-kb.toml",
        "schema_version = 3\n[paths]\nadr = \"a/**/*.md\"\nsymbols = 's.yaml'\n\
        [checks.rules]\nno-cycles = true\n[checks.symbol_traceability]\nrequire_adr = true\n",
    );
    let toml = KbConfig::read(&repo.root, RULES).unwrap();
    assert_eq!((toml.origin, toml.schema_version), (ConfigOrigin::Toml, Some(3)));
    assert_eq!((toml.paths.adr.as_str(), toml.paths.symbols.as_str()), ("a/**/*.md", "s.yaml"));
    assert_eq!(toml.paths.tests, "documentation/tests");
    assert_eq!((toml.checks.rules["no-cycles"], toml.checks.require_adr), (true, true));
}

#[test]
fn mistakes_name_their_line_and_a_near_key() {
    let check = |content: &str, expected: &str| check_refused("cairn-kb.toml", content, expected);
    check(
        "\n[paths]\nrequirement = \"x\"",
        "cairn-kb.toml:3: unknown key `paths.requirement`; did you mean `paths.requirements`?",
    );
    check(
        "schemaVersion = 1",
        "cairn-kb.toml:1: unknown key `schemaVersion`; did you mean `schema_version`?",
    );
    check(
        "[checks.rules]\nno-cycle = true",
        "cairn-kb.toml:2: unknown rule `no-cycle`; did you mean `no-cycles`?",
    );
    check("[other]", ":1: unknown key `other`; known are schema_version, ");
    check("[[paths]]", ":1: unknown key `paths`; ");
    check("x = {}\n", ":1: unknown key `x`");
    check("schema_version.x = 1", "`schema_version`: the value is table; give a whole number from 0");
    check("schema_version = -1", "`schema_version`: the value is integer; give a whole number from 0");
    check("a = 1\nb", "cairn-kb.toml:2: ");
    check("paths.adr = 1", "`paths.adr`: the value is a number; give a path in quotes");
    check(
        "checks.rules.no-cycles = 1",
        "`checks.rules.no-cycles`: the value is a number; give true or false",
    );
    for path in ["", "/etc", "../x", "a/../../b", "a\\u0000b"] {
        check(&format!("paths.adr = \"{path}\""), "`paths.adr`: invalid path");
    }
    let check = |content: &str, expected: &str| check_refused(".kb/config.json", content, expected);
    check("{\"paths\":\n", ".kb/config.json:2: the file is no JSON object");
    check("[]", "the file is no JSON object");
    check("{\"schemaVersion\": \"1\"}", "`schemaVersion`: the value is text");
    check("{\"paths\": {\"adr\": \"../x\"}}", "`paths.adr`: invalid path");
}

#[test]
fn size_and_depth_are_bounded() {
    let whole = format!("#{}", "x".repeat(256 * 1024 - 1));
    read("cairn-kb.toml", &whole).unwrap();
    check_refused("cairn-kb.toml", &format!("{whole}x"), "has more than 262144 bytes");
    check_refused("cairn-kb.toml", &format!("{}a = 1", "a.".repeat(120_000)), "too many levels");
    check_refused("cairn-kb.toml", &format!("[{}a]\n", "a.".repeat(120_000)), "too many levels");
    check_refused("cairn-kb.toml", &format!("a = {}", "[".repeat(120_000)), "too many levels");
    check_refused("cairn-kb.toml", &format!("a = {}", "[\n".repeat(100_000)), "cairn-kb.toml:");
    check_refused("cairn-kb.toml", &format!("a = {}", "{a=".repeat(80_000)), "too many levels");
    check_refused(".kb/config.json", &"[".repeat(200_000), "the file is no JSON object");
    check_refused(".kb/config.json", &"{\"a\":".repeat(40_000), "the file is no JSON object");
}

#[test]
fn a_file_that_cannot_be_read_is_no_missing_file() {
    let repo = Repo::plain();
    std::fs::write(repo.beside("outside.toml"), "").unwrap();
    let link = repo.root.join("cairn-kb.toml");
    for target in ["../outside.toml", "nowhere", "/dev/zero"] {
        std::os::unix::fs::symlink(target, &link).unwrap();
        let error = KbConfig::read(&repo.root, RULES).unwrap_err();
        assert_eq!(error.code(), WorktreeCode::KbConfig, "{error}");
        std::fs::remove_file(&link).unwrap();
    }
    std::fs::create_dir(&link).unwrap();
    assert_eq!(KbConfig::read(&repo.root, RULES).unwrap_err().code(), WorktreeCode::KbConfig);
}
