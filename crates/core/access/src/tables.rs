//! Keyspaces of identity and access: 48 to 63. The engine lists them with all others.
//!
//! Tenants are the node's. Whatever belongs to a tenant is kept inside it, so that its administrators
//! change it in transactions of the tenant, and it goes with the tenant.

use cairn_seam::{HashedKeyspace, Keyspace};

/// (node, none, number) → a tenant.
pub const TENANTS: Keyspace = Keyspace::new(48, "tenants");
/// (node, none, name) → the number of the tenant.
pub const TENANT_NAMES: Keyspace = Keyspace::new(49, "tenant-names");
/// (node, none, key, tenant) → nothing: the key may be registered in that tenant.
pub const KEY_HOMES: Keyspace = Keyspace::new(50, "key-homes");
/// (tenant, none, user) → the user.
pub const USERS: Keyspace = Keyspace::new(51, "users");
/// (tenant, none, team) → the team.
pub const TEAMS: Keyspace = Keyspace::new(52, "teams");
/// (tenant, none, user, team) → nothing.
pub const TEAMS_OF_USERS: Keyspace = Keyspace::new(53, "teams-of-users");
/// (tenant, none, team, user) → nothing.
pub const MEMBERS: Keyspace = Keyspace::new(54, "team-members");
/// (tenant, none, id) → a token, without its secret.
pub const TOKENS: Keyspace = Keyspace::new(55, "tokens");
/// (tenant, none, user, id) → nothing.
pub const TOKENS_OF_USERS: Keyspace = Keyspace::new(56, "tokens-of-users");
/// (tenant, none, key) → whose it is, and since and until when.
pub const KEYS: Keyspace = Keyspace::new(57, "keys");
/// (tenant, none, user, key) → nothing.
pub const KEYS_OF_USERS: Keyspace = Keyspace::new(58, "keys-of-users");

/// Every ordered keyspace of access.
pub const KEYSPACES: &[Keyspace] = &[
    TENANTS,
    TENANT_NAMES,
    KEY_HOMES,
    USERS,
    TEAMS,
    TEAMS_OF_USERS,
    MEMBERS,
    TOKENS,
    TOKENS_OF_USERS,
    KEYS,
    KEYS_OF_USERS,
];

/// (tenant, key and name of a JWT) → the connection that used it.
pub const USED_JWTS: HashedKeyspace = HashedKeyspace::new(48, "used-jwts");
