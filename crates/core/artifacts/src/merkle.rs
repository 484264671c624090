//! Merkle trees as RFC 6962 has them, with SHA-256.
//!
//! A leaf is `SHA-256(0x00 ‖ entry)`, a node is `SHA-256(0x01 ‖ left ‖ right)`, and the left half of a tree is
//! the largest full one. A [`Frontier`] takes one leaf after the other and keeps only the roots of full subtrees,
//! so neither a root nor an inclusion path needs all leaves in memory.

use cairn_seam::{Sha256, Sha256Hasher};

/// Hashes an entry into its leaf.
pub fn leaf_hash(entry: &[u8]) -> Sha256 {
    leaf_hash_of_parts(&[entry])
}

/// Hashes an entry that is in several pieces into its leaf.
pub(crate) fn leaf_hash_of_parts(parts: &[&[u8]]) -> Sha256 {
    let mut hasher = Sha256Hasher::default();
    hasher.update(&[0]);
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finish()
}

/// Hashes two subtrees into their parent.
pub fn node_hash(left: &Sha256, right: &Sha256) -> Sha256 {
    let mut hasher = Sha256Hasher::default();
    hasher.update(&[1]);
    hasher.update(left.as_bytes());
    hasher.update(right.as_bytes());
    hasher.finish()
}

/// A tree that grows leaf by leaf, in memory logarithmic in its size.
#[derive(Debug, Clone, Default)]
pub struct Frontier {
    size: u64,
    /// Full subtrees from left to right, each larger than the next.
    peaks: Vec<Peak>,
    marked: Option<Marked>,
}

#[derive(Debug, Clone, Copy)]
struct Peak {
    root: Sha256,
    holds_marked: bool,
}

/// The leaf that an inclusion path is built for.
#[derive(Debug, Clone)]
struct Marked {
    index: u64,
    leaf: Sha256,
    path: Vec<Sha256>,
}

/// An inclusion path: the hashes that lead from one leaf to the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InclusionPath {
    /// Index of the leaf, from 0.
    pub index: u64,
    /// Leaves of the tree.
    pub size: u64,
    /// The leaf.
    pub leaf: Sha256,
    /// Roots of the neighbouring subtrees, from the leaf upwards.
    pub hashes: Vec<Sha256>,
}

impl Frontier {
    /// Returns the number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf.
    pub fn push(&mut self, leaf: Sha256) {
        self.append(Peak { root: leaf, holds_marked: false });
    }

    /// Appends a leaf and records its inclusion path from here on. Marking another leaf replaces the first.
    pub fn push_marked(&mut self, leaf: Sha256) {
        self.peaks.iter_mut().for_each(|peak| peak.holds_marked = false);
        self.marked = Some(Marked { index: self.size, leaf, path: Vec::new() });
        self.append(Peak { root: leaf, holds_marked: true });
    }

    fn append(&mut self, leaf: Peak) {
        let mut right = leaf;
        // As many full subtrees end here as the size has low bits that are set.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                right = join(left, right, self.marked.as_mut().map(|marked| &mut marked.path));
            }
        }
        self.peaks.push(right);
        self.size += 1;
    }

    /// Returns the root; of no leaves it is the hash of nothing.
    pub fn root(&self) -> Sha256 {
        self.fold(None)
    }

    /// Returns the inclusion path of the marked leaf in the tree as it is now, or `None` if no leaf is marked.
    pub fn inclusion_path(&self) -> Option<InclusionPath> {
        let Marked { index, leaf, mut path } = self.marked.clone()?;
        self.fold(Some(&mut path));
        Some(InclusionPath { index, size: self.size, leaf, hashes: path })
    }

    fn fold(&self, mut path: Option<&mut Vec<Sha256>>) -> Sha256 {
        let mut peaks = self.peaks.iter().rev().copied();
        let Some(mut right) = peaks.next() else { return Sha256::of(b"") };
        for left in peaks {
            right = join(left, right, path.as_deref_mut());
        }
        right.root
    }
}

/// Joins two subtrees, and adds the one beside the marked leaf to its path.
fn join(left: Peak, right: Peak, path: Option<&mut Vec<Sha256>>) -> Peak {
    if let Some(path) = path {
        if left.holds_marked {
            path.push(right.root);
        } else if right.holds_marked {
            path.push(left.root);
        }
    }
    Peak { root: node_hash(&left.root, &right.root), holds_marked: left.holds_marked || right.holds_marked }
}

