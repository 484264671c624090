//! `cairn kb sync --watch`: a pass whenever documents or the branch change.

use std::time::{Duration, Instant};

use cairn_worktree::{Debounce, Lanes, TreeEvent, TreeWatcher, Workspace, WorktreeError};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

use super::find::{lanes, walk};
use super::pass::SyncOptions;
use super::{Call, Outcome, run};
use crate::command::answer::json_line;
use crate::command::{print, try_print};
use crate::failure::Failure;
use crate::limits::{KB_WATCH_EVENTS_MAX, KB_WATCH_ROUNDS_MAX};
use crate::signals::StopSignals;

/// Syncs until a signal says to stop or the tree is gone.
pub(super) fn watch(call: &Call<'_>, options: SyncOptions, debounce_ms: u64) -> Result<(), Failure> {
    let mut tree = call.tree()?;
    let failed = |error| Failure::io("start the runtime", &error);
    let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let mut waiting = Waiting::new(runtime, Duration::from_millis(debounce_ms))?;
    let mut watched = Watched::new(&tree.workspace, &waiting)?;
    let mut last = String::new();
    loop {
        let done = watched.refresh(&tree.workspace, &waiting).map_err(Failure::from);
        match done.and_then(|()| run(&mut tree, options, &mut || {})) {
            Ok(outcome) => {
                waiting.debounce.succeeded();
                if !tell(call, &outcome, &mut last)? {
                    return Ok(());
                }
            }
            Err(failure) if failure.is_stop() => return Err(failure),
            Err(_) if !tree.root().exists() => return gone(&tree.workspace),
            Err(failure) => {
                failure.report();
                waiting.debounce.failed(waiting.now());
            }
        }
        match waiting.wait() {
            End::Due => {}
            End::Gone => return gone(&tree.workspace),
            End::Stopped(code) => return Err(Failure::stopped(code)),
        }
    }
}

fn gone(workspace: &Workspace) -> Result<(), Failure> {
    eprintln!("{} is gone; no longer watching", workspace.root().display());
    Ok(())
}

/// Prints an outcome; returns false if nobody reads it any more. People are told what is new.
fn tell(call: &Call<'_>, outcome: &Outcome, last: &mut String) -> Result<bool, Failure> {
    if call.as_json {
        return try_print(json_line(outcome).as_bytes());
    }
    let remarks = outcome.remarks();
    if outcome.is_stored() || remarks != *last || last.is_empty() {
        print(&outcome.to_text())?;
    }
    *last = if remarks.is_empty() { "-".to_owned() } else { remarks };
    Ok(true)
}

/// The watcher for the lanes of the settings as they are now.
struct Watched {
    lanes: Lanes,
    watcher: TreeWatcher,
}

impl Watched {
    fn new(workspace: &Workspace, waiting: &Waiting) -> Result<Watched, Failure> {
        let lanes = lanes(workspace)?;
        let watcher = waiting.watcher(workspace, &lanes)?;
        Ok(Watched { lanes, watcher })
    }

    /// Watches the folders that are there now, before they are read.
    fn refresh(&mut self, workspace: &Workspace, waiting: &Waiting) -> Result<(), WorktreeError> {
        let now = lanes(workspace)?;
        if now != self.lanes {
            *self = Watched { watcher: waiting.watcher(workspace, &now)?, lanes: now };
        }
        // A folder that comes while folders are listed may come again and again.
        for _ in 0..KB_WATCH_ROUNDS_MAX {
            let walk = walk(workspace, &self.lanes)?;
            if !self.watcher.watch(workspace, &self.lanes, &walk)? {
                break;
            }
        }
        Ok(())
    }
}

/// Waiting for events, signals and the time to act.
struct Waiting {
    runtime: Runtime,
    signals: StopSignals,
    debounce: Debounce,
    began: Instant,
    tell: mpsc::Sender<TreeEvent>,
    events: mpsc::Receiver<TreeEvent>,
}

/// The reason why waiting ended.
enum End {
    Due,
    Gone,
    Stopped(i32),
}

impl Waiting {
    fn new(runtime: Runtime, quiet: Duration) -> Result<Waiting, Failure> {
        let signals = {
            let _inside = runtime.enter();
            StopSignals::listen()?
        };
        let (tell, events) = mpsc::channel(KB_WATCH_EVENTS_MAX);
        let debounce = Debounce::new(quiet);
        Ok(Waiting { runtime, signals, debounce, began: Instant::now(), tell, events })
    }

    fn watcher(&self, workspace: &Workspace, lanes: &Lanes) -> Result<TreeWatcher, WorktreeError> {
        let tell = self.tell.clone();
        // Where there is no room, an event waits already, and every pass looks at all documents.
        TreeWatcher::new(workspace, lanes, move |event| _ = tell.try_send(event))
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn wait(&mut self) -> End {
        let Waiting { runtime, signals, debounce, began, events, .. } = self;
        runtime.block_on(async {
            loop {
                if debounce.take(began.elapsed()) {
                    return End::Due;
                }
                let due = debounce.due().map(|due| tokio::time::Instant::from_std(*began + due));
                let pause = async {
                    match due {
                        Some(due) => tokio::time::sleep_until(due).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    biased;
                    code = signals.next() => return End::Stopped(code),
                    event = events.recv() => match event {
                        Some(TreeEvent::Changed) => debounce.note(began.elapsed()),
                        Some(TreeEvent::Gone) | None => return End::Gone,
                    },
                    () = pause => {}
                }
            }
        })
    }
}
