//! `cairn artifact verify`: without a store and without a network.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use cairn_artifacts::bundle::{self, ArtifactVerdict, AttestedBy, BundleError, VerifyReport};
use cairn_base::to_iso_utc;
use cairn_embedded::Progress;
use clap::Args;
use serde_json::{Value, json};

use super::artifact_id;
use super::verify_json::{is_json, verify_json};
use crate::columns::columns;
use crate::command::answer::text;
use crate::command::{counted, print, table};
use crate::failure::Failure;
use crate::terminal::Look;
use crate::{progress, when};

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn artifact verify all.kcp            check every signature, every content and the tree
  cairn artifact verify all.kcp --json     the same for programs
  cairn artifact verify all.kcp --prove ID > proof.json
                                           prove that an artifact is in the bundle
  cairn artifact verify proof.json         check such a proof, without the bundle
  cairn artifact verify artifact.json      check the JSON export of one artifact

Needs no data directory, no server and no network. A valid signature proves which key signed; it
does not prove whose key that is. Compare keys with those you know, for example of `cairn identity
show` or `cairn access key list`. A torn tail behind the last signed head is ignored. Exit code 1:
something does not verify.";

/// What to verify.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Bundle, JSON export of one artifact, or inclusion proof
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print an inclusion proof of this artifact of the bundle, as JSON
    #[arg(long, value_name = "ID", value_parser = artifact_id)]
    prove: Option<String>,
}

/// Verifies a file.
pub(in crate::command) fn verify(as_json: bool, arguments: &VerifyArgs) -> Result<(), Failure> {
    let file = &arguments.file;
    let failed = |error: std::io::Error| Failure::io(format_args!("read {}", file.display()), &error);
    let mut input = File::open(file).map_err(failed)?;
    if let Some(id) = &arguments.prove {
        return prove(input, file, id);
    }
    if is_json(&mut input).map_err(failed)? {
        return verify_json(as_json, file, input);
    }
    let total = input.metadata().map_err(failed)?.len();
    let show = progress::reporter();
    let report = bundle::verify(input, &mut |progress| {
        show("verifying", Progress { done: progress.bytes.min(total), total });
    });
    drop(show);
    let report = report.map_err(|error| unusable(file, &error))?;
    let shown =
        if as_json { format!("{:#}\n", to_json(&report)) } else { to_text(&report, Look::of_stdout()) };
    print(&shown)?;
    if report.is_ok() { Ok(()) } else { Err(Failure::new(format!("{} does not verify", file.display()))) }
}

fn unusable(file: &Path, error: &BundleError) -> Failure {
    Failure::new(format!("{}: {error}", file.display()))
}

fn prove(input: File, file: &Path, id: &str) -> Result<(), Failure> {
    let proof = bundle::prove(input, id).map_err(|error| unusable(file, &error))?;
    let proof = proof.ok_or_else(|| Failure::new(format!("{} has no artifact {id}", file.display())))?;
    let json = proof.to_json().map_err(|error| unusable(file, &error))?;
    print(&format!("{json}\n"))
}

/// `author` or `node`.
pub(super) fn attested_by(attested_by: AttestedBy) -> &'static str {
    match attested_by {
        AttestedBy::Author => "author",
        AttestedBy::Node => "node",
    }
}

fn to_json(report: &VerifyReport) -> Value {
    let head = report.head.as_ref().map(|head| {
        json!({
            "public_key": head.public_key.to_string(),
            "root": format!("{:?}", head.root),
            "signed_at": to_iso_utc(head.signed_at_ms),
            "tree_size": head.tree_size,
        })
    });
    let damage = report.damage.as_ref();
    let damage = damage.map(|damage| json!({"offset": damage.offset, "problem": damage.problem.to_string()}));
    let artifacts = report.artifacts.iter().map(|artifact| {
        json!({
            "entry": artifact.entry,
            "id": artifact.id,
            "title": artifact.title,
            "user_id": artifact.user_id,
            "tenant_id": artifact.tenant_id,
            "public_key": artifact.signer,
            "attested_by": attested_by(artifact.attested_by),
            "signature_ok": artifact.signature_ok,
            "has_content": artifact.has_content,
            "key_in_bundle": artifact.key_in_bundle,
        })
    });
    let tombstones = report.tombstones.iter().map(|tombstone| {
        json!({
            "entry": tombstone.entry,
            "id": tombstone.id,
            "by": tombstone.by,
            "public_key": tombstone.signer,
            "signature_ok": tombstone.signature_ok,
        })
    });
    json!({
        "valid": report.is_ok(),
        "created_at": to_iso_utc(report.created_at_ms),
        "tree_ok": report.tree_ok,
        "head": head,
        "heads": report.heads,
        "artifacts": artifacts.collect::<Vec<_>>(),
        "tombstones": tombstones.collect::<Vec<_>>(),
        "contents": report.contents,
        "keys": report.keys,
        "damage": damage,
        "torn_bytes": report.torn_bytes,
    })
}

const HEAD: [&str; 6] = ["SIGNATURE", "ID", "TITLE", "AUTHOR", "SIGNED BY", "CONTENT"];
/// Characters of a title in the table.
const TITLE_CHARS: usize = 40;

