//! `cairn access user`.

use cairn_base::{ErrorCode, Harmless};
use cairn_http::ClientError;
use cairn_wire::access::{ShownUser, UserAndTeams};
use clap::Subcommand;

use super::Call;
use super::list::{ListArgs, past, state, table};
use crate::command::answer::{joined, text};
use crate::failure::Failure;

/// What to do with users.
#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Make a user
    Add {
        /// What it is called: a name, an address of e-mail, a DID
        #[arg(value_name = "USER")]
        user: String,

        /// What it may do: reader, writer, admin, operator; may be given several times
        #[arg(long = "role", value_name = "ROLE", required = true, value_delimiter = ',')]
        roles: Vec<String>,
    },

    /// List users, by name
    List(ListArgs),

    /// Show a user, and the teams it belongs to
    Show {
        /// The user
        #[arg(value_name = "USER")]
        user: String,
    },

    /// Give a user other roles, in place of those it has
    Roles {
        /// The user
        #[arg(value_name = "USER")]
        user: String,

        /// Everything it may do from now on
        #[arg(value_name = "ROLE", required = true, value_delimiter = ',')]
        roles: Vec<String>,
    },

    /// Shut a user out, with all of its tokens and keys
    Disable {
        /// The user
        #[arg(value_name = "USER")]
        user: String,
    },

    /// Let a user in again
    Enable {
        /// The user
        #[arg(value_name = "USER")]
        user: String,
    },
}

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn access user add ada --role writer
  cairn access user add root --role admin --tenant acme
  cairn access user show ada
  cairn access user roles ada reader     from now on she only reads
  cairn access user disable ada          she does not come in any more
  cairn access user enable ada

reader reads, writer also writes, admin also administers the tenant: its users, teams, tokens and
keys. operator looks after the node (stats, backups, tenants) and is given in the tenant local only.
A user is never removed: what it did stays its own.";

/// Runs what was asked for.
pub(super) fn user(call: &Call<'_>, tenant: &str, command: &UserCommand) -> Result<(), Failure> {
    match command {
        UserCommand::Add { user, roles } => add(call, tenant, user, roles),
        UserCommand::List(arguments) => {
            let page = call.ask(async |client| client.users(tenant, &arguments.part(None)).await)?;
            call.print(&page, |page| {
                let heads = ["USER", "ROLES", "CREATED", "STATE"];
                table("users", &page.users, page.next.as_deref(), heads, |user| {
                    [
                        text(&user.user),
                        joined(&user.roles),
                        past(user.created_at_ms),
                        state(user.disabled_at_ms, "disabled"),
                    ]
                })
            })
        }
        UserCommand::Show { user } => {
            let found = call.ask(async |client| client.user(tenant, user).await)?;
            call.print(&found, in_words)
        }
        UserCommand::Roles { user, roles } => {
            let changed = call.ask(async |client| {
                // Putting makes a user that is not there, which here would be a slip.
                client.user(tenant, user).await?;
                client.put_user(tenant, user, roles).await
            })?;
            call.print(&changed, as_it_is)
        }
        UserCommand::Disable { user } => {
            let changed = call.ask(async |client| client.disable_user(tenant, user).await)?;
            call.print(&changed, |user| format!("user {} is shut out\n", text(&user.user)))
        }
        UserCommand::Enable { user } => {
            let changed = call.ask(async |client| client.enable_user(tenant, user).await)?;
            call.print(&changed, as_it_is)
        }
    }
}

fn add(call: &Call<'_>, tenant: &str, user: &str, roles: &[String]) -> Result<(), Failure> {
    let made = call.ask(async |client| match client.user(tenant, user).await {
        Ok(_known) => Ok(None),
        Err(ClientError::Refused { code: Some(ErrorCode::NotFound), .. }) => {
            client.put_user(tenant, user, roles).await.map(Some)
        }
        Err(error) => Err(error),
    })?;
    let made = made.ok_or_else(|| {
        Failure::new(format!("there is a user {} already", Harmless(user)))
            .hint("`cairn access user roles` gives it other roles")
    })?;
    call.print(&made, as_it_is)
}

fn as_it_is(user: &ShownUser) -> String {
    format!("user {}: {}\n", text(&user.user), joined(&user.roles))
}

fn in_words(found: &UserAndTeams) -> String {
    let UserAndTeams { user, teams } = found;
    crate::command::table(&[
        ["user".to_owned(), text(&user.user)],
        ["roles".to_owned(), joined(&user.roles)],
        ["teams".to_owned(), joined(teams)],
        ["created".to_owned(), past(user.created_at_ms)],
        ["state".to_owned(), state(user.disabled_at_ms, "disabled")],
    ])
}
