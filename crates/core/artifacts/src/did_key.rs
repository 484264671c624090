//! `did:key` of Ed25519: a public key as a decentralized identifier.
//!
//! The identifier is the multicodec number of Ed25519 public keys and the key itself, in base58btc. Other kinds
//! of keys are refused: artifacts are signed with Ed25519 only.

use cairn_access::identity::PublicKey;

use crate::multibase::{from_multibase, to_base58};

const PREFIX: &str = "did:key:";
/// The multicodec number `ed25519-pub`, 0xed, as a varint.
const ED25519: [u8; 2] = [0xed, 0x01];

/// The text is not a `did:key` of an Ed25519 key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid did:key; send an Ed25519 key like `did:key:z6Mk…`, without a fragment")]
pub struct DidKeyError;

/// Returns the `did:key` of a public key.
pub fn did_key(key: &PublicKey) -> String {
    let bytes: Vec<u8> = ED25519.iter().chain(key.as_bytes()).copied().collect();
    format!("{PREFIX}{}", to_base58(&bytes))
}

/// Reads the public key out of a `did:key`.
///
/// Fails for other methods and kinds of keys, for a second spelling of a key, and for weak keys.
pub fn parse_did_key(text: &str) -> Result<PublicKey, DidKeyError> {
    let encoded = text.strip_prefix(PREFIX).filter(|encoded| encoded.starts_with('z')).ok_or(DidKeyError)?;
    let bytes = from_multibase(encoded).ok_or(DidKeyError)?;
    let key = bytes.strip_prefix(&ED25519).and_then(|key| key.try_into().ok()).ok_or(DidKeyError)?;
    PublicKey::from_bytes(key).map_err(|_| DidKeyError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_the_specification_are_read_and_written() {
        for (text, digits) in [
            (
                "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK",
                "2e6fcce36701dc791488e0d0b1745cc1e33a4c1c9fcc41c63bd343dbbe0970e6",
            ),
            (
                "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp",
                "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
            ),
        ] {
            let key: PublicKey = digits.parse().expect("a key");
            assert_eq!(parse_did_key(text), Ok(key));
            assert_eq!(did_key(&key), text);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let good = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK";
        let x25519 = "did:key:z6LSeu9HkTHSfLLeUs2nnzUSNedgDUevfNQgQjQC23ZCit6F";
        let weak = did_of(&[0; 32]);
        for bad in ["", "did:key:", "did:web:x", x25519, &good[..50], &format!("{good}#x"), &weak] {
            assert_eq!(parse_did_key(bad), Err(DidKeyError), "{bad}");
        }
    }

    fn did_of(key: &[u8; 32]) -> String {
        format!("{PREFIX}{}", to_base58(&[&ED25519[..], key].concat()))
    }
}
