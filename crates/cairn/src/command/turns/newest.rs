//! Reading the newest turns of a context, page by page.

use cairn_base::{ContextId, TurnId};
use cairn_http::{Client, ClientError};
use cairn_wire::turns::{PageMeta, TurnObject};

/// Turns that one request asks for at the most.
const PAGE_MAX: u64 = 1000;

/// Turns of a context, oldest first, each as the caller wants it.
#[derive(Debug)]
pub(super) struct Newest<T> {
    /// The turns.
    pub(super) turns: Vec<T>,
    /// What the first answer says about the context.
    pub(super) meta: PageMeta,
    /// What to ask for to get those before, if there are any.
    pub(super) next_before: Option<TurnId>,
}

/// Up to `count` turns, of those before `before` if it is given, while `wanted` says so from the newest on.
pub(super) async fn newest<T>(
    client: &mut Client,
    context: ContextId,
    count: u64,
    before: Option<TurnId>,
    mut wanted: impl FnMut(TurnObject) -> Option<T>,
) -> Result<Newest<T>, ClientError> {
    let mut page = client.turns(context, count.clamp(1, PAGE_MAX), before).await?;
    let meta = page.meta;
    let mut turns = Vec::new();
    let mut left = count;
    'pages: while left > 0 {
        for turn in page.turns.into_iter().rev() {
            let Some(turn) = wanted(turn) else { break 'pages };
            turns.push(turn);
        }
        // Large payloads end a page early, so that one answer may not be all.
        left = count - (turns.len() as u64).min(count);
        if left == 0 || page.next_before_turn_id.is_none() {
            break;
        }
        page = client.turns(context, left.min(PAGE_MAX), page.next_before_turn_id).await?;
    }
    turns.reverse();
    Ok(Newest { turns, meta, next_before: page.next_before_turn_id })
}
