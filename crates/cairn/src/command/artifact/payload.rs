//! Payloads of artifacts, and the body of a publish request.

use cairn_access::identity::{Identity, sign};
use cairn_artifacts::ArtifactId;
use cairn_base::{Base64, CanonicalError, CanonicalObject, Value, to_iso_utc};
use cairn_seam::Sha256;

use super::signer::Author;

/// The version of payloads.
const VERSION: &str = "1";

/// What the command line says about an artifact. Empty texts and lists are left out of the payload.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) title: String,
    pub(super) format: String,
    pub(super) visibility: String,
    pub(super) tags: Vec<String>,
    pub(super) summary: String,
    pub(super) team: String,
    pub(super) source: String,
    pub(super) content_url: String,
    pub(super) parents: Vec<String>,
    pub(super) data_sources: Vec<String>,
    pub(super) query: String,
    pub(super) agent: String,
    pub(super) allowed_users: Vec<String>,
    pub(super) allowed_teams: Vec<String>,
    pub(super) allowed_tenants: Vec<String>,
}

/// Builds the payload. Its id and its time are chosen here, so that a repeated request is the same artifact.
pub(super) fn payload(
    said: &Said,
    author: &Author,
    id: ArtifactId,
    now_ms: u64,
    sha256: Sha256,
) -> Result<CanonicalObject, CanonicalError> {
    let mut object = CanonicalObject::parse(b"{}")?;
    let mut set = |key: &str, value: Value| object.set(key, &value);
    set("id", id.to_string().into())?;
    set("version", VERSION.into())?;
    set("user_id", author.user_id.as_str().into())?;
    set("tenant_id", author.tenant_id.as_str().into())?;
    set("timestamp", to_iso_utc(now_ms).into())?;
    set("format", said.format.as_str().into())?;
    set("visibility", said.visibility.as_str().into())?;
    set("title", said.title.as_str().into())?;
    set("content_hash", format!("{sha256:?}").into())?;
    for (key, text) in [
        ("summary", &said.summary),
        ("team", &said.team),
        ("source", &said.source),
        ("content_url", &said.content_url),
    ] {
        if !text.is_empty() {
            set(key, text.as_str().into())?;
        }
    }
    if !said.tags.is_empty() {
        set("tags", texts(&said.tags))?;
    }
    if let Some(lineage) = lineage(said) {
        set("lineage", lineage)?;
    }
    if let Some(acl) = acl(said) {
        set("acl", acl)?;
    }
    Ok(object)
}

/// With all its fields, as other clients write it; `None` if nothing is said.
fn lineage(said: &Said) -> Option<Value> {
    let is_said = !(said.parents.is_empty()
        && said.data_sources.is_empty()
        && said.query.is_empty()
        && said.agent.is_empty());
    is_said.then(|| {
        object([
            ("query", said.query.as_str().into()),
            ("data_sources", texts(&said.data_sources)),
            ("agent", said.agent.as_str().into()),
            ("parent_reports", texts(&said.parents)),
        ])
    })
}

/// The same for the ACL.
fn acl(said: &Said) -> Option<Value> {
    let lists = [
        ("allowed_tenants", &said.allowed_tenants),
        ("allowed_users", &said.allowed_users),
        ("allowed_teams", &said.allowed_teams),
    ];
    let is_said = lists.iter().any(|(_, list)| !list.is_empty());
    is_said.then(|| object(lists.map(|(key, list)| (key, texts(list)))))
}

fn texts(texts: &[String]) -> Value {
    Value::from(texts.iter().map(|text| Value::from(text.as_str())).collect::<Vec<_>>())
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Writes the body of a publish request: the payload, its signature if there is somebody to sign, and the content if
/// it travels along.
pub(super) fn body(
    payload: &CanonicalObject,
    identity: Option<&Identity>,
    content: Option<&[u8]>,
) -> Vec<u8> {
    let mut body = payload.to_json(|_| true);
    body.pop();
    if let Some(identity) = identity {
        body += &format!(",\"signature\":\"{}\"", sign(payload, identity).signature);
    }
    if let Some(content) = content {
        body += &format!(",\"_content_b64\":\"{}\"", Base64(content));
    }
    body.push('}');
    body.into_bytes()
}

#[cfg(test)]
mod tests {
    use cairn_access::identity::verify;
    use cairn_artifacts::{Payload, Received};
    use cairn_base::{SeededEntropy, SystemClock};

    use super::*;

    #[test]
    fn a_signed_payload_is_what_a_node_reads_and_verifies() {
        let identity = Identity::random(&SeededEntropy::new(1), &SystemClock);
        let author = Author { user_id: "ada".into(), tenant_id: "local".into(), identity: None };
        let parent = ArtifactId::random(&SeededEntropy::new(2));
        let said = Said {
            title: "Titel ✓".into(),
            format: "markdown".into(),
            visibility: "team".into(),
            team: "core".into(),
            tags: vec!["a".into(), "b".into()],
            parents: vec![parent.to_string()],
            allowed_users: vec!["bob".into()],
            ..Said::default()
        };
        let id = ArtifactId::random(&SeededEntropy::new(3));
        let object = payload(&said, &author, id, 1_700_000_000_000, Sha256::of(b"hi")).expect("a payload");
        let body = body(&object, Some(&identity), Some(b"hi"));
        let received = Received::parse(&body).expect("a request");
        assert_eq!(received.content.as_deref(), Some(&b"hi"[..]));
        assert!(verify(&received.object, &identity.public_key()).is_ok());
        let read = Payload::read(&received.object).expect("a payload");
        assert_eq!((read.id, read.title.as_str(), read.team.as_str()), (id, "Titel ✓", "core"));
        assert_eq!(read.timestamp_ms, 1_700_000_000_000);
        assert_eq!((read.provenance.parents, read.acl.users), (vec![parent], vec!["bob".to_owned()]));
        // Nothing is said that was not asked for.
        let bare = Said {
            title: "t".into(),
            format: "text".into(),
            visibility: "private".into(),
            ..Said::default()
        };
        let bare = payload(&bare, &author, id, 0, Sha256::of(b"")).expect("a payload");
        assert_eq!(bare.keys().count(), 9);
    }
}
