//! Limits of what is read from a working tree. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// Bytes of a branch name.
pub const GIT_BRANCH_BYTES_MAX: usize = 255;
/// Branches that an error about a detached HEAD names.
pub const BRANCH_CANDIDATES_SHOWN_MAX: usize = 10;
/// Bytes of `HEAD`, of a loose ref, of a `.git` file and of other files of one line.
pub const GIT_LINE_FILE_BYTES_MAX: usize = 8 * KIB;
/// Bytes of `packed-refs`.
pub const GIT_PACKED_REFS_BYTES_MAX: usize = 256 * MIB;
/// Local branches of a repository.
pub const GIT_BRANCHES_MAX: usize = 100_000;
/// Files and folders below `refs/heads`.
pub const GIT_REF_ENTRIES_MAX: usize = 400_000;
/// Linked worktrees of a repository.
pub const GIT_WORKTREES_MAX: usize = 10_000;
/// Symbolic refs from `HEAD` to a branch.
pub const GIT_SYMBOLIC_REFS_MAX: usize = 5;
/// Times that a file of git is read while another process is writing it.
pub const GIT_READS_MAX: usize = 20;
/// Pause before a file of git is read again.
pub const GIT_READ_PAUSE: Duration = Duration::from_millis(2);
/// Folders from the start of the search up to the root of the tree.
pub const TREE_ANCESTORS_MAX: usize = 256;
/// Bytes of a path inside the tree.
pub const TREE_PATH_BYTES_MAX: usize = 4096;
/// Folders in a path inside the tree.
pub const TREE_PATH_PARTS_MAX: usize = 128;
/// Files and folders that one walk of a tree looks at.
pub const WALK_ENTRIES_MAX: usize = 500_000;
/// Entries of one folder; a folder with more is skipped as a whole.
pub const TREE_FOLDER_ENTRIES_MAX: usize = 100_000;
/// Bytes of one `.gitignore` or of `info/exclude`.
pub const GITIGNORE_BYTES_MAX: usize = 128 * KIB;
/// Bytes of all `.gitignore` files of a tree.
pub const GITIGNORE_BYTES_TOTAL_MAX: usize = 2 * MIB;
/// Folders that are watched for changes of documents.
pub const WATCHED_FOLDERS_MAX: usize = 20_000;
/// Bytes of `cairn-kb.toml` or `.kb/config.json`.
pub const KB_CONFIG_BYTES_MAX: usize = 256 * KIB;
/// Levels of a dotted key in `cairn-kb.toml`.
pub const KB_CONFIG_LEVELS_MAX: usize = 64;
