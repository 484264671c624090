//! `cairn kb`: what must hold, and does it, per git branch.

pub(crate) mod advise;
mod apply;
pub(crate) mod autopilot;
pub(crate) mod branch;
pub(crate) mod check;
pub(crate) mod checks;
pub(crate) mod coverage;
pub(crate) mod delete;
mod diff;
mod draw;
pub(crate) mod export;
mod facts;
pub(crate) mod gaps;
pub(crate) mod gc;
pub(crate) mod graph;
pub(crate) mod hook;
mod hooks;
pub(crate) mod impact;
pub(crate) mod init;
pub(crate) mod migrate;
pub(crate) mod model;
mod options;
mod payload;
mod prose;
pub(crate) mod query;
pub(crate) mod report;
mod report_file;
pub(crate) mod results;
pub(crate) mod search;
pub(crate) mod skills;
mod staged;
pub(crate) mod status;
pub(crate) mod suggest;
pub(crate) mod suspect;
pub(crate) mod sync;
mod text;
mod tree;
pub(crate) mod upsert;
pub(crate) mod validate;
mod walk;
mod write_whole;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use self::advise::AdviseArgs;
use self::autopilot::AutopilotArgs;
use self::branch::BranchCommand;
use self::check::CheckArgs;
use self::coverage::CoverageArgs;
use self::delete::DeleteArgs;
use self::export::ExportArgs;
use self::gaps::GapsArgs;
use self::gc::GcArgs;
use self::graph::GraphArgs;
use self::hook::HookArgs;
use self::impact::ImpactArgs;
use self::init::InitArgs;
use self::migrate::MigrateArgs;
use self::model::ModelArgs;
use self::query::QueryArgs;
use self::report::ReportArgs;
use self::results::ResultsCommand;
use self::search::SearchArgs;
use self::skills::SkillsCommand;
use self::suggest::SuggestArgs;
use self::suspect::SuspectArgs;
use self::sync::SyncArgs;
use self::upsert::UpsertArgs;
use self::validate::ValidateArgs;
use crate::failure::Failure;

/// Whose KB, and what to do with it.
#[derive(Debug, Args)]
pub(crate) struct KbArgs {
    /// Branch whose KB is used [default: CAIRN_BRANCH, else the branch that is checked out]
    #[arg(long, global = true, value_name = "NAME")]
    branch: Option<String>,

    /// Folder of the working tree [default: CAIRN_WORKSPACE, else the nearest one from here up]
    #[arg(long, global = true, value_name = "DIR")]
    workspace_root: Option<PathBuf>,

    #[command(subcommand)]
    command: KbCommand,
}

/// What to do with a KB.
#[derive(Debug, Subcommand)]
pub(crate) enum KbCommand {
    /// Create the KB of the active branch
    #[command(after_help = init::AFTER_HELP)]
    Init(InitArgs),

    /// Store what the documents of the working tree say
    #[command(after_help = sync::AFTER_HELP)]
    Sync(SyncArgs),

    /// Write entities as documents of the working tree
    #[command(after_help = export::AFTER_HELP)]
    Export(ExportArgs),

    /// List entities by type, id, tags and source
    #[command(after_help = query::AFTER_HELP)]
    Query(QueryArgs),

    /// Search entities by full text
    #[command(after_help = search::AFTER_HELP)]
    Search(SearchArgs),

    /// Show branch, number of entities, and what differs from the documents
    #[command(after_help = status::AFTER_HELP)]
    Status,

    /// List entities by missing and present relationships
    #[command(after_help = gaps::AFTER_HELP)]
    Gaps(GapsArgs),

    /// Report coverage of requirements, symbols or types
    #[command(after_help = coverage::AFTER_HELP)]
    Coverage(CoverageArgs),

    /// Follow relationships from entities, as text, DOT or Mermaid
    #[command(after_help = graph::AFTER_HELP)]
    Graph(GraphArgs),

    /// Show what a change of entities, files or commits reaches
    #[command(after_help = impact::AFTER_HELP)]
    Impact(ImpactArgs),

    /// List links whose ends changed after they were made, or accept them
    #[command(after_help = suspect::AFTER_HELP)]
    Suspect(SuspectArgs),

    /// Write a report: traceability matrix, coverage and contradictions
    #[command(after_help = report::AFTER_HELP)]
    Report(ReportArgs),

    /// Check the rules; exit code 1 if there are violations
    #[command(after_help = check::AFTER_HELP)]
    Check(CheckArgs),

    /// Find the claims in the prose of a requirement
    #[command(after_help = advise::AFTER_HELP)]
    Advise(AdviseArgs),

    /// Turn a sentence or a claim into a requirement and facts
    #[command(after_help = model::AFTER_HELP)]
    Model(ModelArgs),

    /// Suggest predicates for a sentence
    #[command(after_help = suggest::AFTER_HELP)]
    Suggest(SuggestArgs),

    /// Create or update entities and add relationships
    #[command(after_help = upsert::AFTER_HELP)]
    Upsert(UpsertArgs),

