//! Contexts after turns were lost: heads, and contexts whose own record is lost.

use cairn_access::Scope;
use cairn_base::{ContextId, TurnId};
use cairn_seam::{Fix, Item, Reader, Rebuilt};

use super::item;
use super::turns::Survey;
use crate::context::{Context, contexts_after};
use crate::error::TurnsError;
use crate::lineage::ancestor_at;
use crate::prune::Bits;
use crate::record;
use crate::tables::CONTEXTS;

const PAGE: usize = 4096;

/// Contexts that are left.
pub(super) struct Known {
    pub(super) ids: Bits,
    all: Vec<Context>,
}

pub(super) fn read(reader: &dyn Reader, scope: &Scope, survey: &mut Survey) -> Result<Known, TurnsError> {
    let mut known = Known { ids: Bits::default(), all: Vec::new() };
    let mut after = ContextId(0);
    loop {
        let page = contexts_after(reader, scope, after, ContextId(u64::MAX), PAGE)?;
        let Some(last) = page.last() else { return Ok(known) };
        after = last.id;
        for context in &page {
            known.ids.insert(context.id.0);
            survey.last_context = survey.last_context.max(context.id.0);
            survey.last_turn = survey.last_turn.max(context.head.0).max(context.base.0);
        }
        known.all.extend(page);
    }
}

/// Moves heads that are lost, and makes records for lost contexts of which turns are left.
pub(super) fn settle(
    reader: &dyn Reader,
    scope: &Scope,
    survey: &Survey,
    known: Known,
    lost: &[Item],
    out: &mut Rebuilt,
) -> Result<Vec<Context>, TurnsError> {
    let mut contexts = known.all;
    for context in &mut contexts {
        let Some((head, head_depth)) = new_head(reader, scope, survey, context)? else { continue };
        let detail = match head {
            TurnId::NONE => format!("from turn {}, which is lost, to none", context.head),
            head if survey.turns.contains(context.head.0) => {
                format!("from turn {} to turn {head}", context.head)
            }
            head => format!("from turn {}, which is lost, to turn {head}", context.head),
        };
        out.moved.push(item(scope, "context", context.id.0, detail));
        *context = Context { head, head_depth, ..*context };
        put(scope, context, out);
    }
    for lost in lost {
        let Some((id, ends)) = lost.id.parse().ok().and_then(|id| Some((id, survey.ends.get(&id)?))) else {
            continue;
        };
        let (first, newest) = (ends.first, ends.newest);
        let context = Context {
            id: ContextId(id),
            head: newest.id,
            head_depth: newest.depth,
            // A first turn below one of another context: it was forked there.
            base: first.parent,
            created_at_ms: first.created_at_ms,
            active_at_ms: newest.created_at_ms.max(first.created_at_ms),
        };
        put(scope, &context, out);
        out.moved.push(item(
            scope,
            "context",
            id,
            format!("its record is lost; rebuilt with head {}", newest.id),
        ));
        contexts.push(context);
    }
    contexts.sort_by_key(|context| context.id);
    Ok(contexts)
}

/// Where a head goes; `None` when it stays.
fn new_head(
    reader: &dyn Reader,
    scope: &Scope,
    survey: &Survey,
    context: &Context,
) -> Result<Option<(TurnId, u32)>, TurnsError> {
    let newest = survey.ends.get(&context.id.0).map(|ends| ends.newest);
    if survey.turns.contains(context.head.0) || context.head == TurnId::NONE {
        // Its record may be older than turns that were appended since.
        let Some(newest) = newest.filter(|newest| newest.id > context.head) else { return Ok(None) };
        let is_below = match ancestor_at(reader, scope, newest, context.head_depth) {
            Ok(found) => found.is_some_and(|found| found.id == context.head),
            Err(TurnsError::AncestorLost { .. }) => true,
            Err(error) => return Err(error),
        };
        let is_empty = context.head == TurnId::NONE;
        return Ok((is_below || is_empty).then_some((newest.id, newest.depth)));
    }
    if let Some(newest) = newest {
        return Ok(Some((newest.id, newest.depth)));
    }
    // A fork to which nothing is left that was appended starts where it was forked.
    match crate::read::turn(reader, scope, context.base) {
        Ok(base) => Ok(Some((base.id, base.depth))),
        Err(TurnsError::NoTurn(_)) => Ok(Some((TurnId::NONE, 0))),
        Err(error) => Err(error),
    }
}

fn put(scope: &Scope, context: &Context, out: &mut Rebuilt) {
    let key = scope.key().u64(context.id.0).into_vec();
    out.fixes.push(Fix::Put(CONTEXTS, key, record::encode_context(context)));
}
