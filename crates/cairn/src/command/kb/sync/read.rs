//! Reading documents: hashes of all, and parsing of those that have changed, on two threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use cairn_base::ContentHash;
use cairn_documents::{Document, parse_markdown, parse_symbols};
use cairn_embedded::{Progress, ProgressFn};
use cairn_worktree::{FileProblem, Lane, SkipReason, TreeReader};

use super::find::DocumentFile;
use super::problem::Finding;
use crate::limits::{KB_READ_BATCH, KB_READERS};

/// A document that was read.
#[derive(Debug)]
pub(in crate::command::kb) struct ReadDocument {
    pub(in crate::command::kb) path: String,
    pub(in crate::command::kb) content: Content,
}

/// The content of a document.
#[derive(Debug)]
pub(in crate::command::kb) enum Content {
    /// It is as it was when it was synced.
    Known,
    /// It is new or has changed, or has to be examined again.
    New {
        /// Hash of the bytes.
        hash: String,
        /// The entities and problems.
        document: Document,
    },
    /// It vanished meanwhile.
    Gone,
    /// It cannot be read.
    Unreadable(Finding),
}

/// Reads documents, in their order. Those for which `is_known` returns true for path and hash are not parsed. Returns
/// `None` if `stop` was set.
pub(in crate::command::kb) fn read(
    tree: &TreeReader,
    files: &[DocumentFile],
    is_known: &(dyn Fn(&str, &str) -> bool + Sync),
    stop: &AtomicBool,
    show: &ProgressFn,
) -> Option<Vec<ReadDocument>> {
    let next = AtomicUsize::new(0);
    let batches = Mutex::new(Vec::new());
    let work = || loop {
        let first = next.fetch_add(KB_READ_BATCH, Ordering::Relaxed);
        if first >= files.len() || stop.load(Ordering::Relaxed) {
            return;
        }
        let batch = &files[first..files.len().min(first + KB_READ_BATCH)];
        let batch: Vec<_> = batch.iter().map(|file| read_one(tree, file, is_known)).collect();
        let mut batches = batches.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        batches.push((first, batch));
        let done = files.len().min(batches.len() * KB_READ_BATCH);
        show("reading documents", Progress { done: done as u64, total: files.len() as u64 });
    };
    thread::scope(|scope| {
        for _ in 1..KB_READERS.min(files.len().div_ceil(KB_READ_BATCH)) {
            scope.spawn(work);
        }
        work();
    });
    let mut batches = batches.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    batches.sort_unstable_by_key(|(first, _)| *first);
    let read: Vec<_> = batches.into_iter().flat_map(|(_, batch)| batch).collect();
    (read.len() == files.len()).then_some(read)
}

fn read_one(
    tree: &TreeReader,
    file: &DocumentFile,
    is_known: &(dyn Fn(&str, &str) -> bool + Sync),
) -> ReadDocument {
    let content = match tree.read(&file.path, file.bytes_max()) {
        Ok(bytes) => {
            let hash = hash(file, &bytes);
            if is_known(&file.path, &hash) {
                Content::Known
            } else {
                let document = if file.lane == Lane::Symbols {
                    parse_symbols(&file.path, &bytes)
                } else {
                    parse_markdown(&file.path, &bytes, file.kind())
                };
                Content::New { hash, document }
            }
        }
        Err(FileProblem::Missing) => Content::Gone,
        Err(problem) => Content::Unreadable(unreadable(&file.path, &problem)),
    };
    ReadDocument { path: file.path.clone(), content }
}

/// The hash of a document. A file in another lane has entities of another type, and another reader other ones.
fn hash(file: &DocumentFile, bytes: &[u8]) -> String {
    format!("{READER}-{}-{}", file.lane.name(), ContentHash::of(bytes))
}

/// The version of what readers make of a document. Files are read again when it changes.
const READER: u32 = 1;

fn unreadable(path: &str, problem: &FileProblem) -> Finding {
    Finding {
        path: path.to_owned(),
        line: None,
        is_error: true,
        class: Some(SkipReason::from(problem).as_str().to_owned()),
        entity: None,
        message: format!("the file {problem}"),
        hint: Some("its entities stay as they were; correct or remove the file".to_owned()),
    }
}
