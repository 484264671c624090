//! `cairn turns list`.

use std::path::Path;

use cairn_base::{Clock, ContextId, Harmless, SystemClock};
use cairn_http::ContextOrder;
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::text::{number, text};
use crate::columns::columns;
use crate::failure::Failure;
use crate::terminal::Look;
use crate::{logging, reach, when};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn turns list                       the newest 20
  cairn turns list --limit 100           the newest 100
  cairn turns list --before 7            those made before context 7
  cairn turns list --sort activity       the most recently active first
  cairn turns list --json                what GET /v1/contexts answers";

/// What to list.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// How many at the most, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u64,

    /// Only contexts that were made before this one
    #[arg(long, value_name = "CONTEXT")]
    before: Option<u64>,

    /// The newest first, or the most recently active
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = Sort::Created)]
    sort: Sort,

    /// With --sort activity: where the page before ended
    #[arg(long, value_name = "CURSOR", conflicts_with = "before")]
    cursor: Option<String>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    Created,
    Activity,
}

impl ListArgs {
    fn order(&self) -> Result<ContextOrder, Failure> {
        match (self.sort, self.before, &self.cursor) {
            (Sort::Created, before, None) => Ok(ContextOrder::Created { before: before.map(ContextId) }),
            (Sort::Activity, None, cursor) => Ok(ContextOrder::Activity { cursor: cursor.clone() }),
            (Sort::Created, _, Some(_)) => Err(Failure::usage("--cursor needs --sort activity")),
            (Sort::Activity, Some(_), _) => {
                Err(Failure::usage("--before does not go with --sort activity; use --cursor"))
            }
        }
    }
}

/// Lists contexts.
pub(super) fn list(data_dir: Option<&Path>, as_json: bool, arguments: &ListArgs) -> Result<(), Failure> {
    let order = arguments.order()?;
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let page = reach::reach(&data_dir.path, &settings.config, async |client| {
        client.contexts(arguments.limit, &order).await
    })?;
    let shown =
        if as_json { format!("{page:#}\n") } else { to_text(&page, SystemClock.now_ms(), Look::of_stdout()) };
    crate::command::print(&shown)
}

const HEAD: [&str; 6] = ["CONTEXT", "TURNS", "HEAD", "CREATED", "LAST ACTIVITY", "TAG"];

fn to_text(page: &Value, now_ms: u64, look: Look) -> String {
    let rows: Vec<_> = contexts(page).map(|context| row(context, now_ms)).collect();
    if rows.is_empty() {
        return "no contexts; `cairn turns append new` makes one\n".to_owned();
    }
    let mut out = columns(HEAD, &rows, look);
    if let Some(next) = page["next_before"].as_str() {
        let more = format!("older ones: cairn turns list --before {}", Harmless(next));
        out += &(look.dim(&more) + "\n");
    }
    if let Some(next) = page["next_cursor"].as_str() {
        let more = format!("less active ones: cairn turns list --sort activity --cursor {}", Harmless(next));
        out += &(look.dim(&more) + "\n");
    }
    out
}

fn contexts(page: &Value) -> impl Iterator<Item = &Value> {
    page["contexts"].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn row(context: &Value, now_ms: u64) -> [String; 6] {
    let head = text(context, "head_turn_id");
    let turns = if head == "0" { 0 } else { number(context, "head_depth") + 1 };
    let created = number(context, "created_at_unix_ms");
    [
        text(context, "context_id"),
        turns.to_string(),
        if turns == 0 { "-".to_owned() } else { head },
        format!("{} ({})", when::absolute(created), when::relative(created, now_ms)),
        when::relative(number(context, "last_activity_at"), now_ms),
        context["client_tag"].as_str().map_or_else(|| "-".to_owned(), |tag| Harmless(tag).to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn contexts_are_a_table() {
        let context = |id: &str, head: &str, depth: u64, tag: Option<&str>| {
            json!({"context_id": id, "head_turn_id": head, "head_depth": depth, "client_tag": tag,
                "created_at_unix_ms": 1_700_000_000_000_u64, "last_activity_at": 1_700_000_060_000_u64})
        };
        let page = json!({
            "contexts": [context("12", "0", 0, None), context("7", "42", 0, Some("a\u{1b}[2J")), context("1", "9", 8, None)],
            "next_before": "1",
        });
        let look = Look { colour: false, width: None };
        insta::assert_snapshot!(to_text(&page, 1_700_000_120_000, look));
        let active =
            json!({"contexts": [context("7", "42", 0, None)], "next_before": null, "next_cursor": "9-7"});
        assert!(to_text(&active, 0, look).ends_with("turns list --sort activity --cursor 9-7\n"));
        assert!(to_text(&page, 0, Look { colour: true, ..look }).starts_with("\u{1b}[1mCONTEXT"));
        assert!(to_text(&json!({"contexts": []}), 0, look).starts_with("no contexts"));
    }
}
