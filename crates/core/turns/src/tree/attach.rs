//! Which tree a turn has.

use cairn_access::Scope;
use cairn_base::{ContentHash, TurnId};
use cairn_seam::{Reader, WriteTx, get};

use crate::context::{self, emit};
use crate::error::TurnsError;
use crate::tables::{BRANCHES, TREE_ATTACHED, TREES};
use crate::turn::Turn;
use crate::{limits, read, record};

/// In place of a turn's number: some turn got a tree after turns were appended below it.
const LATE: TurnId = TurnId::NONE;

/// Keeps the root of a tree from being swept; it must be there.
pub(crate) fn keep(tx: &mut dyn WriteTx, root: &ContentHash) -> Result<(), TurnsError> {
    if tx.keep_blob(root)? { Ok(()) } else { Err(TurnsError::NoBlob(*root)) }
}

/// Gives a turn a tree, in place of the one it has, if any.
pub fn attach(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    turn: TurnId,
    root: &ContentHash,
) -> Result<(), TurnsError> {
    let turn = read::turn(tx, scope, turn)?;
    keep(tx, root)?;
    if has_children(tx, scope, &turn)? {
        tx.put(TREES, &scope.key().u64(LATE.0), &[])?;
    }
    tx.put(TREES, &scope.key().u64(turn.id.0), root.as_bytes())?;
    emit(tx, TREE_ATTACHED, turn.id.0)
}

/// Notes that a turn is appended below `parent`, where its own context does not show it.
pub(crate) fn note_child(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    parent: &Turn,
    child: &Turn,
) -> Result<(), TurnsError> {
    if parent.context == child.context {
        return Ok(());
    }
    Ok(tx.put(BRANCHES, &scope.key().u64(parent.id.0).u64(child.id.0), &[])?)
}

/// Heads never go back, so a turn that is the head of its own context has no child there.
fn has_children(tx: &dyn WriteTx, scope: &Scope, turn: &Turn) -> Result<bool, TurnsError> {
    // Of a context that was pruned it is not known; taking it for so costs a little, the opposite a tree.
    if context::find(tx, scope, turn.context)?.is_none_or(|context| context.head != turn.id) {
        return Ok(true);
    }
    let mut found = false;
    let children = cairn_seam::KeyRange::prefix(&scope.key().u64(turn.id.0)).limit(1);
    tx.multi_scan(BRANCHES, &[children], &mut |_, _, _| {
        found = true;
        cairn_seam::Visit::Stop
    })?;
    Ok(found)
}

/// The turn itself if it has a tree, else the nearest one above it that has one, as far as it knows.
/// `attached` is its record in [`TREES`].
pub(crate) fn nearest(turn: &Turn, attached: Option<&[u8]>) -> Result<TurnId, TurnsError> {
    let attached = attached.map_or(Ok(None), record::root_of_tree)?;
    Ok(if turn.tree.is_some() || attached.is_some() { turn.id } else { turn.tree_above })
}

/// The root of the tree that a turn has or inherits, and the turn that it was given to.
///
/// A tree that was attached to a turn after others were appended below it is found by walking up from
/// them, over at most [`limits::TREE_WALK_MAX`] turns.
pub fn tree_root<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    turn: &Turn,
) -> Result<Option<(TurnId, ContentHash)>, TurnsError> {
    if let Some(root) = own(reader, scope, turn)? {
        return Ok(Some((turn.id, root)));
    }
    if get(reader, TREES, &scope.key().u64(LATE.0))?.is_some() {
        let mut at = *turn;
        for _ in 0..limits::TREE_WALK_MAX {
            if at.parent == TurnId::NONE || at.parent == turn.tree_above {
                break;
            }
            at = match read::turn(reader, scope, at.parent) {
                Err(TurnsError::NoTurn(lost)) => return Err(TurnsError::AncestorLost { lost, below: at.id }),
                above => above?,
            };
            if let Some(root) = own(reader, scope, &at)? {
                return Ok(Some((at.id, root)));
            }
        }
    }
    if turn.tree_above == TurnId::NONE {
        return Ok(None);
    }
    let above = match read::turn(reader, scope, turn.tree_above) {
        Err(TurnsError::NoTurn(lost)) => return Err(TurnsError::AncestorLost { lost, below: turn.id }),
        above => above?,
    };
    Ok(own(reader, scope, &above)?.map(|root| (above.id, root)))
}

/// The roots of the trees that turns themselves have, in their order; what they inherit is left out.
pub fn own_trees<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    turns: &[Turn],
) -> Result<Vec<Option<ContentHash>>, TurnsError> {
    let keys: Vec<_> = turns.iter().map(|turn| scope.key().u64(turn.id.0)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| &**key).collect();
    let mut roots: Vec<_> = turns.iter().map(|turn| Ok(turn.tree)).collect();
    reader.multi_get(TREES, &keys, &mut |at, stored| {
        if let Some(record) = stored {
            roots[at] = record::root_of_tree(record);
        }
    })?;
    roots.into_iter().collect()
}

fn own<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    turn: &Turn,
) -> Result<Option<ContentHash>, TurnsError> {
    Ok(attached(reader, scope, turn.id)?.or(turn.tree))
}

fn attached<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    turn: TurnId,
) -> Result<Option<ContentHash>, TurnsError> {
    let stored = get(reader, TREES, &scope.key().u64(turn.0))?;
    stored.map_or(Ok(None), |record| record::root_of_tree(&record))
}
