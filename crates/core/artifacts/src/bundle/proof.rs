//! Inclusion proofs: that one artifact is in a bundle, without the bundle.

use std::io::Read;

use cairn_access::identity::{PublicKey, Signature};
use cairn_base::{Base64, CanonicalObject, Hex, Value, from_base64, from_hex};
use cairn_seam::Sha256;

use super::format::{self, Kind};
use super::{BundleError, BundleReader, BundledArtifact, Entry, Head};
use crate::limits::PROOF_BYTES_MAX;
use crate::merkle::{Frontier, InclusionPath};

const VERSION: &str = "1";

/// An inclusion proof of one artifact: its entry, the path to the root, and the signed head with that root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The artifact, as it is in the bundle.
    pub artifact: BundledArtifact,
    /// Index of the entry in the bundle, from 0.
    pub entry_index: u64,
    /// Hashes from the leaf to the root.
    pub path: Vec<Sha256>,
    /// The last valid head of the bundle.
    pub head: Head,
}

/// The reason why a proof does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The text is not a proof.
    #[error("invalid inclusion proof: {0}; create it again from the bundle")]
    Malformed(&'static str),
    /// The path does not lead from the entry to the root.
    #[error("the entry is not in the tree of the signed head; do not trust it")]
    NotIncluded,
    /// The signature of the head is wrong.
    #[error("the signature of the head is wrong; do not trust the proof")]
    HeadSignature,
}

/// Builds the proof of the first artifact with this id that the last valid head covers; `None` if there is none.
pub fn prove(input: impl Read, id: &str) -> Result<Option<Proof>, BundleError> {
    let mut reader = BundleReader::open(input)?;
    let mut tree = Frontier::default();
    let mut found: Option<BundledArtifact> = None;
    let mut proof = None;
    while let Some(entry) = reader.next_entry()? {
        if let Entry::Head(head) = entry {
            let path = found.as_ref().zip(tree.inclusion_path());
            proof = path.map(|(artifact, path)| Proof {
                artifact: artifact.clone(),
                entry_index: path.index,
                path: path.hashes,
                head: *head,
            });
            continue;
        }
        let Some(leaf) = reader.leaf() else { continue };
        if let Entry::Artifact(artifact) = entry
            && found.is_none()
            && has_id(&artifact, id)
        {
            tree.push_marked(leaf);
            found = Some(artifact);
        } else {
            tree.push(leaf);
        }
    }
    Ok(proof)
}

fn has_id(artifact: &BundledArtifact, id: &str) -> bool {
    let object = CanonicalObject::parse(artifact.payload.as_bytes()).ok();
    object.and_then(|object| object.get_str("id")).as_deref() == Some(id)
}

impl Proof {
    /// Verifies that the head is signed by the key in it, and that its tree holds the artifact.
    ///
    /// Does not verify the signature of the artifact itself, and does not know whose keys these are.
    pub fn verify(&self) -> Result<(), ProofError> {
        let body = self.artifact.encode().map_err(|_| ProofError::Malformed("`entry_b64` is too large"))?;
        let path = InclusionPath {
            index: self.entry_index,
            size: self.head.tree_size,
            leaf: format::leaf(Kind::Artifact, &body),
            hashes: self.path.clone(),
        };
        if !path.leads_to(&self.head.root) {
            return Err(ProofError::NotIncluded);
        }
        if self.head.is_signed() { Ok(()) } else { Err(ProofError::HeadSignature) }
    }

    /// Writes the proof as JSON.
    pub fn to_json(&self) -> Result<String, BundleError> {
        let hex = |bytes: &[u8]| Value::from(Hex(bytes).to_string());
        let head = [
            ("created_at_ms", Value::from(self.head.created_at_ms)),
            ("offset", Value::from(self.head.offset)),
            ("public_key", hex(self.head.public_key.as_bytes())),
            ("root", hex(self.head.root.as_bytes())),
            ("signature", hex(self.head.signature.as_bytes())),
            ("signed_at_ms", Value::from(self.head.signed_at_ms)),
            ("tree_size", Value::from(self.head.tree_size)),
        ];
        let proof = [
            ("entry_b64", Value::from(Base64(&self.artifact.encode()?).to_string())),
            ("entry_index", Value::from(self.entry_index)),
            ("head", object(head)),
            ("kcp_proof", Value::from(VERSION)),
            ("path", Value::Array(self.path.iter().map(|hash| hex(hash.as_bytes())).collect())),
        ];
        Ok(object(proof).to_json())
    }

    /// Reads what [`to_json`](Proof::to_json) writes; whether it holds, [`verify`](Proof::verify) tells.
    pub fn parse(json: &str) -> Result<Self, ProofError> {
        if json.len() > PROOF_BYTES_MAX {
            return Err(ProofError::Malformed("it is too long"));
        }
        let value =
            Value::parse_json(json.as_bytes()).map_err(|_| ProofError::Malformed("it is not JSON"))?;
        if value.get("kcp_proof").and_then(Value::as_str) != Some(VERSION) {
            return Err(ProofError::Malformed("`kcp_proof` is not \"1\""));
        }
        let body = value.get("entry_b64").and_then(Value::as_str).and_then(from_base64);
        let artifact = body.and_then(|body| BundledArtifact::decode(&body));
        let path = value.get("path").and_then(Value::as_array).filter(|path| path.len() <= 64);
        let path = path.and_then(|path| path.iter().map(|hash| sha256(Some(hash))).collect());
        Ok(Proof {
            artifact: artifact.ok_or(ProofError::Malformed("`entry_b64` is not an artifact entry"))?,
            entry_index: number(&value, "entry_index").ok_or(ProofError::Malformed("`entry_index`"))?,
            path: path.ok_or(ProofError::Malformed("`path` is not a list of hashes"))?,
            head: value
                .get("head")
                .and_then(head)
                .ok_or(ProofError::Malformed("`head` is not a signed head"))?,
        })
    }
}

fn head(value: &Value) -> Option<Head> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    Some(Head {
        offset: number(value, "offset")?,
        created_at_ms: number(value, "created_at_ms")?,
        tree_size: number(value, "tree_size")?,
        signed_at_ms: number(value, "signed_at_ms")?,
        root: sha256(value.get("root"))?,
        public_key: text("public_key")?.parse::<PublicKey>().ok()?,
        signature: Signature::parse(text("signature")?)?,
    })
}

fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.as_number()?.as_u64()
}

fn sha256(value: Option<&Value>) -> Option<Sha256> {
    value?.as_str().and_then(from_hex).map(Sha256::from_bytes)
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
