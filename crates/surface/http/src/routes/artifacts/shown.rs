//! Artifacts as clients see them.

use cairn_artifacts::cid::{Cid, IpfsUrl};
use cairn_artifacts::{Artifact, Payload, Usage};
use cairn_base::{Hex, to_iso_utc};
use cairn_engine::{ArtifactItem, ShownArtifact};
use cairn_seam::Sha256;
use cairn_wire::artifacts::{About, FoundArtifact, JsonText};

use crate::IntoWire;

/// An artifact as JSON: exactly the bytes that were signed, with the signature and what this node knows behind them.
pub(super) fn json_of(shown: &ShownArtifact) -> String {
    let ShownArtifact { artifact, signed, payload, usage, citations, .. } = shown;
    json(signed, artifact, &about(artifact, payload, *usage, *citations))
}

fn json(signed: &str, artifact: &Artifact, about: &About) -> String {
    let about = serde_json::to_string(about).expect("an answer is plain data");
    let fields = signed.strip_suffix('}').unwrap_or(signed);
    format!("{fields},\"signature\":\"{}\",\"_cairn\":{about}}}", artifact.signature)
}

fn about(artifact: &Artifact, payload: &Payload, usage: Usage, citations: u64) -> About {
    let is_known = artifact.accepted_by != [0; 32];
    // One that names other content was refused when the artifact was published.
    let is_cid = IpfsUrl::parse(&payload.content_url).is_ok_and(|url| url.content_sha256().is_some());
    About {
        uri: format!("cairn://artifact/{}", artifact.id),
        attested_by: artifact.attestation.name().to_owned(),
        public_key: Hex(&artifact.public_key).to_string(),
        accepted_by: is_known.then(|| Hex(&artifact.accepted_by).to_string()),
        received_at: to_iso_utc(artifact.received_at_ms),
        cid: cid_of(artifact.sha256),
        has_content: artifact.content.is_some(),
        content_bytes: artifact.content.map(|content| content.bytes),
        content_url_verified: is_cid.then_some(true),
        derived_from: artifact.derived_from.map(|parent| parent.to_string()),
        reads: usage.reads,
        downloads: usage.downloads,
        citations,
    }
}

/// The CID of content.
pub(super) fn cid_of(sha256: Sha256) -> String {
    Cid::Raw(sha256).to_string()
}

/// An artifact of a list as a whole.
pub(super) fn whole(item: &ArtifactItem) -> JsonText {
    let about = about(&item.artifact, &item.payload, item.usage, item.citations);
    let json = json(&item.signed, &item.artifact, &about);
    JsonText::from_text(json).expect("what was signed is JSON")
}

impl IntoWire for ArtifactItem {
    type Wire = FoundArtifact;

    fn into_wire(self) -> FoundArtifact {
        let ArtifactItem { artifact, payload, relevance, preview, usage, citations, .. } = self;
        FoundArtifact {
            id: artifact.id.to_string(),
            title: payload.title,
            summary: payload.summary,
            created_at: payload.timestamp,
            relevance,
            preview,
            format: payload.format,
            user_id: payload.user_id,
            tenant_id: payload.tenant_id,
            team: payload.team,
            visibility: payload.visibility.name().to_owned(),
            tags: payload.tags,
            content_hash: format!("{:?}", artifact.sha256),
            reads: usage.reads,
            downloads: usage.downloads,
            citations,
        }
    }
}
