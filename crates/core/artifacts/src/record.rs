//! Bytes of this memory's records. Numbers are varints, texts are their length and their bytes.
//!
//! ```text
//! artifact  version 1 | flags | received_at_ms | timestamp_ms | visibility | tenant | author | team
//!           | allowed tenants | allowed users | allowed teams | parents | public key 32 | accepted by 32
//!           | signature 64 | SHA-256 32 | [content hash 32 | content bytes] | [derived from 16]
//!           | [deleted_at_ms] | payload
//! list      count | texts
//! parents   count | (parent 16 | attested 1)…
//! payload   the canonical JSON that was signed, or content hash 32 of the blob that holds it, to the end
//! ```
//!
//! Flags: 1 signed by the node for its author, 2 has content here, 4 has a `derived_from` that nobody signed,
//! 8 deleted, 16 payload in a blob, 32 erased.

use cairn_access::identity::Signature;
use cairn_access::{Acl, Sharing, Visibility};
use cairn_base::{ContentHash, put_varint, take_varint};
use cairn_seam::Sha256;

use crate::{ArtifactError, ArtifactId};

const VERSION: u8 = 1;
const BY_NODE: u64 = 1;
const HAS_CONTENT: u64 = 2;
const HAS_DERIVED: u64 = 4;
const DELETED: u64 = 8;
const IN_BLOB: u64 = 16;
const ERASED: u64 = 32;

/// The signer of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attestation {
    /// Its author.
    Author,
    /// The node that accepted it, for an author whom it had authenticated.
    Node,
}

impl Attestation {
    /// Its name in responses.
    pub const fn name(self) -> &'static str {
        match self {
            Attestation::Author => "author",
            Attestation::Node => "node",
        }
    }
}

/// Content that is stored on this node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    /// The blob.
    pub hash: ContentHash,
    /// Its length.
    pub bytes: u64,
}

/// The place of the signed bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayloadAt {
    /// In the record.
    Inline(String),
    /// In a blob.
    Blob(ContentHash),
    /// Nowhere: it was erased.
    Erased,
}

/// A stored artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its id.
    pub id: ArtifactId,
    /// The time at which this node accepted it, in Unix milliseconds.
    pub received_at_ms: u64,
    /// The author's time, in Unix milliseconds.
    pub timestamp_ms: u64,
    /// The signer.
    pub attestation: Attestation,
    /// The key that verifies the signature.
    pub public_key: [u8; 32],
    /// The key of the node that accepted it; zeros if that node had none.
    pub accepted_by: [u8; 32],
    /// The signature.
    pub signature: Signature,
    /// Its tier.
    pub visibility: Visibility,
    /// The name of its tenant.
    pub tenant_name: String,
    /// Its author.
    pub author: String,
    /// Its team; empty for none.
    pub team: String,
    /// The list that replaces the tier.
    pub acl: Acl,
    /// Its parents, and whether the signer named them.
    pub parents: Vec<(ArtifactId, bool)>,
    /// SHA-256 of its content.
    pub sha256: Sha256,
    /// Its content, if it is stored here.
    pub content: Option<Content>,
    /// The parent that somebody added after it was signed.
    pub derived_from: Option<ArtifactId>,
    /// The time at which it was deleted, in Unix milliseconds.
    pub deleted_at_ms: Option<u64>,
    /// The bytes that were signed.
    pub payload: PayloadAt,
}

impl Artifact {
    /// The readers of this artifact.
    pub fn sharing(&self) -> Sharing<'_> {
        Sharing {
            tenant_name: &self.tenant_name,
            author: &self.author,
            visibility: self.visibility,
            team: &self.team,
            acl: &self.acl,
        }
    }

    /// Whether it is served: neither deleted nor erased.
    pub fn is_live(&self) -> bool {
        self.deleted_at_ms.is_none()
    }
}

