//! Artifacts: what was published, by whom, and from what (KCP, `docs/artifacts.md`).
//!
//! An artifact is a signed JSON payload with content of any kind. The exact bytes that were signed are stored and
//! served, so that everybody can verify who wrote it, years later and without this node. Everything here is a function
//! over a snapshot or a transaction; who may read an artifact is decided by `cairn-access`.

mod audience;
pub mod bundle;
mod check;
pub mod cid;
mod code;
mod counters;
mod delete;
pub mod did_key;
pub mod dot;
pub mod dsse;
mod error;
mod event;
mod extract;
mod id;
pub mod limits;
mod lineage;
pub mod merkle;
pub mod mermaid;
mod multibase;
pub mod one_json;
pub mod openlineage;
mod payload;
pub mod prov;
mod publish;
mod quarantine;
mod read;
mod record;
mod recount;
mod reserve;
mod search;
mod signer;
pub mod tables;
mod tombstone;
pub mod view;

pub use audience::{Audience, audiences, citations};
pub use check::{
    DERIVED, KeysOfTenant, bring_home, entries_from, id_in_key, is_at_home, missing_entries, stray_entries,
};
pub use code::{ArtifactCode, kcp_code};
pub use counters::{Usage, add_usage, usage};
pub use delete::{Deleted, delete, erase, erased_keys, purge_due, tombstone};
pub use error::ArtifactError;
pub use event::ArtifactEvent;
pub use extract::{extract, preview};
pub use id::{ArtifactId, NotAnArtifactId};
pub use lineage::{
    Direction, Lineage, LineageEdge, LineageNode, LineageRequest, NodeState, Seen, children, citing_scopes,
    lineage,
};
pub use payload::{Filled, Payload, PayloadError, Provenance, Received, fill_unsigned};
pub use publish::{Publish, Published, publish};
pub use quarantine::{Quarantined, check_quarantine, quarantine, quarantined, release};
pub use read::{
    Found, artifact, by_author, by_blob, by_content, by_time, content_of, find, homes, load_payload, locate,
};
pub use record::{Artifact, Attestation, Content, PayloadAt, blobs_of_artifact, blobs_of_quarantined};
pub use recount::wrong_citations;
pub use reserve::{Reservation, content_homes, grantee, grantees, last_homes, reserve, retire};
pub use search::{ARTIFACTS, COLLECTIONS, Facet, document};
pub use signer::{Signer, signer};
pub use tombstone::{SignedTombstone, Tombstone};
