//! Blocks that were opened lately: the same parts of a dictionary are read again and again.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::layout::BLOCK_BYTES;
use crate::limits;

/// What an entry takes besides its bytes, roughly.
const ENTRY_BYTES: u64 = 128;

/// The salt of a file, which no other file has, and the number of a block in it.
type Key = ([u8; 16], u64);

/// Opened blocks of all files of a directory.
pub(super) struct Blocks(Cache<Key, Arc<[u8]>, ByBytes>);

#[derive(Clone)]
struct ByBytes;

impl Weighter<Key, Arc<[u8]>> for ByBytes {
    fn weight(&self, _: &Key, block: &Arc<[u8]>) -> u64 {
        block.len() as u64 + ENTRY_BYTES
    }
}

impl Blocks {
    pub(super) fn new() -> Self {
        let bytes_max = limits::SEARCH_BLOCK_CACHE_BYTES;
        let expected = usize::try_from(bytes_max).unwrap_or(usize::MAX) / BLOCK_BYTES;
        Blocks(Cache::with_weighter(expected, bytes_max, ByBytes))
    }

    pub(super) fn get(&self, salt: &[u8; 16], number: u64) -> Option<Arc<[u8]>> {
        self.0.get(&(*salt, number))
    }

    pub(super) fn keep(&self, salt: &[u8; 16], number: u64, block: &Arc<[u8]>) {
        self.0.insert((*salt, number), Arc::clone(block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_belongs_to_its_file() {
        let blocks = Blocks::new();
        for number in 0..4_000 {
            blocks.keep(&[1; 16], number, &vec![1; BLOCK_BYTES].into());
            assert!(blocks.0.weight() <= limits::SEARCH_BLOCK_CACHE_BYTES);
        }
        assert!(blocks.0.weight() > limits::SEARCH_BLOCK_CACHE_BYTES / 2, "there is room for more");
        let block: Arc<[u8]> = vec![2; 10].into();
        blocks.keep(&[2; 16], 7, &block);
        assert_eq!(blocks.get(&[2; 16], 7), Some(block));
        assert_eq!(blocks.get(&[2; 16], 8), None);
        assert_eq!(blocks.get(&[3; 16], 7), None);
    }
}
