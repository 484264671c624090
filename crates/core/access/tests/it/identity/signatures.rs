//! What verifies, and what does not.

use cairn_access::AccessCode;
use cairn_access::identity::{DerivedFrom, Identity, PublicKey, Signature, SignatureError, sign, verify};
use cairn_base::{CanonicalObject, ManualClock, SeededEntropy};
use proptest::prelude::*;

use super::unhex;

fn identity(seed: u64) -> Identity {
    Identity::random(&SeededEntropy::new(seed), &ManualClock::new(0))
}

fn parse(json: &str) -> CanonicalObject {
    CanonicalObject::parse(json.as_bytes()).unwrap_or_else(|error| panic!("{error} in {json}"))
}

/// `fields` with a signature of what `signed` says.
fn document(signed: &str, fields: &str) -> CanonicalObject {
    let signature = sign(&parse(signed), &identity(1)).signature;
    parse(&format!("{{\"signature\":\"{signature}\",{fields}}}"))
}

fn check(document: &CanonicalObject, expected: Result<DerivedFrom, SignatureError>) {
    let verified = verify(document, &identity(1).public_key());
    assert_eq!(verified.map(|verified| verified.derived_from), expected, "{document:?}");
}

#[test]
fn only_the_document_that_was_signed_verifies() {
    let signed = r#"{"title":"t","tags":["a","b"],"n":1}"#;
    check(&document(signed, r#""n":1,"tags":["a","b"],"title":"t""#), Ok(DerivedFrom::Absent));
    check(
        &document(signed, r#""_content_b64":"AA","n":1,"tags":["a","b"],"title":"\u0074""#),
        Ok(DerivedFrom::Absent),
    );
    for changed in [
        r#""n":1.0,"tags":["a","b"],"title":"t""#,
        r#""n":1,"tags":["b","a"],"title":"t""#,
        r#""n":1,"tags":["a","b"],"title":"T""#,
        r#""n":1,"tags":["a","b"]"#,
        r#""n":1,"tags":["a","b"],"title":"t","more":null"#,
        r#""n":1,"tags":["a","b"],"title":"t","derived_from":"x","more":null"#,
    ] {
        check(&document(signed, changed), Err(SignatureError::Wrong));
    }
    let other = verify(&document(signed, &signed[1..signed.len() - 1]), &identity(2).public_key());
    assert_eq!(other, Err(SignatureError::Wrong));
    assert_eq!(SignatureError::Wrong.code(), AccessCode::Unauthenticated);
}

#[test]
fn derived_from_may_have_been_added_and_that_is_told() {
    check(&document(r#"{"a":1}"#, r#""a":1,"derived_from":"x""#), Ok(DerivedFrom::Unsigned));
    check(&document(r#"{"a":1,"derived_from":"x"}"#, r#""a":1,"derived_from":"x""#), Ok(DerivedFrom::Signed));
    check(
        &document(r#"{"a":1,"derived_from":"x"}"#, r#""a":1,"derived_from":"y""#),
        Err(SignatureError::Wrong),
    );
    check(&document(r#"{"a":1,"derived_from":"x"}"#, r#""a":1"#), Err(SignatureError::Wrong));
    let added = document(r#"{"a":1}"#, r#""a":1,"derived_from":"x""#);
    let verified = verify(&added, &identity(1).public_key()).expect("it verifies without it");
    assert_eq!(verified.signed, r#"{"a":1}"#);
}

#[test]
fn signatures_are_128_digits_of_either_case() {
    let signature = sign(&parse(r#"{"a":1}"#), &identity(1)).signature.to_string();
    let with = |text: &str| parse(&format!("{{\"signature\":{text},\"a\":1}}"));
    check(&with(&format!("\"{}\"", signature.to_uppercase())), Ok(DerivedFrom::Absent));
    for bad in [
        "\"\"".to_owned(),
        "null".to_owned(),
        "1".to_owned(),
        format!("[\"{signature}\"]"),
        format!("\"{}\"", &signature[2..]),
        format!("\"{signature}00\""),
        format!("\" {}\"", &signature[1..]),
        format!("\"{}\"", "z".repeat(128)),
    ] {
        check(&with(&bad), Err(SignatureError::Malformed));
    }
    check(&parse(r#"{"a":1}"#), Err(SignatureError::Missing));
}

/// The order of the group that signatures are numbers of.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

#[test]
fn a_second_spelling_of_a_good_signature_is_refused() {
    let identity = identity(1);
    let signature = identity.sign_bytes(b"stone");
    assert!(identity.public_key().has_signed(b"stone", &signature));
    let mut bytes = *signature.as_bytes();
    let mut carry = 0;
    for (byte, more) in bytes[32..].iter_mut().zip(ORDER) {
        carry += u16::from(*byte) + u16::from(more);
        *byte = carry.to_le_bytes()[0];
        carry >>= 8;
    }
    assert!(!identity.public_key().has_signed(b"stone", &Signature::from_bytes(bytes)));
}

#[test]
fn a_key_that_fits_to_everything_is_refused() {
    // Points of small order: with them, and a signature of zero, lax verifiers accept any text.
    for weak in [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ] {
        let bytes: [u8; 32] = unhex(weak).try_into().expect("32 bytes");
        assert!(PublicKey::from_bytes(&bytes).is_err(), "{weak}");
    }
}

proptest! {
    #[test]
    fn no_changed_bit_goes_unseen(seed: u64, text: Vec<u8>, at: proptest::sample::Index, bit in 0..8_u8) {
        let identity = identity(seed);
        let key = identity.public_key();
        let signature = identity.sign_bytes(&text);
        prop_assert!(key.has_signed(&text, &signature));
        let mut changed = *signature.as_bytes();
        changed[at.index(64)] ^= 1 << bit;
        prop_assert!(!key.has_signed(&text, &Signature::from_bytes(changed)));
        let mut longer = text.clone();
        longer.push(bit);
        prop_assert!(!key.has_signed(&longer, &signature));
        if !text.is_empty() {
            let mut other = text.clone();
            other[at.index(text.len())] ^= 1 << bit;
            prop_assert!(!key.has_signed(&other, &signature));
        }
    }
}
