//! The documents of the tree compared with those that were synced.

use std::collections::{BTreeMap, BTreeSet};

use cairn_documents::DocumentEntity;
use cairn_kb::limits::{SYNC_FILE_ENTITIES_MAX, SYNC_LINE_BYTES_MAX, SYNC_PATH_BYTES_MAX};
use cairn_kb::sync::{SyncEntity, SyncFile, SyncedFile, SyncedFiles};

use super::find::{Documents, Unseen, is_below};
use super::problem::Finding;
use super::read::{Content, ReadDocument};

/// What a sync has to do.
#[derive(Debug, Default)]
pub(in crate::command::kb) struct Comparison {
    /// Files that were never synced, ordered by path.
    pub(in crate::command::kb) added: Vec<SyncFile>,
    /// Files whose content has changed.
    pub(in crate::command::kb) changed: Vec<SyncFile>,
    /// Files that have to be examined again.
    pub(in crate::command::kb) again: Vec<SyncFile>,
    /// Synced files that are gone, or no documents any more.
    pub(in crate::command::kb) removed: Vec<String>,
    /// Documents that are as they were.
    pub(in crate::command::kb) unchanged: u64,
    /// Problems and warnings.
    pub(in crate::command::kb) findings: Vec<Finding>,
    /// Documents of the tree.
    pub(in crate::command::kb) documents: u64,
    /// Bytes of the files to send.
    pub(super) bytes: usize,
}

impl Comparison {
    /// Compares the documents with those that were synced before.
    pub(in crate::command::kb) fn of(
        documents: &Documents,
        read: Vec<ReadDocument>,
        synced: &[SyncedFile],
    ) -> Comparison {
        let known: BTreeMap<&str, &SyncedFile> =
            synced.iter().map(|file| (file.path.as_str(), file)).collect();
        let mut comparison = Comparison { findings: documents.findings(), ..Comparison::default() };
        let mut there = BTreeSet::new();
        for ReadDocument { path, content } in read {
            let before = known.get(path.as_str());
            match content {
                Content::Known => {
                    comparison.documents += 1;
                    comparison.unchanged += 1;
                    there.insert(path);
                }
                Content::New { hash, document } => {
                    // A file without front matter is no document, unless it was synced before.
                    if !document.is_document && document.problems.is_empty() {
                        let Some(before) = before else { continue };
                        match document.refusal {
                            Some(refusal) => {
                                comparison.documents += 1;
                                comparison.findings.push(unreadable(&path, refusal.message));
                                there.insert(path);
                            }
                            None if before.entities.is_empty() => {}
                            None => comparison.findings.push(no_document(&path)),
                        }
                        continue;
                    }
                    comparison.documents += 1;
                    there.insert(path.clone());
                    let problems = document.has_errors();
                    comparison.findings.extend(document.problems.into_iter().map(Finding::from));
                    let entities = document.entities.into_iter().map(entity).collect();
                    let file = SyncFile { path, hash, problems, entities };
                    let bytes = file.line().len();
                    if let Some(finding) = refused(&file, bytes) {
                        comparison.findings.push(finding);
                        continue;
                    }
                    comparison.bytes += bytes;
                    let list = match before {
                        None => &mut comparison.added,
                        Some(before) if before.hash == file.hash => &mut comparison.again,
                        Some(_) => &mut comparison.changed,
                    };
                    list.push(file);
                }
                Content::Gone => {}
                Content::Unreadable(finding) => {
                    comparison.documents += 1;
                    comparison.findings.push(finding);
                    there.insert(path);
                }
            }
        }
        let unseen = documents.unseen();
        comparison.removed = gone(synced, &there, &unseen);
        // A link is passed over, unless documents were there.
        for finding in comparison.findings.iter_mut().filter(|finding| !finding.is_error) {
            let is_missed = |path: &str| !there.contains(path) && is_below(path, &finding.path);
            if unseen.is_link(&finding.path) && synced.iter().any(|file| is_missed(&file.path)) {
                finding.is_error = true;
            }
        }
        comparison.findings.sort();
        comparison
    }

    /// Returns true if there is nothing to send.
    pub(in crate::command::kb) fn is_empty(&self) -> bool {
        [self.added.len(), self.changed.len(), self.again.len(), self.removed.len()] == [0; 4]
    }

