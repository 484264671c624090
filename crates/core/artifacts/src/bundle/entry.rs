//! Entries of a bundle, and their bodies.

use cairn_access::identity::Signature;

use super::BundleError;
use super::format::Fields;
use crate::limits::{BUNDLE_NAME_BYTES_MAX, BUNDLE_PAYLOAD_BYTES_MAX, BUNDLE_TOMBSTONE_BYTES_MAX};

/// Bytes of an artifact's body in front of `derived_from` and the payload.
pub(super) const ARTIFACT_FIXED_BYTES: usize = 1 + 8 + 32 + 64;
/// Bytes of `derived_from`, if there is one.
pub(super) const DERIVED_FROM_BYTES: usize = 16;
/// Bytes of a public key's body without the names.
pub(super) const KEY_FIXED_BYTES: usize = 1 + 8 + 32 + 2 + 2;
/// Bytes of a tombstone's body in front of its text.
pub(super) const TOMBSTONE_FIXED_BYTES: usize = 32 + 64;

const ATTESTED_BY_NODE: u8 = 1;
const HAS_DERIVED_FROM: u8 = 2;
const IS_REVOKED: u8 = 1;

/// Whose signature an artifact carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttestedBy {
    /// The author's.
    Author,
    /// That of the node that accepted an unsigned artifact.
    Node,
}

/// An artifact in a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledArtifact {
    /// The signed payload, as canonical JSON.
    pub payload: String,
    /// Its signature.
    pub signature: Signature,
    /// The key that the signature claims to be made with, as bytes that nobody has checked.
    pub public_key: [u8; 32],
    /// Whose signature it is.
    pub attested_by: AttestedBy,
    /// The parent that was named beside the payload, unsigned.
    pub derived_from: Option<[u8; 16]>,
    /// Time at which the exporting node received the artifact, in Unix milliseconds.
    pub received_at_ms: u64,
}

/// A public key in a bundle: a hint for people, never trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledKey {
    /// The tenant that the exporting node has it registered in.
    pub tenant: String,
    /// The user that it is registered for.
    pub user: String,
    /// The key, as bytes that nobody has checked.
    pub public_key: [u8; 32],
    /// Time of its revocation, in Unix milliseconds.
    pub revoked_at_ms: Option<u64>,
}

/// A tombstone in a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledTombstone {
    /// The signed text, as canonical JSON.
    pub text: String,
    /// Its signature.
    pub signature: Signature,
    /// The key that the signature claims to be made with, as bytes that nobody has checked.
    pub public_key: [u8; 32],
}

impl BundledArtifact {
    pub(super) fn encode(&self) -> Result<Vec<u8>, BundleError> {
        check_size("a payload", self.payload.len(), BUNDLE_PAYLOAD_BYTES_MAX)?;
        let mut flags = 0;
        if self.attested_by == AttestedBy::Node {
            flags |= ATTESTED_BY_NODE;
        }
        if self.derived_from.is_some() {
            flags |= HAS_DERIVED_FROM;
        }
        let mut body = vec![flags];
        body.extend_from_slice(&self.received_at_ms.to_le_bytes());
        body.extend_from_slice(&self.public_key);
        body.extend_from_slice(self.signature.as_bytes());
        body.extend_from_slice(self.derived_from.as_ref().map_or(&[][..], |parent| parent));
        body.extend_from_slice(self.payload.as_bytes());
        Ok(body)
    }

    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let mut fields = Fields(body);
        let [flags] = fields.array()?;
        if flags > (ATTESTED_BY_NODE | HAS_DERIVED_FROM) {
            return None;
        }
        let is_of_node = flags & ATTESTED_BY_NODE != 0;
        let received_at_ms = fields.u64()?;
        let public_key = fields.array()?;
        let signature = Signature::from_bytes(fields.array()?);
        let derived_from = if flags & HAS_DERIVED_FROM == 0 { None } else { Some(fields.array()?) };
        let payload = fields.rest().filter(|payload| payload.len() <= BUNDLE_PAYLOAD_BYTES_MAX)?.to_owned();
        let attested_by = if is_of_node { AttestedBy::Node } else { AttestedBy::Author };
        Some(BundledArtifact { payload, signature, public_key, attested_by, derived_from, received_at_ms })
    }
}

