//! Signed heads: what a node says about all entries of a bundle so far.

use cairn_access::identity::{Identity, PublicKey, Signature};
use cairn_seam::Sha256;

use super::format::Fields;

/// What stands in front of the signed bytes of a head, so that they can never be those of anything else.
const DOMAIN: &[u8] = b"kcp-bundle-head-v1\n";
/// The first bytes of a head, by which it is found behind damage.
pub(super) const MARKER: [u8; 8] = *b"\x8aKCPHEAD";
/// Bytes of a head without its signature.
const SIGNED_BYTES: usize = 8 + 4 * 8 + 32 + 32;
/// Bytes of a head.
pub(super) const HEAD_BYTES: usize = SIGNED_BYTES + 64;

/// A signed head of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Offset of the head's entry in the file.
    pub offset: u64,
    /// Time at which the bundle was created, in Unix milliseconds, as in the header of the file.
    pub created_at_ms: u64,
    /// Number of entries in front of the head, other heads not counted.
    pub tree_size: u64,
    /// Time of signing, in Unix milliseconds.
    pub signed_at_ms: u64,
    /// Root of the Merkle tree over these entries.
    pub root: Sha256,
    /// Public key of the exporting node.
    pub public_key: PublicKey,
    /// Signature of that node.
    pub signature: Signature,
}

impl Head {
    /// Signs a head; the signature that it has is replaced.
    pub(super) fn sign(mut self, identity: &Identity) -> Self {
        self.public_key = identity.public_key();
        self.signature = identity.sign_bytes(&self.message());
        self
    }

    /// Returns whether the head is signed by the key in it. Whose key that is, the caller has to know.
    pub fn is_signed(&self) -> bool {
        self.public_key.has_signed(&self.message(), &self.signature)
    }

    fn message(&self) -> Vec<u8> {
        let mut message = DOMAIN.to_vec();
        self.put_signed(&mut message);
        message
    }

    fn put_signed(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&MARKER);
        for number in [self.offset, self.created_at_ms, self.tree_size, self.signed_at_ms] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(self.root.as_bytes());
        out.extend_from_slice(self.public_key.as_bytes());
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(HEAD_BYTES);
        self.put_signed(&mut body);
        body.extend_from_slice(self.signature.as_bytes());
        body
    }

    /// Reads a head without verifying its signature.
    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let mut fields = Fields(body);
        if body.len() != HEAD_BYTES || fields.array() != Some(MARKER) {
            return None;
        }
        Some(Head {
            offset: fields.u64()?,
            created_at_ms: fields.u64()?,
            tree_size: fields.u64()?,
            signed_at_ms: fields.u64()?,
            root: Sha256::from_bytes(fields.array()?),
            public_key: PublicKey::from_bytes(&fields.array()?).ok()?,
            signature: Signature::from_bytes(fields.array()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::tests::identity;

    #[test]
    fn every_byte_of_a_head_is_signed() {
        let head = Head {
            offset: 1,
            created_at_ms: 2,
            tree_size: 3,
            signed_at_ms: 4,
            root: Sha256::of(b""),
            public_key: identity(2).public_key(),
            signature: Signature::from_bytes([0; 64]),
        };
        assert!(!head.is_signed());
        let head = head.sign(&identity(1));
        let body = head.encode();
        assert_eq!((body.len(), Head::decode(&body)), (HEAD_BYTES, Some(head)));
        assert!(head.is_signed());
        for at in 0..body.len() {
            let mut bad = body.clone();
            bad[at] ^= 1;
            assert!(!Head::decode(&bad).is_some_and(|head| head.is_signed()), "{at}");
        }
        assert_eq!(Head::decode(&body[1..]), None);
    }
}
