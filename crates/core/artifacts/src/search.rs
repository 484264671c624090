//! Search documents of artifacts.

use cairn_base::TenantId;
use cairn_search::document::{Collection, Document, Field, Role};

use crate::{Artifact, Payload};

/// Artifacts: one document each.
pub const ARTIFACTS: Collection = Collection {
    number: 5,
    name: "artifacts",
    fields: &[
        Field { name: "title", weight: 3.0, role: Role::Name },
        Field { name: "summary", weight: 2.0, role: Role::Text },
        Field { name: "about", weight: 1.5, role: Role::Text },
        Field { name: "text", weight: 1.0, role: Role::Text },
    ],
};

/// The collections of this memory.
pub const COLLECTIONS: &[Collection] = &[ARTIFACTS];

/// Something that artifacts are filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facet<'a> {
    /// A tag of the author.
    Tag(&'a str),
    /// The author.
    Author(&'a str),
    /// The team.
    Team(&'a str),
    /// The tier.
    Visibility(&'a str),
}

impl Facet<'_> {
    /// The tag of the search document. The first character tells the kinds apart.
    pub fn tag(self) -> String {
        match self {
            Facet::Tag(tag) => format!("#{tag}"),
            Facet::Author(user) => format!("@{user}"),
            Facet::Team(team) => format!("&{}", team.strip_prefix("team:").unwrap_or(team)),
            Facet::Visibility(tier) => format!("!{tier}"),
        }
    }
}

/// An artifact as a document, with the text of its content. `visible_to` are the marks of its readers; empty for
/// everyone.
pub fn document(
    tenant: TenantId,
    artifact: &Artifact,
    payload: &Payload,
    content: String,
    visible_to: Vec<String>,
) -> Document {
    let mut about = payload.tags.clone();
    about.extend([payload.user_id.clone(), payload.source.clone(), payload.provenance.agent.clone()]);
    let mut texts = vec![(0, payload.title.clone()), (1, payload.summary.clone()), (2, about.join("\n"))];
    texts.push((3, content));
    texts.retain(|(_, text)| !text.trim().is_empty());
    let mut tags: Vec<_> = payload.tags.iter().map(|tag| Facet::Tag(tag).tag()).collect();
    tags.push(Facet::Author(&payload.user_id).tag());
    tags.push(Facet::Visibility(payload.visibility.name()).tag());
    if !payload.team.is_empty() {
        tags.push(Facet::Team(&payload.team).tag());
    }
    tags.sort_unstable();
    tags.dedup();
    Document {
        id: artifact.id.as_bytes().to_vec(),
        group: u64::from(tenant.0),
        subgroup: 0,
        kind: payload.format.clone(),
        texts,
        tags,
        visible_to,
        time_ms: artifact.timestamp_ms,
        language: None,
    }
}
