//! Payloads: the signed part of an artifact, checked field by field.
//!
//! The signed bytes stay as they came; this is what the node understands of them. Unknown fields are signed and kept.

mod fields;
mod received;

use std::fmt;

use cairn_access::identity::PublicKey;
use cairn_access::{Acl, Visibility};
use cairn_base::{CanonicalObject, from_iso};
use cairn_seam::Sha256;

use self::fields::{Fields, is_format};
use crate::cid::IpfsUrl;
use crate::{ArtifactError, ArtifactId, limits};

pub use self::received::{Filled, Received, fill_unsigned};

/// The version of payloads that this node understands.
pub(crate) const VERSION: &str = "1";

/// A field of a payload is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid payload: `{field}` {problem}")]
pub struct PayloadError {
    /// The field.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

impl PayloadError {
    pub(crate) fn new(field: &'static str, problem: impl fmt::Display) -> Self {
        PayloadError { field, problem: problem.to_string() }
    }
}

/// What a payload says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The id of the artifact.
    pub id: ArtifactId,
    /// The author.
    pub user_id: String,
    /// The name of the author's tenant.
    pub tenant_id: String,
    /// The team; empty for none.
    pub team: String,
    /// Tags, in the order of the payload.
    pub tags: Vec<String>,
    /// The agent that made it.
    pub source: String,
    /// The time at which it was signed, as it is written.
    pub timestamp: String,
    /// The same in Unix milliseconds; 0 for times before 1970.
    pub timestamp_ms: u64,
    /// The format of the content.
    pub format: String,
    /// Who may read it, unless there is an ACL.
    pub visibility: Visibility,
    /// The title.
    pub title: String,
    /// The summary; empty for none.
    pub summary: String,
    /// SHA-256 of the content.
    pub content_hash: Sha256,
    /// The address of the content; empty for none. Never dereferenced.
    pub content_url: String,
    /// What it was made from.
    pub provenance: Provenance,
    /// Who may read it instead of `visibility`.
    pub acl: Acl,
    /// The one parent of clients that know no lists of parents.
    pub derived_from: Option<ArtifactId>,
    /// The key that the author says it is signed with: a hint, trusted only if it is registered.
    pub public_key: Option<PublicKey>,
}

/// The `lineage` of a payload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The question that was answered.
    pub query: String,
    /// Addresses of input data.
    pub data_sources: Vec<String>,
    /// The agent that did it.
    pub agent: String,
    /// Artifacts that this one builds upon, in the order of the payload, each once.
    pub parents: Vec<ArtifactId>,
}

impl Payload {
    /// Reads a whole payload. Every field that this node understands is checked.
    pub fn read(object: &CanonicalObject) -> Result<Self, ArtifactError> {
        let fields = Fields(object);
        if object.get("version") != Some("\"1\"") {
            let said = object.get("version").unwrap_or("nothing");
            return Err(ArtifactError::Version(said.chars().take(32).collect()));
        }
        let id: ArtifactId = fields.parsed("id")?.ok_or_else(|| PayloadError::new("id", "is missing"))?;
        let timestamp = fields.text("timestamp", 64)?.ok_or_else(|| missing("timestamp"))?;
        // A time without a zone means another moment to everybody.
        let has_zone = timestamp.ends_with(['Z', 'z'])
            || timestamp.get(10..).is_some_and(|time| time.contains(['+', '-']));
        let at = from_iso(&timestamp).filter(|_| has_zone);
        let at = at.ok_or_else(|| {
            PayloadError::new("timestamp", "must be ISO 8601 with a zone, like 2026-11-18T12:34:56Z")
        })?;
        let format = fields.text("format", limits::FORMAT_BYTES_MAX)?.ok_or_else(|| missing("format"))?;
        if !is_format(&format) {
            return Err(PayloadError::new(
                "format",
                "must be 1 to 64 of a-z, 0-9, `_`, `.`, `+`, `/` and `-`",
            )
            .into());
        }
        let payload = Payload {
            id,
            user_id: fields.name("user_id", cairn_access::limits::USER_ID_BYTES_MAX)?,
            tenant_id: fields.name("tenant_id", cairn_access::limits::TENANT_NAME_BYTES_MAX)?,
            team: fields.text("team", limits::SHORT_TEXT_BYTES_MAX)?.unwrap_or_default(),
            tags: fields.tags()?,
            source: fields.text("source", limits::SHORT_TEXT_BYTES_MAX)?.unwrap_or_default(),
            timestamp_ms: u64::try_from(at).unwrap_or(0),
            timestamp,
            format,
            visibility: fields.parsed("visibility")?.ok_or_else(|| missing("visibility"))?,
            title: fields.title()?,
            summary: fields.summary()?,
            content_hash: fields.content_hash()?.ok_or_else(|| missing("content_hash"))?,
            content_url: fields.content_url()?,
            provenance: fields.provenance()?,
            acl: fields.acl()?,
            derived_from: fields.parsed("derived_from")?,
            public_key: fields.parsed("public_key")?,
        };
        fields.check_embeddings()?;
        // A CID of raw content that was hashed with SHA-256 is a second spelling of content_hash.
        if let Ok(url) = IpfsUrl::parse(&payload.content_url)
            && url.content_sha256().is_some_and(|hash| hash != payload.content_hash)
        {
            return Err(
                PayloadError::new("content_url", "is the CID of other content than content_hash").into()
            );
        }
        if payload.parents(true).any(|(parent, _)| parent == payload.id) {
            return Err(PayloadError::new("lineage", "names the artifact itself as a parent").into());
        }
        Ok(payload)
    }

