//! One artifact as one JSON file, as the reference implementation exports it.
//!
//! The artifact as it is sent, and beside it `_kcp_export` (who exported it), `_content_b64` and `_lineage`. Keys
//! with `_` are never signed. The public key in the file is a hint and proves nothing: verify the document with a
//! key that you know.

use cairn_access::identity::Signature;
use cairn_base::{Base64, CanonicalError, CanonicalObject, Value, from_base64, from_hex};
use cairn_seam::Sha256;

use crate::limits::{ONE_JSON_CONTENT_BYTES_MAX, ONE_JSON_LINEAGE_MAX};
use crate::view::object;

const VERSION: &str = "1";

/// The reason why one artifact cannot be written to a file or read from it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OneJsonError {
    /// The file is not a JSON object, or JSON that readers understand in different ways.
    #[error("invalid artifact export: {0}")]
    Json(#[from] CanonicalError),
    /// The payload that was to be written is not canonical.
    #[error("the payload is not a canonical JSON object without a signature; export the stored payload")]
    Payload,
    /// A field of the file is not valid.
    #[error("invalid `{field}` in the artifact export: {expected}")]
    Field {
        /// The field.
        field: &'static str,
        /// What it has to be.
        expected: &'static str,
    },
    /// The content is too large.
    #[error(
        "content of {bytes} bytes exceeds {ONE_JSON_CONTENT_BYTES_MAX} in a JSON export; export a bundle instead"
    )]
    ContentTooLarge {
        /// Bytes of the content.
        bytes: usize,
    },
    /// The content is not the one that the payload names.
    #[error("the content does not match `content_hash`; it may be encrypted by the exporting node")]
    ContentMismatch,
}

/// Who exported an artifact, and when. Nothing of it is signed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportNote {
    /// The user who exported it.
    pub exported_by: String,
    /// Time of the export, in ISO 8601.
    pub exported_at: String,
    /// The exporting node.
    pub node_id: String,
    /// A public key, in hexadecimal digits. Never trust it.
    pub public_key: String,
}

/// An ancestor of an exported artifact, or the artifact itself. Nothing of it is signed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineageStep {
    /// The id.
    pub id: String,
    /// The title.
    pub title: String,
    /// The author.
    pub author: String,
    /// The timestamp.
    pub created_at: String,
    /// The id of the one parent that this format knows.
    pub derived_from: Option<String>,
}

/// An exported artifact that was read. Nothing of it is verified except that content and `content_hash` match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneArtifact {
    /// The artifact with its signature, for [`verify`](cairn_access::identity::verify) with a known key.
    pub document: CanonicalObject,
    /// Who exported it; `None` if the file does not say.
    pub note: Option<ExportNote>,
    /// The content, if it is in the file.
    pub content: Option<Vec<u8>>,
    /// The ancestors, root first.
    pub lineage: Vec<LineageStep>,
}

/// Writes an artifact, given its canonical payload and its signature.
pub fn write(
    payload: &str,
    signature: &Signature,
    note: &ExportNote,
    content: Option<&[u8]>,
    lineage: &[LineageStep],
) -> Result<String, OneJsonError> {
    let object = CanonicalObject::parse(payload.as_bytes())?;
    let is_payload = object.to_json(|key| key != "signature" && !key.starts_with('_')) == payload;
    let open =
        payload.strip_suffix('}').filter(|open| is_payload && open.len() > 1).ok_or(OneJsonError::Payload)?;
    check_size(content.map_or(0, <[u8]>::len))?;
    let lineage = lineage.get(..lineage.len().min(ONE_JSON_LINEAGE_MAX)).unwrap_or_default();
    let lineage = Value::Array(lineage.iter().map(step_value).collect());
    let content = content.map(|content| format!(",\"_content_b64\":\"{}\"", Base64(content)));
    Ok(format!(
        "{open},\"signature\":\"{signature}\",\"_kcp_export\":{}{},\"_lineage\":{}}}",
        note_value(note).to_json(),
        content.unwrap_or_default(),
        lineage.to_json(),
    ))
}

