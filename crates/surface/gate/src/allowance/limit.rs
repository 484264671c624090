//! What is limited, and what a request costs.

use std::fmt;
use std::num::NonZeroU64;

use crate::limits;

/// What each remote user may do; a tenant's users together may do [`tenant_factor`](Self::tenant_factor)
/// times as much. `None` is as much as they like. The local owner has no limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Requests that only read, in a minute.
    pub reads_per_minute: Option<NonZeroU64>,
    /// Requests that may change something, in a minute.
    pub writes_per_minute: Option<NonZeroU64>,
    /// Searches, in a minute.
    pub searches_per_minute: Option<NonZeroU64>,
    /// Bytes of bodies, in a minute.
    pub upload_bytes_per_minute: Option<NonZeroU64>,
    /// Connections at once.
    pub connections: Option<NonZeroU64>,
    /// How many times as much a tenant may.
    pub tenant_factor: NonZeroU64,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance {
            reads_per_minute: NonZeroU64::new(limits::READS_PER_MINUTE),
            writes_per_minute: NonZeroU64::new(limits::WRITES_PER_MINUTE),
            searches_per_minute: NonZeroU64::new(limits::SEARCHES_PER_MINUTE),
            upload_bytes_per_minute: NonZeroU64::new(limits::UPLOAD_BYTES_PER_MINUTE),
            connections: NonZeroU64::new(limits::CONNECTIONS_OF_USER_MAX),
            tenant_factor: NonZeroU64::new(limits::TENANT_FACTOR).unwrap_or(NonZeroU64::MIN),
        }
    }
}

impl Allowance {
    /// As much as they like.
    pub const NONE: Allowance = Allowance {
        reads_per_minute: None,
        writes_per_minute: None,
        searches_per_minute: None,
        upload_bytes_per_minute: None,
        connections: None,
        tenant_factor: NonZeroU64::MIN,
    };

    /// The limit on one thing, for a user or for a tenant.
    pub(super) fn of(&self, whose: Whose, counted: Counted) -> Option<NonZeroU64> {
        let of_user = match counted {
            Counted::Reads => self.reads_per_minute,
            Counted::Writes => self.writes_per_minute,
            Counted::Searches => self.searches_per_minute,
            Counted::UploadBytes => self.upload_bytes_per_minute,
            Counted::Connections => self.connections,
        };
        match whose {
            Whose::User => of_user,
            Whose::Tenant => of_user.map(|of_user| of_user.saturating_mul(self.tenant_factor)),
        }
    }
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Requests that only read.
    Reads,
    /// Requests that may change something.
    Writes,
    /// Searches.
    Searches,
    /// Bytes of bodies.
    UploadBytes,
    /// Connections at once.
    Connections,
}

impl Counted {
    pub(crate) const ALL: [Counted; 5] =
        [Counted::Reads, Counted::Writes, Counted::Searches, Counted::UploadBytes, Counted::Connections];
    /// What there are buckets for.
    pub(super) const PER_MINUTE: [Counted; 4] =
        [Counted::Reads, Counted::Writes, Counted::Searches, Counted::UploadBytes];

    /// Its name in metrics and details.
    pub fn name(self) -> &'static str {
        match self {
            Counted::Reads => "reads",
            Counted::Writes => "writes",
            Counted::Searches => "searches",
            Counted::UploadBytes => "upload_bytes",
            Counted::Connections => "connections",
        }
    }
}

/// Whose limit it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The caller's own.
    User,
    /// That of everybody in the caller's tenant.
    Tenant,
}

impl Whose {
    pub(crate) const ALL: [Whose; 2] = [Whose::User, Whose::Tenant];

    /// Its name in metrics and details.
    pub fn name(self) -> &'static str {
        match self {
            Whose::User => "user",
            Whose::Tenant => "tenant",
        }
    }
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// Whose it is.
    pub whose: Whose,
    /// What is counted.
    pub counted: Counted,
    /// How much may be, at once or in a minute.
    pub max: NonZeroU64,
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reached { whose, counted, max } = self;
        let whose = whose.name();
        match counted {
            Counted::Reads | Counted::Writes | Counted::Searches => {
                write!(f, "this {whose} may do {max} {} a minute", counted.name())
            }
            Counted::UploadBytes => write!(f, "this {whose} may send {max} bytes a minute"),
            Counted::Connections => write!(f, "this {whose} may have {max} connections at once"),
        }
    }
}

/// What a request costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    request: Option<Counted>,
    bytes: u64,
}

impl Cost {
    /// One request that only reads.
    pub const READ: Cost = Cost { request: Some(Counted::Reads), bytes: 0 };
    /// One request that may change something.
    pub const WRITE: Cost = Cost { request: Some(Counted::Writes), bytes: 0 };
    /// One search.
    pub const SEARCH: Cost = Cost { request: Some(Counted::Searches), bytes: 0 };

    /// Bytes of a body whose request was counted already.
    pub const fn bytes(bytes: u64) -> Self {
        Cost { request: None, bytes }
    }

    /// The same with the bytes of its body.
    #[must_use]
    pub const fn with_bytes(self, bytes: u64) -> Self {
        Cost { bytes, ..self }
    }

    pub(super) fn parts(self) -> impl Iterator<Item = (Counted, u64)> {
        let bytes = (self.bytes > 0).then_some((Counted::UploadBytes, self.bytes));
        self.request.map(|request| (request, 1)).into_iter().chain(bytes)
    }
}