pub(crate) fn encode(artifact: &Artifact) -> Vec<u8> {
    let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
    let flags = flag(artifact.attestation == Attestation::Node, BY_NODE)
        | flag(artifact.content.is_some(), HAS_CONTENT)
        | flag(artifact.derived_from.is_some(), HAS_DERIVED)
        | flag(artifact.deleted_at_ms.is_some(), DELETED)
        | match artifact.payload {
            PayloadAt::Inline(_) => 0,
            PayloadAt::Blob(_) => IN_BLOB,
            PayloadAt::Erased => ERASED,
        };
    let mut out = vec![VERSION];
    for number in [flags, artifact.received_at_ms, artifact.timestamp_ms, artifact.visibility as u64] {
        put_varint(&mut out, number);
    }
    for text in [&artifact.tenant_name, &artifact.author, &artifact.team] {
        put_text(&mut out, text);
    }
    for list in [&artifact.acl.tenants, &artifact.acl.users, &artifact.acl.teams] {
        put_varint(&mut out, list.len() as u64);
        list.iter().for_each(|text| put_text(&mut out, text));
    }
    put_varint(&mut out, artifact.parents.len() as u64);
    for (parent, attested) in &artifact.parents {
        out.extend_from_slice(parent.as_bytes());
        out.push(u8::from(*attested));
    }
    out.extend_from_slice(&artifact.public_key);
    out.extend_from_slice(&artifact.accepted_by);
    out.extend_from_slice(artifact.signature.as_bytes());
    out.extend_from_slice(artifact.sha256.as_bytes());
    if let Some(content) = &artifact.content {
        out.extend_from_slice(content.hash.as_bytes());
        put_varint(&mut out, content.bytes);
    }
    if let Some(parent) = &artifact.derived_from {
        out.extend_from_slice(parent.as_bytes());
    }
    if let Some(deleted_at_ms) = artifact.deleted_at_ms {
        put_varint(&mut out, deleted_at_ms);
    }
    match &artifact.payload {
        PayloadAt::Inline(json) => out.extend_from_slice(json.as_bytes()),
        PayloadAt::Blob(hash) => out.extend_from_slice(hash.as_bytes()),
        PayloadAt::Erased => {}
    }
    out
}

pub(crate) fn decode(id: ArtifactId, bytes: &[u8]) -> Result<Artifact, ArtifactError> {
    let bad = |detail: &str| ArtifactError::BadRecord { what: "artifact", detail: detail.into() };
    let (version, rest) = bytes.split_first().ok_or_else(|| bad("it is empty"))?;
    if *version != VERSION {
        return Err(bad("its version is unknown; use a newer cairn"));
    }
    decode_rest(id, rest).ok_or_else(|| bad("it ends early or holds an invalid number"))
}

fn decode_rest(id: ArtifactId, mut bytes: &[u8]) -> Option<Artifact> {
    let rest = &mut bytes;
    let flags = take_varint(rest)?;
    let (received_at_ms, timestamp_ms) = (take_varint(rest)?, take_varint(rest)?);
    let tier = take_varint(rest)?;
    let visibility = Visibility::ALL.into_iter().find(|visibility| *visibility as u64 == tier)?;
    let (tenant_name, author, team) = (take_text(rest)?, take_text(rest)?, take_text(rest)?);
    let acl = Acl { tenants: take_list(rest)?, users: take_list(rest)?, teams: take_list(rest)? };
    let mut parents = Vec::new();
    for _ in 0..take_varint(rest)? {
        let parent = ArtifactId::from_bytes(take(rest)?);
        let [attested] = take(rest)?;
        parents.push((parent, attested != 0));
    }
    let (public_key, accepted_by) = (take(rest)?, take(rest)?);
    let (signature, sha256) = (Signature::from_bytes(take(rest)?), Sha256::from_bytes(take(rest)?));
    let content = match flags & HAS_CONTENT {
        0 => None,
        _ => Some(Content { hash: ContentHash::from_bytes(take(rest)?), bytes: take_varint(rest)? }),
    };
    let derived_from = match flags & HAS_DERIVED {
        0 => None,
        _ => Some(ArtifactId::from_bytes(take(rest)?)),
    };
    let deleted_at_ms = if flags & DELETED == 0 { None } else { Some(take_varint(rest)?) };
    let payload = match flags & (IN_BLOB | ERASED) {
        0 => PayloadAt::Inline(String::from_utf8(rest.to_vec()).ok()?),
        IN_BLOB => PayloadAt::Blob(ContentHash::from_bytes((*rest).try_into().ok()?)),
        _ => PayloadAt::Erased,
    };
    let attestation = if flags & BY_NODE == 0 { Attestation::Author } else { Attestation::Node };
    Some(Artifact {
        id,
        received_at_ms,
        timestamp_ms,
        attestation,
        public_key,
        accepted_by,
        signature,
        visibility,
        tenant_name,
        author,
        team,
        acl,
        parents,
        sha256,
        content,
        derived_from,
        deleted_at_ms,
        payload,
    })
}

