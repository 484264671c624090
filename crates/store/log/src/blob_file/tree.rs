//! BLAKE3 as a tree over chunks.

use blake3::hazmat::{HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root};
use cairn_base::ContentHash;
use cairn_seam::limits;

pub(super) const VALUE_BYTES: usize = 32;
const CHUNK: u64 = limits::BLOB_CHUNK_BYTES as u64;

/// The inner node over one chunk.
pub(super) type Value = [u8; VALUE_BYTES];

/// The value of the chunk that starts at `offset`.
pub(super) fn value_of(chunk: &[u8], offset: u64) -> Value {
    blake3::Hasher::new().set_input_offset(offset).update(chunk).finalize_non_root()
}

/// The hash of a blob of so many bytes from the values of its chunks; `None` when there is only one
/// chunk, which is no inner node.
pub(super) fn hash_of(values: &[Value], bytes: u64) -> Option<ContentHash> {
    if values.len() < 2 || values.len() as u64 != bytes.div_ceil(CHUNK) {
        return None;
    }
    let (left, right) = halves(values, bytes);
    Some(ContentHash::from_bytes(*merge_subtrees_root(&left, &right, Mode::Hash).as_bytes()))
}

fn halves(values: &[Value], bytes: u64) -> (Value, Value) {
    let left_bytes = left_subtree_len(bytes);
    let (left, right) = values.split_at(usize::try_from(left_bytes / CHUNK).expect("no more than values"));
    (node(left, left_bytes), node(right, bytes - left_bytes))
}

fn node(values: &[Value], bytes: u64) -> Value {
    match values {
        [only] => *only,
        _ => {
            let (left, right) = halves(values, bytes);
            merge_subtrees_non_root(&left, &right, Mode::Hash)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_give_the_hash_of_the_whole() {
        for extra in [1, 1023, 1024, 1025, 65_535, 65_536, 65_537, 3 * 65_536, 20 * 65_536 + 5, 33 * 65_536] {
            let whole: Vec<u8> = (0..65_536 + extra).map(|at| (at % 251) as u8).collect();
            let values: Vec<Value> = whole
                .chunks(limits::BLOB_CHUNK_BYTES)
                .enumerate()
                .map(|(at, chunk)| value_of(chunk, at as u64 * CHUNK))
                .collect();
            assert_eq!(hash_of(&values, whole.len() as u64), Some(ContentHash::of(&whole)), "{extra}");
            assert_eq!(hash_of(&values, whole.len() as u64 + CHUNK), None);
        }
        assert_eq!(hash_of(&[[0; 32]], 5), None);
    }
}
