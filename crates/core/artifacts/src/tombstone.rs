//! Tombstones: signed statements that an artifact was deleted.

use cairn_access::identity::{Identity, PublicKey, Signature, sign, verify};
use cairn_base::{CanonicalObject, Value, from_iso, to_iso_utc};

use crate::payload::VERSION;
use crate::record::{put_text, take_text};
use crate::{ArtifactError, ArtifactId, limits};

/// What a tombstone says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// The artifact.
    pub id: ArtifactId,
    /// The time of the deletion, in Unix milliseconds.
    pub deleted_at_ms: u64,
    /// The user who deleted it.
    pub by: String,
    /// The reason; empty for none.
    pub reason: String,
}

/// A tombstone as it is stored: the canonical JSON that was signed, the signature and the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedTombstone {
    /// The canonical JSON.
    pub signed: String,
    /// The signature.
    pub signature: Signature,
    /// The key that verifies it.
    pub public_key: [u8; 32],
}

impl Tombstone {
    /// Reads a tombstone that a client signed.
    pub fn read(object: &CanonicalObject) -> Result<Self, ArtifactError> {
        let wrong = |what: &str| ArtifactError::Tombstone(what.to_owned());
        if object.get_str("version").as_deref() != Some(VERSION) {
            return Err(wrong("`version` must be \"1\""));
        }
        let id = object.get_str("id").and_then(|id| id.parse().ok());
        let at =
            object.get_str("deleted_at").and_then(|at| from_iso(&at)).and_then(|at| u64::try_from(at).ok());
        let reason = object.get_str("reason").unwrap_or_default();
        if reason.chars().count() > limits::REASON_CHARS_MAX {
            return Err(wrong(&format!("`reason` has more than {} characters", limits::REASON_CHARS_MAX)));
        }
        Ok(Tombstone {
            id: id.ok_or_else(|| wrong("`id` must be the id of the artifact"))?,
            deleted_at_ms: at.ok_or_else(|| wrong("`deleted_at` must be ISO 8601 with a zone"))?,
            by: object.get_str("by").ok_or_else(|| wrong("`by` must be the user who deletes"))?,
            reason,
        })
    }

    /// The tombstone as canonical JSON can be signed.
    fn to_object(&self) -> Result<CanonicalObject, ArtifactError> {
        let mut object = CanonicalObject::parse(b"{}")?;
        object.set("id", &Value::String(self.id.to_string()))?;
        object.set("version", &VERSION.into())?;
        object.set("deleted_at", &Value::String(to_iso_utc(self.deleted_at_ms)))?;
        object.set("by", &self.by.as_str().into())?;
        if !self.reason.is_empty() {
            object.set("reason", &self.reason.as_str().into())?;
        }
        Ok(object)
    }

    /// Signs it.
    pub fn sign(&self, identity: &Identity) -> Result<SignedTombstone, ArtifactError> {
        let signed = sign(&self.to_object()?, identity);
        let public_key = *identity.public_key().as_bytes();
        Ok(SignedTombstone { signed: signed.signed, signature: signed.signature, public_key })
    }
}

impl SignedTombstone {
    /// Verifies the signature of a tombstone that a client sent.
    pub fn verify(object: &CanonicalObject, key: &PublicKey) -> Result<Self, ArtifactError> {
        let verified = verify(object, key).map_err(|error| ArtifactError::Tombstone(error.to_string()))?;
        Ok(SignedTombstone {
            signed: verified.signed,
            signature: verified.signature,
            public_key: *key.as_bytes(),
        })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![1];
        out.extend_from_slice(self.signature.as_bytes());
        out.extend_from_slice(&self.public_key);
        put_text(&mut out, &self.signed);
        out
    }

    /// Decodes the value of a record of [`TOMBSTONES`](crate::tables::TOMBSTONES).
    pub fn decode(value: &[u8]) -> Result<Self, ArtifactError> {
        let decoded = || {
            let (version, rest) = value.split_first()?;
            let (signature, rest) = rest.split_first_chunk::<64>().filter(|_| *version == 1)?;
            let (public_key, mut rest) = rest.split_first_chunk::<32>()?;
            let signed = take_text(&mut rest)?;
            let signature = Signature::from_bytes(*signature);
            Some(SignedTombstone { signed, signature, public_key: *public_key })
        };
        let detail = "it is cut or of an unknown version";
        decoded().ok_or_else(|| ArtifactError::BadRecord { what: "tombstone", detail: detail.into() })
    }
}
