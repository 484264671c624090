//! Blocks of any file that are changed, moved, lost or replaced cost at most what they held.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::rot::{Tally, round};

/// How many seeds a test run takes; the benchmark `trust` takes more.
const SEEDS: u64 = 150;

#[test]
fn damage_costs_at_most_what_it_touched() {
    let seeds = std::env::var("CAIRN_ROT_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(SEEDS);
    let first: u64 = std::env::var("CAIRN_ROT_FIRST").ok().and_then(|first| first.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    // All of them, so that one run says everything there is to say.
    let failed: Vec<u64> = (first..first + seeds)
        .filter(|seed| catch_unwind(AssertUnwindSafe(|| round(*seed, &mut tally))).is_err())
        .collect();
    println!("{tally:?}");
    assert!(failed.is_empty(), "seeds that failed: {failed:?}");
    assert!(tally.right > tally.rounds * 100, "{tally:?}");
}
