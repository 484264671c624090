//! Turns lend part of their score to the turns before and after them in their chain: what answers a
//! question often has none of its words.

use std::collections::HashMap;

use cairn_base::TurnId;

/// Which part of its score a turn lends to each of its neighbours.
pub const LENT: f64 = 0.35;

/// A turn among the best, and the turn before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The turn.
    pub turn: TurnId,
    /// The turn before it.
    pub parent: TurnId,
    /// Its own score.
    pub score: f64,
}

/// What each candidate is worth with what its neighbours lend it: the score, and whether they lent any.
///
/// Only candidates lend and only candidates get: a turn that has nothing of the query is no hit.
pub fn smooth(candidates: &[Candidate]) -> Vec<(f64, bool)> {
    let places: HashMap<TurnId, usize> =
        candidates.iter().enumerate().map(|(at, candidate)| (candidate.turn, at)).collect();
    let mut smoothed: Vec<_> = candidates.iter().map(|candidate| (candidate.score, false)).collect();
    for (at, candidate) in candidates.iter().enumerate() {
        let Some(before) = places.get(&candidate.parent).filter(|_| candidate.parent != TurnId::NONE) else {
            continue;
        };
        smoothed[at].0 += LENT * candidates[*before].score;
        smoothed[at].1 = true;
        smoothed[*before].0 += LENT * candidate.score;
        smoothed[*before].1 = true;
    }
    smoothed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(turn: u64, parent: u64, score: f64) -> Candidate {
        Candidate { turn: TurnId(turn), parent: TurnId(parent), score }
    }

    #[test]
    fn neighbours_lend_both_ways_and_forks_all_lend_to_where_they_come_from() {
        let smoothed = smooth(&[
            candidate(5, 4, 0.5),
            candidate(4, 3, 0.2),
            candidate(9, 4, 0.1),
            candidate(2, 0, 0.4),
            candidate(1, 0, 0.3),
        ]);
        let scores: Vec<_> = smoothed.iter().map(|(score, _)| (score * 1000.0).round()).collect();
        assert_eq!(scores, [570.0, 410.0, 170.0, 400.0, 300.0]);
        assert_eq!(
            smoothed.iter().map(|(_, lent)| *lent).collect::<Vec<_>>(),
            [true, true, true, false, false]
        );
    }
}
