//! Lists of whatever is known.

use cairn_base::{Clock, Harmless, SystemClock};
use cairn_http::ListPart;
use clap::Args;

use crate::columns::columns;
use crate::terminal::Look;
use crate::when;

/// Which part of a list.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// How many at the most, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u64,

    /// Only those after this one, as the list before says at its end
    #[arg(long, value_name = "NAME")]
    after: Option<String>,
}

impl ListArgs {
    /// What to ask for, only what `user` has if one is named.
    pub(super) fn part(&self, user: Option<&str>) -> ListPart {
        ListPart { after: self.after.clone(), limit: Some(self.limit), user: user.map(str::to_owned) }
    }
}

/// Part of a list as a table, with what to do to see more.
pub(super) fn table<T, const N: usize>(
    name: &str,
    items: &[T],
    next: Option<&str>,
    heads: [&str; N],
    row: impl Fn(&T) -> [String; N],
) -> String {
    let look = Look::of_stdout();
    let rows: Vec<_> = items.iter().map(row).collect();
    if rows.is_empty() {
        return format!("no {name}\n");
    }
    let mut out = columns(heads, &rows, look);
    if let Some(next) = next {
        out += &(look.dim(&format!("more: the same with --after '{}'", Harmless(next))) + "\n");
    }
    out
}

/// A time, and how long ago that was.
pub(super) fn past(at_ms: u64) -> String {
    format!("{} ({})", when::absolute(at_ms), when::relative(at_ms, SystemClock.now_ms()))
}

/// Whether something holds, or since when not.
pub(super) fn state(gone_at_ms: Option<u64>, gone: &str) -> String {
    gone_at_ms.map_or_else(|| "active".to_owned(), |at_ms| format!("{gone} {}", when::absolute(at_ms)))
}
