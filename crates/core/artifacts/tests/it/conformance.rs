//! Vectors of another implementation, when their folder is there.

use std::path::{Path, PathBuf};

use cairn_artifacts::{ArtifactError, Payload, Received, one_json};
use cairn_base::{CanonicalObject, Value};
use cairn_seam::Sha256;

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/conformance/kcp");
    folder.is_dir().then_some(folder)
}

fn file(folder: &Path, name: &str) -> Value {
    Value::parse_json(&std::fs::read(folder.join(name)).expect("a file")).expect("JSON")
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).expect("a text")
}

fn unhex(digits: &str) -> Vec<u8> {
    let digit = |byte: u8| u8::try_from((byte as char).to_digit(16).expect("a digit")).expect("small");
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

#[test]
fn signed_payloads_are_understood() {
    let Some(folder) = folder() else { return };
    let rows = file(&folder, "signed_artifacts.json");
    let mut read = 0;
    for row in rows.as_array().expect("a list") {
        let (name, json) = (text(row, "name"), text(row, "payload_json"));
        let received = Received::parse(json.as_bytes()).expect(name);
        assert!(received.is_signed(), "{name}");
        match Payload::read(&received.object) {
            Ok(payload) => {
                read += 1;
                assert!(json.contains(&payload.id.to_string()), "{name}");
            }
            // An artifact without content has no hash, which this node asks for.
            Err(ArtifactError::Payload(error)) => assert_eq!(error.field, "content_hash", "{name}: {error}"),
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert!(read >= 15, "{read}");
}

#[test]
fn content_has_the_hashes_of_others() {
    let Some(folder) = folder() else { return };
    for row in file(&folder, "content_hash.json").as_array().expect("a list") {
        assert_eq!(format!("{:?}", Sha256::of(&unhex(text(row, "content_hex")))), text(row, "sha256"));
    }
}

#[test]
fn an_export_of_one_artifact_is_read() {
    let Some(folder) = folder() else { return };
    let session = file(&folder, "node_session.json");
    let export = session.get("export_artifact").expect("an export").to_json();
    let read = one_json::read(export.as_bytes()).expect("it is read");
    assert_eq!(read.content.as_deref(), Some(&b"leaf body"[..]));
    assert_eq!(read.lineage.len(), 3);
    let key = text(&session, "public_key_hex").parse().expect("a key");
    assert!(cairn_access::identity::verify(&read.document, &key).is_ok());
    // A payload of a peer verifies without what the peer added.
    let synced =
        session.as_object().expect("an object").iter().find(|(name, _)| name.contains("/sync/artifact/"));
    let synced = synced.expect("a synced artifact").1.get("body").expect("a body").to_json();
    let received = Received::parse(synced.as_bytes()).expect("it is read");
    assert_eq!(received.content.as_deref(), Some(&b"child body"[..]));
    let document: &CanonicalObject = &received.object;
    assert!(cairn_access::identity::verify(document, &key).is_ok());
}
