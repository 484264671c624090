//! The working tree of a command, and the KB of its active branch.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cairn_base::{ErrorCode, Harmless, SystemEntropy};
use cairn_embedded::Progress;
use cairn_http::{Client, ClientError};
use cairn_kb::{KbCode, Rule};
use cairn_seam::Stage;
use cairn_wire::kb::KbEnsured;
use cairn_worktree::{
    ActiveBranch, BRANCH_VARIABLES, BranchName, BranchSource, KbConfig, WORKSPACE_VARIABLES, Workspace,
    WorktreeError,
};

use super::text::commands;
use super::{Call, migrate};
use crate::config::Config;
use crate::failure::Failure;
use crate::limits::{KB_RETRIES_MAX, KB_RETRY_AFTER};
use crate::reach::{self, Needs};
use crate::{command, logging, progress};

/// A working tree, the branch that is active in it, and the data directory.
pub(super) struct Tree {
    pub(super) workspace: Workspace,
    /// The id of the workspace.
    pub(super) id: String,
    /// The branch that was active when the command began.
    pub(super) active: ActiveBranch,
    dir: PathBuf,
    config: Config,
}

impl Call<'_> {
    /// Finds the working tree and reads its active branch, once for the whole command.
    pub(super) fn tree(&self) -> Result<Tree, Failure> {
        let workspace = self.workspace()?;
        let active = workspace.branch()?;
        let (data_dir, settings) = command::settings(self.data_dir, &[])?;
        logging::start_quietly(&settings.config)?;
        reach::refuse_missing(&data_dir.path)?;
        let id = workspace.id(&SystemEntropy)?.to_string();
        Ok(Tree { workspace, id, active, dir: data_dir.path, config: settings.config })
    }

    /// Finds the working tree, and needs no data directory. Flags go before the environment, and the environment before git.
    pub(super) fn workspace(&self) -> Result<Workspace, Failure> {
        Ok(self.find()??)
    }

    /// Finds the working tree and its active branch, which is `None` outside of git and where none is checked out.
    pub(super) fn workspace_with_any_branch(&self) -> Result<(Workspace, Option<String>), Failure> {
        let workspace = match self.find()? {
            // A name that stands for any branch.
            Err(WorktreeError::NotAGitRepo { .. }) => {
                return Ok((Call { branch: Some("none"), ..*self }.workspace()?, None));
            }
            found => found?,
        };
        match workspace.branch() {
            Ok(active) => Ok((workspace, Some(active.branch.to_string()))),
            Err(WorktreeError::DetachedHead { .. }) => Ok((workspace, None)),
            Err(error) => Err(error.into()),
        }
    }

    fn find(&self) -> Result<Result<Workspace, WorktreeError>, Failure> {
        if let Some(Err(problem)) = self.branch.map(BranchName::parse) {
            let named = Harmless(self.branch.unwrap_or_default()).to_string();
            return Err(Failure::usage(format!("--branch {named:?} names no branch, {problem}")));
        }
        let root = self.root.map(|root| root.to_string_lossy().into_owned());
        let env = |name: &str| match (self.branch, &root) {
            (Some(branch), _) if name == BRANCH_VARIABLES[0] => Some(branch.to_owned()),
            (_, Some(root)) if name == WORKSPACE_VARIABLES[0] => Some(root.clone()),
            _ => std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
        };
        let here = std::env::current_dir().map_err(|error| Failure::io("find the current directory", &error));
        Ok(Workspace::find(&here?, &env))
    }
}

impl Tree {
    pub(super) fn branch(&self) -> &str {
        self.active.branch.as_str()
    }

    pub(super) fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// Reads the settings of the KB, and warns of a schema version that is not the latest one.
    pub(super) fn config(&self) -> Result<KbConfig, Failure> {
        let config = self.workspace.config(Rule::TEXTS)?;
        if let Some(warning) = migrate::warning(&config) {
            eprintln!("warning: {warning}");
        }
        Ok(config)
    }