    /// Check payloads of upsert without storing them; exit code 1 if one is invalid
    #[command(after_help = validate::AFTER_HELP)]
    Validate(ValidateArgs),

    /// Delete entities that nothing refers to
    #[command(after_help = delete::AFTER_HELP)]
    Delete(DeleteArgs),

    /// Generate candidates for the KB from the files of the repository
    #[command(after_help = autopilot::AFTER_HELP)]
    Autopilot(AutopilotArgs),
    /// Import results of test runs
    #[command(subcommand, after_help = results::AFTER_HELP)]
    Results(ResultsCommand),

    /// List, load and read the skills for agents
    #[command(subcommand, after_help = skills::AFTER_HELP)]
    Skills(SkillsCommand),

    /// List, create, delete and compare branches that have a KB
    #[command(subcommand, after_help = branch::AFTER_HELP)]
    Branch(BranchCommand),

    /// Delete KBs of branches that git no longer has
    #[command(after_help = gc::AFTER_HELP)]
    Gc(GcArgs),

    /// Show or make the changes that a newer schema version needs
    #[command(after_help = migrate::AFTER_HELP)]
    Migrate(MigrateArgs),

    /// Run as a git hook
    #[command(hide = true)]
    Hook(HookArgs),
}

pub(crate) const KB_AFTER_HELP: &str = "\
Examples:
  cairn kb init                      create the KB of the active branch
  cairn kb upsert req REQ-001 --title 'Sessions expire' --status open --field priority=must
  cairn kb upsert scenario SCEN-001 --title 'Idle session' --status active
  cairn kb upsert req REQ-001 --link specified_by:SCEN-001
                                     connect them
  cairn kb model 'Audit logs must be retained for 90 days.' --source docs/audit.md --apply
                                     a sentence as facts that are compared
  cairn kb gaps --type req --missing verified_by
                                     requirements without a test
  cairn kb check                     exit code 1 if a rule is violated, for CI
  cairn kb graph REQ-001 --direction both --depth 2 --format mermaid
                                     draw what is around a requirement

Each branch of a git repository has its own KB, and all worktrees of a clone share them. The KB of a
new branch is a copy of that of the branch that was active before in the worktree. Outside of git,
and when HEAD is detached at a commit of several branches, name the branch with CAIRN_BRANCH or
--branch. Works with and without a running server.";

/// Runs the command.
pub(super) fn kb(data_dir: Option<&Path>, as_json: bool, arguments: KbArgs) -> Result<(), Failure> {
    let KbArgs { branch, workspace_root, command } = arguments;
    let call = Call { data_dir, as_json, branch: branch.as_deref(), root: workspace_root.as_deref() };
    match command {
        KbCommand::Init(arguments) => init::init(&call, &arguments),
        KbCommand::Sync(arguments) => sync::sync(&call, &arguments),
        KbCommand::Export(arguments) => export::export(&call, &arguments),
        KbCommand::Query(arguments) => query::query(&call, arguments),
        KbCommand::Search(arguments) => search::search(&call, arguments),
        KbCommand::Status => status::status(&call),
        KbCommand::Gaps(arguments) => gaps::gaps(&call, arguments),
        KbCommand::Coverage(arguments) => coverage::coverage(&call, arguments),
        KbCommand::Graph(arguments) => graph::graph(&call, arguments),
        KbCommand::Impact(arguments) => impact::impact(&call, arguments),
        KbCommand::Suspect(arguments) => suspect::suspect(&call, arguments),
        KbCommand::Report(arguments) => report::report(&call, &arguments),
        KbCommand::Check(arguments) => check::check(&call, &arguments),
        KbCommand::Advise(arguments) => advise::advise(&call, arguments),
        KbCommand::Model(arguments) => model::model(&call, arguments),
        KbCommand::Suggest(arguments) => suggest::suggest(&call, arguments),
        KbCommand::Upsert(arguments) => upsert::upsert(&call, &arguments),
        KbCommand::Validate(arguments) => validate::validate(&call, &arguments),
        KbCommand::Delete(arguments) => delete::delete(&call, arguments),
        KbCommand::Autopilot(arguments) => autopilot::autopilot(&call, &arguments),
        KbCommand::Results(command) => results::results(&call, command),
        KbCommand::Skills(command) => skills::skills(as_json, command),
        KbCommand::Branch(command) => branch::branch(&call, &command),
        KbCommand::Gc(arguments) => gc::gc(&call, &arguments),
        KbCommand::Migrate(arguments) => migrate::migrate(&call, &arguments),
        KbCommand::Hook(arguments) => hook::hook(&call, &arguments),
    }
}

/// The way a command was called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    /// The data directory that was named.
    data_dir: Option<&'a Path>,
    /// Whether programs read the output.
    as_json: bool,
    /// The branch that was named.
    branch: Option<&'a str>,
    /// The root of the working tree that was named.
    root: Option<&'a Path>,
}
