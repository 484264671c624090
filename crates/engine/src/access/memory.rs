//! What shared code needs to know of identities: their keyspaces.

use cairn_access::tables;
use cairn_seam::{HashedKeyspace, Keyspace};

use crate::EngineConfig;
use crate::memory::{Memory, Primary, PrimaryId};

/// Tenants, users, teams, tokens and keys.
pub(crate) struct Identities;

impl Identities {
    pub(crate) fn new(_: &EngineConfig, _now_ms: u64) -> Self {
        Identities
    }
}

impl Memory for Identities {
    fn name(&self) -> &'static str {
        "identity"
    }

    fn keyspaces(&self) -> &'static [Keyspace] {
        tables::KEYSPACES
    }

    fn hashed_keyspaces(&self) -> &'static [HashedKeyspace] {
        &[tables::USED_JWTS]
    }

    fn primary(&self) -> &'static [Primary] {
        &[
            Primary { keyspace: tables::TENANTS, kind: "tenant", id: PrimaryId::Short },
            Primary { keyspace: tables::USERS, kind: "user", id: PrimaryId::Text },
            Primary { keyspace: tables::TEAMS, kind: "team", id: PrimaryId::Text },
            Primary { keyspace: tables::TOKENS, kind: "token", id: PrimaryId::Bytes },
            Primary { keyspace: tables::KEYS, kind: "key", id: PrimaryId::Bytes },
        ]
    }
}
