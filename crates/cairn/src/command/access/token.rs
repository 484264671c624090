//! `cairn access token`.

use std::io::Write;

use cairn_http::NewToken;
use cairn_wire::access::ShownToken;
use clap::{Args, Subcommand};

use super::Call;
use super::list::{ListArgs, table};
use crate::command::answer::{joined, text};
use crate::failure::Failure;
use crate::when;

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token, and print it this once
    #[command(after_help = CREATE_AFTER_HELP)]
    Create(CreateArgs),

    /// List tokens, without their secrets
    List {
        /// Only those of this user
        #[arg(long, value_name = "USER")]
        user: Option<String>,

        #[command(flatten)]
        part: ListArgs,
    },

    /// Revoke a token, from now on and for ever
    Revoke {
        /// The id of the token, as the list shows it
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// What a token is for.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Whose it is
    #[arg(long, value_name = "USER")]
    user: String,

    /// A note for people
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    label: String,

    /// What it may be used for; may be given several times [default: what the user may do now]
    #[arg(long = "role", value_name = "ROLE", value_delimiter = ',')]
    roles: Vec<String>,

    /// How long it holds: a time such as 30d or 12h, or never [default: 90d]
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
}

pub(super) const AFTER_HELP: &str = "\
Examples:
  TOKEN=$(cairn access token create --user ada)
  cairn access token list --user ada
  cairn access token revoke 5f3a90c1d2e4b687

A token is a secret: whoever has it is the user. What is kept of it is a hash, so it cannot be shown
again.";

const CREATE_AFTER_HELP: &str = "\
Examples:
  TOKEN=$(cairn access token create --user ada)
  curl -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:9010/v1/access/whoami
  cairn access token create --user ada --role reader --expires 12h --label 'nightly report'

The token goes to standard output, and what is known of it to standard error. With --json both are
one object on standard output.";

/// Runs what was asked for.
pub(super) fn token(call: &Call<'_>, tenant: &str, command: TokenCommand) -> Result<(), Failure> {
    match command {
        TokenCommand::Create(arguments) => create(call, tenant, arguments),
        TokenCommand::List { user, part } => {
            let part = part.part(user.as_deref());
            let page = call.ask(async |client| client.tokens(tenant, &part).await)?;
            call.print(&page, |page| {
                let heads = ["ID", "USER", "ROLES", "STATE", "EXPIRES", "LABEL"];
                table("tokens", &page.tokens, page.next.as_deref(), heads, |token| {
                    [
                        text(&token.id),
                        text(&token.user),
                        joined(&token.roles),
                        text(&token.state),
                        expiry(token),
                        text(&token.label),
                    ]
                })
            })
        }
        TokenCommand::Revoke { id } => {
            let token = call.ask(async |client| client.revoke_token(tenant, &id).await)?;
            call.print(&token, |token| {
                format!("token {} of user {} is revoked\n", text(&token.id), text(&token.user))
            })
        }
    }
}

fn create(call: &Call<'_>, tenant: &str, arguments: CreateArgs) -> Result<(), Failure> {
    let CreateArgs { user, label, roles, expires } = arguments;
    let wanted = NewToken { user, label, roles, expires_in: expires };
    let issued = call.ask(async |client| client.issue_token(tenant, &wanted).await)?;
    if !call.as_json {
        // Whoever closed standard error does not want to know.
        let _ = std::io::stderr().write_all(about(&issued.about).as_bytes());
    }
    call.print(&issued, |issued| format!("{}\n", text(&issued.token.0)))
}

fn about(token: &ShownToken) -> String {
    format!(
        "token {} of user {}: {}; expires: {}\nit is not shown again\n",
        text(&token.id),
        text(&token.user),
        joined(&token.roles),
        expiry(token),
    )
}

fn expiry(token: &ShownToken) -> String {
    token.expires_at_ms.map_or_else(|| "never".to_owned(), when::absolute)
}
