//! `cairn access tenant`.

use clap::Subcommand;

use super::Call;
use super::list::{ListArgs, past, state, table};
use crate::command::answer::text;
use crate::failure::Failure;

/// What to do with tenants.
#[derive(Debug, Subcommand)]
pub(crate) enum TenantCommand {
    /// Make a tenant
    Create {
        /// What to call it: no space, `/`, `,` or `:`
        #[arg(value_name = "TENANT")]
        name: String,
    },

    /// List tenants, in the order in which they were made
    List(ListArgs),

    /// Shut the users of a tenant out; what it has stays
    Disable {
        /// The tenant
        #[arg(value_name = "TENANT")]
        name: String,
    },

    /// Let the users of a tenant in again
    Enable {
        /// The tenant
        #[arg(value_name = "TENANT")]
        name: String,
    },
}

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn access tenant create acme
  cairn access user add root --role admin --tenant acme
                                     its administrator, who does the rest
  cairn access tenant list
  cairn access tenant disable acme   nobody of acme comes in any more
  cairn access tenant enable acme

A tenant sees nothing of another one. It is never removed.";

/// Runs what was asked for.
pub(super) fn tenant(call: &Call<'_>, command: &TenantCommand) -> Result<(), Failure> {
    match command {
        TenantCommand::Create { name } => {
            let made = call.ask(async |client| client.create_tenant(name).await)?;
            call.print(&made, |made| format!("tenant {} is made\n", text(&made.tenant)))
        }
        TenantCommand::List(arguments) => {
            let page = call.ask(async |client| client.tenants(&arguments.part(None)).await)?;
            call.print(&page, |page| {
                let heads = ["TENANT", "ID", "CREATED", "STATE"];
                table("tenants", &page.tenants, page.next.as_deref(), heads, |tenant| {
                    [
                        text(&tenant.tenant),
                        tenant.id.to_string(),
                        past(tenant.created_at_ms),
                        state(tenant.disabled_at_ms, "disabled"),
                    ]
                })
            })
        }
        TenantCommand::Disable { name } => change(call, name, true),
        TenantCommand::Enable { name } => change(call, name, false),
    }
}

fn change(call: &Call<'_>, name: &str, is_disabled: bool) -> Result<(), Failure> {
    let changed = call.ask(async |client| client.change_tenant(name, is_disabled).await)?;
    let what = if is_disabled { "shut out" } else { "let in" };
    call.print(&changed, |tenant| format!("users of tenant {} are {what}\n", text(&tenant.tenant)))
}
