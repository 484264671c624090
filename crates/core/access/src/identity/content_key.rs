//! Content that another implementation sealed for its author alone: `KCPENC1`, a nonce, and AES-256-GCM.
//!
//! Each artifact has a key of its own, derived from the author's private key and the artifact's id. Only read here, when
//! such content is imported: cairn encrypts whole stores.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use zeroize::Zeroizing;

use super::Identity;

const MAGIC: &[u8] = b"KCPENC1";
const NONCE_BYTES: usize = 12;
const PURPOSE: &str = "kcp-content-key:";

/// Whether content was sealed for its author.
pub fn is_sealed_content(content: &[u8]) -> bool {
    content.starts_with(MAGIC)
}

/// Opens content that was sealed for its author; `None` if it is another author's or artifact's, or was changed.
pub fn open_sealed_content(identity: &Identity, artifact_id: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, sealed) = sealed.strip_prefix(MAGIC)?.split_at_checked(NONCE_BYTES)?;
    let key = content_key(identity, artifact_id)?;
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &*key).ok()?);
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut content = sealed.to_vec();
    let length = key.open_in_place(nonce, Aad::empty(), &mut content).ok()?.len();
    content.truncate(length);
    Some(content)
}

fn content_key(identity: &Identity, artifact_id: &str) -> Option<Zeroizing<[u8; 32]>> {
    let info = [PURPOSE.as_bytes(), artifact_id.as_bytes()];
    let derived = Salt::new(HKDF_SHA256, &[]).extract(identity.private_key());
    let mut key = Zeroizing::new([0; 32]);
    derived.expand(&info, HKDF_SHA256).ok()?.fill(&mut *key).ok()?;
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::About;

    fn bytes(hex: &str) -> Vec<u8> {
        let digit = |byte: u8| (byte as char).to_digit(16).expect("a digit") as u8;
        hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
    }

    #[test]
    fn sealed_content_opens_for_its_author_and_its_artifact_alone() {
        let key = bytes("5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1");
        let author = Identity::from_private_key(&key.try_into().expect("32 bytes"), About::default());
        let id = "550e8400-e29b-41d4-a716-446655440000";
        // Sealed by the Python implementation with this key: `# Hello` and a newline.
        let sealed =
            bytes("4b4350454e43317beed1b09f6db780c755fff1afcab062ef3e6a5a4b04347d54ce6e75a5b55915ac0e1252");
        assert!(is_sealed_content(&sealed));
        assert_eq!(open_sealed_content(&author, id, &sealed).as_deref(), Some(&b"# Hello\n"[..]));
        assert_eq!(open_sealed_content(&author, "00000000-0000-4000-8000-000000000000", &sealed), None);
        let stranger = Identity::from_private_key(&[7; 32], About::default());
        assert_eq!(open_sealed_content(&stranger, id, &sealed), None);
        for cut in [0, 6, 7, 18, 19, sealed.len() - 1] {
            assert_eq!(open_sealed_content(&author, id, &sealed[..cut]), None, "{cut}");
        }
    }
}
