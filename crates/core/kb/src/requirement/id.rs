//! Ids of entities, computed from the claim.

use cairn_seam::Sha256;

use super::SemanticClaim;
use super::normalize::source_key;
use crate::{KbError, Result};

/// Bytes of the hash that an id shows.
const ID_HEX: usize = 16;

/// The key of a claim: source, subject, property, operator and value, joined by colons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StableKey(String);

impl StableKey {
    /// The key of a claim whose keys are normalised.
    pub(super) fn new(source: &str, claim: &SemanticClaim) -> Result<Self> {
        let source = source_key(source);
        if source.is_empty() {
            let message = "it has no letter and no digit of ASCII, which ids are made of";
            return Err(KbError::argument("source", message));
        }
        let SemanticClaim { subject_key, property_key, operator, value, confidence: _ } = claim;
        Ok(StableKey(format!("{source}:{subject_key}:{property_key}:{operator}:{}", value.key_text())))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    pub(super) fn requirement(&self) -> String {
        self.id("REQ-AUTO", "req")
    }

    pub(super) fn subject(&self) -> String {
        self.id("FACT-SUBJECT", "subject")
    }

    pub(super) fn property(&self) -> String {
        self.id("FACT-PROP", "property")
    }

    pub(super) fn observation(&self) -> String {
        self.id("FACT-OBS", "observation")
    }

    fn id(&self, prefix: &str, tag: &str) -> String {
        let hash = format!("{:?}", Sha256::of(format!("{tag}:{}", self.0).as_bytes()));
        format!("{prefix}-{}", hash[..ID_HEX].to_uppercase())
    }
}
