//! Finding a turn's ancestors without walking past all of them.
//!
//! A depth is written as a sum of numbers of the form 2^k - 1, the largest first, each as often as it
//! fits. The last of them is how far up a turn's jump leads. That makes a jump either the parent or the
//! jump of the parent's jump, and any ancestor is at most about 2 log2(depth) steps away.

use cairn_access::Scope;
use cairn_base::TurnId;
use cairn_seam::Reader;

use crate::error::TurnsError;
use crate::read;
use crate::turn::Turn;

/// How far up the jump of a turn at this depth leads; 0 at the root.
pub(crate) fn jump_length(depth: u32) -> u32 {
    let mut rest = depth;
    let mut last = 0;
    let mut term = u32::MAX.checked_shr(depth.leading_zeros()).unwrap_or(0);
    while rest > 0 {
        if rest >= term {
            rest -= term;
            last = term;
        } else {
            term >>= 1;
        }
    }
    last
}

/// The jump of a turn that is appended below `parent`.
pub(crate) fn jump_below<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    parent: &Turn,
) -> Result<TurnId, TurnsError> {
    // A depth is checked to fit before this is asked.
    if jump_length(parent.depth.saturating_add(1)) == 1 {
        return Ok(parent.id);
    }
    match read::turn(reader, scope, parent.jump) {
        // Lost to damage. A jump that is shorter than the rule says is only slower.
        Err(TurnsError::NoTurn(_)) => Ok(parent.id),
        above => Ok(above?.jump),
    }
}

/// The ancestor of a turn at a depth, which may be the turn itself; `None` if the turn is above it.
pub fn ancestor_at<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    from: Turn,
    depth: u32,
) -> Result<Option<Turn>, TurnsError> {
    let mut turn = from;
    if turn.depth < depth {
        return Ok(None);
    }
    while turn.depth > depth {
        let jumps_past = turn.depth - jump_length(turn.depth) < depth;
        let above = above(reader, scope, &turn, if jumps_past { turn.parent } else { turn.jump })?;
        // Below turns that were lost jumps may be longer than the rule says.
        let above = if above.depth < depth { self::above(reader, scope, &turn, turn.parent)? } else { above };
        if above.depth >= turn.depth {
            let detail = format!("turn {} at depth {} leads to depth {}", turn.id, turn.depth, above.depth);
            return Err(TurnsError::BadRecord { what: "turn", detail });
        }
        turn = above;
    }
    Ok(Some(turn))
}

/// A turn above another one: the one that is asked for, or the parent where that is lost.
fn above<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    below: &Turn,
    wanted: TurnId,
) -> Result<Turn, TurnsError> {
    match read::turn(reader, scope, wanted) {
        Err(TurnsError::NoTurn(lost)) if lost == below.parent => {
            Err(TurnsError::AncestorLost { lost, below: below.id })
        }
        Err(TurnsError::NoTurn(_)) => above(reader, scope, below, below.parent),
        found => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_those_of_the_rule_and_few() {
        let mut jumps = vec![0_u32];
        for depth in 1..100_000_u32 {
            let parent = depth - 1;
            let length = jump_length(depth);
            let target = depth - length;
            let of_parent = jumps[parent as usize];
            let expected = if length == 1 { parent } else { jumps[of_parent as usize] };
            assert_eq!(target, expected, "depth {depth}");
            jumps.push(target);
        }
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8].map(jump_length), [0, 1, 1, 3, 1, 1, 3, 7, 1]);
        assert_eq!(jump_length(u32::MAX), u32::MAX);
        for target in [0, 1, 777, 50_000, 99_998] {
            let (mut depth, mut steps) = (99_999_u32, 0);
            while depth > target {
                depth = if jumps[depth as usize] < target { depth - 1 } else { jumps[depth as usize] };
                steps += 1;
            }
            assert!(steps <= 40, "{steps} steps to {target}");
        }
    }
}
