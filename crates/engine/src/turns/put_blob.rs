//! Storing a blob by itself.

use cairn_access::Principal;
use cairn_base::TenantId;
use cairn_seam::Blob;

use super::acts::writing;
use crate::{Engine, Prepared};

impl Engine {
    /// Prepares to store a blob. The outcome is whether it was not stored before.
    pub fn put_blob(&self, principal: &Principal, tenant: TenantId, blob: Blob) -> Prepared<bool> {
        Prepared::new(principal, writing(tenant), move |tx, _| {
            let is_new = !tx.keep_blob(&blob.hash())?;
            tx.put_blob(&blob)?;
            Ok(is_new)
        })
    }
}
