//! Vectors of others, when their folder is there.

use std::path::Path;

use cairn_access::identity::{
    DerivedFrom, Identity, IdentityError, Imported, Language, Phrase, import_file, import_folder,
    open_sealed_content, sign, verify,
};
use cairn_base::fs::SimulatedFs;
use cairn_base::{CanonicalObject, ManualClock, SeededEntropy, Value, canonical_json};

use super::{conformance, identity_of, private_key, public_key, secret, text, unhex};

fn file(folder: &Path, name: &str) -> Value {
    Value::parse_json(&std::fs::read(folder.join(name)).expect("a file")).expect("JSON")
}

fn rows(folder: &Path, name: &str) -> Vec<Value> {
    file(folder, name).as_array().expect("a list").to_vec()
}

#[test]
fn identities() {
    let Some(folder) = conformance() else { return };
    for row in rows(&folder, "identities.json") {
        let name = text(&row, "name");
        let phrase =
            Phrase::parse(&secret(text(&row, "mnemonic_input")), Language::parse(text(&row, "language")));
        if row.get("valid") != Some(&Value::Bool(true)) {
            assert!(phrase.is_err(), "{name}");
            continue;
        }
        let phrase = phrase.expect(name);
        let identity =
            Identity::from_phrase(&phrase, &secret(text(&row, "passphrase")), &ManualClock::new(0));
        let identity = identity.expect(name);
        if row.get("mnemonic_normalised").is_some() {
            assert_eq!(phrase.words().expose(), text(&row, "mnemonic_normalised"), "{name}");
        }
        assert_eq!(private_key(&identity), text(&row, "private_key_hex"), "{name}");
        assert_eq!(identity.public_key().to_string(), text(&row, "node_id"), "{name}");
        assert_eq!(identity.public_key().fingerprint(), text(&row, "node_id")[..8], "{name}");
    }
}

#[test]
fn signed_artifacts() {
    let Some(folder) = conformance() else { return };
    for row in rows(&folder, "signed_artifacts.json") {
        let name = text(&row, "name");
        let identity = identity_of(text(&row, "private_key_hex"));
        let document = CanonicalObject::parse(text(&row, "payload_json").as_bytes()).expect(name);
        let signed = sign(&document, &identity);
        assert_eq!(signed.signed.as_bytes(), unhex(text(&row, "canonical_utf8_hex")), "{name}");
        assert_eq!(signed.signature.to_string(), text(&row, "signature"), "{name}");
        let verified = verify(&document, &public_key(text(&row, "public_key_hex")));
        assert_eq!(verified, Ok(signed), "{name}");
    }
}

/// Where another implementation writes other bytes, we write those of the first one.
#[test]
fn divergences() {
    let Some(folder) = conformance() else { return };
    let signed = rows(&folder, "signed_artifacts.json");
    let mut differing = 0;
    for row in rows(&folder, "typescript_divergence.json") {
        let name = text(&row, "name");
        let ours = signed.iter().find(|signed| text(signed, "name") == name).expect(name);
        let document = CanonicalObject::parse(text(ours, "payload_json").as_bytes()).expect(name);
        let ours = sign(&document, &identity_of(text(ours, "private_key_hex"))).signed;
        let same = row.get("same_bytes").and_then(Value::as_bool);
        assert_eq!(Some(ours == text(&row, "ts_canonical")), same, "{name}");
        differing += usize::from(same == Some(false));
    }
    assert!(differing > 0);
}

#[test]
fn raw_texts() {
    let Some(folder) = conformance() else { return };
    let refused = [
        "number-lexemes",
        "key-order-and-duplicates-last-wins",
        "lone-surrogate-accepted",
        "nan-literal-accepted-by-python",
    ];
    for row in rows(&folder, "raw_json_canonical.json") {
        let (name, received) = (text(&row, "name"), text(&row, "received_json_text"));
        let canonical = canonical_json(received.as_bytes());
        if refused.contains(&name) {
            assert!(canonical.is_err(), "{name}: {canonical:?}");
        } else {
            assert_eq!(canonical.as_deref(), Ok(text(&row, "canonical")), "{name}");
        }
        if name == "number-lexemes" {
            // The same without what is beyond all floats.
            let [received, expected] =
                [(received, "1e400,-1e400,"), (text(&row, "canonical"), "Infinity,-Infinity,")]
                    .map(|(text, infinite)| text.replace(infinite, ""));
            assert_eq!(canonical_json(received.as_bytes()), Ok(expected), "{name}");
        }
    }
}

