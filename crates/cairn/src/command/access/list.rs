//! Lists of whatever is known.

use cairn_base::{Clock, Harmless, SystemClock};
use cairn_http::ListPart;
use clap::Args;
use serde_json::Value;

use crate::columns::columns;
use crate::command::answer::{items, number};
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

/// A page as a table, with what to do to see more.
pub(super) fn table<const N: usize>(
    page: &Value,
    name: &str,
    heads: [&str; N],
    row: impl Fn(&Value) -> [String; N],
) -> String {
    let look = Look::of_stdout();
    let rows: Vec<_> = items(page, name).iter().map(row).collect();
    if rows.is_empty() {
        return format!("no {name}\n");
    }
    let mut out = columns(heads, &rows, look);
    if let Some(next) = page["next"].as_str() {
        out += &(look.dim(&format!("more: the same with --after '{}'", Harmless(next))) + "\n");
    }
    out
}

/// A time of an answer; `absent` if it is not there.
pub(super) fn time(object: &Value, name: &str, absent: &str) -> String {
    if object[name].is_null() { absent.to_owned() } else { when::absolute(number(object, name)) }
}

/// A time of an answer, and how long ago that was.
pub(super) fn past(object: &Value, name: &str) -> String {
    let at_ms = number(object, name);
    format!("{} ({})", when::absolute(at_ms), when::relative(at_ms, SystemClock.now_ms()))
}

/// Whether something holds, or since when not.
pub(super) fn state(object: &Value, name: &str, gone: &str) -> String {
    if object[name].is_null() {
        "active".to_owned()
    } else {
        format!("{gone} {}", when::absolute(number(object, name)))
    }
}
