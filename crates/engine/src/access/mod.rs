//! Who comes in, and who is known: credentials become principals here, and the registry is changed here.

mod admin;
mod first_run;
mod logins;
mod memory;
mod replay;
mod trusted;

pub use admin::NewToken;
pub(crate) use first_run::{ensure_local_owner, make_local_tenant};
pub(crate) use logins::Logins;
pub use logins::{Connection, LoggedIn};
pub(crate) use memory::Identities;
