//! `cairn artifact verify`, which needs no store and no network.

use cairn_access::identity::Identity;
use cairn_artifacts::bundle::{AttestedBy, BundleWriter, BundledArtifact};
use cairn_base::{ManualClock, SeededEntropy};
use cairn_seam::Sha256;
use serde_json::Value;

use crate::program::{run, stderr, stdout};

const ID: &str = "550e8400-e29b-41d4-a716-446655440000";

fn identity(seed: u64) -> Identity {
    Identity::random(&SeededEntropy::new(seed), &ManualClock::new(0))
}

/// A bundle with one artifact and its content.
fn bundle() -> Vec<u8> {
    let author = identity(1);
    let hash = Sha256::of(b"content");
    let payload = format!(
        r#"{{"content_hash":"{hash:?}","id":"{ID}","tenant_id":"local","title":"Q3 report","user_id":"ada"}}"#
    );
    let artifact = BundledArtifact {
        signature: author.sign_bytes(payload.as_bytes()),
        payload,
        public_key: *author.public_key().as_bytes(),
        attested_by: AttestedBy::Author,
        derived_from: None,
        received_at_ms: 1,
    };
    let mut writer = BundleWriter::create(Vec::new(), 1).expect("memory");
    writer.artifact(&artifact).expect("memory");
    writer.content(&hash, 7, &mut &b"content"[..]).expect("memory");
    writer.finish(&identity(2), 2).expect("memory").1
}

#[test]
fn bundles_are_verified_offline() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let whole = bundle();
    std::fs::write(dir.path().join("a.kcp"), &whole).expect("a file");
    let verified = run(dir.path(), &["artifact", "verify", "a.kcp"]);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    let text = stdout(&verified);
    let key = identity(1).public_key().to_string();
    for part in ["holds", "all 1 valid", "Q3 report", "ada in local", &key, ID] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let report = run(dir.path(), &["kcp", "verify", "--json", "a.kcp"]);
    let report: Value = serde_json::from_str(&stdout(&report)).expect("JSON");
    assert_eq!((&report["valid"], &report["tree_ok"]), (&true.into(), &true.into()));
    assert_eq!(report["head"]["public_key"], identity(2).public_key().to_string());
    assert_eq!(report["artifacts"][0]["public_key"], key);
    assert!(!dir.path().join("home").exists() && !dir.path().join(".cairn").exists());

    let mut torn = whole.clone();
    torn.extend_from_slice(b"half an entry");
    std::fs::write(dir.path().join("torn.kcp"), &torn).expect("a file");
    let verified = run(dir.path(), &["artifact", "verify", "torn.kcp"]);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    assert!(stdout(&verified).contains("13 bytes behind the last signed head, ignored"), "{verified:?}");
}

#[test]
fn whatever_is_changed_does_not_verify() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let whole = bundle();
    for at in [40, whole.len() / 2, whole.len() - 10] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        std::fs::write(dir.path().join("changed.kcp"), &changed).expect("a file");
        let refused = run(dir.path(), &["artifact", "verify", "changed.kcp"]);
        assert_eq!(refused.status.code(), Some(1), "byte {at}: {refused:?}");
        assert!(stderr(&refused).contains("changed.kcp"), "{refused:?}");
    }
    std::fs::write(dir.path().join("other.kcp"), "something else").expect("a file");
    let refused = run(dir.path(), &["artifact", "verify", "other.kcp"]);
    assert!(refused.status.code() == Some(1) && stderr(&refused).contains("not a KCP bundle"), "{refused:?}");
    assert_eq!(run(dir.path(), &["artifact", "verify", "nowhere.kcp"]).status.code(), Some(1));
}

#[test]
fn a_proof_holds_without_the_bundle() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("a.kcp"), bundle()).expect("a file");
    let proof = run(dir.path(), &["artifact", "verify", "a.kcp", "--prove", ID]);
    assert_eq!(proof.status.code(), Some(0), "{proof:?}");
    std::fs::remove_file(dir.path().join("a.kcp")).expect("it is there");
    std::fs::write(dir.path().join("proof.json"), &proof.stdout).expect("a file");
    let verified = run(dir.path(), &["artifact", "verify", "proof.json"]);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    assert!(stdout(&verified).contains("holds") && stdout(&verified).contains(ID), "{verified:?}");
    let forged = stdout(&proof).replace("\"entry_index\":0", "\"entry_index\":1");
    std::fs::write(dir.path().join("proof.json"), forged).expect("a file");
    let refused = run(dir.path(), &["artifact", "verify", "proof.json", "--json"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let told: Value = serde_json::from_str(&stdout(&refused)).expect("JSON");
    assert_eq!((&told["valid"], &told["included"]), (&false.into(), &false.into()));

    std::fs::write(dir.path().join("a.kcp"), bundle()).expect("a file");
    let missing = ID.replace("550e", "650e");
    let missing = run(dir.path(), &["artifact", "verify", "a.kcp", "--prove", &missing]);
    assert!(missing.status.code() == Some(1) && stderr(&missing).contains("no artifact"), "{missing:?}");
}