    /// Paths of synced files that are neither sent nor gone.
    pub(super) fn kept(&self, synced: &SyncedFiles) -> Vec<String> {
        let sent = [&self.added, &self.changed, &self.again].into_iter().flatten();
        let known = sent.map(|file| &file.path).chain(&self.removed);
        let known: BTreeSet<&str> = known.map(String::as_str).collect();
        let paths = synced.files.iter().map(|file| &file.path);
        paths.filter(|path| !known.contains(path.as_str())).cloned().collect()
    }

    /// The files to send, ordered by path.
    pub(super) fn take_files(&mut self) -> Vec<SyncFile> {
        let mut files = std::mem::take(&mut self.added);
        files.append(&mut self.changed);
        files.append(&mut self.again);
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files
    }
}

/// An entity of a document, as it is sent.
pub(in crate::command::kb) fn entity(entity: DocumentEntity) -> SyncEntity {
    let DocumentEntity { line, input, link_lines } = entity;
    SyncEntity { line, entity: input, link_lines }
}

/// A problem of a synced document that is no text any more. It may be in another encoding.
fn unreadable(path: &str, message: String) -> Finding {
    Finding {
        path: path.to_owned(),
        line: None,
        is_error: true,
        class: Some("unreadable".to_owned()),
        entity: None,
        message: format!("unreadable file: {message}"),
        hint: Some("its entities stay as they were; save the file in UTF-8, or remove it".to_owned()),
    }
}

/// A warning about a synced document that has lost its front matter.
fn no_document(path: &str) -> Finding {
    Finding {
        path: path.to_owned(),
        line: None,
        is_error: false,
        class: Some("no_document".to_owned()),
        entity: None,
        message: "it is no document any more; its entities were removed".to_owned(),
        hint: Some("a document begins with a line of `---`".to_owned()),
    }
}

/// A problem of a file that one sync cannot take. Its entities stay as they were.
pub(in crate::command::kb) fn refused(file: &SyncFile, bytes: usize) -> Option<Finding> {
    let (message, hint) = if file.path.len() > SYNC_PATH_BYTES_MAX {
        (format!("the path has more than {SYNC_PATH_BYTES_MAX} bytes"), "move the file")
    } else if file.entities.len() > SYNC_FILE_ENTITIES_MAX {
        (
            format!("it has more than {SYNC_FILE_ENTITIES_MAX} entities"),
            "split it, and name the parts by a glob",
        )
    } else if bytes > SYNC_LINE_BYTES_MAX {
        (format!("it has more than {SYNC_LINE_BYTES_MAX} bytes as JSON"), "split it")
    } else {
        return None;
    };
    Some(Finding {
        path: file.path.clone(),
        line: None,
        is_error: true,
        class: Some("too_large".to_owned()),
        entity: None,
        message,
        hint: Some(hint.to_owned()),
    })
}

