//! File trees of turns.

use cairn_base::TurnId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The entries of a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Folder {
    /// The turn.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String)]
    pub turn_id: TurnId,
    /// The folder's path; empty for the root.
    pub path: String,
    /// The root of the tree, a blob.
    pub fs_root_hash: String,
    /// What is in it, sorted by name.
    pub entries: Vec<EntryObject>,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EntryObject {
    /// Its name.
    pub name: String,
    /// `file`, `dir` or `symlink`.
    #[schema(example = "file")]
    pub kind: String,
    /// Permission bits, in octal digits.
    #[schema(example = "644")]
    pub mode: String,
    /// Bytes of the file, or of the path that a link leads to.
    pub size: u64,
    /// The blob with its content.
    pub hash: String,
}

/// A file with its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct FileObject {
    #[serde(with = "crate::digits")]
    #[schema(value_type = String)]
    pub turn_id: TurnId,
    pub path: String,
    #[serde(flatten)]
    pub entry: EntryObject,
    pub content_base64: String,
}
