//! An author whose name is its key, so that no registry is asked.

use anyhow::Result;
use cairn_access::identity::{Identity, sign};
use cairn_artifacts::ArtifactId;
use cairn_base::{Base64, CanonicalObject, Clock, SystemClock, SystemEntropy, Value, to_iso_utc};
use cairn_seam::Sha256;

pub(super) struct Author {
    pub(super) identity: Identity,
    name: String,
}

/// A payload to be signed.
pub(super) struct Draft<'a> {
    pub(super) id: ArtifactId,
    pub(super) title: &'a str,
    pub(super) content: &'a str,
    pub(super) visibility: &'a str,
    pub(super) parents: &'a [ArtifactId],
}

impl Author {
    pub(super) fn new() -> Self {
        let identity = Identity::random(&SystemEntropy, &SystemClock);
        Author { name: identity.public_key().to_string(), identity }
    }

    /// The signed payload, with its signature.
    pub(super) fn sign(&self, draft: &Draft<'_>) -> Result<CanonicalObject> {
        let mut object = CanonicalObject::parse(b"{}")?;
        let texts = [
            ("id", draft.id.to_string()),
            ("version", "1".to_owned()),
            ("user_id", self.name.clone()),
            ("tenant_id", "local".to_owned()),
            ("timestamp", to_iso_utc(SystemClock.now_ms())),
            ("format", "text".to_owned()),
            ("visibility", draft.visibility.to_owned()),
            ("title", draft.title.to_owned()),
            ("content_hash", format!("{:?}", Sha256::of(draft.content.as_bytes()))),
        ];
        for (field, text) in texts {
            object.set(field, &Value::String(text))?;
        }
        if !draft.parents.is_empty() {
            let parents = draft.parents.iter().map(|parent| Value::String(parent.to_string())).collect();
            let lineage = [("parent_reports".to_owned(), Value::Array(parents))].into_iter().collect();
            object.set("lineage", &Value::Object(lineage))?;
        }
        let signature = sign(&object, &self.identity).signature;
        object.set("signature", &Value::String(signature.to_string()))?;
        Ok(object)
    }

    /// The body of a publish request.
    pub(super) fn body(&self, draft: &Draft<'_>) -> Result<Vec<u8>> {
        let mut object = self.sign(draft)?;
        object.set("_content_b64", &Value::String(Base64(draft.content.as_bytes()).to_string()))?;
        Ok(object.to_json(|_| true).into_bytes())
    }
}
