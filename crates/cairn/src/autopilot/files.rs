//! The files of a working tree, for autopilot.

use cairn_autopilot::{DocumentKind, Excluded, ListedFile, Listing, Skipped, Tree};
use cairn_kb::EntityType;
use cairn_worktree::{Lane, Lanes, SkipReason, TreeReader, WalkOptions, Workspace};

use crate::failure::Failure;

/// Lists the files under the ignore policy.
pub(super) fn listing(workspace: &Workspace, lanes: &Lanes) -> Result<Listing, Failure> {
    let walk = workspace.walk(&WalkOptions { discovery: true, ..WalkOptions::default() })?;
    let is_truncated = walk.is_cut();
    let files = walk.files.into_iter().map(|file| {
        let document = lanes.lane(&file.path).map(document);
        ListedFile { path: file.path, bytes: file.bytes, document }
    });
    let excluded = walk.skipped.into_iter().map(|entry| {
        let reason = skipped(entry.reason);
        Excluded { path: entry.path, reason }
    });
    Ok(Listing { files: files.collect(), excluded: excluded.collect(), is_truncated })
}

fn document(lane: Lane) -> DocumentKind {
    DocumentKind::Markdown(match lane {
        Lane::Requirements => EntityType::Req,
        Lane::Scenarios => EntityType::Scenario,
        Lane::Tests => EntityType::Test,
        Lane::Adr => EntityType::Adr,
        Lane::Flags => EntityType::Flag,
        Lane::Events => EntityType::Event,
        Lane::Facts => EntityType::Fact,
        Lane::Symbols => return DocumentKind::Symbols,
    })
}

fn skipped(reason: SkipReason) -> Skipped {
    match reason {
        SkipReason::HardDeny => Skipped::HardDeny,
        SkipReason::Gitignored => Skipped::Gitignored,
        SkipReason::GitInfoExclude => Skipped::GitInfoExclude,
        SkipReason::NestedRepository => Skipped::NestedRepository,
        SkipReason::OutsideWorkspace => Skipped::OutsideWorkspace,
        SkipReason::TooLarge => Skipped::TooLarge,
        SkipReason::NotText => Skipped::NotText,
        SkipReason::NotAFile => Skipped::NotAFile,
        SkipReason::Unreadable => Skipped::Unreadable,
        SkipReason::TooMany => Skipped::TooMany,
    }
}

/// The open root of a tree.
pub(super) struct Files(TreeReader);

impl Files {
    pub(super) fn open(workspace: &Workspace) -> Result<Self, Failure> {
        Ok(Files(workspace.reader()?))
    }
}

impl Tree for Files {
    fn read(&self, path: &str, bytes_max: usize) -> Result<Vec<u8>, Skipped> {
        self.0.read(path, bytes_max).map_err(|problem| skipped(SkipReason::from(&problem)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_keep_their_words() {
        for reason in SkipReason::ALL {
            assert_eq!(skipped(reason).text(), reason.as_str());
        }
    }

    #[test]
    fn lanes_are_documents_of_their_types() {
        let kinds: Vec<DocumentKind> = Lane::ALL.into_iter().map(document).collect();
        assert_eq!(kinds[0], DocumentKind::Markdown(EntityType::Req));
        assert_eq!(kinds[6], DocumentKind::Markdown(EntityType::Fact));
        assert_eq!(kinds[7], DocumentKind::Symbols);
    }
}
