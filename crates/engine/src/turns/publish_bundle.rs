//! Publishing bundles of types, and finding them again.

use cairn_access::Principal;
use cairn_base::{ContentHash, Position, TenantId};
use cairn_seam::Blob;
use cairn_turns::registry::{self, Bundle, Published};

use super::acts::{reading, writing};
use crate::{Engine, EngineError, Prepared};

impl Engine {
    /// Prepares to publish a bundle, whole or not at all. `blob` has its bytes as they were sent.
    pub fn publish_bundle(
        &self,
        principal: &Principal,
        tenant: TenantId,
        bundle: Bundle,
        blob: Blob,
    ) -> Prepared<Published> {
        Prepared::new(principal, writing(tenant), move |tx, scope| {
            Ok(registry::publish(tx, scope, &bundle, &blob)?)
        })
    }

    /// Returns the blob of a published bundle, or `None` if no bundle has this id.
    pub fn bundle(
        &self,
        principal: &Principal,
        tenant: TenantId,
        id: &str,
    ) -> Result<Option<ContentHash>, EngineError> {
        self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            Ok(registry::bundle_blob(snapshot, scope, id)?)
        })
    }
}
