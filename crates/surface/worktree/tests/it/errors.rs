//! The codes of this crate.

use cairn_worktree::WorktreeCode;

#[test]
fn codes_have_the_names_that_users_of_requirement_kbs_know() {
    let names: Vec<&str> = WorktreeCode::ALL.iter().map(|code| code.name()).collect();
    let expected = [
        "NOT_A_GIT_REPO",
        "DETACHED_HEAD",
        "ENV_OVERRIDE",
        "GIT_UNREADABLE",
        "GIT_CHANGING",
        "WORKSPACE_STATE",
        "KB_CONFIG",
    ];
    assert_eq!(names, expected);
}
