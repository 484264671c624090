//! The key that an artifact is verified with: registered for its author, or the author's own name.

use cairn_access::identity::{PublicKey, SignatureError, Verified, verify};
use cairn_access::registry::{self, Page, UserId};
use cairn_access::{KeyId, Scope, limits};
use cairn_base::CanonicalObject;
use cairn_seam::Reader;

use crate::did_key::parse_did_key;
use crate::{ArtifactError, Payload};

/// The verified signature of a payload, and the key that made it.
#[derive(Debug, Clone)]
pub struct Signer {
    /// The key.
    pub key: PublicKey,
    /// The signed bytes and the signature.
    pub verified: Verified,
    /// Whether the key is registered: then it has to be valid when the artifact is stored.
    pub is_registered: bool,
}

/// Verifies a payload with the keys that this node knows of its author. A user id that is a public key, or a
/// `did:key`, needs no registration; a key inside of the payload is never trusted by itself.
pub fn signer<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    object: &CanonicalObject,
    payload: &Payload,
) -> Result<Signer, ArtifactError> {
    let wrong = |error| ArtifactError::Signature { user_id: payload.user_id.clone(), id: payload.id, error };
    if let Some(key) = own_key(&payload.user_id) {
        let verified = verify(object, &key).map_err(wrong)?;
        return Ok(Signer { key, verified, is_registered: false });
    }
    let unknown = || ArtifactError::UnknownKey {
        user_id: payload.user_id.clone(),
        tenant_id: payload.tenant_id.clone(),
    };
    let user = UserId::parse(&payload.user_id).map_err(|_| unknown())?;
    let page = Page { after: None, limit: limits::CREDENTIALS_OF_USER_MAX };
    let mut keys = registry::keys(reader, scope, Some(&user), page)?.items;
    keys.retain(|key| key.revoked_at_ms.is_none());
    // The key that the author names is most likely the right one.
    let named = payload.public_key.map(|key| *key.as_bytes());
    keys.sort_by_key(|key| Some(key.id.0) != named);
    let mut failure = unknown();
    for KeyId(bytes) in keys.into_iter().map(|key| key.id) {
        let Ok(key) = PublicKey::from_bytes(&bytes) else { continue };
        match verify(object, &key) {
            Ok(verified) => return Ok(Signer { key, verified, is_registered: true }),
            Err(error @ (SignatureError::Missing | SignatureError::Malformed)) => return Err(wrong(error)),
            Err(error) => failure = wrong(error),
        }
    }
    Err(failure)
}

/// The key of a user id that is one.
fn own_key(user_id: &str) -> Option<PublicKey> {
    user_id.parse().ok().or_else(|| parse_did_key(user_id).ok())
}