/// Reads an exported artifact.
///
/// Fails if the content does not match `content_hash`. Whether the signature is right is not looked at.
pub fn read(json: &[u8]) -> Result<OneArtifact, OneJsonError> {
    let file = CanonicalObject::parse(json)?;
    let content = match file.get("_content_b64") {
        None | Some("null") => None,
        Some(_) => Some(content(&file)?),
    };
    Ok(OneArtifact {
        note: part(&file, "_kcp_export").map(|note| read_note(&note)).transpose()?,
        content,
        lineage: part(&file, "_lineage").map(|steps| read_lineage(&steps)).transpose()?.unwrap_or_default(),
        document: CanonicalObject::parse(file.to_json(|key| !key.starts_with('_')).as_bytes())?,
    })
}

fn content(file: &CanonicalObject) -> Result<Vec<u8>, OneJsonError> {
    let error = OneJsonError::Field { field: "_content_b64", expected: "base64 with padding" };
    let content = file.get_str("_content_b64").and_then(|text| from_base64(&text)).ok_or(error)?;
    check_size(content.len())?;
    let hash = file.get_str("content_hash").and_then(|digits| from_hex(&digits));
    if hash == Some(*Sha256::of(&content).as_bytes()) {
        Ok(content)
    } else {
        Err(OneJsonError::ContentMismatch)
    }
}

fn check_size(bytes: usize) -> Result<(), OneJsonError> {
    if bytes > ONE_JSON_CONTENT_BYTES_MAX { Err(OneJsonError::ContentTooLarge { bytes }) } else { Ok(()) }
}

/// A part of the file that is not signed.
fn part(file: &CanonicalObject, key: &str) -> Option<Value> {
    let value = Value::parse_json(file.get(key)?.as_bytes()).ok()?;
    Some(value).filter(|value| !value.is_null())
}

fn note_value(note: &ExportNote) -> Value {
    object([
        ("version", Value::from(VERSION)),
        ("exported_by", Value::from(note.exported_by.as_str())),
        ("exported_at", Value::from(note.exported_at.as_str())),
        ("node_id", Value::from(note.node_id.as_str())),
        ("public_key", Value::from(note.public_key.as_str())),
    ])
}

fn read_note(note: &Value) -> Result<ExportNote, OneJsonError> {
    if note.get("version").and_then(Value::as_str) != Some(VERSION) {
        return Err(OneJsonError::Field { field: "_kcp_export", expected: "an object with version \"1\"" });
    }
    Ok(ExportNote {
        exported_by: text(note, "exported_by"),
        exported_at: text(note, "exported_at"),
        node_id: text(note, "node_id"),
        public_key: text(note, "public_key"),
    })
}

