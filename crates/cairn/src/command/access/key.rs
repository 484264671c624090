//! `cairn access key`.

use clap::Subcommand;

use super::Call;
use super::list::{ListArgs, past, state, table};
use crate::command::answer::text;
use crate::failure::Failure;

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Register a public key for a user
    Add {
        /// An Ed25519 public key: 64 hexadecimal digits
        #[arg(value_name = "PUBLIC_KEY")]
        key: String,

        /// Whose it is
        #[arg(long, value_name = "USER")]
        user: String,
    },

    /// List keys, revoked ones too
    List {
        /// Only those of this user
        #[arg(long, value_name = "USER")]
        user: Option<String>,

        #[command(flatten)]
        part: ListArgs,
    },

    /// Revoke a key, from now on and for ever
    Revoke {
        /// The key
        #[arg(value_name = "PUBLIC_KEY")]
        key: String,
    },
}

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn access key add d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a --user ada
  cairn access key list --user ada
  cairn access key revoke d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a

With a registered key a user signs JWTs of its own instead of being given tokens. A revoked key never
comes back, and stays in the list: what it signed before stays signed.";

/// Runs what was asked for.
pub(super) fn key(call: &Call<'_>, tenant: &str, command: &KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Add { key, user } => {
            let added = call.ask(async |client| client.add_key(tenant, key, user).await)?;
            call.print(&added, |key| {
                format!("key {} is registered for user {}\n", text(&key.public_key), text(&key.user))
            })
        }
        KeyCommand::List { user, part } => {
            let part = part.part(user.as_deref());
            let page = call.ask(async |client| client.keys(tenant, &part).await)?;
            call.print(&page, |page| {
                let heads = ["KEY", "USER", "REGISTERED", "STATE"];
                table("keys", &page.keys, page.next.as_deref(), heads, |key| {
                    [
                        text(&key.public_key),
                        text(&key.user),
                        past(key.created_at_ms),
                        state(key.revoked_at_ms, "revoked"),
                    ]
                })
            })
        }
        KeyCommand::Revoke { key } => {
            let revoked = call.ask(async |client| client.revoke_key(tenant, key).await)?;
            call.print(&revoked, |key| {
                format!("key {} of user {} is revoked\n", text(&key.public_key), text(&key.user))
            })
        }
    }
}
