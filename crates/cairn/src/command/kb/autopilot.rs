//! `cairn kb autopilot`.

use std::fs::File;
use std::io::{BufRead, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use cairn_autopilot::{AutopilotInput, AutopilotOutput, BootstrapContext};
use cairn_base::Harmless;
use cairn_embedded::Progress;
use cairn_http::Client;
use cairn_kb::EntityType;
use cairn_kb::tools::{CheckInput, CheckOutput, UpsertInput, Violation};
use clap::Args;

use super::options::entity_type;
use super::text::{VIOLATIONS, counted, lines, remarks};
use super::tree::Tree;
use super::{Call, checks};
use crate::autopilot::{Held, existing, generate};
use crate::command::answer::{json, text};
use crate::command::input::is_stdin;
use crate::command::print;
use crate::failure::Failure;
use crate::limits::KB_CONTEXT_BYTES_MAX;
use crate::progress;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb autopilot                         candidates by type, and the plan that adds them
  cairn kb autopilot --type req --type adr --min-confidence 0.9
  cairn kb autopilot --json > plan.json      everything, for programs
  cairn kb autopilot --context context.json  with facts about the project
  cairn kb autopilot --apply                 show the plan, ask, apply it, and check
  cairn kb autopilot --apply --yes           the same for scripts

Candidates come from documents in the folders of the KB, other Markdown, manifests, folders, test
files and symbols. Files that .gitignore or .git/info/exclude names are not read, nor are .git, .kb,
node_modules, vendor and third_party. Without --apply nothing is changed.

The context is a JSON object with projectSummary, sourceOfTruthPaths, sourceOfTruthNotes,
priorityRoots and verificationAnchors, each of which may be missing.

The plan is a list of payloads of `cairn kb upsert`; applied in order, it adds no violation. Exit
code 1: --apply was refused, or the check found violations that were not there before.";

/// What to look for.
#[derive(Debug, Args)]
pub(crate) struct AutopilotArgs {
    /// Minimum confidence of a candidate, from 0.60 to 0.95 [default: 0.80]
    #[arg(long, value_name = "N")]
    min_confidence: Option<f64>,

    /// Maximum number of candidates, from 1 to 200 [default: 50]
    #[arg(long, value_name = "N")]
    max_candidates: Option<u32>,

    /// Only candidates of this type; can be repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = entity_type())]
    types: Vec<EntityType>,

    /// Leave out Markdown outside of the folders of the KB
    #[arg(long)]
    no_generic_markdown: bool,

    /// JSON file with facts about the project; - for standard input
    #[arg(long, value_name = "FILE")]
    context: Option<PathBuf>,

    /// Apply the plan after you confirm it
    #[arg(long)]
    apply: bool,

    /// Apply without asking
    #[arg(long, requires = "apply")]
    yes: bool,
}

/// Shows candidates, and applies them if it is asked to.
pub(super) fn autopilot(call: &Call<'_>, arguments: &AutopilotArgs) -> Result<(), Failure> {
    let input = arguments.input()?;
    let workspace = call.workspace()?;
    // Without an id the workspace has no KB, and an id would have to be written.
    let tree = workspace.known_id()?.map(|_| call.tree()).transpose()?;
    let held = tree.as_ref().map(held).transpose()?.unwrap_or_default();
    let output = generate(&workspace, &held, &input)?;
    if !arguments.apply {
        return print(&if call.as_json { json(&output) } else { shown(&output) });
    }
    if !call.as_json {
        print(&shown(&output))?;
    }
    if output.apply_blocked {
        let why = output.handoff_message.as_deref().unwrap_or("review the candidates one by one");
        return Err(Failure::new("the plan must not be applied").hint(text(why)));
    }
    if !arguments.yes {
        confirm(output.apply_plan.len())?;
    }
    let tree = tree.map_or_else(|| call.tree(), Ok)?;
    apply(&tree, call.as_json, &output.apply_plan)
}

/// What the branch has; nothing if it has no KB, and it gets none from this.
fn held(tree: &Tree) -> Result<Held, Failure> {
    let ask = async |client: &mut Client| existing(client, &tree.id, tree.branch()).await;
    Ok(tree.ask_unless_missing(Needs::Store, ask)?.unwrap_or_default())
}

fn shown(output: &AutopilotOutput) -> String {
    lines(&output.text()) + "\n"
}

impl AutopilotArgs {
    fn input(&self) -> Result<AutopilotInput, Failure> {
        Ok(AutopilotInput {
            include_generic_markdown: self.no_generic_markdown.then_some(false),
            min_confidence: self.min_confidence,
            max_candidates: self.max_candidates,
            entity_types: self.types.clone(),
            bootstrap_context: self.context.as_deref().map(context).transpose()?,
            request_id: None,
        })
    }
}

fn context(file: &Path) -> Result<BootstrapContext, Failure> {
    let name = if is_stdin(file) { "standard input".to_owned() } else { file.display().to_string() };
    let failed = |error| Failure::io(format_args!("read {name}"), &error);
    let input: Box<dyn Read> =
        if is_stdin(file) { Box::new(std::io::stdin()) } else { Box::new(File::open(file).map_err(failed)?) };
    let mut bytes = Vec::new();
    input.take(KB_CONTEXT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > KB_CONTEXT_BYTES_MAX {
        let message = format!("{name} has more than the {KB_CONTEXT_BYTES_MAX} bytes allowed");
        return Err(Failure::usage(message).hint("summarize the project in a few sentences"));
    }
    serde_json::from_slice(&bytes).map_err(|error| {
        Failure::usage(format!("{name} holds no context: {error}")).hint(
            "write an object with projectSummary, sourceOfTruthPaths, sourceOfTruthNotes, priorityRoots and \
             verificationAnchors",
        )
    })
}

/// Asks on the terminal. Fails without an answer, or with another one than yes.
fn confirm(payloads: usize) -> Result<(), Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(
            Failure::usage("nobody can confirm the plan here").hint("pass --yes to apply it without asking")
        );
    }
    let failed = |error| Failure::io("ask for confirmation", &error);
    eprint!("Apply {payloads} payloads? [y/N] ");
    std::io::stderr().flush().map_err(failed)?;
    let mut answer = String::new();
    stdin.lock().take(64).read_line(&mut answer).map_err(failed)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new("not applied")),
    }
}

