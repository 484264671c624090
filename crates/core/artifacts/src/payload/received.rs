//! A publish request as it came: what is signed, and what only travels along.

use cairn_access::identity::PublicKey;
use cairn_base::{CanonicalObject, Value, from_base64, to_iso_utc};
use cairn_seam::Sha256;

use super::{PayloadError, VERSION};
use crate::{ArtifactError, ArtifactId, limits};

/// A publish request, taken apart.
#[derive(Debug, Clone)]
pub struct Received {
    /// The payload, with its signature if it has one, without what only travels along.
    pub object: CanonicalObject,
    /// The content that came with it.
    pub content: Option<Vec<u8>>,
}

impl Received {
    /// Reads the body of a publish request. Content comes as `_content_b64`, or as the text `content` of a payload
    /// without signature; every other key that begins with `_` is dropped.
    pub fn parse(body: &[u8]) -> Result<Self, ArtifactError> {
        let mut object = CanonicalObject::parse(body)?;
        let mut content = object.remove("_content_b64").map(|json| base64(&json)).transpose()?;
        let along: Vec<_> = object.keys().filter(|key| key.starts_with('_')).map(str::to_owned).collect();
        along.iter().for_each(|key| drop(object.remove(key)));
        if object.get("signature").is_none() && content.is_none() {
            content = object.remove("content").map(|json| text(&json)).transpose()?;
        }
        let bytes: usize = object.keys().map(|key| key.len() + object.get(key).map_or(0, str::len) + 4).sum();
        if bytes > limits::PAYLOAD_BYTES_MAX {
            return Err(cairn_base::CanonicalError::TooLong { bytes }.into());
        }
        Ok(Received { object, content })
    }

    /// Whether the client signed it.
    pub fn is_signed(&self) -> bool {
        self.object.get("signature").is_some()
    }
}

/// What the node adds to a payload that its author did not sign.
#[derive(Debug, Clone)]
pub struct Filled<'a> {
    /// The id, if the payload has none.
    pub id: ArtifactId,
    /// The author.
    pub user_id: &'a str,
    /// The author's tenant.
    pub tenant_id: &'a str,
    /// The time.
    pub now_ms: u64,
    /// SHA-256 of the content that came with it.
    pub content_hash: Option<Sha256>,
    /// The key of the node, which signs.
    pub node: PublicKey,
}

/// Completes a payload without signature. The author is the caller and nobody else; the key is the node's.
pub fn fill_unsigned(object: &mut CanonicalObject, filled: &Filled<'_>) -> Result<(), ArtifactError> {
    for (field, own) in [("user_id", filled.user_id), ("tenant_id", filled.tenant_id)] {
        match object.get_str(field) {
            Some(said) if said != own => return Err(ArtifactError::NotTheCaller { field, said }),
            _ => object.set(field, &own.into())?,
        }
    }
    let defaults = [
        ("id", filled.id.to_string()),
        ("version", VERSION.to_owned()),
        ("timestamp", to_iso_utc(filled.now_ms)),
        ("format", "text".to_owned()),
        ("visibility", "private".to_owned()),
    ];
    for (field, default) in defaults {
        if object.get(field).is_none_or(|json| json == "null") {
            object.set(field, &Value::String(default))?;
        }
    }
    if let Some(hash) = filled.content_hash.filter(|_| object.get("content_hash").is_none()) {
        object.set("content_hash", &Value::String(format!("{hash:?}")))?;
    }
    Ok(object.set("public_key", &Value::String(filled.node.to_string()))?)
}

fn base64(json: &str) -> Result<Vec<u8>, ArtifactError> {
    let wrong = || PayloadError::new("_content_b64", "must be base64");
    let encoded = text(json).map_err(|_| wrong())?;
    let encoded = std::str::from_utf8(&encoded).map_err(|_| wrong())?;
    if encoded.len() / 4 * 3 > limits::CONTENT_INLINE_BYTES_MAX + 2 {
        return Err(too_long());
    }
    let content = from_base64(encoded).ok_or_else(wrong)?;
    if content.len() > limits::CONTENT_INLINE_BYTES_MAX { Err(too_long()) } else { Ok(content) }
}

fn too_long() -> ArtifactError {
    let max = limits::CONTENT_INLINE_BYTES_MAX;
    let problem =
        format!("has more than {max} bytes of content; send it with PUT /kcp/v1/content/{{sha256}} first");
    PayloadError::new("_content_b64", problem).into()
}

fn text(json: &str) -> Result<Vec<u8>, ArtifactError> {
    match Value::parse_json(json.as_bytes()) {
        Ok(Value::String(text)) => Ok(text.into_bytes()),
        _ => {
            Err(PayloadError::new("content", "must be a string; send bytes as base64 in `_content_b64`")
                .into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_travels_along_is_taken_off() {
        let body = br#"{"title":"x","signature":"00","_content_b64":"aGk=","_lineage":[],"content":"kept"}"#;
        let received = Received::parse(body).expect("it is JSON");
        assert_eq!(received.content.as_deref(), Some(&b"hi"[..]));
        assert!(received.is_signed());
        let keys: Vec<_> = received.object.keys().collect();
        assert_eq!(keys, ["content", "signature", "title"]);
        let unsigned = Received::parse(br#"{"title":"x","content":"hi"}"#).expect("it is JSON");
        assert_eq!((unsigned.content.as_deref(), unsigned.is_signed()), (Some(&b"hi"[..]), false));
        for bad in
            [&br#"{"_content_b64":7}"#[..], br#"{"_content_b64":"%"}"#, br#"{"content":7}"#, b"[]", b"{"]
        {
            assert!(Received::parse(bad).is_err(), "{}", String::from_utf8_lossy(bad));
        }
    }

    #[test]
    fn the_node_completes_what_is_not_signed_for_the_caller_alone() {
        let key = cairn_access::identity::Identity::random(
            &cairn_base::SeededEntropy::new(1),
            &cairn_base::ManualClock::new(0),
        )
        .public_key();
        let filled = Filled {
            id: ArtifactId::from_bytes([7; 16]),
            user_id: "ada",
            tenant_id: "acme",
            now_ms: 0,
            content_hash: Some(Sha256::of(b"")),
            node: key,
        };
        let fill = |body: &str| {
            let mut object = CanonicalObject::parse(body.as_bytes()).expect("JSON");
            fill_unsigned(&mut object, &filled).map(|()| object)
        };
        let object = fill(r#"{"title":"x","user_id":"ada"}"#).expect("it is hers");
        assert_eq!(object.get_str("tenant_id").as_deref(), Some("acme"));
        assert_eq!(object.get_str("visibility").as_deref(), Some("private"));
        assert_eq!(object.get_str("public_key"), Some(key.to_string()));
        let refused = fill(r#"{"title":"x","user_id":"eve"}"#);
        assert!(matches!(refused, Err(ArtifactError::NotTheCaller { field: "user_id", .. })), "{refused:?}");
    }
}