fn to_text(report: &VerifyReport, look: Look) -> String {
    let signed = match &report.head {
        Some(head) => format!("{}, at {}", head.public_key, when::absolute(head.signed_at_ms)),
        None => "nobody: there is no valid head".to_owned(),
    };
    let tree = match (&report.head, report.tree_ok) {
        (Some(head), true) => format!("holds, size {}, root {:?}", head.tree_size, head.root),
        _ => "DOES NOT HOLD".to_owned(),
    };
    let all = report.artifacts.len() + report.tombstones.len();
    let wrong = report.artifacts.iter().filter(|artifact| !artifact.signature_ok).count()
        + report.tombstones.iter().filter(|tombstone| !tombstone.signature_ok).count();
    let signatures = if wrong == 0 { format!("all {all} valid") } else { format!("{wrong} of {all} WRONG") };
    let mut rows = vec![
        ["bundle".to_owned(), if report.is_ok() { "valid".to_owned() } else { "NOT VALID".to_owned() }],
        ["created".to_owned(), when::absolute(report.created_at_ms)],
        ["signed by".to_owned(), signed],
        ["tree".to_owned(), tree],
        ["signatures".to_owned(), signatures],
        [
            "holds".to_owned(),
            format!(
                "{}, {}, {}, {}",
                counted(report.artifacts.len() as u64, "artifact"),
                counted(report.contents, "content"),
                counted(report.keys, "key"),
                counted(report.tombstones.len() as u64, "tombstone")
            ),
        ],
    ];
    if let Some(damage) = &report.damage {
        rows.push(["damage".to_owned(), format!("{} at byte {}", damage.problem, damage.offset)]);
    }
    if report.torn_bytes > 0 {
        let torn = counted(report.torn_bytes, "byte");
        rows.push(["torn tail".to_owned(), format!("{torn} behind the last signed head, ignored")]);
    }
    let mut out = table(&rows);
    if !report.artifacts.is_empty() {
        let rows: Vec<_> = report.artifacts.iter().map(row).collect();
        out += &format!("\n{}", columns(HEAD, &rows, look));
    }
    for tombstone in &report.tombstones {
        let (id, by) = (text(&tombstone.id), text(&tombstone.by));
        let signature = valid(tombstone.signature_ok);
        out += &format!("{signature}  tombstone of {id}, by {by}, key {}\n", fingerprint(&tombstone.signer));
    }
    out + &signers(report)
}

fn row(artifact: &ArtifactVerdict) -> [String; 6] {
    let title: String = text(&artifact.title).chars().take(TITLE_CHARS).collect();
    [
        valid(artifact.signature_ok).to_owned(),
        text(&artifact.id),
        title,
        format!("{} in {}", text(&artifact.user_id), text(&artifact.tenant_id)),
        format!("{} {}", attested_by(artifact.attested_by), fingerprint(&artifact.signer)),
        if artifact.has_content { "verified" } else { "not in the bundle" }.to_owned(),
    ]
}

pub(super) fn valid(is_ok: bool) -> &'static str {
    if is_ok { "valid" } else { "WRONG" }
}

/// The first digits of a key, for people to compare.
fn fingerprint(key: &str) -> String {
    text(key.get(..8).unwrap_or(key))
}

/// The keys in full, with the names that use them.
fn signers(report: &VerifyReport) -> String {
    let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let signed =
        report.artifacts.iter().map(|artifact| (artifact.signer.as_str(), artifact.user_id.as_str()));
    let deleted =
        report.tombstones.iter().map(|tombstone| (tombstone.signer.as_str(), tombstone.by.as_str()));
    for (key, name) in signed.chain(deleted) {
        let known = names.entry(key).or_default();
        if !known.iter().any(|known| known == name) {
            known.push(name.to_owned());
        }
    }
    if names.is_empty() {
        return String::new();
    }
    let mut out =
        "\nkeys, which claim to belong to these names; nothing in the bundle proves it:\n".to_owned();
    for (key, names) in names {
        out += &format!("{}  {}\n", text(key), crate::command::answer::joined(&names));
    }
    out
}

#[cfg(test)]
mod tests {
    use cairn_access::identity::Identity;
    use cairn_artifacts::bundle::{BundleWriter, BundledArtifact};
    use cairn_base::SeededEntropy;
    use cairn_seam::Sha256;

    use super::*;

    const PLAIN: Look = Look { colour: false, width: None };
    const ID: &str = "550e8400-e29b-41d4-a716-446655440000";

    fn identity(seed: u64) -> Identity {
        Identity::random(&SeededEntropy::new(seed), &cairn_base::ManualClock::new(0))
    }

    fn bundle(is_forged: bool) -> Vec<u8> {
        let author = identity(1);
        let payload = format!(
            r#"{{"content_hash":"{:?}","id":"{ID}","tenant_id":"local","title":"Q3","user_id":"ada"}}"#,
            Sha256::of(b"hi")
        );
        let signer = if is_forged { identity(3) } else { author.clone() };
        let artifact = BundledArtifact {
            signature: signer.sign_bytes(payload.as_bytes()),
            payload,
            public_key: *author.public_key().as_bytes(),
            attested_by: AttestedBy::Author,
            derived_from: None,
            received_at_ms: 1,
        };
        let mut writer = BundleWriter::create(Vec::new(), 1_700_000_000_000).expect("memory");
        writer.artifact(&artifact).expect("memory");
        writer.content(&Sha256::of(b"hi"), 2, &mut &b"hi"[..]).expect("memory");
        writer.finish(&identity(2), 1_700_000_000_000).expect("memory").1
    }

    #[test]
    fn a_report_says_who_signed_what() {
        let report = bundle::verify(bundle(false).as_slice(), &mut |_| {}).expect("a bundle");
        insta::assert_snapshot!("valid", to_text(&report, PLAIN));
        assert_eq!(to_json(&report)["valid"], true);
        let report = bundle::verify(bundle(true).as_slice(), &mut |_| {}).expect("a bundle");
        let shown = to_text(&report, PLAIN);
        assert!(shown.contains("NOT VALID") && shown.contains("1 of 1 WRONG"), "{shown}");
        assert_eq!(to_json(&report)["artifacts"][0]["signature_ok"], false);
    }
}