    /// Reads the active branch again.
    pub(super) fn refresh(&mut self) -> Result<(), Failure> {
        self.active = self.workspace.branch()?;
        Ok(())
    }

    /// Has `work` done on the KB of the active branch. If it has none, it is created as a copy of the KB of the branch
    /// that was active before, and `work` is called again.
    pub(super) fn ask<T>(
        &self,
        needs: Needs,
        mut work: impl AsyncFnMut(&mut Client) -> Result<T, ClientError>,
    ) -> Result<T, Failure> {
        let done = self.reach(needs, async |client| match work(client).await {
            Err(error) if is_refused(&error, &[KbCode::KbNoBranch]) => {
                self.announce(client).await?;
                work(client).await
            }
            done => done,
        });
        let done = done.map_err(|failure| failure.reworded(commands))?;
        self.remember();
        Ok(done)
    }

    /// Has `work` done on the KB of the active branch, and creates none: `None` if the branch has no KB.
    pub(super) fn ask_unless_missing<T>(
        &self,
        needs: Needs,
        mut work: impl AsyncFnMut(&mut Client) -> Result<T, ClientError>,
    ) -> Result<Option<T>, Failure> {
        self.reach(needs, async |client| match work(client).await {
            Err(error) if is_refused(&error, &[KbCode::KbNoBranch]) => Ok(None),
            done => done.map(Some),
        })
    }

    /// Has `work` done on the store. What fails because the node is busy is tried again, a few times.
    pub(super) fn reach<T>(
        &self,
        needs: Needs,
        mut work: impl AsyncFnMut(&mut Client) -> Result<T, ClientError>,
    ) -> Result<T, Failure> {
        reach::reach_with(&self.dir, &self.config, needs, async |client| {
            let mut retries = 0;
            loop {
                match work(client).await {
                    Err(error) if retries < KB_RETRIES_MAX && is_busy(&error) => retries += 1,
                    done => return done,
                }
                tokio::time::sleep(pause(retries)).await;
            }
        })
    }

    /// Creates the KB of the active branch, and says so unless another process was first.
    async fn announce(&self, client: &mut Client) -> Result<(), ClientError> {
        let ensured = self.ensure(client).await?;
        if !ensured.created {
            return Ok(());
        }
        eprintln!("{}", created(&ensured));
        // So it is in a new worktree, where no branch was active before.
        let is_empty = ensured.branch.copied_from.is_none();
        if is_empty && client.kb_branches(Some(&self.id)).await?.branches.len() > 1 {
            eprintln!("{COPY_HINT}");
        }
        Ok(())
    }

    /// Creates the KB of the active branch unless it is there.
    pub(super) async fn ensure(&self, client: &mut Client) -> Result<KbEnsured, ClientError> {
        let from = self.active.previous.as_ref().map(BranchName::as_str);
        ensure(client, &self.id, self.branch(), from).await
    }

    /// Remembers the active branch as the one that the next new branch is copied from. A branch that a flag or a variable
    /// names for one command is not the one that is checked out, so it is remembered only where there is no git.
    pub(super) fn remember(&self) {
        let is_named = self.active.source == BranchSource::Env;
        if is_named && self.workspace.is_git() {
            return;
        }
        // The command itself is done: a tree that is read-only is no reason to fail.
        if let Err(error) = self.workspace.remember(&self.active.branch) {
            tracing::warn!("{error}");
        }
    }
}

/// Creates the KB of a branch unless it is there, and shows how far it is.
pub(super) async fn ensure(
    client: &mut Client,
    workspace: &str,
    branch: &str,
    from: Option<&str>,
) -> Result<KbEnsured, ClientError> {
    let show = progress::counter();
    let mut tell = |stage: Stage<'_>| show(stage.name, Progress { done: stage.done, total: stage.total });
    client.kb_ensure(workspace, branch, from, &mut tell).await
}

