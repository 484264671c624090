//! The list of synced files.

use std::collections::HashMap;

use super::files::Files;
use super::report::{SyncedFile, SyncedFiles};
use crate::branch::Branch;

/// Returns the files that a branch was synced from, with the entities that they own. The id of the sync is left to the
/// caller.
pub fn list_files(branch: &Branch, files: &Files) -> SyncedFiles {
    let mut owned: HashMap<&str, (Vec<String>, Vec<String>)> = HashMap::new();
    for (_, node) in branch.by_id() {
        let Some(file) = node.file.as_deref() else { continue };
        let (all, diverged) = owned.entry(file).or_default();
        all.push(node.id.to_string());
        if node.diverged {
            diverged.push(node.id.to_string());
        }
    }
    let listed = files.iter().map(|(path, file)| {
        let (entities, diverged) = owned.remove(path).unwrap_or_default();
        SyncedFile {
            path: path.to_owned(),
            hash: file.hash.to_string(),
            problems: file.has_problems,
            resend: file.has_problems || !diverged.is_empty() || file.entities != entities.len() as u64,
            entities,
            diverged,
        }
    });
    SyncedFiles {
        files: listed.collect(),
        sync_id: String::new(),
        last_sync_at: files.last_sync_at().map(str::to_owned),
    }
}
