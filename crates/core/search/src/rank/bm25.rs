//! How much a word in a document counts.
//!
//! Okapi BM25, in whole numbers: the parts of a score are rounded before they are added, so their sum
//! does not depend on the order in which words, segments and the tail are looked at.

use tantivy::fieldnorm::FieldNormReader;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A score of 1.0 as a whole number. Sums end at `u32::MAX` instead of starting again: 64 words that are
/// each worth 1,000 fit a dozen times.
pub(crate) const ONE: f64 = 4096.0;

/// The length of a text as the index keeps it: one of 256 steps.
pub(crate) fn length_step(length: u32) -> u8 {
    FieldNormReader::fieldnorm_to_id(length)
}

/// The length that a step stands for.
pub(crate) fn step_length(step: u8) -> u32 {
    FieldNormReader::id_to_fieldnorm(step)
}

/// How much a word says, if `having` of `documents` hold it.
pub(crate) fn rarity(documents: u64, having: u64) -> f64 {
    let (documents, having) = (documents as f64, having.min(documents) as f64);
    (1.0 + (documents - having + 0.5) / (having + 0.5)).ln()
}

/// How much a word counts in each document of a partition.
#[derive(Debug, Clone)]
pub(crate) struct Weight {
    most: f32,
    slowness: Box<[f32; 256]>,
}

impl Weight {
    /// `rarity` times `weight`, over texts of this average length.
    pub(crate) fn new(rarity: f64, weight: f64, average_length: f64) -> Self {
        let average = average_length.max(1.0);
        let slowness = |step: usize| {
            let length = f64::from(step_length(u8::try_from(step).unwrap_or(u8::MAX)));
            (K1 * (1.0 - B + B * length / average)) as f32
        };
        let slowness = Box::new(std::array::from_fn(slowness));
        Weight { most: most(rarity, weight) as f32, slowness }
    }

    /// What `times` occurrences in a text of this length are worth.
    #[inline]
    pub(crate) fn worth(&self, times: u32, length_step: u8) -> u32 {
        let times = times as f32;
        // Never nothing: a document that holds the word is a hit.
        ((self.most * times / (times + self.slowness[usize::from(length_step)])) as u32).max(1)
    }
}

/// What no number of occurrences can exceed.
pub(crate) fn most(rarity: f64, weight: f64) -> f64 {
    rarity * weight * (K1 + 1.0) * ONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worth_grows_with_occurrences_and_falls_with_length_and_has_an_end() {
        let weight = Weight::new(rarity(1000, 10), 1.0, 20.0);
        let worth = |times, length| weight.worth(times, length_step(length));
        assert!(worth(2, 20) > worth(1, 20) && worth(1, 20) > worth(1, 40));
        assert!(f64::from(worth(u32::MAX, 1)) <= most(rarity(1000, 10), 1.0));
        assert_eq!(Weight::new(0.0, 1.0, 20.0).worth(1, 1), 1);
    }

    #[test]
    fn rarity_is_never_negative_and_rare_words_say_more() {
        assert!(rarity(10, 1) > rarity(10, 9));
        assert!(rarity(10, 10) > 0.0 && rarity(0, 0) > 0.0 && rarity(5, 9) > 0.0);
    }
}
