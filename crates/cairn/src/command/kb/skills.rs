//! `cairn kb skills`.

use cairn_kb::SkillError;
use cairn_kb::tools::{SkillsListInput, SkillsLoadInput, SkillsReadInput};
use clap::Subcommand;

use super::text::lines;
use crate::columns::columns;
use crate::command::answer::{joined, json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb skills list
  cairn kb skills load cairn-usage
  cairn kb skills read cairn-usage resources/fact-lanes.md

Skills are guides for agents and part of the program: these commands need no data directory.";

/// What to do with skills.
#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    /// List the skills
    List,

    /// Print a skill
    Load {
        /// Skill
        #[arg(value_name = "ID")]
        id: String,
    },

    /// Print a resource of a skill
    Read {
        /// Skill
        #[arg(value_name = "ID")]
        id: String,

        /// Resource, by the path that `cairn kb skills list` shows
        #[arg(value_name = "RESOURCE")]
        resource: String,
    },
}

/// Runs the command.
pub(super) fn skills(as_json: bool, command: SkillsCommand) -> Result<(), Failure> {
    match command {
        SkillsCommand::List => {
            let output = SkillsListInput::default().run();
            if as_json {
                return print(&json(&output));
            }
            let rows: Vec<_> = output
                .skills
                .iter()
                .map(|skill| [text(&skill.id), text(&skill.version), joined(&skill.resources)])
                .collect();
            let abouts = output
                .skills
                .iter()
                .map(|skill| format!("\n{}: {}\n", text(&skill.id), text(&skill.description)));
            let table = columns(["ID", "VERSION", "RESOURCES"], &rows, Look::of_stdout());
            print(&(table + &abouts.collect::<String>()))
        }
        SkillsCommand::Load { id } => {
            let output = SkillsLoadInput { id, request_id: None }.run()?;
            print(&if as_json { json(&output) } else { lines(output.body.trim()) + "\n" })
        }
        SkillsCommand::Read { id, resource } => {
            let output = SkillsReadInput { id, resource, request_id: None }.run()?;
            print(&if as_json { json(&output) } else { lines(output.content.trim()) + "\n" })
        }
    }
}

impl From<SkillError> for Failure {
    fn from(error: SkillError) -> Self {
        Failure::usage(error.to_string()).with_code(error.code())
    }
}
