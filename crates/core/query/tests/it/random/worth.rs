//! Random queries would prove little if most of them had no answer.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};

use super::case::{AnyCase, Case};
use super::graph::Size;
use super::load::Loaded;
use crate::naive::{self, Answer};

#[test]
fn most_random_queries_have_an_answer() {
    let mut runner =
        TestRunner::new(ProptestConfig { rng_seed: RngSeed::Fixed(8), ..ProptestConfig::default() });
    let (mut answered, mut refused, mut given_up) = (0, 0, 0);
    for _ in 0..300 {
        let Case { graph, find, .. } = AnyCase(Size::SMALL).new_tree(&mut runner).unwrap().current();
        let loaded = Loaded::new(&graph);
        match naive::find(&loaded.world, &loaded.named(&find)) {
            Answer::Rows { rows, .. } => answered += usize::from(!rows.is_empty()),
            Answer::Refused(_) => refused += 1,
            Answer::TooMany => given_up += 1,
        }
    }
    assert!(answered > 150 && (15..75).contains(&refused), "{answered} answered, {refused} refused");
    assert!(given_up < 15, "{given_up} were too much");
}
