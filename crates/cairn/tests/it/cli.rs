//! Help, mistakes and completions.

use crate::program::{run, stderr, stdout};

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn help_is_for_strangers() {
    let dir = here();
    for (name, arguments) in [
        ("help", &["--help"][..]),
        ("help_serve", &["serve", "--help"]),
        ("help_turns", &["turns", "--help"]),
        ("help_turns_list", &["turns", "list", "--help"]),
        ("help_turns_show", &["turns", "show", "--help"]),
        ("help_turns_tail", &["turns", "tail", "--help"]),
        ("help_turns_fork", &["turns", "fork", "--help"]),
        ("help_turns_append", &["turns", "append", "--help"]),
        ("help_turns_export", &["turns", "export", "--help"]),
        ("help_turns_import", &["turns", "import", "--help"]),
        ("help_turns_prune", &["turns", "prune", "--help"]),
        ("help_search", &["search", "--help"]),
        ("help_search_rebuild", &["search", "rebuild", "--help"]),
        ("help_kip", &["kip", "--help"]),
        ("help_kip_run", &["kip", "run", "--help"]),
        ("help_kip_fmt", &["kip", "fmt", "--help"]),
        ("help_kip_check", &["kip", "check", "--help"]),
        ("help_kip_export", &["kip", "export", "--help"]),
        ("help_kip_import", &["kip", "import", "--help"]),
        ("help_kip_logs", &["kip", "logs", "--help"]),
        ("help_kip_index", &["kip", "index", "--help"]),
        ("help_kip_index_create", &["kip", "index", "create", "--help"]),
        ("help_kip_shell", &["kip", "shell", "--help"]),
        ("help_kip_sleep", &["kip", "sleep", "--help"]),
        ("help_artifact", &["artifact", "--help"]),
        ("help_artifact_publish", &["artifact", "publish", "--help"]),
        ("help_artifact_get", &["artifact", "get", "--help"]),
        ("help_artifact_list", &["artifact", "list", "--help"]),
        ("help_artifact_search", &["artifact", "search", "--help"]),
        ("help_artifact_lineage", &["artifact", "lineage", "--help"]),
        ("help_artifact_delete", &["artifact", "delete", "--help"]),
        ("help_artifact_export", &["artifact", "export", "--help"]),
        ("help_artifact_import", &["artifact", "import", "--help"]),
        ("help_artifact_verify", &["artifact", "verify", "--help"]),
        ("help_artifact_ids", &["artifact", "ids", "--help"]),
        ("help_kcp", &["kcp", "--help"]),
        ("help_kcp_identity", &["kcp", "identity", "--help"]),
        ("help_kb", &["kb", "--help"]),
        ("help_kb_init", &["kb", "init", "--help"]),
        ("help_kb_query", &["kb", "query", "--help"]),
        ("help_kb_search", &["kb", "search", "--help"]),
        ("help_kb_status", &["kb", "status", "--help"]),
        ("help_kb_gaps", &["kb", "gaps", "--help"]),
        ("help_kb_coverage", &["kb", "coverage", "--help"]),
        ("help_kb_graph", &["kb", "graph", "--help"]),
        ("help_kb_impact", &["kb", "impact", "--help"]),
        ("help_kb_suspect", &["kb", "suspect", "--help"]),
        ("help_kb_report", &["kb", "report", "--help"]),
        ("help_kb_check", &["kb", "check", "--help"]),
        ("help_kb_advise", &["kb", "advise", "--help"]),
        ("help_kb_model", &["kb", "model", "--help"]),
        ("help_kb_suggest", &["kb", "suggest", "--help"]),
        ("help_kb_upsert", &["kb", "upsert", "--help"]),
        ("help_kb_validate", &["kb", "validate", "--help"]),
        ("help_kb_delete", &["kb", "delete", "--help"]),
        ("help_kb_results", &["kb", "results", "--help"]),
        ("help_kb_results_import", &["kb", "results", "import", "--help"]),
        ("help_kb_skills", &["kb", "skills", "--help"]),
        ("help_kb_autopilot", &["kb", "autopilot", "--help"]),
        ("help_kb_branch", &["kb", "branch", "--help"]),
        ("help_kb_branch_create", &["kb", "branch", "create", "--help"]),
        ("help_kb_gc", &["kb", "gc", "--help"]),
        ("help_mcp", &["mcp", "--help"]),
        ("help_stats", &["stats", "--help"]),
        ("help_backup", &["backup", "--help"]),
        ("help_compact", &["compact", "--help"]),
        ("help_doctor", &["doctor", "--help"]),
        ("help_init", &["init", "--help"]),
        ("help_config", &["config", "--help"]),
        ("help_key", &["key", "--help"]),
        ("help_key_rotate", &["key", "rotate", "--help"]),
        ("help_identity", &["identity", "--help"]),
        ("help_identity_create", &["identity", "create", "--help"]),
        ("help_identity_recover", &["identity", "recover", "--help"]),
        ("help_identity_show", &["identity", "show", "--help"]),
        ("help_identity_export", &["identity", "export", "--help"]),
        ("help_identity_import", &["identity", "import", "--help"]),
        ("help_restore", &["restore", "--help"]),
    ] {
        let output = run(dir.path(), arguments);
        assert_eq!(output.status.code(), Some(0));
        insta::assert_snapshot!(name, stdout(&output));
    }
    let bare = run(dir.path(), &[]);
    assert_eq!(bare.status.code(), Some(2));
    assert!(stderr(&bare).contains("Usage: cairn"), "{bare:?}");
}

#[test]
fn the_version_is_the_crates() {
    let dir = here();
    let output = run(dir.path(), &["--version"]);
    assert_eq!(stdout(&output), format!("cairn {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn an_unknown_flag_or_command_gets_the_nearest_name() {
    let dir = here();
    let flag = run(dir.path(), &["serve", "--htpp", "127.0.0.1:0"]);
    assert_eq!(flag.status.code(), Some(2));
    assert!(stderr(&flag).contains("'--htpp'") && stderr(&flag).contains("'--http'"), "{flag:?}");
    let command = run(dir.path(), &["serv"]);
    assert_eq!(command.status.code(), Some(2));
    assert!(stderr(&command).contains("'serve'"), "{command:?}");
}

#[test]
fn every_shell_gets_completions() {
    let dir = here();
    for shell in ["bash", "zsh", "fish"] {
        let output = run(dir.path(), &["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(stdout(&output).contains("accept-loss"), "{shell}");
    }
}
