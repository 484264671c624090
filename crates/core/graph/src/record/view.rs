//! Single fields out of a record.

use std::cell::OnceCell;

use cairn_base::{ContentHash, TenantId, Value, to_iso_utc, value_from_msgpack};
use cairn_seam::Reader;

use super::decode::{decode_map, split_body};
use super::head::{Body, ConceptHead, Head, LinkHead};
use super::{CONCEPT, LINK, bad, path};
use crate::element::{CREATED_KEY, UPDATED_KEY, VERSION_KEY, shown};
use crate::{Edge, LinkId, Map, Part, Result};

/// Where the content of long records is read from.
#[derive(Clone, Copy)]
pub(crate) struct Blobs<'a> {
    pub(crate) reader: &'a dyn Reader,
    pub(crate) tenant: TenantId,
}

/// A stored concept or link whose fields are read one at a time: nothing is decoded that is not asked for.
///
/// It is valid inside the call that it was handed to.
pub struct RecordView<'a> {
    what: &'static str,
    head: Head,
    identity: Identity<'a>,
    content: Content<'a>,
}

enum Identity<'a> {
    Concept { name: &'a str },
    Link { edge: Edge },
}

enum Content<'a> {
    Here(&'a [u8]),
    Blob { hash: ContentHash, blobs: Blobs<'a>, fetched: OnceCell<Vec<u8>> },
}

impl<'a> RecordView<'a> {
    pub(crate) fn concept(record: &'a [u8], blobs: Blobs<'a>) -> Result<Self> {
        let ConceptHead { head, name, body } = ConceptHead::parse(record)?;
        Ok(RecordView {
            what: CONCEPT,
            head,
            identity: Identity::Concept { name },
            content: Content::of(body, blobs),
        })
    }

    pub(crate) fn link(id: LinkId, record: &'a [u8], blobs: Blobs<'a>) -> Result<Self> {
        let LinkHead { head, edge, body } = LinkHead::parse(id, record)?;
        Ok(RecordView {
            what: LINK,
            head,
            identity: Identity::Link { edge },
            content: Content::of(body, blobs),
        })
    }

    /// The name of a concept; `None` for a link.
    pub fn name(&self) -> Option<&'a str> {
        match &self.identity {
            Identity::Concept { name } => Some(name),
            Identity::Link { .. } => None,
        }
    }

    /// What a link says; `None` for a concept.
    pub fn edge(&self) -> Option<&Edge> {
        match &self.identity {
            Identity::Concept { .. } => None,
            Identity::Link { edge } => Some(edge),
        }
    }

    /// Whether its content is in a blob, which is read when it is asked for.
    pub(crate) fn is_long(&self) -> bool {
        matches!(self.content, Content::Blob { .. })
    }

    /// How often it was written.
    pub fn version(&self) -> u64 {
        self.head.version
    }

    /// When it was made, in Unix milliseconds.
    pub fn created_at_ms(&self) -> u64 {
        self.head.created_at_ms
    }

    /// When it was written last, in Unix milliseconds.
    pub fn updated_at_ms(&self) -> u64 {
        self.head.updated_at_ms
    }

    /// Whether there is any text in its attributes.
    pub fn has_text(&self) -> bool {
        self.head.has_text
    }

    /// The value at a path of keys, like `["context", "place"]`; `None` if there is none.
    ///
    /// Metadata has `_version`, `_created_at` and `_updated_at` too. The path of no keys is the whole map.
    pub fn value(&self, part: Part, path: &[&str]) -> Result<Option<Value>> {
        match (part, path) {
            (Part::Attributes, []) => return Ok(Some(Value::Object(self.attributes()?))),
            (Part::Metadata, []) => return Ok(Some(Value::Object(self.metadata()?))),
            (Part::Metadata, [VERSION_KEY]) => return Ok(Some(self.head.version.into())),
            (Part::Metadata, [CREATED_KEY]) => return Ok(Some(to_iso_utc(self.head.created_at_ms).into())),
            (Part::Metadata, [UPDATED_KEY]) => return Ok(Some(to_iso_utc(self.head.updated_at_ms).into())),
            (Part::Attributes | Part::Metadata, _) => {}
        }
        let raw = self.raw(part, path)?;
        let decoded = raw.map(value_from_msgpack).transpose();
        decoded.map_err(|error| bad(self.what, error.to_string()))
    }

    /// The stored bytes of that value, msgpack, without what cairn itself knows.
    pub fn raw(&self, part: Part, path: &[&str]) -> Result<Option<&[u8]>> {
        path::find(self.part(part)?, path).map_err(|error| bad(self.what, error.to_string()))
    }

    /// All attributes.
    pub fn attributes(&self) -> Result<Map> {
        decode_map(self.what, self.part(Part::Attributes)?)
    }

    /// All metadata, with `_version`, `_created_at` and `_updated_at`.
    pub fn metadata(&self) -> Result<Map> {
        let Head { version, created_at_ms, updated_at_ms, .. } = self.head;
        let written = decode_map(self.what, self.part(Part::Metadata)?)?;
        Ok(shown(&written, version, created_at_ms, updated_at_ms))
    }

    fn part(&self, part: Part) -> Result<&[u8]> {
        let (attributes, metadata) = split_body(self.what, self.content.bytes(self.what)?)?;
        Ok(match part {
            Part::Attributes => attributes,
            Part::Metadata => metadata,
        })
    }
}

impl<'a> Content<'a> {
    fn of(body: Body<'a>, blobs: Blobs<'a>) -> Self {
        match body {
            Body::Here(bytes) => Content::Here(bytes),
            Body::Blob(hash) => Content::Blob { hash, blobs, fetched: OnceCell::new() },
        }
    }

    fn bytes(&self, what: &'static str) -> Result<&[u8]> {
        match self {
            Content::Here(bytes) => Ok(bytes),
            Content::Blob { hash, blobs, fetched } => {
                if let Some(bytes) = fetched.get() {
                    return Ok(bytes);
                }
                let mut found = None;
                blobs
                    .reader
                    .blobs(blobs.tenant, &[*hash], &mut |_, bytes| found = bytes.map(<[u8]>::to_vec))?;
                let found = found.ok_or_else(|| bad(what, "the blob with its content is not there"))?;
                Ok(fetched.get_or_init(|| found))
            }
        }
    }
}