/// One line about the KB of a branch, which is there now.
pub(super) fn created(ensured: &KbEnsured) -> String {
    let KbEnsured { branch, created } = ensured;
    let name = Harmless(&branch.branch);
    match (created, &branch.copied_from) {
        (false, _) => format!("branch {name} has a KB already"),
        (true, Some(from)) => format!("created KB of branch {name} from {}", Harmless(from)),
        (true, None) => format!("created an empty KB of branch {name}"),
    }
}

/// Said when a branch begins empty beside others.
const COPY_HINT: &str = "hint: to begin with a copy instead, delete it (`cairn kb branch delete`) and create it from \
                         another branch (`cairn kb branch create --from`)";

/// Codes that pass by themselves.
const BUSY: [ErrorCode; 3] = [KbCode::KbBranchBusy, KbCode::KbRefreshError, ErrorCode::Overloaded];

fn is_busy(error: &ClientError) -> bool {
    is_refused(error, &BUSY)
}

fn is_refused(error: &ClientError, codes: &[ErrorCode]) -> bool {
    matches!(error, ClientError::Refused { code: Some(code), .. } if codes.contains(code))
}

/// The pause before a retry: each is twice as long as the one before.
fn pause(retry: u32) -> Duration {
    KB_RETRY_AFTER * 2_u32.pow(retry.saturating_sub(1).min(KB_RETRIES_MAX))
}

impl From<WorktreeError> for Failure {
    fn from(error: WorktreeError) -> Self {
        // The messages say what to do, too.
        let message = error.to_string();
        let failure = match &error {
            WorktreeError::NotAGitRepo { .. }
            | WorktreeError::BareRepository { .. }
            | WorktreeError::DetachedHead { .. }
            | WorktreeError::EnvBranch { .. }
            | WorktreeError::EnvWorkspace { .. }
            | WorktreeError::BranchName { .. }
            | WorktreeError::Reftable { .. }
            | WorktreeError::Config { .. }
            | WorktreeError::PathRefused { .. } => Failure::usage(message),
            WorktreeError::Start { .. }
            | WorktreeError::GitUnreadable { .. }
            | WorktreeError::GitChanging { .. }
            | WorktreeError::State { .. }
            | WorktreeError::StateWrite { .. }
            | WorktreeError::Watch { .. }
            | WorktreeError::FileRefused { .. } => Failure::new(message),
        };
        failure.with_code(error.code())
    }
}

#[cfg(test)]
mod tests {
    use cairn_wire::kb::KbBranch;

    use super::*;

    #[test]
    fn pauses_grow_and_are_bounded() {
        let pauses: Vec<_> = (1..=KB_RETRIES_MAX).map(pause).collect();
        assert_eq!(pauses[0], KB_RETRY_AFTER);
        assert!(pauses.windows(2).all(|two| two[1] == two[0] * 2), "{pauses:?}");
        let total: Duration = pauses.iter().sum();
        assert!(total <= Duration::from_secs(10), "{total:?}");
    }

    #[test]
    fn only_what_passes_by_itself_is_tried_again() {
        let refused = |code| ClientError::Refused { code: Some(code), message: String::new(), hint: None };
        assert!(BUSY.into_iter().all(|code| is_busy(&refused(code))));
        for code in [KbCode::KbNoBranch, KbCode::KbContradiction, ErrorCode::Internal] {
            assert!(!is_busy(&refused(code)), "{code}");
        }
        assert!(!is_busy(&ClientError::Refused { code: None, message: String::new(), hint: None }));
    }

    #[test]
    fn a_line_says_where_a_kb_came_from() {
        let ensured = |created, from: Option<&str>| KbEnsured {
            branch: KbBranch {
                branch: "fix\u{1b}".to_owned(),
                copied_from: from.map(str::to_owned),
                ..KbBranch::default()
            },
            created,
        };
        assert_eq!(created(&ensured(true, Some("main"))), "created KB of branch fix\\u{1b} from main");
        assert_eq!(created(&ensured(true, None)), "created an empty KB of branch fix\\u{1b}");
        assert_eq!(created(&ensured(false, Some("main"))), "branch fix\\u{1b} has a KB already");
    }
}