#[test]
fn verdicts() {
    let Some(folder) = conformance() else { return };
    for row in rows(&folder, "negative_verification.json") {
        let name = text(&row, "name");
        let document = CanonicalObject::parse(text(&row, "payload_json").as_bytes()).expect(name);
        let verified = verify(&document, &public_key(text(&row, "public_key_hex")));
        if name == "extra-field-added-after-signing" {
            // The field is `derived_from`, which peers add: taken, and told apart from what was signed.
            assert_eq!(verified.map(|verified| verified.derived_from), Ok(DerivedFrom::Unsigned));
            continue;
        }
        let expected = row.get("verifies").and_then(Value::as_bool);
        assert_eq!(Some(verified.is_ok()), expected, "{name}: {verified:?}");
    }
    let session = file(&folder, "node_session.json");
    let key = public_key(text(&session, "public_key_hex"));
    let exchanges = session.as_object().expect("an object");
    let (_, synced) =
        exchanges.iter().find(|(name, _)| name.starts_with("GET /kcp/v1/sync/artifact/")).expect("one");
    for (document, expected) in [
        (synced.get("body").expect("a body"), DerivedFrom::Unsigned),
        (session.get("export_artifact").expect("one"), DerivedFrom::Absent),
    ] {
        let document = CanonicalObject::parse(document.to_json().as_bytes()).expect("a document");
        assert_eq!(verify(&document, &key).map(|verified| verified.derived_from), Ok(expected));
    }
}

#[test]
fn backups_and_key_folders() {
    let Some(folder) = conformance() else { return };
    let about = file(&folder, "identity_backup.json");
    for (name, row) in about.as_object().expect("an object").iter().filter(|(name, _)| !name.starts_with('_'))
    {
        let password = secret(row.get("password").and_then(Value::as_str).unwrap_or_default());
        // Not from where they are: others may read them there.
        let (fs, path) = (SimulatedFs::new(1), Path::new("/keys").join(name));
        fs.write_raw(&path, &std::fs::read(folder.join(name)).expect("a file"));
        let identity = match import_file(&fs, &path).expect(name) {
            Imported::Identity(identity) => *identity,
            Imported::Sealed(sealed) => {
                let refused = sealed.open(&secret("wrong"));
                assert!(matches!(refused, Err(IdentityError::WrongPassword)), "{name}");
                sealed.open(&password).expect(name)
            }
        };
        assert_eq!(private_key(&identity), text(row, "node_key_hex"), "{name}");
        assert_eq!(identity.public_key().to_string(), text(row, "node_pub_hex"), "{name}");
        assert_eq!(identity.about().word_count, Some(12), "{name}");
        if !password.is_empty() {
            continue;
        }
        // What we write differs from what others write in one sentence.
        let ours = identity.to_backup(&password, &SeededEntropy::new(1));
        let ours = std::str::from_utf8(&ours).expect("text");
        let written = Value::parse_json(ours.as_bytes()).expect("JSON");
        let sentence = text(written.get("metadata").expect("metadata"), "warning").to_owned();
        let theirs = text(row.get("identity_json").expect("metadata"), "warning");
        let expected = std::fs::read_to_string(folder.join(name)).expect("text");
        assert_eq!(ours.replace(&sentence, theirs), expected.trim_end());
    }
    let fs = SimulatedFs::new(1);
    let files = about.get("_keys_dir").and_then(Value::as_object).expect("files");
    for (name, content) in files {
        fs.write_raw(Path::new("/keys").join(name), &unhex(text(content, "hex")));
    }
    let identity = import_folder(&fs, Path::new("/keys")).expect("an identity");
    assert_eq!(identity.public_key().as_bytes()[..], unhex(text(&files["node.pub"], "hex")));
    assert_eq!(identity.about().language, Some(Language::English));
}

#[test]
fn sealed_content() {
    let Some(folder) = conformance() else { return };
    for row in rows(&folder, "content_encryption.json") {
        let (id, identity) = (text(&row, "artifact_id"), identity_of(text(&row, "private_key_hex")));
        let opened = open_sealed_content(&identity, id, &unhex(text(&row, "blob_hex")));
        assert_eq!(opened, Some(unhex(text(&row, "plaintext_hex"))), "{id}");
    }
}