/// Applies the plan one payload after the other, and shows the violations that it added.
fn apply(tree: &Tree, as_json: bool, plan: &[UpsertInput]) -> Result<(), Failure> {
    let config = tree.workspace.config(cairn_kb::Rule::TEXTS)?;
    let input = CheckInput {
        rules: checks::configured(&config.checks),
        require_adr: Some(config.checks.require_adr),
        limit: Some(cairn_kb::limits::PAGE_MAX),
        ..CheckInput::default()
    };
    let show = progress::counter();
    let total = plan.len() as u64;
    let mut stored = Vec::new();
    let mut before: Option<CheckOutput> = None;
    let done = tree.ask(Needs::Store, async |client| {
        if before.is_none() {
            before = Some(client.kb_check(&tree.id, tree.branch(), &input).await?);
        }
        // Called again, it goes on where it was.
        for payload in &plan[stored.len()..] {
            stored.push(client.kb_upsert(&tree.id, tree.branch(), payload).await?);
            show("storing entities", Progress { done: stored.len() as u64, total });
        }
        client.kb_check(&tree.id, tree.branch(), &input).await
    });
    drop(show);
    let count = stored.len();
    let after = done.map_err(|failure| match plan.get(count) {
        Some(payload) => {
            failure.in_context(format!("the payload at index {count} ({})", Harmless(&payload.id)))
        }
        None => failure,
    })?;
    let new = added(before.unwrap_or_default().violations, &after.violations);
    if as_json {
        print(&json(&serde_json::json!({"upserted": stored, "newViolations": new})))?;
    } else {
        let stored = stored.iter().map(|output| remarks(&output.text()) + "\n");
        let found = new.iter().map(|found| {
            format!("{}  {}\n    {}\n", found.rule, text(&found.entity_id), text(&found.description))
        });
        print(&stored.chain(found).collect::<String>())?;
    }
    match new.len() as u64 {
        0 => Ok(()),
        count => Err(Failure::new(format!("{} that the plan added", counted(count, VIOLATIONS)))),
    }
}

/// Violations that were not there before.
fn added(before: Vec<Violation>, after: &[Violation]) -> Vec<&Violation> {
    let is_known = |found: &&Violation| {
        before.iter().any(|old| {
            (old.rule, &old.entity_id, &old.description) == (found.rule, &found.entity_id, &found.description)
        })
    };
    after.iter().filter(|found| !is_known(found)).collect()
}
