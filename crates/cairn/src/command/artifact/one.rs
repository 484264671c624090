//! One artifact as one JSON file, as the reference implementation exports it.

use cairn_access::identity::{DerivedFrom, Identity, PublicKey, Signature, verify};
use cairn_artifacts::bundle::{AttestedBy, BundleWriter, BundledArtifact};
use cairn_artifacts::limits::ONE_JSON_CONTENT_BYTES_MAX;
use cairn_artifacts::one_json::{self, ExportNote, LineageStep, OneArtifact};
use cairn_artifacts::{ArtifactId, dsse};
use cairn_base::{Clock, SystemClock, Value, to_iso_utc};
use cairn_http::{Client, ClientError};
use cairn_seam::Sha256;
use cairn_wire::artifacts::{JsonText, Lineage};

use super::get::signed;
use crate::failure::Failure;

/// Fetches an artifact with its content and its ancestors, and writes the export with a newline at its end.
pub(super) async fn fetch(client: &mut Client, id: &str) -> Result<Result<String, Failure>, ClientError> {
    let me = client.whoami().await?;
    let artifact = client.artifact(id).await?;
    let value = artifact.to_value().unwrap_or(Value::Null);
    let about = value.get("_cairn").cloned().unwrap_or(Value::Null);
    let content = if about.get("has_content").and_then(Value::as_bool) == Some(true) {
        let mut content = Vec::new();
        let mut take = |bytes: &[u8]| {
            content.extend_from_slice(bytes);
            content.len() <= ONE_JSON_CONTENT_BYTES_MAX
        };
        client.artifact_content(id, &mut take).await?;
        Some(content)
    } else {
        None
    };
    let lineage = client.artifact_lineage(id, &[("direction", "up")]).await?;
    let note = ExportNote {
        exported_by: me.user_id,
        exported_at: to_iso_utc(SystemClock.now_ms()),
        node_id: text(&about, "accepted_by"),
        public_key: text(&about, "public_key"),
    };
    Ok(write(&artifact, &note, content.as_deref(), &steps(&lineage)))
}

/// Writes an in-toto statement about an artifact in a DSSE envelope, with a newline at its end.
pub(super) fn statement(artifact: &JsonText, identity: &Identity) -> Result<String, Failure> {
    let envelope = dsse::seal(&signed(artifact)?, &signature_of(artifact)?, identity);
    envelope.map(|envelope| envelope + "\n").map_err(|error| Failure::new(error.to_string()))
}

fn signature_of(artifact: &JsonText) -> Result<Signature, Failure> {
    let signature =
        artifact.to_value().ok().and_then(|value| Signature::parse(value.get("signature")?.as_str()?));
    signature.ok_or_else(|| Failure::new("the artifact has no signature"))
}

fn write(
    artifact: &JsonText,
    note: &ExportNote,
    content: Option<&[u8]>,
    lineage: &[LineageStep],
) -> Result<String, Failure> {
    let payload = signed(artifact)?;
    let json = one_json::write(&payload, &signature_of(artifact)?, note, content, lineage);
    json.map(|json| json + "\n").map_err(|error| Failure::new(error.to_string()))
}

/// Ancestors that can be read, root first, and the artifact itself.
fn steps(lineage: &Lineage) -> Vec<LineageStep> {
    let known = lineage.lineage.iter().filter(|item| !(item.redacted || item.missing));
    let steps = known.map(|item| LineageStep {
        id: item.id.clone(),
        title: item.title.clone().unwrap_or_default(),
        author: item.author.clone().unwrap_or_default(),
        created_at: item.created_at.clone().unwrap_or_default(),
        derived_from: item.derived_from.clone(),
    });
    steps.collect()
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Writes an export that was read as a bundle, for nodes to import. The signature has to match the key in the file;
/// whose key that is, the node decides.
pub(super) fn to_bundle(one: &OneArtifact, identity: &Identity) -> Result<Vec<u8>, Failure> {
    let key = one.note.as_ref().and_then(|note| note.public_key.parse::<PublicKey>().ok());
    let key = key.ok_or_else(|| Failure::usage("the export has no public key to verify it with"))?;
    let verified = verify(&one.document, &key)
        .map_err(|error| Failure::new(format!("the export does not verify: {error}")))?;
    let derived_from = one.document.get_str("derived_from").and_then(|id| id.parse::<ArtifactId>().ok());
    let derived_from = derived_from.filter(|_| verified.derived_from == DerivedFrom::Unsigned);
    let now_ms = SystemClock.now_ms();
    let artifact = BundledArtifact {
        payload: verified.signed,
        signature: verified.signature,
        public_key: *key.as_bytes(),
        attested_by: AttestedBy::Author,
        derived_from: derived_from.map(|id| *id.as_bytes()),
        received_at_ms: now_ms,
    };
    let write = || {
        let mut bundle = BundleWriter::create(Vec::new(), now_ms)?;
        bundle.artifact(&artifact)?;
        if let Some(content) = &one.content {
            bundle.content(&Sha256::of(content), content.len() as u64, &mut content.as_slice())?;
        }
        bundle.finish(identity, now_ms)
    };
    write().map(|(_, bytes)| bytes).map_err(|error| Failure::new(error.to_string()))
}

#[cfg(test)]
mod tests {
    use cairn_artifacts::bundle::verify as verify_bundle;
    use cairn_base::{CanonicalObject, SeededEntropy};

    use super::super::payload::{self, Said};
    use super::super::signer::Author;
    use super::*;

    #[test]
    fn an_export_becomes_a_bundle_that_verifies() {
        let identity = Identity::random(&SeededEntropy::new(1), &SystemClock);
        let author = Author { user_id: "ada".into(), tenant_id: "local".into(), identity: None };
        let said =
            Said { title: "t".into(), format: "text".into(), visibility: "public".into(), ..Said::default() };
        let id = ArtifactId::random(&SeededEntropy::new(2));
        let object = payload::payload(&said, &author, id, 0, Sha256::of(b"hi")).expect("a payload");
        let body = payload::body(&object, Some(&identity), Some(b"hi"));
        let body = String::from_utf8(body).expect("text");
        let key = identity.public_key();
        let served = format!("{},\"_cairn\":{{\"public_key\":\"{key}\"}}}}", &body[..body.len() - 1]);
        let served = JsonText::from_text(served).expect("JSON");
        let note = ExportNote { public_key: key.to_string(), ..ExportNote::default() };
        let json = write(&served, &note, Some(b"hi"), &[]).expect("an export");
        let one = one_json::read(json.trim_end().as_bytes()).expect("an export");
        let envelope = statement(&served, &identity).expect("a statement");
        let stated = dsse::open(envelope.trim_end(), &key).expect("it is signed");
        assert_eq!((stated.id, stated.content), (id.to_string(), Sha256::of(b"hi")));
        let other = Identity::random(&SeededEntropy::new(3), &SystemClock);
        let bundle = to_bundle(&one, &other).expect("a bundle");
        let report = verify_bundle(bundle.as_slice(), &mut |_| {}).expect("a bundle");
        assert!(report.is_ok() && report.contents == 1, "{report:?}");
        assert_eq!((report.artifacts[0].id.clone(), report.artifacts[0].has_content), (id.to_string(), true));
        // Another key inside, and one that signed something else.
        let forged = ExportNote { public_key: other.public_key().to_string(), ..note };
        let forged = OneArtifact { note: Some(forged), ..one.clone() };
        assert!(to_bundle(&forged, &other).is_err());
        let document = CanonicalObject::parse(b"{}").expect("an object");
        assert!(to_bundle(&OneArtifact { document, ..one }, &other).is_err());
    }
}
