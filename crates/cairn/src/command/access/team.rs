//! `cairn access team`.

use clap::Subcommand;
use serde_json::json;

use super::Call;
use super::list::{ListArgs, past, table};
use crate::command::answer::text;
use crate::failure::Failure;

/// What to do with teams.
#[derive(Debug, Subcommand)]
pub(crate) enum TeamCommand {
    /// Make a team
    Create {
        /// What to call it: no space, `/`, `,` or `:`
        #[arg(value_name = "TEAM")]
        team: String,
    },

    /// List teams, by name
    List(ListArgs),

    /// Remove a team; its members stay users
    Remove {
        /// The team
        #[arg(value_name = "TEAM")]
        team: String,
    },

    /// List who belongs to a team
    Members {
        /// The team
        #[arg(value_name = "TEAM")]
        team: String,

        #[command(flatten)]
        part: ListArgs,
    },

    /// Take a user into a team
    Add {
        /// The team
        #[arg(value_name = "TEAM")]
        team: String,

        /// The user
        #[arg(value_name = "USER")]
        user: String,
    },

    /// Take a user out of a team
    Drop {
        /// The team
        #[arg(value_name = "TEAM")]
        team: String,

        /// The user
        #[arg(value_name = "USER")]
        user: String,
    },
}

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn access team create core
  cairn access team add core ada         ada belongs to core
  cairn access team members core
  cairn access team drop core ada        and does not any more
  cairn access team remove core

What is shared with a team is shared with everyone who belongs to it.";

/// Runs what was asked for.
pub(super) fn team(call: &Call<'_>, tenant: &str, command: &TeamCommand) -> Result<(), Failure> {
    match command {
        TeamCommand::Create { team } => {
            let made = call.ask(async |client| client.create_team(tenant, team).await)?;
            call.print(&made, |made| format!("team {} is there\n", text(&made.team)))
        }
        TeamCommand::List(arguments) => {
            let page = call.ask(async |client| client.teams(tenant, &arguments.part(None)).await)?;
            call.print(&page, |page| {
                table("teams", &page.teams, page.next.as_deref(), ["TEAM", "CREATED"], |team| {
                    [text(&team.team), past(team.created_at_ms)]
                })
            })
        }
        TeamCommand::Remove { team } => {
            call.ask(async |client| client.remove_team(tenant, team).await)?;
            let answer = json!({"team": team, "removed": true});
            call.print(&answer, |_| format!("team {} is removed\n", text(team)))
        }
        TeamCommand::Members { team, part } => {
            let page = call.ask(async |client| client.members(tenant, team, &part.part(None)).await)?;
            call.print(&page, |page| {
                table("members", &page.members, page.next.as_deref(), ["USER"], |user| [text(user)])
            })
        }
        TeamCommand::Add { team, user } => set(call, tenant, team, user, true),
        TeamCommand::Drop { team, user } => set(call, tenant, team, user, false),
    }
}

fn set(call: &Call<'_>, tenant: &str, team: &str, user: &str, belongs: bool) -> Result<(), Failure> {
    call.ask(async |client| client.set_member(tenant, team, user, belongs).await)?;
    let answer = json!({"team": team, "user": user, "belongs": belongs});
    call.print(&answer, |_| {
        let what = if belongs { "belongs" } else { "does not belong" };
        format!("user {} {what} to team {}\n", text(user), text(team))
    })
}
