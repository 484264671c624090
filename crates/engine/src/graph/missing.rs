//! Names of a request that the graph does not have, with the names that it has.

/// No space has the requested name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no space {name:?}")]
pub struct NoSpace {
    /// The requested name.
    pub name: String,
    /// The first spaces of the tenant.
    pub known: Vec<String>,
    /// Whether the tenant has more spaces than that.
    pub has_more: bool,
}

/// No type has the requested name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not a registered type.{}", question(nearest.as_deref()))]
pub struct NoType {
    /// The requested name.
    pub name: String,
    /// The name of a type that is nearest to it, if any is near.
    pub nearest: Option<String>,
}

fn question(nearest: Option<&str>) -> String {
    nearest.map(|near| format!(" Did you mean {near:?}?")).unwrap_or_default()
}