/// The blobs that a record of [`ARTIFACTS`](crate::tables::ARTIFACTS) refers to.
pub fn blobs_of_artifact(record: &[u8]) -> Result<impl Iterator<Item = ContentHash>, ArtifactError> {
    let artifact = decode(ArtifactId::from_bytes([0; 16]), record)?;
    let payload = if let PayloadAt::Blob(hash) = artifact.payload { Some(hash) } else { None };
    Ok(artifact.content.map(|content| content.hash).into_iter().chain(payload))
}

/// The blobs that a record of [`QUARANTINE`](crate::tables::QUARANTINE) refers to.
pub fn blobs_of_quarantined(record: &[u8]) -> Result<impl Iterator<Item = ContentHash>, ArtifactError> {
    blobs_of_artifact(record)
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn take_text(rest: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(take_varint(rest)?).ok()?;
    let (text, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    String::from_utf8(text.to_vec()).ok()
}

pub(crate) fn take_list(rest: &mut &[u8]) -> Option<Vec<String>> {
    // Each text has a byte at least, so a count beyond that is wrong.
    let count = usize::try_from(take_varint(rest)?).ok().filter(|count| *count <= rest.len())?;
    (0..count).map(|_| take_text(rest)).collect()
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*bytes)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn example(number: u8) -> Artifact {
        Artifact {
            id: ArtifactId::from_bytes([number; 16]),
            received_at_ms: 2,
            timestamp_ms: 1,
            attestation: Attestation::Author,
            public_key: [3; 32],
            accepted_by: [4; 32],
            signature: Signature::from_bytes([5; 64]),
            visibility: Visibility::Org,
            tenant_name: "acme".into(),
            author: "ada".into(),
            team: String::new(),
            acl: Acl::default(),
            parents: Vec::new(),
            sha256: Sha256::of(b""),
            content: None,
            derived_from: None,
            deleted_at_ms: None,
            payload: PayloadAt::Inline("{}".into()),
        }
    }

    proptest! {
        #[test]
        fn records_round_trip_and_no_cut_panics(
            times: [u64; 3], names: [String; 3], users in prop::collection::vec(".{0,8}", 0..4),
            parents in prop::collection::vec(any::<([u8; 16], bool)>(), 0..4), bits: u8, json in "[ -~]{0,64}"
        ) {
            let [tenant_name, author, team] = names;
            let artifact = Artifact {
                received_at_ms: times[0],
                timestamp_ms: times[1],
                tenant_name,
                author,
                team,
                acl: Acl { users, ..Acl::default() },
                parents: parents.into_iter().map(|(id, attested)| (ArtifactId::from_bytes(id), attested)).collect(),
                attestation: if bits & 1 == 0 { Attestation::Author } else { Attestation::Node },
                content: (bits & 2 != 0).then_some(Content { hash: ContentHash::of(b"x"), bytes: times[2] }),
                derived_from: (bits & 4 != 0).then_some(ArtifactId::from_bytes([9; 16])),
                deleted_at_ms: (bits & 8 != 0).then_some(times[2]),
                payload: match bits >> 4 & 3 {
                    0 => PayloadAt::Blob(ContentHash::of(b"y")),
                    1 => PayloadAt::Erased,
                    _ => PayloadAt::Inline(json),
                },
                ..example(1)
            };
            let bytes = encode(&artifact);
            prop_assert_eq!(&decode(artifact.id, &bytes).expect("it decodes"), &artifact);
            let blobs = usize::from(artifact.content.is_some()) + usize::from(matches!(artifact.payload, PayloadAt::Blob(_)));
            prop_assert_eq!(blobs_of_artifact(&bytes).expect("it decodes").count(), blobs);
            for cut in 0..bytes.len() {
                let _ = decode(artifact.id, &bytes[..cut]);
            }
        }
    }
}
