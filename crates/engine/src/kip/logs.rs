//! `list_logs`: which commands came lately.

use std::collections::BTreeMap;

use cairn_access::{Action, Principal, Resource};
use cairn_base::{TenantId, Value, to_iso_utc};
use cairn_kip::{KipCode, KipError};
use cairn_query::Found;

use super::KipAnswer;
use super::answer::response;
use super::log::{KipLogLine, LogCursor};
use crate::{Act, Engine, EngineError};

/// Lines of an answer, unless somebody says how many.
const LINES_DEFAULT: u64 = 10;
/// Lines of an answer at the most.
const LINES_MAX: u64 = 100;

impl Engine {
    /// Commands of a tenant that came since the node was started, the newest first. Parameters: `cursor`,
    /// and `limit` from 1 to 100. Administrators see all of them, others their own.
    pub fn kip_logs(
        &self,
        principal: &Principal,
        tenant: TenantId,
        parameters: &Value,
    ) -> Result<KipAnswer, EngineError> {
        self.pipeline.permit(principal, &Act::new(Action::GraphRead, Resource::tenant(tenant)))?;
        let sees_all = self.pipeline.may(principal, &Act::new(Action::AuditRead, Resource::tenant(tenant)));
        let may_see = |line: &KipLogLine| sees_all || *line.user == *principal.user_id();
        let found = asked(parameters).and_then(|(before, limit)| {
            let page = self.memories.kip.log.page(tenant, before, limit, may_see).ok_or_else(bad_cursor)?;
            let result = Value::Array(page.lines.iter().map(shown).collect());
            Ok(Found { result, next_cursor: page.next.map(|next| next.to_string()), ..Found::default() })
        });
        Ok(KipAnswer(response(found, "")))
    }
}

fn asked(parameters: &Value) -> Result<(Option<LogCursor>, usize), KipError> {
    let wrong = |message: &str| KipError::new(KipCode::InvalidSyntax, message);
    let limit = match parameters.get("limit") {
        None | Some(Value::Null) => LINES_DEFAULT,
        Some(limit) => {
            let limit = limit.as_number().and_then(|number| number.as_u64());
            limit
                .filter(|limit| (1..=LINES_MAX).contains(limit))
                .ok_or_else(|| wrong("limit is a number from 1 to 100"))?
        }
    };
    let cursor = match parameters.get("cursor") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.parse().map_err(|()| bad_cursor())?),
        Some(_) => return Err(bad_cursor()),
    };
    Ok((cursor, usize::try_from(limit).unwrap_or(usize::MAX)))
}

fn bad_cursor() -> KipError {
    KipError::new(KipCode::InvalidSyntax, "this cursor is none of the log")
        .hint("use next_cursor of an answer since the last start, or begin without one")
}

fn shown(line: &KipLogLine) -> Value {
    let text = |text: &str| Value::String(text.to_owned());
    let mut shown = BTreeMap::from([
        ("time".to_owned(), Value::String(to_iso_utc(line.time_ms))),
        ("user".to_owned(), text(&line.user)),
        ("space".to_owned(), text(&line.space)),
        ("kind".to_owned(), text(line.kind)),
        ("command".to_owned(), text(&line.command)),
        ("outcome".to_owned(), text(line.outcome)),
        ("milliseconds".to_owned(), Value::from(line.took_ms)),
    ]);
    if line.is_cut {
        shown.insert("cut".to_owned(), Value::Bool(true));
    }
    if line.dry_run {
        shown.insert("dry_run".to_owned(), Value::Bool(true));
    }
    Value::Object(shown)
}
