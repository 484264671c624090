//! A filter that says "certainly not here" with one touch of memory per look-up.

use crate::hashed::HashedName;

const BLOCK_WORDS: usize = 8;
const BLOCK_BITS: usize = BLOCK_WORDS * 64;
/// Bits per name: about 1 false "maybe" in 60.
const BITS_PER_NAME: usize = 12;
const PROBES: usize = 6;

/// A Bloom filter in blocks of one cache line. Names are hashes already, so nothing is hashed again.
#[derive(Debug)]
pub(crate) struct Filter {
    words: Vec<u64>,
}

impl Filter {
    pub(crate) fn for_count(names: usize) -> Self {
        let blocks = (names * BITS_PER_NAME).div_ceil(BLOCK_BITS).max(1);
        Filter { words: vec![0; blocks * BLOCK_WORDS] }
    }

    pub(crate) fn insert(&mut self, name: &HashedName) {
        let block = self.block(name);
        for bit in bits(name) {
            self.words[block + bit / 64] |= 1 << (bit % 64);
        }
    }

    pub(crate) fn may_contain(&self, name: &HashedName) -> bool {
        let block = self.block(name);
        bits(name).all(|bit| self.words[block + bit / 64] & (1 << (bit % 64)) != 0)
    }

    /// Bytes it takes in memory, and in its file.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let whole = !bytes.is_empty() && bytes.len().is_multiple_of(BLOCK_WORDS * 8);
        whole.then(|| Filter {
            words: bytes.chunks_exact(8).map(|word| crate::frame::u64_at(word, 0)).collect(),
        })
    }

    fn block(&self, name: &HashedName) -> usize {
        let blocks = (self.words.len() / BLOCK_WORDS) as u128;
        let block = (u128::from(name.leading()) * blocks) >> 64;
        usize::try_from(block).expect("smaller than the number of blocks") * BLOCK_WORDS
    }
}

fn bits(name: &HashedName) -> impl Iterator<Item = usize> {
    let mut left = name.trailing();
    (0..PROBES).map(move |_| {
        #[expect(clippy::cast_possible_truncation, reason = "nine bits")]
        let bit = (left % BLOCK_BITS as u64) as usize;
        left >>= 9;
        bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(n: u32) -> HashedName {
        HashedName::read(blake3::hash(&n.to_le_bytes()).as_bytes())
    }

    #[test]
    fn no_false_no_and_few_false_maybes() {
        let mut filter = Filter::for_count(10_000);
        (0..10_000).for_each(|n| filter.insert(&name(n)));
        let filter = Filter::from_bytes(&filter.to_bytes()).unwrap();
        assert!((0..10_000).all(|n| filter.may_contain(&name(n))));
        let maybes = (10_000..110_000).filter(|n| filter.may_contain(&name(*n))).count();
        assert!(maybes < 3_000, "{maybes} of 100,000");
    }
}
