//! An artifact as an in-toto statement in a DSSE envelope, signed with Ed25519.
//!
//! The subject is the content by its SHA-256, the predicate is the artifact as it is sent: the payload with its
//! own signature, which stays verifiable. The envelope says that the exporting node vouches for this pair.

use cairn_access::identity::{Identity, PublicKey, Signature};
use cairn_base::{Base64, CanonicalObject, Hex, Value, from_base64, from_hex};
use cairn_seam::Sha256;

use crate::limits::DSSE_BYTES_MAX;
use crate::view::object;

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE: &str = "urn:kcp:artifact:1";
/// Signatures of one envelope that are tried.
const SIGNATURES_MAX: usize = 16;

/// The reason why there is no envelope, or why it proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DsseError {
    /// The artifact cannot be put into a statement.
    #[error(
        "the payload is not a canonical JSON object with `id` and `content_hash`; publish the artifact first"
    )]
    Payload,
    /// The envelope is too long.
    #[error("an envelope of {bytes} bytes exceeds the limit of {DSSE_BYTES_MAX}; export a bundle instead")]
    TooLong {
        /// Bytes of the envelope.
        bytes: usize,
    },
    /// The text is not an envelope of an artifact.
    #[error("invalid DSSE envelope: {0}")]
    Malformed(&'static str),
    /// No signature is of the expected key.
    #[error("the envelope is not signed by the expected key; do not trust it")]
    Signature,
}

/// The contents of an envelope that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The id of the artifact.
    pub id: String,
    /// SHA-256 of its content.
    pub content: Sha256,
    /// The artifact with its own signature, to be verified with the author's key.
    pub artifact: CanonicalObject,
}

/// Signs an envelope around an artifact, given its canonical payload and its signature.
pub fn seal(payload: &str, signature: &Signature, identity: &Identity) -> Result<String, DsseError> {
    let artifact = with_signature(payload, signature).ok_or(DsseError::Payload)?;
    let (id, content) = subject_of(&artifact).ok_or(DsseError::Payload)?;
    // The predicate goes in as text: a value would not keep integers over 64 bits.
    let subject = object([
        ("name", Value::from(format!("kcp:{id}"))),
        ("digest", object([("sha256", Value::from(Hex(content.as_bytes()).to_string()))])),
    ]);
    let statement = format!(
        "{{\"_type\":\"{STATEMENT_TYPE}\",\"predicate\":{},\"predicateType\":\"{PREDICATE_TYPE}\",\"subject\":[{}]}}",
        artifact.to_json(|_| true),
        subject.to_json(),
    );
    let own = identity.sign_bytes(&pre_authentication(PAYLOAD_TYPE, statement.as_bytes()));
    let signature = object([
        ("keyid", Value::from(identity.public_key().to_string())),
        ("sig", Value::from(Base64(own.as_bytes()).to_string())),
    ]);
    let envelope = object([
        ("payload", Value::from(Base64(statement.as_bytes()).to_string())),
        ("payloadType", Value::from(PAYLOAD_TYPE)),
        ("signatures", Value::Array(vec![signature])),
    ]);
    let envelope = envelope.to_json();
    check_length(&envelope).map(|()| envelope)
}

/// Verifies an envelope with the key of the node that is expected to vouch for it.
///
/// The key ids in the envelope are ignored. Fails unless that key signed it, and its subject is the artifact
/// in it. The author's own signature is not verified.
pub fn open(envelope: &str, key: &PublicKey) -> Result<Statement, DsseError> {
    check_length(envelope)?;
    let value = Value::parse_json(envelope.as_bytes()).map_err(|_| DsseError::Malformed("it is not JSON"))?;
    if value.get("payloadType").and_then(Value::as_str) != Some(PAYLOAD_TYPE) {
        return Err(DsseError::Malformed("`payloadType` is not in-toto"));
    }
    let body = value.get("payload").and_then(Value::as_str).and_then(from_base64);
    let body = body.ok_or(DsseError::Malformed("`payload` is not base64"))?;
    let signatures = value.get("signatures").and_then(Value::as_array).unwrap_or_default();
    let message = pre_authentication(PAYLOAD_TYPE, &body);
    let is_signed = signatures.iter().take(SIGNATURES_MAX).any(|signature| {
        let bytes = signature.get("sig").and_then(Value::as_str).and_then(from_base64);
        let bytes = bytes.and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
        bytes.is_some_and(|bytes| key.has_signed(&message, &Signature::from_bytes(bytes)))
    });
    if is_signed { statement(&body) } else { Err(DsseError::Signature) }
}

/// Reads a statement whose signature was verified.
fn statement(body: &[u8]) -> Result<Statement, DsseError> {
    let statement =
        CanonicalObject::parse(body).map_err(|_| DsseError::Malformed("the statement is not JSON"))?;
    let is = |name: &str, expected: &str| statement.get_str(name).as_deref() == Some(expected);
    if !is("_type", STATEMENT_TYPE) || !is("predicateType", PREDICATE_TYPE) {
        return Err(DsseError::Malformed("the statement is not about a KCP artifact"));
    }
    let predicate = statement.get("predicate").unwrap_or_default();
    let artifact = CanonicalObject::parse(predicate.as_bytes());
    let artifact = artifact.map_err(|_| DsseError::Malformed("the predicate is not an artifact"))?;
    let (id, content) =
        subject_of(&artifact).ok_or(DsseError::Malformed("the predicate is not an artifact"))?;
    let subjects = statement.get("subject").and_then(|subject| Value::parse_json(subject.as_bytes()).ok());
    let subjects = subjects.as_ref().and_then(Value::as_array).unwrap_or_default();
    let digest = match subjects {
        [subject] => subject.get("digest").and_then(|digest| digest.get("sha256")).and_then(Value::as_str),
        _ => None,
    };
    if digest.and_then(from_hex) != Some(*content.as_bytes()) {
        return Err(DsseError::Malformed("the subject is not the content of the artifact"));
    }
    Ok(Statement { id, content, artifact })
}