fn gone(synced: &[SyncedFile], there: &BTreeSet<String>, unseen: &Unseen<'_>) -> Vec<String> {
    let paths = synced.iter().map(|file| &file.path);
    paths.filter(|path| !there.contains(*path) && !unseen.holds(path)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use cairn_documents::parse_markdown;
    use cairn_kb::EntityType;
    use cairn_worktree::{SkipReason, Skipped};

    use super::*;

    fn new(path: &str, text: &str) -> ReadDocument {
        let document = parse_markdown(path, text.as_bytes(), Some(EntityType::Req));
        ReadDocument {
            path: path.to_owned(),
            content: Content::New { hash: text.len().to_string(), document },
        }
    }

    fn of(path: &str, content: Content) -> ReadDocument {
        ReadDocument { path: path.to_owned(), content }
    }

    fn synced(path: &str, hash: &str) -> SyncedFile {
        SyncedFile { path: path.to_owned(), hash: hash.to_owned(), ..SyncedFile::default() }
    }

    #[test]
    fn every_file_has_one_fate() {
        let text = "---\nid: A\ntitle: T\n---\n";
        let bad = "---\nid: B\n---\n";
        let finding = Finding {
            path: "unreadable.md".into(),
            line: None,
            is_error: true,
            class: None,
            entity: None,
            message: "no".into(),
            hint: None,
        };
        let read = vec![
            new("added.md", text),
            new("again.md", text),
            new("bad.md", bad),
            new("changed.md", text),
            of("gone.md", Content::Gone),
            of("known.md", Content::Known),
            new("readme.md", "# Nothing\n"),
            new("was-document.md", "# Nothing\n"),
            of("unreadable.md", Content::Unreadable(finding)),
        ];
        let before = [
            synced("again.md", &text.len().to_string()),
            synced("changed.md", "other"),
            synced("deep/one.md", "x"),
            synced("gone.md", "x"),
            synced("known.md", "x"),
            synced("never-seen.md", "x"),
            synced("unreadable.md", "x"),
            SyncedFile { entities: vec!["W".into()], ..synced("was-document.md", "x") },
        ];
        let documents = Documents {
            skipped: vec![Skipped { path: "deep".into(), reason: SkipReason::TooMany }],
            ..Documents::default()
        };
        let mut found = Comparison::of(&documents, read, &before);
        let paths = |files: &[SyncFile]| files.iter().map(|file| file.path.clone()).collect::<Vec<_>>();
        assert_eq!(paths(&found.added), ["added.md", "bad.md"]);
        assert_eq!(paths(&found.changed), ["changed.md"]);
        assert_eq!(paths(&found.again), ["again.md"]);
        assert_eq!(found.removed, ["gone.md", "never-seen.md", "was-document.md"]);
        assert_eq!((found.documents, found.unchanged), (6, 1));
        let named: Vec<_> = found.findings.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(named, ["bad.md", "deep", "unreadable.md", "was-document.md"]);
        assert!(!found.findings[3].is_error);
        let all = SyncedFiles { files: before.to_vec(), ..SyncedFiles::default() };
        assert_eq!(found.kept(&all), ["deep/one.md", "known.md", "unreadable.md"]);
        let problems: Vec<_> = found.added.iter().map(|file| file.problems).collect();
        assert_eq!(problems, [false, true]);
        assert_eq!(paths(&found.take_files()), ["added.md", "again.md", "bad.md", "changed.md"]);
    }

    #[test]
    fn a_synced_document_in_another_encoding_stays() {
        let wide: Vec<u8> = "---\nid: A\n---\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let read = |path: &str| {
            let document = parse_markdown(path, &wide, Some(EntityType::Req));
            of(path, Content::New { hash: "w".into(), document })
        };
        let read = vec![read("foreign.md"), read("wide.md")];
        let found = Comparison::of(&Documents::default(), read, &[synced("wide.md", "x")]);
        assert!(found.is_empty());
        let named: Vec<_> = found.findings.iter().map(|one| (&*one.path, one.is_error, one.line)).collect();
        assert_eq!(named, [("wide.md", true, None)]);
    }

    #[test]
    fn what_is_below_a_link_stays_and_is_named() {
        let link = |path: &str| Skipped { path: path.into(), reason: SkipReason::NotAFile };
        let documents =
            Documents { skipped: vec![link("docs"), link("new"), link("x.md")], ..Documents::default() };
        let found =
            Comparison::of(&documents, Vec::new(), &[synced("docs/req/a.md", "x"), synced("x.md", "x")]);
        assert_eq!(found.removed, ["x.md"]);
        let named: Vec<_> = found.findings.iter().map(|one| (&*one.path, one.is_error)).collect();
        assert_eq!(named, [("docs", true), ("new", false), ("x.md", false)]);
    }

    #[test]
    fn a_file_that_is_too_large_as_json_is_named() {
        let file = SyncFile { path: "a.md".into(), ..SyncFile::default() };
        assert_eq!(refused(&file, SYNC_LINE_BYTES_MAX), None);
        let finding = refused(&file, SYNC_LINE_BYTES_MAX + 1).expect("it is too large");
        assert_eq!(finding.message, "it has more than 16777216 bytes as JSON");
    }

    #[test]
    fn nothing_new_is_nothing_to_send() {
        let read = vec![of("known.md", Content::Known)];
        assert!(Comparison::of(&Documents::default(), read, &[synced("known.md", "x")]).is_empty());
        assert!(!Comparison::of(&Documents::default(), Vec::new(), &[synced("known.md", "x")]).is_empty());
    }
}
