//! Verifying JSON files: the export of one artifact, and inclusion proofs.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use cairn_access::identity::{PublicKey, verify};
use cairn_artifacts::bundle::Proof;
use cairn_artifacts::limits::{ONE_JSON_CONTENT_BYTES_MAX, PROOF_BYTES_MAX};
use cairn_artifacts::one_json;
use cairn_base::{CanonicalObject, to_iso_utc};
use serde_json::json;

use super::verify::{attested_by, valid};
use crate::command::answer::text;
use crate::command::{print, table};
use crate::failure::Failure;

/// Bytes of a JSON file that are read: content in base64, and as much again for the rest.
pub(super) const JSON_BYTES_MAX: u64 = 2 * ONE_JSON_CONTENT_BYTES_MAX as u64;

/// Returns whether a file holds a JSON object; it stands at its beginning afterwards.
pub(super) fn is_json(file: &mut File) -> std::io::Result<bool> {
    let mut start = Vec::new();
    file.by_ref().take(64).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(start.trim_ascii_start().starts_with(b"{"))
}

/// Verifies a JSON file by what it is.
pub(super) fn verify_json(as_json: bool, file: &Path, input: File) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::io(format_args!("read {}", file.display()), &error);
    let mut bytes = Vec::new();
    input.take(JSON_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    let bytes = bytes.trim_ascii();
    let is_proof = bytes.len() <= PROOF_BYTES_MAX
        && CanonicalObject::parse(bytes).is_ok_and(|object| object.get("kcp_proof").is_some());
    let checked = if is_proof { proof(bytes) } else { one(bytes) };
    let checked = checked.map_err(|reason| Failure::new(format!("{}: {reason}", file.display())))?;
    print(&if as_json { format!("{:#}\n", checked.json) } else { checked.text })?;
    if checked.is_ok { Ok(()) } else { Err(Failure::new(format!("{} does not verify", file.display()))) }
}

/// The outcome of a verification.
struct Checked {
    is_ok: bool,
    json: serde_json::Value,
    text: String,
}

/// An inclusion proof: the path leads to a signed root, and the artifact is signed by the key that it names.
fn proof(bytes: &[u8]) -> Result<Checked, String> {
    let json = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let proof = Proof::parse(json).map_err(|error| error.to_string())?;
    let included = proof.verify();
    let artifact = &proof.artifact;
    let key = PublicKey::from_bytes(&artifact.public_key).ok();
    let signature_ok =
        key.is_some_and(|key| key.has_signed(artifact.payload.as_bytes(), &artifact.signature));
    let payload = CanonicalObject::parse(artifact.payload.as_bytes()).map_err(|error| error.to_string())?;
    let said = |name: &str| payload.get_str(name).unwrap_or_default();
    let signer = cairn_base::Hex(&artifact.public_key).to_string();
    let problem = included.as_ref().err().map(ToString::to_string);
    let root = format!("{:?}", proof.head.root);
    let is_ok = included.is_ok() && signature_ok;
    let rows = [
        ["proof".to_owned(), problem.clone().unwrap_or_else(|| "holds".to_owned())],
        ["artifact".to_owned(), format!("{}  {}", text(&said("id")), text(&said("title")))],
        ["author".to_owned(), format!("{} in {}", text(&said("user_id")), text(&said("tenant_id")))],
        ["signature".to_owned(), valid(signature_ok).to_owned()],
        ["signed by".to_owned(), format!("{}, key {signer}", attested_by(artifact.attested_by))],
        ["entry".to_owned(), format!("{} of {}", proof.entry_index, proof.head.tree_size)],
        ["root".to_owned(), root.clone()],
        ["root signed by".to_owned(), proof.head.public_key.to_string()],
    ];
    let json = json!({
        "valid": is_ok,
        "included": included.is_ok(),
        "reason": problem,
        "id": said("id"),
        "title": said("title"),
        "user_id": said("user_id"),
        "tenant_id": said("tenant_id"),
        "public_key": signer,
        "attested_by": attested_by(artifact.attested_by),
        "signature_ok": signature_ok,
        "entry": proof.entry_index,
        "tree_size": proof.head.tree_size,
        "root": root,
        "head_public_key": proof.head.public_key.to_string(),
        "signed_at": to_iso_utc(proof.head.signed_at_ms),
    });
    Ok(Checked { is_ok, json, text: table(&rows) })
}