/// The bytes that are signed: type and body with their lengths, so that neither can pass for a part of the other.
fn pre_authentication(kind: &str, body: &[u8]) -> Vec<u8> {
    let mut message = format!("DSSEv1 {} {kind} {} ", kind.len(), body.len()).into_bytes();
    message.extend_from_slice(body);
    message
}

fn with_signature(payload: &str, signature: &Signature) -> Option<CanonicalObject> {
    let object = CanonicalObject::parse(payload.as_bytes()).ok()?;
    if object.get("signature").is_some() || object.to_json(|_| true) != payload {
        return None;
    }
    let open = payload.strip_suffix('}')?;
    CanonicalObject::parse(format!("{open},\"signature\":\"{signature}\"}}").as_bytes()).ok()
}

fn subject_of(artifact: &CanonicalObject) -> Option<(String, Sha256)> {
    let content = artifact.get_str("content_hash").and_then(|digits| from_hex(&digits))?;
    Some((artifact.get_str("id")?, Sha256::from_bytes(content)))
}

fn check_length(envelope: &str) -> Result<(), DsseError> {
    let bytes = envelope.len();
    if bytes > DSSE_BYTES_MAX { Err(DsseError::TooLong { bytes }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use cairn_access::identity::verify;

    use super::*;
    use crate::bundle::tests::{identity, payload};

    #[test]
    fn the_bytes_of_the_specification_are_signed() {
        let message = pre_authentication("http://example.com/HelloWorld", b"hello world");
        assert_eq!(message, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    }

    #[test]
    fn envelopes_prove_content_and_author() {
        let (author, node) = (identity(1), identity(2));
        let payload = payload(7, b"content");
        let signature = author.sign_bytes(payload.as_bytes());
        let envelope = seal(&payload, &signature, &node).expect("an artifact");
        let statement = open(&envelope, &node.public_key()).expect("signed by the node");
        assert_eq!(statement.content, Sha256::of(b"content"));
        let verified = verify(&statement.artifact, &author.public_key()).expect("signed by the author");
        assert_eq!(verified.signed, payload);
        assert_eq!(open(&envelope, &author.public_key()), Err(DsseError::Signature));
    }

    #[test]
    fn changed_envelopes_prove_nothing() {
        let node = identity(2);
        let payload = payload(7, b"content");
        let signature = node.sign_bytes(payload.as_bytes());
        let envelope = seal(&payload, &signature, &node).expect("an artifact");
        // The key id is a hint, and may change.
        let key_id = envelope.find("keyid").expect("a key id");
        let key_id = key_id..key_id + "keyid\":\"".len() + 64;
        for at in 0..envelope.len() {
            let mut bad = envelope.clone().into_bytes();
            bad[at] ^= 1;
            let Ok(bad) = String::from_utf8(bad) else { continue };
            if let Ok(statement) = open(&bad, &node.public_key()) {
                assert!(key_id.contains(&at) && statement.id.len() == 36, "{at}");
            }
        }
        for bad in ["", "{}", "[]", "{\"payloadType\":\"application/vnd.in-toto+json\"}"] {
            assert!(matches!(open(bad, &node.public_key()), Err(DsseError::Malformed(_))), "{bad}");
        }
        let long = " ".repeat(DSSE_BYTES_MAX + 1);
        assert_eq!(open(&long, &node.public_key()), Err(DsseError::TooLong { bytes: long.len() }));
    }

    #[test]
    fn statements_about_something_else_are_refused() {
        let node = identity(2);
        let enclose = |statement: &str| {
            let own = node.sign_bytes(&pre_authentication(PAYLOAD_TYPE, statement.as_bytes()));
            format!(
                "{{\"payload\":\"{}\",\"payloadType\":\"{PAYLOAD_TYPE}\",\"signatures\":[{{\"sig\":\"{}\"}}]}}",
                Base64(statement.as_bytes()),
                Base64(own.as_bytes()),
            )
        };
        let hash = Hex(Sha256::of(b"content").as_bytes()).to_string();
        let statement = |kind: &str, digest: &str| {
            format!(
                "{{\"_type\":\"{STATEMENT_TYPE}\",\"predicateType\":\"{kind}\",\"subject\":[{{\"digest\":\
                 {{\"sha256\":\"{digest}\"}}}}],\"predicate\":{{\"id\":\"x\",\"content_hash\":\"{hash}\"}}}}"
            )
        };
        assert!(open(&enclose(&statement(PREDICATE_TYPE, &hash)), &node.public_key()).is_ok());
        for bad in [statement("other", &hash), statement(PREDICATE_TYPE, &"00".repeat(32)), "[]".to_owned()] {
            let refused = open(&enclose(&bad), &node.public_key());
            assert!(matches!(refused, Err(DsseError::Malformed(_))), "{bad}");
        }
        for bad in ["", "{}", "{\"id\":\"x\"}", "{\"content_hash\":\"00\",\"id\":\"x\"}"] {
            let signature = node.sign_bytes(bad.as_bytes());
            assert_eq!(seal(bad, &signature, &node), Err(DsseError::Payload), "{bad}");
        }
    }
}
