//! Whether a KB has what the documents say.

use cairn_kb::sync::{SyncedFile, SyncedFiles};
use cairn_kb::tools::{StatusOutput, SyncState};

use super::compare::Comparison;
use crate::limits::KB_STALE_REASONS_MAX;

/// Fills in the freshness of a status: stale if a sync would change something or has problems, or if an entity has
/// diverged from its document.
pub(in crate::command::kb) fn fill(status: &mut StatusOutput, comparison: &Comparison, synced: &SyncedFiles) {
    let mut reasons = Vec::new();
    let paths = |files: &[cairn_kb::sync::SyncFile]| -> Vec<String> {
        files.iter().map(|file| file.path.clone()).collect()
    };
    if synced.last_sync_at.is_none() && comparison.documents > 0 {
        reasons.push("never synced".to_owned());
    }
    reasons.extend(paths(&comparison.changed).iter().map(|path| format!("changed: {path}")));
    reasons.extend(paths(&comparison.added).iter().map(|path| format!("new: {path}")));
    reasons.extend(comparison.removed.iter().map(|path| format!("gone: {path}")));
    let is_listed = |path: &String| {
        comparison.removed.contains(path) || comparison.changed.iter().any(|file| file.path == *path)
    };
    let lacks_entities = |file: &&SyncedFile| {
        file.resend && !file.problems && file.diverged.is_empty() && !is_listed(&file.path)
    };
    let missing = synced.files.iter().filter(lacks_entities);
    reasons.extend(missing.map(|file| format!("missing: {}", file.path)));
    let with_problems = synced.files.iter().filter(|file| file.problems);
    reasons.extend(with_problems.map(|file| format!("problems: {}", file.path)));
    // Those of documents that were read now are new or changed anyway.
    let unread = comparison.findings.iter().filter(|finding| finding.is_error && finding.line.is_none());
    reasons.extend(unread.map(|finding| format!("unread: {}", finding.path)));
    for file in &synced.files {
        reasons.extend(file.diverged.iter().map(|id| format!("diverged: {id} ({})", file.path)));
    }
    status.dirty = !reasons.is_empty();
    status.sync_state = if reasons.is_empty() { SyncState::Fresh } else { SyncState::Stale };
    status.stale_reason_count = reasons.len() as u64;
    reasons.truncate(KB_STALE_REASONS_MAX);
    status.stale_reasons = reasons;
}

#[cfg(test)]
mod tests {
    use cairn_kb::sync::SyncFile;

    use super::*;

    #[test]
    fn every_difference_is_a_reason() {
        let file = |path: &str| SyncFile { path: path.into(), ..SyncFile::default() };
        let comparison = Comparison {
            documents: 3,
            added: vec![file("new.md")],
            changed: vec![file("changed.md")],
            removed: vec!["gone.md".into()],
            ..Comparison::default()
        };
        let synced = |path: &str| SyncedFile { path: path.into(), ..SyncedFile::default() };
        let files = vec![
            SyncedFile { problems: true, ..synced("bad.md") },
            SyncedFile { diverged: vec!["REQ-1".into()], resend: true, ..synced("d.md") },
            SyncedFile { resend: true, ..synced("changed.md") },
            SyncedFile { resend: true, ..synced("less.md") },
        ];
        let before = SyncedFiles { files, last_sync_at: Some("now".into()), ..SyncedFiles::default() };
        let mut status = StatusOutput::default();
        fill(&mut status, &comparison, &before);
        assert_eq!(
            status.stale_reasons,
            [
                "changed: changed.md",
                "new: new.md",
                "gone: gone.md",
                "missing: less.md",
                "problems: bad.md",
                "diverged: REQ-1 (d.md)"
            ]
        );
        assert_eq!((status.sync_state, status.dirty, status.stale_reason_count), (SyncState::Stale, true, 6));
        let one = Comparison { documents: 1, ..Comparison::default() };
        fill(&mut status, &one, &SyncedFiles::default());
        assert_eq!(status.stale_reasons, ["never synced"]);
        fill(&mut status, &Comparison::default(), &SyncedFiles::default());
        assert_eq!(
            (status.sync_state, status.dirty, status.stale_reason_count),
            (SyncState::Fresh, false, 0)
        );
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        let removed = (0..KB_STALE_REASONS_MAX + 7).map(|n| n.to_string()).collect();
        let comparison = Comparison { removed, ..Comparison::default() };
        let mut status = StatusOutput::default();
        fill(&mut status, &comparison, &SyncedFiles::default());
        assert_eq!(status.stale_reasons.len(), KB_STALE_REASONS_MAX);
        assert_eq!(status.stale_reason_count, (KB_STALE_REASONS_MAX + 7) as u64);
    }
}
