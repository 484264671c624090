//! Looking for heads behind damage.
//!
//! Where an entry cannot be read, the file is either torn or damaged: torn if nothing valid follows, damaged if a
//! valid head does. A head says at which offset it stands, so the head of another bundle inside of content is
//! not taken for one.

use std::io::{self, Read};

use super::format::{FRAME_BYTES, Fields};
use super::head::{HEAD_BYTES, Head, MARKER};
use crate::limits::BUNDLE_HEADS_TRIED_MAX;

const READ_BYTES: usize = 64 << 10;

/// The bytes behind damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scanned {
    /// Whether there is a valid head among them; also if there are too many that may be one.
    pub(super) has_head: bool,
    /// The length of the file.
    pub(super) file_bytes: u64,
}

/// Looks through the bytes of the file from `offset` on: `seen` was read already, the rest is read here.
pub(super) fn scan(seen: Vec<u8>, offset: u64, input: &mut dyn Read) -> io::Result<Scanned> {
    let mut window = seen;
    let mut window_at = offset;
    let mut tried = 0;
    let mut has_head = false;
    loop {
        has_head = has_head || has_head_in(&window, window_at, &mut tried);
        // A head may begin in the last bytes; it is looked for again when the rest of it is there.
        let done = window.len().saturating_sub(HEAD_BYTES - 1);
        window.drain(..done);
        window_at += done as u64;
        if input.take(READ_BYTES as u64).read_to_end(&mut window)? == 0 {
            return Ok(Scanned { has_head, file_bytes: window_at + window.len() as u64 });
        }
    }
}

fn has_head_in(window: &[u8], window_at: u64, tried: &mut usize) -> bool {
    let mut from = 0;
    while let Some(at) = find_marker(&window[from..]).map(|at| from + at) {
        let Some(body) = window.get(at..at + HEAD_BYTES) else { return false };
        if offset_in(body).is_some()
            && offset_in(body) == (window_at + at as u64).checked_sub(FRAME_BYTES as u64)
        {
            *tried += 1;
            if *tried > BUNDLE_HEADS_TRIED_MAX || Head::decode(body).is_some_and(|head| head.is_signed()) {
                return true;
            }
        }
        from = at + 1;
    }
    false
}

/// The offset that a head says it stands at: cheap to look at, unlike its key and its signature.
fn offset_in(body: &[u8]) -> Option<u64> {
    let mut fields = Fields(body);
    fields.array::<{ MARKER.len() }>()?;
    fields.u64()
}

fn find_marker(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + bytes.get(from..)?.iter().position(|byte| *byte == MARKER[0])?;
        if bytes[at..].starts_with(&MARKER) {
            return Some(at);
        }
        from = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use cairn_access::identity::Signature;
    use cairn_seam::Sha256;

    use super::*;
    use crate::bundle::tests::identity;

    fn head(offset: u64) -> Head {
        let identity = identity(1);
        let head = Head {
            offset,
            created_at_ms: 0,
            tree_size: 0,
            signed_at_ms: 0,
            root: Sha256::of(b""),
            public_key: identity.public_key(),
            signature: Signature::from_bytes([0; 64]),
        };
        head.sign(&identity)
    }

    #[test]
    fn heads_are_found_in_their_own_place_only() {
        for at in [0, 1, 100, READ_BYTES - 100, READ_BYTES, 3 * READ_BYTES - 1] {
            for (offset, expected) in
                [(at as u64 + 1000 - 9, true), (at as u64, false), (u64::MAX - 9, false)]
            {
                let file = [vec![0x8a; at], head(offset).encode(), vec![7; 50]].concat();
                for seen in [0, at / 2, at, at + 100, file.len()] {
                    let (seen, mut rest) = file.split_at(seen.min(file.len()));
                    let scanned = scan(seen.to_vec(), 1000, &mut rest).expect("memory");
                    assert_eq!(scanned.has_head, expected, "{at} {offset} {}", seen.len());
                    assert_eq!(scanned.file_bytes, 1000 + file.len() as u64);
                }
            }
        }
    }

    #[test]
    fn a_flood_of_possible_heads_counts_as_one() {
        let mut file = Vec::new();
        for _ in 0..=BUNDLE_HEADS_TRIED_MAX {
            let mut forged = head(file.len() as u64);
            file.extend([0; FRAME_BYTES]);
            forged.signature = Signature::from_bytes([1; 64]);
            file.extend(forged.encode());
        }
        assert!(scan(Vec::new(), 0, &mut &file[..]).expect("memory").has_head);
        let one = &file[..FRAME_BYTES + HEAD_BYTES];
        assert!(!scan(Vec::new(), 0, &mut &one[..]).expect("memory").has_head);
    }
}
