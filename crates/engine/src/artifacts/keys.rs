//! Keys of authors, for everybody who may read something of theirs.

use cairn_access::registry::{self, Key, Page, TenantName, UserId};
use cairn_access::{Action, Principal, limits};
use cairn_artifacts::{ArtifactError, by_author};
use cairn_base::Position;

use super::seen::SeenBy;
use crate::{Engine, EngineError};

/// Artifacts of an author that are looked at to find one that the caller may read.
const OF_AUTHOR_MAX: usize = 1000;

/// The keys of an author, revoked ones included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactKeys {
    /// The name of the author's tenant.
    pub tenant: String,
    /// The author.
    pub user: String,
    /// The keys.
    pub keys: Vec<Key>,
}

impl Engine {
    /// The keys of an author, if the caller may read one of the author's artifacts, or is the author.
    pub fn artifact_keys(
        &self,
        principal: &Principal,
        tenant: &str,
        user: &str,
    ) -> Result<ArtifactKeys, EngineError> {
        self.pipeline.read_each(principal, Action::ArtifactRead, Position::START, |snapshot, each| {
            let seen = SeenBy { engine: self, snapshot, each, principal };
            let missing = || EngineError::from(ArtifactError::NotFound);
            let known = match TenantName::parse(tenant) {
                Ok(name) => registry::find_tenant(snapshot, &seen.node()?, &name)?,
                Err(_) => None,
            };
            // A tenant that is not there costs the same rounds as one that is hidden.
            let scope = seen.scope_of(known.map_or(principal.tenant(), |tenant| tenant.id))?;
            let wanted: Vec<_> =
                by_author(snapshot, &scope, user, OF_AUTHOR_MAX)?.into_iter().map(|id| (scope, id)).collect();
            let of_author = |artifact: &cairn_artifacts::Artifact| {
                artifact.author == user && artifact.tenant_name == tenant && artifact.is_live()
            };
            let found = seen.look_in(&wanted)?;
            let may = found.iter().flatten().any(|found| of_author(&found.artifact));
            let is_self = principal.tenant_name() == tenant && principal.user_id() == user;
            if !may && !is_self {
                return Err(missing());
            }
            let user = UserId::parse(user).map_err(|_| missing())?;
            let page = Page { after: None, limit: limits::CREDENTIALS_OF_USER_MAX };
            let keys = registry::keys(snapshot, &scope, Some(&user), page)?.items;
            Ok(ArtifactKeys { tenant: tenant.to_owned(), user: user.to_string(), keys })
        })
    }
}
