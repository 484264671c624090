//! Who is known here: tenants, their users and teams, and what users show to say who they are.
//!
//! Functions over a snapshot or a transaction. Whoever calls them has been allowed to: they take the
//! [`Scope`](crate::Scope) of a permit, of the node for tenants and of a tenant for everything else.

mod error;
mod keys;
mod name;
mod page;
mod record;
mod teams;
mod tenants;
mod tokens;
mod users;

pub use error::RegistryError;
pub use keys::{Key, KeyId, add_key, find_key, home_key, homes, keys, revoke_key};
pub use name::{BadName, TeamName, TenantName, UserId};
pub use page::{Page, PageOf};
pub(crate) use record::{decode_key, decode_tenant, decode_token, encode_tenant};
pub use teams::{Team, add_member, create_team, members, remove_member, remove_team, teams, teams_of};
pub use tenants::{Tenant, change_tenant, create_tenant, find_tenant, load_tenant, tenants};
pub use tokens::{TokenRecord, add_token, find_token, revoke_token, tokens};
pub use users::{User, change_user, find_user, load_user, put_user, users};