    /// The parents of the artifact, each once, and whether the author signed that. `derived_from_signed`: whether
    /// `derived_from` is part of the signed bytes.
    pub fn parents(&self, derived_from_signed: bool) -> impl Iterator<Item = (ArtifactId, bool)> + '_ {
        let named = &self.provenance.parents;
        let derived = self.derived_from.filter(|parent| !named.contains(parent));
        let named = named.iter().map(|parent| (*parent, true));
        named.chain(derived.map(|parent| (parent, derived_from_signed)))
    }
}

fn missing(field: &'static str) -> PayloadError {
    PayloadError::new(field, "is missing")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"id":"550e8400-e29b-41d4-a716-446655440000","version":"1","user_id":"alice@example.com",
        "tenant_id":"acme","timestamp":"2026-03-20T12:34:56.789012+00:00","format":"markdown","visibility":"team",
        "title":"Plain title","team":"team:core","tags":["a","b"],"summary":"","source":"agent/1.0",
        "content_hash":"90f8ec5669cd34183b9b0fdf8b94f5efb4c3672876330f4aa76088c2b4ad17be","embeddings":[0.5,1,-2e3],
        "lineage":{"query":"q","data_sources":["s3://x"],"agent":"a","extra":[null],
          "parent_reports":["11111111-1111-4111-8111-111111111111"]},
        "acl":{"allowed_users":["bob"]},"content_url":"ipfs://bafy","new_field":{"x":1}}"#;

    fn read(json: &str) -> Result<Payload, ArtifactError> {
        Payload::read(&CanonicalObject::parse(json.as_bytes())?)
    }

    #[test]
    fn a_payload_is_read_field_by_field() {
        let payload = read(GOOD).expect("it is good");
        assert_eq!((payload.title.as_str(), payload.tags.len()), ("Plain title", 2));
        assert_eq!(payload.timestamp_ms, 1_774_010_096_789);
        assert_eq!(payload.acl.users, ["bob"]);
        assert_eq!(payload.parents(true).count(), 1);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_field() {
        let long = |count: usize| "x".repeat(count);
        let tags = format!("[{}]", vec!["\"t\""; 65].join(","));
        let users = format!("{{\"allowed_users\":[{}]}}", vec!["\"t\""; 257].join(","));
        let rows: &[(&str, String)] = &[
            ("id", "\"x\"".into()),
            ("id", "7".into()),
            ("user_id", "\"\"".into()),
            ("user_id", format!("\"{}\"", long(257))),
            ("tenant_id", "null".into()),
            ("tenant_id", "\"a/b\"".into()),
            ("timestamp", "\"2026-03-20T12:34:56\"".into()),
            ("timestamp", "\"yesterday\"".into()),
            ("format", "\"Not A Format\"".into()),
            ("visibility", "\"everyone\"".into()),
            ("title", "\"\"".into()),
            ("title", "\" \"".into()),
            ("title", "[]".into()),
            ("title", format!("\"{}\"", long(513))),
            ("summary", format!("\"{}\"", long(501))),
            ("tags", tags),
            ("tags", "[1]".into()),
            ("tags", "[\"\"]".into()),
            ("tags", "[\"a,b\"]".into()),
            ("content_hash", "\"../../etc/passwd\"".into()),
            ("content_hash", "\"\"".into()),
            ("content_url", "\"javascript:alert(1)\"".into()),
            ("embeddings", "[\"x\"]".into()),
            ("lineage", "[]".into()),
            ("lineage", "{\"parent_reports\":[\"x\"]}".into()),
            ("lineage", "{\"parent_reports\":[\"550e8400-e29b-41d4-a716-446655440000\"]}".into()),
            ("acl", "{\"allowed_users\":\"bob\"}".into()),
            ("acl", users),
            ("public_key", "\"00\"".into()),
        ];
        for (field, value) in rows {
            let mut object = CanonicalObject::parse(GOOD.as_bytes()).expect("it is JSON");
            object
                .set(field, &cairn_base::Value::parse_json(value.as_bytes()).expect("JSON"))
                .expect("short");
            match Payload::read(&object) {
                Err(ArtifactError::Payload(error)) => assert_eq!(error.field, *field, "{value}"),
                other => panic!("{field} {value}: {other:?}"),
            }
        }
        for version in ["\"2\"", "1", "null"] {
            let json = GOOD.replace("\"version\":\"1\"", &format!("\"version\":{version}"));
            assert!(matches!(read(&json), Err(ArtifactError::Version(_))), "{version}");
        }
    }
}
