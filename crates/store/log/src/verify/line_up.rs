//! Telling frames that stand where they were written from blocks that were moved or duplicated.
//!
//! In a segment that frames were taken out of, an offset does not follow from a position: a block that was
//! put in another place holds valid frames there too. Frames were written in the order of their positions,
//! so those that stand in that order, as many as there are, are where they belong.

/// Of frames in the order of offsets, the places of those that form the longest run of rising positions.
pub(super) fn longest_rise(positions: &[u64]) -> Vec<usize> {
    // `ends[n]` is the frame with the lowest position that ends a rise of n + 1 frames.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(positions.len());
    for (at, position) in positions.iter().enumerate() {
        let rank = ends.partition_point(|end| positions[*end] < *position);
        before.push(rank.checked_sub(1).map(|below| ends[below]));
        match ends.get_mut(rank) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut rise: Vec<usize> = std::iter::successors(ends.last().copied(), |at| before[*at]).collect();
    rise.reverse();
    rise
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(positions: &[u64], expected: &[usize]) {
        assert_eq!(longest_rise(positions), expected, "{positions:?}");
    }

    #[test]
    fn what_was_moved_is_left_out() {
        check(&[], &[]);
        check(&[5], &[0]);
        check(&[1, 2, 3], &[0, 1, 2]);
        // Two later frames stand again at the front; two earlier ones at the end.
        check(&[70, 80, 10, 20, 30, 70, 80, 90], &[2, 3, 4, 5, 6, 7]);
        check(&[10, 20, 30, 40, 10, 20], &[0, 1, 2, 3]);
        // Of equal positions one counts.
        check(&[10, 20, 20, 30], &[0, 2, 3]);
    }
}