fn step_value(step: &LineageStep) -> Value {
    let entries = [
        ("id", Value::from(step.id.as_str())),
        ("title", Value::from(step.title.as_str())),
        ("author", Value::from(step.author.as_str())),
        ("created_at", Value::from(step.created_at.as_str())),
        ("derived_from", step.derived_from.as_deref().map_or(Value::Null, Value::from)),
    ];
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn read_lineage(steps: &Value) -> Result<Vec<LineageStep>, OneJsonError> {
    let error =
        OneJsonError::Field { field: "_lineage", expected: "a list of at most 1000 objects with `id`" };
    let steps = steps.as_array().filter(|steps| steps.len() <= ONE_JSON_LINEAGE_MAX).ok_or(error.clone())?;
    let read = steps.iter().map(|step| {
        step.get("id").and_then(Value::as_str).ok_or_else(|| error.clone())?;
        Ok(LineageStep {
            id: text(step, "id"),
            title: text(step, "title"),
            author: text(step, "author"),
            created_at: text(step, "created_at"),
            derived_from: step.get("derived_from").and_then(Value::as_str).map(str::to_owned),
        })
    });
    read.collect()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use cairn_access::identity::{PublicKey, verify};

    use super::*;
    use crate::bundle::tests::{identity, payload};

    fn note() -> ExportNote {
        ExportNote {
            exported_by: "alice".into(),
            exported_at: "2026-11-15T18:20:45.763Z".into(),
            node_id: "node".into(),
            public_key: "00".repeat(32),
        }
    }

    #[test]
    fn exports_come_back_and_verify() {
        let author = identity(1);
        let payload = payload(7, b"content");
        let signature = author.sign_bytes(payload.as_bytes());
        let step = LineageStep { id: "x".into(), derived_from: Some("y".into()), ..LineageStep::default() };
        let steps = [step.clone(), LineageStep { derived_from: None, ..step }];
        for (content, steps) in [(Some(&b"content"[..]), &steps[..]), (None, &[])] {
            let json = write(&payload, &signature, &note(), content, steps).expect("a payload");
            let read = read(json.as_bytes()).expect("an export");
            assert_eq!((read.note, read.content.as_deref()), (Some(note()), content));
            assert_eq!(read.lineage, steps);
            let verified = verify(&read.document, &author.public_key()).expect("signed");
            assert_eq!((verified.signed.as_str(), verified.signature), (payload.as_str(), signature));
        }
    }

    #[test]
    fn the_export_of_the_reference_is_read() {
        let json = r#"{"id": "440c93d5-0da2-4d63-aff9-5d4a8bd6d341", "version": "1", "user_id": "alice@example.com",
            "tenant_id": "acme-corp", "timestamp": "2026-11-15T18:20:44.728144+00:00", "format": "markdown",
            "visibility": "org", "title": "Leaf",
            "content_hash": "f87fdc4338c719c69ac8ce3797e0868aefcac19f137a31d32aac482f05e7b254",
            "signature": "343ed65a5e2a0ed307ae214f3e10e8edaa1f1b17fdf1496dd24219863c1187fbeb615fdae9f904725302e42e33492e00462f01bace6cd0de934128ee569d520d",
            "_kcp_export": {"version": "1", "exported_by": "alice@example.com",
                "exported_at": "2026-11-15T18:20:45.763105+00:00", "node_id": "54ebecd4-dc31-42c7-8217-87dc03faa86b",
                "public_key": "c5785e1865b708938aff8161d573006496663b1aa10834e396dc566869a2c66a"},
            "_content_b64": "bGVhZiBib2R5",
            "_lineage": [{"id": "7f5082ea-18f8-4b73-b5ce-a71ef910341d", "title": "Root \u2713",
                "author": "alice@example.com", "created_at": "2026-11-15T18:20:44.724685+00:00", "derived_from": null}]}"#;
        let read = read(json.as_bytes()).expect("an export");
        assert_eq!(read.content.as_deref(), Some(&b"leaf body"[..]));
        assert_eq!((read.lineage.len(), read.lineage[0].title.as_str()), (1, "Root ✓"));
        let key: PublicKey = read.note.expect("a note").public_key.parse().expect("a key");
        assert!(verify(&read.document, &key).is_ok());
    }

    #[test]
    fn bad_exports_are_refused() {
        let author = identity(1);
        let payload = payload(7, b"content");
        let signature = author.sign_bytes(payload.as_bytes());
        let other = write(&payload, &signature, &note(), Some(b"other"), &[]).expect("a payload");
        assert_eq!(read(other.as_bytes()), Err(OneJsonError::ContentMismatch));
        let large = vec![0; ONE_JSON_CONTENT_BYTES_MAX + 1];
        let refused = write(&payload, &signature, &note(), Some(&large), &[]);
        assert_eq!(refused, Err(OneJsonError::ContentTooLarge { bytes: large.len() }));
        for (json, field) in [
            (r#"{"_content_b64":1}"#, "_content_b64"),
            (r#"{"_content_b64":"x"}"#, "_content_b64"),
            (r#"{"_kcp_export":{"version":"2"}}"#, "_kcp_export"),
            (r#"{"_kcp_export":[]}"#, "_kcp_export"),
            (r#"{"_lineage":{}}"#, "_lineage"),
            (r#"{"_lineage":[{}]}"#, "_lineage"),
        ] {
            let refused = read(json.as_bytes());
            assert!(
                matches!(refused, Err(OneJsonError::Field { field: at, .. }) if at == field),
                "{refused:?}"
            );
        }
        assert!(matches!(read(b"[]"), Err(OneJsonError::Json(_))));
        for bad in ["{}", "{\"b\":1,\"a\":2}", "{\"_a\":1}", "{\"a\":1,\"signature\":\"\"}"] {
            let refused = write(bad, &signature, &note(), None, &[]);
            assert_eq!(refused, Err(OneJsonError::Payload), "{bad}");
        }
    }
}
