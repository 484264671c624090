//! `cairn access whoami`.

use cairn_wire::access::WhoAmI;

use super::Call;
use crate::command::answer::{joined, text};
use crate::failure::Failure;

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn access whoami
  curl -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:9010/v1/access/whoami
                                     the same for whoever has a token

Commands are always the local owner: who may open the data directory may do everything in it.";

/// Shows who one is.
pub(super) fn whoami(call: &Call<'_>) -> Result<(), Failure> {
    let me = call.ask(async |client| client.whoami().await)?;
    call.print(&me, in_words)
}

fn in_words(me: &WhoAmI) -> String {
    crate::command::table(&[
        ["user".to_owned(), text(&me.user_id)],
        ["tenant".to_owned(), text(&me.tenant)],
        ["teams".to_owned(), joined(&me.teams)],
        ["roles".to_owned(), joined(&me.roles)],
    ])
}
