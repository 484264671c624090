//! Keys, phrases, signatures and the files they are kept in.

mod conformance;
mod folder;
mod import;
mod secrets;
mod signatures;
mod vectors;

use std::path::{Path, PathBuf};

use cairn_access::identity::{Identity, Imported, PublicKey, SecretText, import_file};
use cairn_base::Value;
use cairn_base::fs::SimulatedFs;

/// Vectors of our own. They were made with Python's `json`, `hashlib` and `cryptography`, not with this code.
fn vectors(list: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/identity.json");
    let file = Value::parse_json(&std::fs::read(file).expect("they are there")).expect("JSON");
    file.get(list).and_then(Value::as_array).expect("a list").to_vec()
}

/// The folder with vectors of others, if it is beside the project.
fn conformance() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/conformance/kcp");
    if !folder.is_dir() {
        eprintln!("skipped: there is no conformance folder beside the project");
        return None;
    }
    Some(folder)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("no {key} in {value:?}"))
}

fn secret(text: &str) -> SecretText {
    SecretText::new(text.to_owned())
}

fn unhex(digits: &str) -> Vec<u8> {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16).expect("a digit")).expect("below 16");
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The identity of a private key, as a file with it is imported.
fn identity_of(private_key: &str) -> Identity {
    let fs = SimulatedFs::new(1);
    fs.write_raw("/keys/a", private_key.as_bytes());
    match import_file(&fs, Path::new("/keys/a")).expect("a key") {
        Imported::Identity(identity) => *identity,
        Imported::Sealed(_) => panic!("it is in the clear"),
    }
}

fn public_key(text: &str) -> PublicKey {
    text.parse().expect("a public key")
}

/// The private key, which no door shows: a backup in the clear has it.
fn private_key(identity: &Identity) -> String {
    let backup = identity.to_backup(&secret(""), &cairn_base::SeededEntropy::new(1));
    text(&Value::parse_json(&backup).expect("JSON"), "private_key").to_owned()
}
