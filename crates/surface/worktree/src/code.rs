//! Error codes of working trees.

cairn_base::error_codes! {
    /// Error codes of working trees. They have the names that users of requirement KBs know.
    pub WorktreeCode;

    /// The folder is in no git repository, and no branch is named.
    NotAGitRepo as "NOT_A_GIT_REPO": "KIP_1001", wire 422, http 422, rpc -32602, Never,
        "run it inside a git repository, or set CAIRN_BRANCH to the branch whose KB you want";
    /// HEAD is detached, and not exactly one branch points at its commit.
    DetachedHead as "DETACHED_HEAD": "KIP_3005", wire 409, http 409, rpc -32009, Never,
        "switch to a branch, or set CAIRN_BRANCH to the branch whose KB you want";
    /// An environment variable has a value that cannot be used.
    EnvOverride as "ENV_OVERRIDE": "KIP_1001", wire 422, http 422, rpc -32602, Never,
        "correct or unset the variable that the message names";
    /// Files of git are damaged, of an unknown format, or may not be read.
    GitUnreadable as "GIT_UNREADABLE": "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "check the repository with `git status`, or set CAIRN_BRANCH to the branch whose KB you want";
    /// Another process changes branches faster than they can be read.
    GitChanging as "GIT_CHANGING": "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "wait until the other git command has ended, or set CAIRN_BRANCH";
    /// The workspace id, or the branch that was active last, cannot be read or stored.
    WorkspaceState as "WORKSPACE_STATE": "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "make the folder that the message names writable, or restore the file from a backup of the clone";
    /// The configuration of the KB is invalid.
    KbConfig as "KB_CONFIG": "KIP_1001", wire 422, http 422, rpc -32602, Never,
        "correct the line that the message names";
}
