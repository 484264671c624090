//! `cairn turns list`.

use std::path::Path;

use cairn_base::{Clock, ContextId, Harmless, SystemClock, TurnId};
use cairn_http::ContextOrder;
use cairn_wire::contexts::{ContextObject, ContextPage};
use clap::{Args, ValueEnum};

use crate::columns::columns;
use crate::command::answer::json;
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
    let shown = if as_json { json(&page) } else { to_text(&page, SystemClock.now_ms(), Look::of_stdout()) };
    crate::command::print(&shown)
}

const HEAD: [&str; 6] = ["CONTEXT", "TURNS", "HEAD", "CREATED", "LAST ACTIVITY", "TAG"];

fn to_text(page: &ContextPage, now_ms: u64, look: Look) -> String {
    let rows: Vec<_> = page.contexts.iter().map(|context| row(context, now_ms)).collect();
    if rows.is_empty() {
        return "no contexts; `cairn turns append new` makes one\n".to_owned();
    }
    let mut out = columns(HEAD, &rows, look);
    if let Some(next) = page.next_before {
        let more = format!("older ones: cairn turns list --before {next}");
        out += &(look.dim(&more) + "\n");
    }
    if let Some(Some(next)) = &page.next_cursor {
        let more = format!("less active ones: cairn turns list --sort activity --cursor {}", Harmless(next));
        out += &(look.dim(&more) + "\n");
    }
    out
}

fn row(context: &ContextObject, now_ms: u64) -> [String; 6] {
    let head = Some(context.head_turn_id).filter(|head| *head != TurnId::NONE);
    let turns = head.map_or(0, |_| u64::from(context.head_depth) + 1);
    let created = context.created_at_unix_ms;
    [
        context.context_id.to_string(),
        turns.to_string(),
        head.map_or_else(|| "-".to_owned(), |head| head.to_string()),
        format!("{} ({})", when::absolute(created), when::relative(created, now_ms)),
        when::relative(context.last_activity_at, now_ms),
        context.live.client_tag.as_deref().map_or_else(|| "-".to_owned(), |tag| Harmless(tag).to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use cairn_wire::sessions::{Active, Live};

    use super::*;

    fn page(contexts: Vec<ContextObject>) -> ContextPage {
        ContextPage {
            count: contexts.len(),
            contexts,
            next_before: None,
            next_cursor: None,
            truncated: false,
            active: Active { active_sessions: Vec::new(), active_tags: Vec::new() },
        }
    }

    #[test]
    fn contexts_are_a_table() {
        let context = |id: u64, head: u64, depth: u32, tag: Option<&str>| ContextObject {
            context_id: ContextId(id),
            head_turn_id: TurnId(head),
            head_depth: depth,
            created_at_unix_ms: 1_700_000_000_000,
            base_turn_id: TurnId::NONE,
            last_activity_at: 1_700_000_060_000,
            live: Live { is_live: false, client_tag: tag.map(str::to_owned), session_id: None },
            title: None,
            labels: Vec::new(),
            provenance: None,
        };
        let contexts =
            vec![context(12, 0, 0, None), context(7, 42, 0, Some("a\u{1b}[2J")), context(1, 9, 8, None)];
        let newest = ContextPage { next_before: Some(ContextId(1)), ..page(contexts) };
        let look = Look { colour: false, width: None };
        insta::assert_snapshot!(to_text(&newest, 1_700_000_120_000, look));
        let next_cursor = Some(Some("9-7".to_owned()));
        let active = ContextPage { next_cursor, ..page(vec![context(7, 42, 0, None)]) };
        assert!(to_text(&active, 0, look).ends_with("turns list --sort activity --cursor 9-7\n"));
        assert!(to_text(&newest, 0, Look { colour: true, ..look }).starts_with("\u{1b}[1mCONTEXT"));
        assert!(to_text(&page(Vec::new()), 0, look).starts_with("no contexts"));
    }
}
