//! Artifacts: publish, read, list, search, lineage, delete, follow.

mod content;
mod delete;
mod events;
mod export;
mod ids;
mod import;
mod keys;
mod lineage;
mod list;
mod memory;
mod publish;
mod purge;
mod read;
mod search;
mod seen;
mod signing;
mod upload;
mod usage;
mod verify;
mod verify_signature;

pub use self::content::OpenContent;
pub use self::delete::ArtifactDeletion;
pub use self::events::{ArtifactEventPage, ArtifactFilter, ArtifactHappened, ArtifactNews};
pub use self::export::{ArtifactExport, ArtifactSelection};
pub use self::ids::ArtifactIds;
pub use self::import::{ArtifactImport, ArtifactNote};
pub use self::keys::ArtifactKeys;
pub use self::list::{ArtifactItem, ArtifactList, ArtifactOrder, ArtifactQuestion};
pub(crate) use self::memory::Artifacts;
pub use self::publish::PublishStep;
pub use self::read::ShownArtifact;
pub use self::signing::{Signing, SigningError};
pub use self::upload::ContentUpload;
pub use self::verify_signature::VerifiedArtifact;
