//! Signatures of documents, over their canonical JSON.
//!
//! Never signed are `signature` itself and what only travels along: keys that begin with `_`. Some nodes add
//! `derived_from` to a document after it was signed; a signature that fits without it is taken, and says so.

use std::fmt;

use cairn_base::{CanonicalObject, Hex, from_hex};

use super::{Identity, PublicKey, SignatureError};

const SIGNATURE: &str = "signature";
const DERIVED_FROM: &str = "derived_from";

/// An Ed25519 signature; shown as 128 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature([u8; 64]);

impl Signature {
    /// Takes over 64 bytes; whether they are a signature of anything shows when it is verified.
    pub const fn from_bytes(bytes: [u8; 64]) -> Self {
        Signature(bytes)
    }

    /// Reads 128 hexadecimal digits of either case.
    pub fn parse(text: &str) -> Option<Self> {
        from_hex(text).map(Signature)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}

/// Whether the signer said what a document is derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DerivedFrom {
    /// The document does not say it.
    Absent,
    /// The signer said it.
    Signed,
    /// Somebody said it after the document was signed.
    Unsigned,
}

/// A document that was signed by the key it was verified with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The very text that was signed: to be kept as it is, never made again from its parts.
    pub signed: String,
    /// The signature.
    pub signature: Signature,
    /// Who said what it is derived from.
    pub derived_from: DerivedFrom,
}

/// Signs a document, whatever signature it has.
pub fn sign(document: &CanonicalObject, identity: &Identity) -> Verified {
    let signed = document.to_json(is_signed);
    let derived_from = document.get(DERIVED_FROM).map_or(DerivedFrom::Absent, |_| DerivedFrom::Signed);
    Verified { signature: identity.sign_bytes(signed.as_bytes()), signed, derived_from }
}

/// Verifies the signature that a document carries.
pub fn verify(document: &CanonicalObject, key: &PublicKey) -> Result<Verified, SignatureError> {
    document.get(SIGNATURE).ok_or(SignatureError::Missing)?;
    let signature = document.get_str(SIGNATURE).and_then(|text| Signature::parse(&text));
    let signature = signature.ok_or(SignatureError::Malformed)?;
    let with = document.get(DERIVED_FROM).map_or(DerivedFrom::Absent, |_| DerivedFrom::Signed);
    let signed = document.to_json(is_signed);
    if key.has_signed(signed.as_bytes(), &signature) {
        return Ok(Verified { signed, signature, derived_from: with });
    }
    if with == DerivedFrom::Absent {
        return Err(SignatureError::Wrong);
    }
    let signed = document.to_json(|key| is_signed(key) && key != DERIVED_FROM);
    if key.has_signed(signed.as_bytes(), &signature) {
        return Ok(Verified { signed, signature, derived_from: DerivedFrom::Unsigned });
    }
    Err(SignatureError::Wrong)
}

fn is_signed(key: &str) -> bool {
    key != SIGNATURE && !key.starts_with('_')
}
