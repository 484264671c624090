//! Reading the newest turns of a context, page by page.

use cairn_base::{ContextId, TurnId};
use cairn_http::{Client, ClientError};
use serde_json::Value;

/// Turns that one request asks for at the most.
const PAGE_MAX: u64 = 1000;

/// Turns of a context, oldest first, each as the caller wants it.
#[derive(Debug)]
pub(super) struct Newest<T> {
    /// The turns.
    pub(super) turns: Vec<T>,
    /// What the first answer says about the context.
    pub(super) meta: Value,
    /// What to ask for to get those before; null if there are none.
    pub(super) next_before: Value,
}

/// Up to `count` turns, of those before `before` if it is given, while `wanted` says so from the newest on.
pub(super) async fn newest<T>(
    client: &mut Client,
    context: ContextId,
    count: u64,
    mut before: Option<TurnId>,
    mut wanted: impl FnMut(&Value) -> Option<T>,
) -> Result<Newest<T>, ClientError> {
    let mut found = Newest { turns: Vec::new(), meta: Value::Null, next_before: Value::Null };
    loop {
        // Large payloads end a page early, so that one answer may not be all.
        let left = count - (found.turns.len() as u64).min(count);
        let mut page = client.turns(context, left.clamp(1, PAGE_MAX), before).await?;
        if found.meta.is_null() {
            found.meta = page["meta"].take();
        }
        found.next_before = page["next_before_turn_id"].take();
        if left == 0 {
            break;
        }
        for turn in page["turns"].as_array().map(Vec::as_slice).unwrap_or_default().iter().rev() {
            let Some(turn) = wanted(turn) else {
                found.turns.reverse();
                return Ok(found);
            };
            found.turns.push(turn);
        }
        before = turn_id(&found.next_before);
        if before.is_none() || found.turns.len() as u64 >= count {
            break;
        }
    }
    found.turns.reverse();
    Ok(found)
}

/// A turn's number in an answer.
pub(super) fn turn_id(value: &Value) -> Option<TurnId> {
    value.as_str()?.parse().ok().map(TurnId)
}