const NO_PROOF: &str = "the key comes from the file itself: it proves nothing about the author";

/// The JSON export of one artifact: the payload is signed by the key in the file, which proves nothing more.
fn one(bytes: &[u8]) -> Result<Checked, String> {
    let one = one_json::read(bytes).map_err(|error| error.to_string())?;
    let key = one.note.as_ref().and_then(|note| note.public_key.parse::<PublicKey>().ok());
    let checked = key.map(|key| verify(&one.document, &key).map(|_| ()).map_err(|error| error.to_string()));
    let reason = match &checked {
        None => Some("the file has no public key".to_owned()),
        Some(Err(reason)) => Some(reason.clone()),
        Some(Ok(())) => None,
    };
    let signature_ok = reason.is_none();
    let said = |name: &str| one.document.get_str(name).unwrap_or_default();
    let key = key.map(|key| key.to_string());
    let content = if one.content.is_some() { "matches its SHA-256" } else { "not in the file" };
    let rows = [
        ["artifact".to_owned(), format!("{}  {}", text(&said("id")), text(&said("title")))],
        ["author".to_owned(), format!("{} in {}", text(&said("user_id")), text(&said("tenant_id")))],
        [
            "signature".to_owned(),
            reason.as_ref().map_or_else(|| "valid".to_owned(), |reason| format!("WRONG: {}", text(reason))),
        ],
        ["key".to_owned(), key.clone().unwrap_or_else(|| "-".to_owned())],
        ["content".to_owned(), content.to_owned()],
        ["note".to_owned(), NO_PROOF.to_owned()],
    ];
    let json = json!({
        "valid": signature_ok,
        "reason": reason,
        "id": said("id"),
        "title": said("title"),
        "user_id": said("user_id"),
        "tenant_id": said("tenant_id"),
        "public_key": key,
        "proves_author": false,
        "signature_ok": signature_ok,
        "has_content": one.content.is_some(),
        "note": NO_PROOF,
    });
    Ok(Checked { is_ok: signature_ok, json, text: table(&rows) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by the reference implementation.
    const REFERENCE: &str = r#"{"id": "440c93d5-0da2-4d63-aff9-5d4a8bd6d341", "version": "1",
        "user_id": "alice@example.com", "tenant_id": "acme-corp",
        "timestamp": "2026-11-15T18:20:44.728144+00:00", "format": "markdown", "visibility": "org",
        "title": "Leaf", "content_hash": "f87fdc4338c719c69ac8ce3797e0868aefcac19f137a31d32aac482f05e7b254",
        "signature": "343ed65a5e2a0ed307ae214f3e10e8edaa1f1b17fdf1496dd24219863c1187fbeb615fdae9f904725302e42e33492e00462f01bace6cd0de934128ee569d520d",
        "_kcp_export": {"version": "1", "exported_by": "alice@example.com",
            "exported_at": "2026-11-15T18:20:45.763105+00:00", "node_id": "54ebecd4-dc31-42c7-8217-87dc03faa86b",
            "public_key": "c5785e1865b708938aff8161d573006496663b1aa10834e396dc566869a2c66a"},
        "_content_b64": "bGVhZiBib2R5"}"#;

    #[test]
    fn one_artifact_verifies_and_proves_nothing_about_its_author() {
        let checked = one(REFERENCE.as_bytes()).expect("an export");
        assert!(
            checked.is_ok && checked.text.contains("proves nothing about the author"),
            "{}",
            checked.text
        );
        assert_eq!(checked.json["proves_author"], false);
        let forged = REFERENCE.replace("Leaf", "Root");
        let checked = one(forged.as_bytes()).expect("an export");
        assert!(!checked.is_ok && checked.text.contains("WRONG"), "{}", checked.text);
        let keyless = REFERENCE.replace("\"public_key\"", "\"other\"");
        assert!(!one(keyless.as_bytes()).expect("an export").is_ok);
        assert!(one(b"{\"_content_b64\":1}").is_err());
        assert!(proof(b"{\"kcp_proof\":\"1\"}").is_err());
    }
}
