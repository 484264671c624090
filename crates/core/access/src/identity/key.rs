//! Identities: a private key, its public one, and what is known about where it came from.

use std::fmt;

use cairn_base::{Clock, Entropy};
use ed25519_dalek::{Signer, SigningKey};
use zeroize::Zeroizing;

use super::{About, IdentityError, Phrase, PublicKey, SecretText, Signature};

/// A key pair, and what is known about it. Wiped from memory when dropped; only public things are shown.
#[derive(Clone)]
pub struct Identity {
    key: SigningKey,
    about: About,
}

impl Identity {
    /// A key of chance alone. Nothing but a backup brings it back.
    pub fn random(entropy: &dyn Entropy, clock: &dyn Clock) -> Self {
        let mut key = Zeroizing::new([0; 32]);
        entropy.fill(&mut *key);
        Identity::from_private_key(&key, About { created_at_ms: Some(clock.now_ms()), ..About::default() })
    }

    /// The key that a recovery phrase and a passphrase stand for; the passphrase may be empty.
    pub fn from_phrase(
        phrase: &Phrase,
        passphrase: &SecretText,
        clock: &dyn Clock,
    ) -> Result<Self, IdentityError> {
        let about = About {
            language: Some(phrase.language()),
            word_count: Some(phrase.count()),
            passphrase_protected: !passphrase.is_empty(),
            created_at_ms: Some(clock.now_ms()),
            created_by_node: false,
        };
        Ok(Identity::from_private_key(&*phrase.private_key(passphrase)?, about))
    }

    pub(super) fn from_private_key(key: &[u8; 32], about: About) -> Self {
        Identity { key: SigningKey::from_bytes(key), about }
    }

    pub(super) fn with(self, about: About) -> Self {
        Identity { about, ..self }
    }

    /// The same identity, marked as one that a node created by itself.
    #[must_use]
    pub fn created_by_node(self) -> Self {
        let about = About { created_by_node: true, ..self.about.clone() };
        self.with(about)
    }

    /// The public key, whose digits are the node id.
    pub fn public_key(&self) -> PublicKey {
        PublicKey::of(self.key.verifying_key())
    }

    /// Where the key came from, as far as that is known.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Signs bytes as they are. Documents are signed with [`sign`](super::sign).
    pub fn sign_bytes(&self, bytes: &[u8]) -> Signature {
        Signature::from_bytes(self.key.sign(bytes).to_bytes())
    }

    pub(super) fn private_key(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("public_key", &self.public_key()).finish_non_exhaustive()
    }
}
