//! As what a payload is read.

use cairn_base::ErrorCode;

use crate::TurnsCode;
use crate::registry::{Described, Registry};
use crate::turn::DeclaredType;

/// As what payloads are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// As what their writers said.
    Inherit,
    /// As the newest version of what their writers said.
    Latest,
    /// As what the reader says.
    Explicit(DeclaredType),
}

/// Why nothing says how to read a payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HintError {
    /// The turn does not say what it is, and neither does the reader.
    #[error("the turn does not say what it is")]
    Missing,
    /// The reader names another type than the turn has.
    #[error(
        "as_type_id is `{asked}`, and there are turns of the type `{found}`; only the version may differ"
    )]
    OtherType {
        /// What the reader says.
        asked: String,
        /// What the turn says.
        found: String,
    },
    /// The version of the type was not published.
    #[error("version {version} of the type `{id}` was not published")]
    Unpublished {
        /// The type.
        id: String,
        /// Its version.
        version: u32,
    },
}

impl HintError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            HintError::Missing => TurnsCode::MissingTypeHint,
            HintError::OtherType { .. } => ErrorCode::Conflict,
            HintError::Unpublished { .. } => TurnsCode::FailedDependency,
        }
    }
}

impl Hint {
    /// Whether it makes sense at all for turns of these types; one without a type may be read as any.
    pub fn check(&self, registry: &Registry, type_ids: &[&str]) -> Result<(), HintError> {
        let Hint::Explicit(asked) = self else { return Ok(()) };
        if let Some(other) = type_ids.iter().find(|id| !id.is_empty() && **id != asked.id) {
            return Err(HintError::OtherType { asked: asked.id.clone(), found: (*other).to_owned() });
        }
        published(registry, &asked.id, Some(asked.version)).map(drop)
    }

    /// The type that a payload is read as, and what it says.
    pub fn resolve<'a>(
        &'a self,
        registry: &'a Registry,
        type_id: &'a str,
        type_version: u32,
    ) -> Result<(&'a str, Described<'a>), HintError> {
        let (id, version) = match self {
            Hint::Explicit(asked) => (asked.id.as_str(), Some(asked.version)),
            Hint::Inherit => (type_id, Some(type_version)),
            Hint::Latest => (type_id, None),
        };
        if id.is_empty() {
            return Err(HintError::Missing);
        }
        match published(registry, id, version) {
            // Without any version there is no newest one to name.
            Err(_) if version.is_none() => {
                Err(HintError::Unpublished { id: id.to_owned(), version: type_version })
            }
            found => found.map(|found| (id, found)),
        }
    }
}

/// A version of a type, the newest one if none is named.
fn published<'a>(registry: &'a Registry, id: &str, version: Option<u32>) -> Result<Described<'a>, HintError> {
    let found = version.map_or_else(|| registry.latest(id), |version| registry.descriptor(id, version));
    found.ok_or_else(|| HintError::Unpublished { id: id.to_owned(), version: version.unwrap_or_default() })
}
