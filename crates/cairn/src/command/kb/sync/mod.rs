//! `cairn kb sync`.

mod compare;
mod find;
mod freshness;
mod outcome;
mod pass;
mod problem;
mod read;
mod settle;
mod validate;
mod watch;

use cairn_worktree::WorktreeError;
use clap::Args;

pub(super) use self::compare::{entity, refused};
pub(super) use self::freshness::fill;
pub(super) use self::outcome::Outcome;
use self::pass::{Pass, pass};
pub(super) use self::pass::{SyncOptions, compare, feed, is_known};
pub(super) use self::problem::Finding;
use self::settle::settled;
use super::{Call, tree};
use crate::command::answer::json;
use crate::command::print;
use crate::failure::Failure;
use crate::limits::KB_SYNC_ATTEMPTS_MAX;
use crate::progress;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb sync                      store what documents say that have changed
  cairn kb sync --validate-only      check the documents, for CI; needs no KB and no branch
  cairn kb sync --watch              sync whenever documents or the branch change
  cairn kb sync --force              also drop changes that tools made to entities of documents
  cairn kb sync --rebuild            read all documents as if none had been synced before

Documents are the Markdown files with front matter and the symbols.yaml that `paths` in
cairn-kb.toml names, by default below documentation/. Files that .gitignore names are left out.
A sync changes and removes only entities that come from documents; those that tools created stay.
It is stored as a whole; when the branch is switched meanwhile it starts again on the new one.

Exit codes: 0 everything is stored, 1 a document has problems (the others are stored), 2 and more
the sync failed.";

/// Options of a sync.
#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    /// Read all documents as if none had been synced before
    #[arg(long)]
    rebuild: bool,

    /// Replace entities that a tool has changed by what their documents say
    #[arg(long)]
    force: bool,

    /// Check the documents by themselves and store nothing; targets of links are not looked up
    #[arg(long, conflicts_with_all = ["rebuild", "force", "watch"])]
    validate_only: bool,

    /// Stay, and sync whenever documents or the branch change
    #[arg(long, conflicts_with = "rebuild")]
    watch: bool,

    /// Milliseconds without changes before --watch syncs
    #[arg(long, value_name = "MS", default_value_t = 300, requires = "watch",
          value_parser = clap::value_parser!(u64).range(1..=60_000))]
    debounce_ms: u64,
}

/// Syncs documents into the KB of the active branch.
pub(super) fn sync(call: &Call<'_>, arguments: &SyncArgs) -> Result<(), Failure> {
    let options = SyncOptions { rebuild: arguments.rebuild, force: arguments.force };
    if arguments.watch {
        return watch::watch(call, options, arguments.debounce_ms);
    }
    // A script must not take a sync that failed for one that found problems.
    let outcome = if arguments.validate_only {
        validate::validate(call)
    } else {
        call.tree().and_then(|mut tree| run(&mut tree, options, &mut || {}))
    };
    let outcome = outcome.map_err(Failure::beside_a_verdict)?;
    let shown = if call.as_json { json(&outcome) } else { outcome.to_text() };
    print(&shown).map_err(Failure::beside_a_verdict)?;
    outcome.verdict()
}

/// Syncs until git leaves the tree alone for a whole pass. `between` is called when everything is read and nothing is
/// sent.
pub(super) fn run(
    tree: &mut tree::Tree,
    options: SyncOptions,
    between: &mut (dyn FnMut() + Send),
) -> Result<Outcome, Failure> {
    let show = progress::counter();
    for _ in 0..KB_SYNC_ATTEMPTS_MAX {
        // The stamp is older than the branch: a switch in between changes the stamp of the end.
        let before = settled(&tree.workspace)?;
        tree.refresh()?;
        let done = tree
            .ask(Needs::Store, async |client| pass(client, tree, options, &before, between, &show).await)??;
        match done {
            Pass::Done(done) => {
                let (comparison, report) = *done;
                return Ok(Outcome::of(Some(tree.branch().to_owned()), comparison, report));
            }
            Pass::Switched => eprintln!("git changed the tree while it was read; starting again"),
            Pass::Moved => eprintln!("another sync was stored meanwhile; starting again"),
        }
    }
    Err(WorktreeError::GitChanging { path: tree.root().to_owned() }.into())
}