impl BundledKey {
    pub(super) fn encode(&self) -> Result<Vec<u8>, BundleError> {
        let mut body = vec![if self.revoked_at_ms.is_some() { IS_REVOKED } else { 0 }];
        body.extend_from_slice(&self.revoked_at_ms.unwrap_or(0).to_le_bytes());
        body.extend_from_slice(&self.public_key);
        for (part, name) in [("a tenant name", &self.tenant), ("a user name", &self.user)] {
            let length = check_size(part, name.len(), BUNDLE_NAME_BYTES_MAX)?;
            body.extend_from_slice(&length.to_le_bytes()[..2]);
            body.extend_from_slice(name.as_bytes());
        }
        Ok(body)
    }

    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let mut fields = Fields(body);
        let ([flags], revoked_at_ms) = (fields.array()?, fields.u64()?);
        let revoked_at_ms = match (flags, revoked_at_ms) {
            (0, 0) => None,
            (IS_REVOKED, revoked_at_ms) => Some(revoked_at_ms),
            _ => return None,
        };
        let public_key = fields.array()?;
        let tenant = fields.text(BUNDLE_NAME_BYTES_MAX)?.to_owned();
        let user = fields.text(BUNDLE_NAME_BYTES_MAX)?.to_owned();
        fields.0.is_empty().then_some(BundledKey { tenant, user, public_key, revoked_at_ms })
    }
}

impl BundledTombstone {
    pub(super) fn encode(&self) -> Result<Vec<u8>, BundleError> {
        check_size("a tombstone", self.text.len(), BUNDLE_TOMBSTONE_BYTES_MAX)?;
        let parts: [&[u8]; 3] = [&self.public_key, self.signature.as_bytes(), self.text.as_bytes()];
        Ok(parts.concat())
    }

    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let mut fields = Fields(body);
        let public_key = fields.array()?;
        let signature = Signature::from_bytes(fields.array()?);
        Some(BundledTombstone { text: fields.rest()?.to_owned(), signature, public_key })
    }
}

fn check_size(part: &'static str, bytes: usize, max: usize) -> Result<u64, BundleError> {
    let (bytes, max) = (bytes as u64, max as u64);
    if bytes > max { Err(BundleError::TooLarge { part, bytes, max }) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn artifact(payload: String) -> BundledArtifact {
        BundledArtifact {
            payload,
            signature: Signature::from_bytes([1; 64]),
            public_key: [2; 32],
            attested_by: AttestedBy::Node,
            derived_from: Some([3; 16]),
            received_at_ms: 4,
        }
    }

    #[test]
    fn sizes_are_checked_at_their_limits() {
        assert!(artifact("a".repeat(BUNDLE_PAYLOAD_BYTES_MAX)).encode().is_ok());
        let refused = artifact("a".repeat(BUNDLE_PAYLOAD_BYTES_MAX + 1)).encode();
        assert!(matches!(refused, Err(BundleError::TooLarge { part: "a payload", .. })), "{refused:?}");
        let key = |user: usize| BundledKey {
            tenant: "t".into(),
            user: "u".repeat(user),
            public_key: [0; 32],
            revoked_at_ms: None,
        };
        assert!(key(BUNDLE_NAME_BYTES_MAX).encode().is_ok());
        assert!(key(BUNDLE_NAME_BYTES_MAX + 1).encode().is_err());
        // A payload that has the room of `derived_from` too is too long.
        let body = [vec![0; ARTIFACT_FIXED_BYTES], vec![b'a'; BUNDLE_PAYLOAD_BYTES_MAX + 1]].concat();
        assert_eq!(BundledArtifact::decode(&body), None);
    }

    proptest! {
        #[test]
        fn bodies_come_back(
            payload in ".{0,40}", node: bool, derived_from: Option<[u8; 16]>, received_at_ms: u64,
            public_key: [u8; 32], half: [u8; 32], tenant in ".{0,9}", user in ".{0,9}", revoked_at_ms: Option<u64>,
        ) {
            let signature = Signature::from_bytes([half, half].concat().try_into().expect("64 bytes"));
            let attested_by = if node { AttestedBy::Node } else { AttestedBy::Author };
            let artifact = BundledArtifact {
                payload: payload.clone(), signature, public_key, attested_by, derived_from, received_at_ms,
            };
            prop_assert_eq!(BundledArtifact::decode(&artifact.encode().expect("short")), Some(artifact));
            let key = BundledKey { tenant, user, public_key, revoked_at_ms };
            prop_assert_eq!(BundledKey::decode(&key.encode().expect("short")), Some(key));
            let tombstone = BundledTombstone { text: payload, signature, public_key };
            prop_assert_eq!(BundledTombstone::decode(&tombstone.encode().expect("short")), Some(tombstone));
        }

        #[test]
        fn bytes_that_are_read_are_written_alike(bytes in prop::collection::vec(any::<u8>(), 0..160), flags in 0..4_u8) {
            let mut bytes = bytes;
            if let Some(first) = bytes.first_mut() {
                *first = flags;
            }
            if let Some(artifact) = BundledArtifact::decode(&bytes) {
                prop_assert_eq!(&artifact.encode().expect("short"), &bytes);
            }
            if let Some(key) = BundledKey::decode(&bytes) {
                prop_assert_eq!(&key.encode().expect("short"), &bytes);
            }
        }
    }
}
