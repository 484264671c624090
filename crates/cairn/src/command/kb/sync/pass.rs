//! One pass of a sync: documents are read and sent, unless git changed the tree meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_embedded::{Progress, ProgressFn};
use cairn_http::{Bytes, Client, ClientError};
use cairn_kb::KbCode;
use cairn_kb::limits::SYNC_BYTES_MAX;
use cairn_kb::sync::{SyncFile, SyncHeader, SyncReport, SyncedFiles};
use cairn_seam::Stage;
use cairn_worktree::{TreeStamp, Workspace};
use tokio::sync::mpsc;

use super::compare::Comparison;
use super::find::Documents;
use super::read::read;
use crate::command::kb::tree::Tree;
use crate::failure::Failure;

/// The way documents are synced.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::command::kb) struct SyncOptions {
    /// As if no file had been synced before.
    pub(in crate::command::kb) rebuild: bool,
    /// Diverged entities are replaced, too.
    pub(in crate::command::kb) force: bool,
}

/// The end of a pass.
pub(super) enum Pass {
    /// The KB has what the documents say.
    /// There is no report if there was nothing to send.
    Done(Box<(Comparison, Option<SyncReport>)>),
    /// Git changed the tree while it was read; nothing was sent.
    Switched,
    /// Another sync was stored meanwhile; this one was refused.
    Moved,
}

/// The result of a call to the server that also does work here.
pub(in crate::command::kb) type Mixed<T> = Result<Result<T, Failure>, ClientError>;

/// Reads the documents and sends what has changed. `before` is the state of git when the branch was read; `between` is
/// called when everything is read and nothing is sent.
pub(super) async fn pass(
    client: &mut Client,
    tree: &Tree,
    options: SyncOptions,
    before: &TreeStamp,
    between: &mut (dyn FnMut() + Send),
    show: &ProgressFn,
) -> Mixed<Pass> {
    let synced = Arc::new(client.kb_files(&tree.id, tree.branch()).await?);
    let knows = move |files: &SyncedFiles, path: &str, hash: &str| {
        !options.rebuild && is_known(files, path, hash, |file| !file.resend)
    };
    let mut comparison = match compare(&tree.workspace, &synced, knows, show).await {
        Ok(comparison) => comparison,
        Err(failure) => return Ok(Err(failure)),
    };
    between();
    match tree.workspace.stamp() {
        Ok(after) if after == *before => {}
        Ok(_) => return Ok(Ok(Pass::Switched)),
        Err(error) => return Ok(Err(error.into())),
    }
    if comparison.is_empty() && !options.rebuild {
        return Ok(Ok(Pass::Done(Box::new((comparison, None)))));
    }
    let kept = if options.rebuild { comparison.kept(&synced) } else { Vec::new() };
    let header = SyncHeader {
        force: options.force,
        rebuild: options.rebuild,
        validate_only: false,
        removed: std::mem::take(&mut comparison.removed),
        kept,
        expect_sync: (!synced.sync_id.is_empty()).then(|| synced.sync_id.clone()),
    };
    if comparison.bytes > SYNC_BYTES_MAX {
        return Ok(Err(too_large(comparison.bytes)));
    }
    let mut on_stage = |stage: Stage<'_>| show(stage.name, Progress { done: stage.done, total: stage.total });
    let lines = feed(header, comparison.take_files());
    match client.kb_sync(&tree.id, tree.branch(), lines, &mut on_stage).await {
        Ok(report) => Ok(Ok(Pass::Done(Box::new((comparison, Some(report)))))),
        Err(ClientError::Refused { code: Some(code), .. }) if code == KbCode::KbSyncMoved => {
            Ok(Ok(Pass::Moved))
        }
        Err(error) => Err(error),
    }
}

fn too_large(bytes: usize) -> Failure {
    let message =
        format!("the documents to sync have {bytes} bytes as JSON; one sync has at most {SYNC_BYTES_MAX}");
    Failure::new(message).hint(
        "sync a part of them first: set some of `paths` in cairn-kb.toml to smaller folders, run `cairn kb sync`, \
         and set them back; entities of documents outside of `paths` are removed meanwhile",
    )
}

/// Returns true if a file was synced with this hash, and `then` agrees.
pub(in crate::command::kb) fn is_known(
    files: &SyncedFiles,
    path: &str,
    hash: &str,
    then: impl Fn(&cairn_kb::sync::SyncedFile) -> bool,
) -> bool {
    let found = files.files.binary_search_by(|file| file.path.as_str().cmp(path));
    found.is_ok_and(|at| files.files[at].hash == hash && then(&files.files[at]))
}

/// Reads the documents and compares them with those that were synced, on a thread of its own, so that a signal ends
/// it. Documents for which `knows` returns true are not parsed.
pub(in crate::command::kb) async fn compare(
    workspace: &Workspace,
    synced: &Arc<SyncedFiles>,
    knows: impl Fn(&SyncedFiles, &str, &str) -> bool + Send + Sync + 'static,
    show: &ProgressFn,
) -> Result<Comparison, Failure> {
    let stop = StopOnDrop::default();
    let (workspace, synced, show) = (workspace.clone(), Arc::clone(synced), Arc::clone(show));
    let stopped = Arc::clone(&stop.0);
    let work = move || -> Result<Comparison, Failure> {
        let documents = Documents::find(&workspace)?;
        let tree = workspace.reader()?;
        let knows = |path: &str, hash: &str| knows(&synced, path, hash);
        let read = read(&tree, &documents.files, &knows, &stopped, &show);
        let read = read.ok_or_else(|| Failure::new("reading was stopped"))?;
        Ok(Comparison::of(&documents, read, &synced.files))
    };
    let done = tokio::task::spawn_blocking(work).await;
    drop(stop);
    done.unwrap_or_else(|error| Err(Failure::new(format!("reading documents failed: {error}"))))
}

/// Tells a thread to stop when nobody waits for it any more.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The lines of a sync, written as they are taken.
pub(in crate::command::kb) fn feed(header: SyncHeader, files: Vec<SyncFile>) -> mpsc::Receiver<Bytes> {
    let (lines, coming) = mpsc::channel(16);
    tokio::spawn(async move {
        if lines.send(Bytes::from(header.line())).await.is_err() {
            return;
        }
        for file in files {
            // The server responded before it took everything.
            if lines.send(Bytes::from(file.line())).await.is_err() {
                return;
            }
        }
    });
    coming
}
