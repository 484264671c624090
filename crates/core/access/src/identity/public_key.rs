//! Public keys: names that prove themselves.

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use cairn_base::{Hex, from_hex};
use ed25519_dalek::VerifyingKey;

use super::Signature;

/// An Ed25519 public key. Its 64 hexadecimal digits are the node id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// The text is not the public key of anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a public key is 64 hexadecimal digits that a private key belongs to")]
pub struct NotAPublicKey;

impl PublicKey {
    /// Takes 32 bytes, unless no private key can belong to them or there is another way to write the same key.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, NotAPublicKey> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| NotAPublicKey)?;
        if key.is_weak() || !is_reduced(bytes) { Err(NotAPublicKey) } else { Ok(PublicKey(key)) }
    }

    pub(super) fn of(key: VerifyingKey) -> Self {
        PublicKey(key)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Eight digits to recognise it by; they prove nothing.
    pub fn fingerprint(&self) -> String {
        Hex(&self.as_bytes()[..4]).to_string()
    }

    /// Whether the private key signed exactly these bytes. Strict: there is one signature that fits, not several.
    pub fn has_signed(&self, bytes: &[u8], signature: &Signature) -> bool {
        is_signed_by(self.as_bytes(), bytes, signature)
    }
}

/// The same for a key that nobody has looked at yet: one that is none has signed nothing.
///
/// AWS-LC checks the equation itself, without the cofactor, over reduced numbers only, and in a third of the
/// time of others; what it does not mind, and strictness does, are points of small order and second spellings.
pub(crate) fn is_signed_by(key: &[u8; 32], bytes: &[u8], signature: &Signature) -> bool {
    let is_small = |half: &[u8]| SMALL_ORDER.iter().any(|point| point == half);
    if !is_reduced(key) || is_small(key) || is_small(&signature.as_bytes()[..32]) {
        return false;
    }
    UnparsedPublicKey::new(&ED25519, key).verify(bytes, signature.as_bytes()).is_ok()
}

/// Every point of small order, as it is written.
const SMALL_ORDER: [[u8; 32]; 8] = [
    point(0x01, 0x00, 0x00),
    point(0xec, 0xff, 0x7f),
    point(0x00, 0x00, 0x00),
    point(0x00, 0x00, 0x80),
    EIGHTH,
    with_sign(EIGHTH),
    OTHER_EIGHTH,
    with_sign(OTHER_EIGHTH),
];
const EIGHTH: [u8; 32] = [
    0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
    0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
];
const OTHER_EIGHTH: [u8; 32] = [
    0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
    0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
];

const fn point(first: u8, middle: u8, last: u8) -> [u8; 32] {
    let mut bytes = [middle; 32];
    bytes[0] = first;
    bytes[31] = last;
    bytes
}

const fn with_sign(mut point: [u8; 32]) -> [u8; 32] {
    point[31] |= 0x80;
    point
}

/// Whether the number in the bytes is below the prime 2^255 - 19; the highest bit is a sign.
fn is_reduced(bytes: &[u8; 32]) -> bool {
    bytes[31] & 0x7f != 0x7f || bytes[1..31].iter().any(|byte| *byte != 0xff) || bytes[0] < 0xed
}

impl FromStr for PublicKey {
    type Err = NotAPublicKey;

    fn from_str(text: &str) -> Result<Self, NotAPublicKey> {
        let bytes = from_hex(text).ok_or(NotAPublicKey)?;
        PublicKey::from_bytes(&bytes)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(self.as_bytes()).fmt(f)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_points_of_small_order_are_those() {
        let mut points: Vec<_> = SMALL_ORDER.to_vec();
        points.sort_unstable();
        points.dedup();
        assert_eq!(points.len(), 8);
        for point in points {
            assert!(VerifyingKey::from_bytes(&point).expect("a point").is_weak(), "{point:02x?}");
        }
    }

    /// The order of the group, which signatures are below.
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];

    #[test]
    fn with_a_key_of_small_order_nobody_has_signed_anything() {
        // Such a signature fits whatever the text is, for those who do not look.
        let anything = Signature::from_bytes(std::array::from_fn(|at| u8::from(at == 0)));
        for key in SMALL_ORDER {
            assert!(!is_signed_by(&key, b"text", &anything), "{key:02x?}");
        }
    }

    proptest! {
        /// Two libraries, one verdict: on good signatures, on broken ones, and on those that only strictness
        /// tells apart.
        #[test]
        fn both_libraries_agree(seed: [u8; 32], text: Vec<u8>, flip in 0..512_usize, how in 0..5_u8) {
            let key = SigningKey::from_bytes(&seed);
            let mut signature = key.sign(&text).to_bytes();
            match how {
                0 => {}
                1 => signature[flip / 8] ^= 1 << (flip % 8),
                2 => signature[..32].copy_from_slice(&SMALL_ORDER[flip % 8]),
                3 => {
                    // The second half and the order of the group: the same number, written otherwise.
                    let mut carry = 0;
                    for (byte, more) in signature[32..].iter_mut().zip(ORDER) {
                        let sum = u16::from(*byte) + u16::from(more) + carry;
                        (*byte, carry) = (sum.to_le_bytes()[0], sum >> 8);
                    }
                }
                _ => signature[32..].fill(0),
            }
            let ours = PublicKey::of(key.verifying_key()).has_signed(&text, &Signature::from_bytes(signature));
            let theirs = key.verifying_key().verify_strict(&text, &ed25519_dalek::Signature::from_bytes(&signature));
            prop_assert_eq!(ours, theirs.is_ok());
            prop_assert_eq!(ours, how == 0);
        }
    }

    #[test]
    fn weak_keys_and_second_spellings_are_refused() {
        let good = "c5785e1865b708938aff8161d573006496663b1aa10834e396dc566869a2c66a";
        let key: PublicKey = good.to_uppercase().parse().expect("a key");
        assert_eq!((key.to_string().as_str(), key.fingerprint().as_str()), (good, "c5785e18"));
        assert_eq!(format!("{key:?}"), format!("PublicKey({good})"));
        let neutral = format!("01{}", "00".repeat(31));
        // Numbers from the prime on stand for those from 0 on: each of the 19 has a shorter spelling.
        let beyond = |low: u8, high: &str| format!("{low:02x}{}{high}", "ff".repeat(30));
        let mut bad = vec![String::new(), good[1..].to_owned(), neutral, "00".repeat(32)];
        for low in 0xed..=0xff {
            bad.extend([beyond(low, "7f"), beyond(low, "ff")]);
        }
        for bad in bad {
            assert_eq!(bad.parse::<PublicKey>(), Err(NotAPublicKey), "{bad}");
        }
        let reduced = (0..0xed).filter(|low| beyond(*low, "7f").parse::<PublicKey>().is_ok()).count();
        assert!(reduced > 50, "half of all numbers are of a point: {reduced}");
    }
}