impl InclusionPath {
    /// Returns the root that the path leads to, or `None` if its length does not fit index and size.
    pub fn root(&self) -> Option<Sha256> {
        if self.index >= self.size {
            return None;
        }
        let (mut index, mut last) = (self.index, self.size - 1);
        let mut root = self.leaf;
        for hash in &self.hashes {
            if last == 0 {
                return None;
            }
            if index % 2 == 1 || index == last {
                root = node_hash(hash, &root);
                // The last subtree of a level without a neighbour moves up as it is.
                while index % 2 == 0 && index != 0 {
                    (index, last) = (index / 2, last / 2);
                }
            } else {
                root = node_hash(&root, hash);
            }
            (index, last) = (index / 2, last / 2);
        }
        (last == 0).then_some(root)
    }

    /// Returns whether the leaf is in the tree with this root.
    pub fn leads_to(&self, root: &Sha256) -> bool {
        self.root().as_ref() == Some(root)
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::from_hex;
    use proptest::prelude::*;

    use super::*;

    fn sha256(digits: &str) -> Sha256 {
        Sha256::from_bytes(from_hex(digits).expect("64 digits"))
    }

    fn bytes(digits: &str) -> Vec<u8> {
        digits
            .as_bytes()
            .chunks(2)
            .map(|pair| {
                let pair = std::str::from_utf8(pair).expect("digits");
                u8::from_str_radix(pair, 16).expect("digits")
            })
            .collect()
    }

    /// The entries of the test tree of Certificate Transparency.
    fn known_leaves() -> Vec<Sha256> {
        ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
            .map(|entry| leaf_hash(&bytes(entry)))
            .to_vec()
    }

    fn frontier(leaves: &[Sha256]) -> Frontier {
        let mut tree = Frontier::default();
        leaves.iter().for_each(|leaf| tree.push(*leaf));
        tree
    }

    fn path(leaves: &[Sha256], index: usize) -> InclusionPath {
        let mut tree = frontier(&leaves[..index]);
        tree.push_marked(leaves[index]);
        leaves[index + 1..].iter().for_each(|leaf| tree.push(*leaf));
        tree.inclusion_path().expect("a leaf is marked")
    }

    #[test]
    fn known_roots() {
        let leaves = known_leaves();
        for (size, root) in [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
            (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
            (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
            (4, "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
            (5, "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
            (6, "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
            (7, "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
            (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
        ] {
            assert_eq!(frontier(&leaves[..size]).root(), sha256(root), "{size}");
        }
    }

    #[test]
    fn known_paths() {
        let leaves = known_leaves();
        let expected = [
            (
                0,
                8,
                vec![
                    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
                ],
            ),
            (2, 3, vec!["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
            (
                1,
                5,
                vec![
                    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                ],
            ),
        ];
        for (index, size, hashes) in expected {
            let path = path(&leaves[..size], index);
            assert_eq!(path.hashes, hashes.into_iter().map(sha256).collect::<Vec<_>>());
            assert!(path.leads_to(&frontier(&leaves[..size]).root()));
        }
        assert_eq!(frontier(&leaves).inclusion_path(), None);
    }

    /// The definition of the RFC, over all leaves.
    fn root_of(leaves: &[Sha256]) -> Sha256 {
        match leaves {
            [] => Sha256::of(b""),
            [leaf] => *leaf,
            _ => {
                let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
                node_hash(&root_of(left), &root_of(right))
            }
        }
    }

    proptest! {
        #[test]
        fn trees_are_those_of_the_definition(size in 0..200_usize, index in 0..200_usize, other in 0..200_u64) {
            let leaves: Vec<_> = (0..size).map(|leaf| leaf_hash(&leaf.to_le_bytes())).collect();
            let root = frontier(&leaves).root();
            prop_assert_eq!(root, root_of(&leaves));
            prop_assume!(index < size);
            let path = path(&leaves, index);
            prop_assert!(path.leads_to(&root));
            for wrong in [
                InclusionPath { index: other, ..path.clone() },
                InclusionPath { leaf: leaf_hash(b"other"), ..path.clone() },
                InclusionPath { hashes: [path.hashes.clone(), vec![root]].concat(), ..path.clone() },
            ] {
                prop_assert!(!wrong.leads_to(&root) || wrong == path);
            }
            for cut in 0..path.hashes.len() {
                let wrong = InclusionPath { hashes: path.hashes[..cut].to_vec(), ..path.clone() };
                prop_assert!(!wrong.leads_to(&root));
            }
        }
    }

    #[test]
    fn paths_without_a_tree_lead_nowhere() {
        let leaf = leaf_hash(b"");
        let path = |index, size, hashes| InclusionPath { index, size, leaf, hashes };
        assert_eq!(path(0, 0, vec![]).root(), None);
        assert_eq!(path(1, 1, vec![]).root(), None);
        assert_eq!(path(0, 1, vec![]).root(), Some(leaf));
        assert_eq!(path(u64::MAX - 1, u64::MAX, vec![leaf; 100]).root(), None);
    }
}
