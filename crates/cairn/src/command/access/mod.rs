//! `cairn access`: who is known here, and who may do what.

mod key;
mod list;
mod team;
mod tenant;
mod token;
mod user;
mod whoami;

use std::path::Path;

use cairn_http::{Client, ClientError};
use clap::{Args, Subcommand};
use serde::Serialize;

use self::key::KeyCommand;
use self::team::TeamCommand;
use self::tenant::TenantCommand;
use self::token::TokenCommand;
use self::user::UserCommand;
use crate::command::answer::json;
use crate::failure::Failure;
use crate::{logging, reach};

/// Of whom.
#[derive(Debug, Subcommand)]
pub(crate) enum AccessCommand {
    /// Tenants: who works together, apart from all others
    #[command(after_help = tenant::AFTER_HELP)]
    Tenant {
        #[command(subcommand)]
        command: TenantCommand,
    },

    /// Users of a tenant, and their roles
    #[command(after_help = user::AFTER_HELP)]
    User {
        #[command(flatten)]
        place: InTenant,
        #[command(subcommand)]
        command: UserCommand,
    },

    /// Teams of a tenant, and who belongs to them
    #[command(after_help = team::AFTER_HELP)]
    Team {
        #[command(flatten)]
        place: InTenant,
        #[command(subcommand)]
        command: TeamCommand,
    },

    /// Tokens with which programs say for whom they call
    #[command(after_help = token::AFTER_HELP)]
    Token {
        #[command(flatten)]
        place: InTenant,
        #[command(subcommand)]
        command: TokenCommand,
    },

    /// Public keys with which users sign
    #[command(after_help = key::AFTER_HELP)]
    Key {
        #[command(flatten)]
        place: InTenant,
        #[command(subcommand)]
        command: KeyCommand,
    },

    /// Show who one is
    #[command(after_help = whoami::AFTER_HELP)]
    Whoami,
}

/// In which tenant.
#[derive(Debug, Args)]
pub(crate) struct InTenant {
    /// The tenant
    #[arg(long, global = true, value_name = "NAME", default_value = "local")]
    tenant: String,
}

pub(crate) const ACCESS_AFTER_HELP: &str = "\
Examples:
  cairn access user add ada --role writer
                                     allow ada to read and write
  TOKEN=$(cairn access token create --user ada)
                                     create a token for ada; it is shown once
  curl -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:9010/v1/contexts
  cairn access tenant create acme    create a tenant, isolated from all others
  cairn access user add root --role admin --tenant acme
                                     add its administrator
  cairn access token list            list tokens, without secrets
  cairn audit                        show the audit trail

Roles of a tenant are reader, writer and admin; each includes the ones before it. operator is a role
of the node, for users of the tenant local. A user who can open the data directory is the local
owner, with every permission. Works with and without a running server.";

/// Runs what was asked for.
pub(super) fn access(data_dir: Option<&Path>, as_json: bool, command: AccessCommand) -> Result<(), Failure> {
    let call = Call { data_dir, as_json };
    match command {
        AccessCommand::Tenant { command } => tenant::tenant(&call, &command),
        AccessCommand::User { place, command } => user::user(&call, &place.tenant, &command),
        AccessCommand::Team { place, command } => team::team(&call, &place.tenant, &command),
        AccessCommand::Token { place, command } => token::token(&call, &place.tenant, command),
        AccessCommand::Key { place, command } => key::key(&call, &place.tenant, &command),
        AccessCommand::Whoami => whoami::whoami(&call),
    }
}

/// How the command was called.
#[derive(Debug, Clone, Copy)]
struct Call<'a> {
    data_dir: Option<&'a Path>,
    as_json: bool,
}

impl Call<'_> {
    /// What is answered to `work`.
    fn ask<T>(&self, work: impl AsyncFnMut(&mut Client) -> Result<T, ClientError>) -> Result<T, Failure> {
        let (data_dir, settings) = crate::command::settings(self.data_dir, &[])?;
        logging::start_quietly(&settings.config)?;
        reach::reach(&data_dir.path, &settings.config, work)
    }

    /// Prints an answer, as it is or in words.
    fn print<T: Serialize>(&self, answer: &T, in_words: impl FnOnce(&T) -> String) -> Result<(), Failure> {
        let shown = if self.as_json { json(answer) } else { in_words(answer) };
        crate::command::print(&shown)
    }
}
