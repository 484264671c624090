//! Limits of identities, credentials and the registry. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::KIB;

/// Longest file that holds an identity, whatever its layout.
pub const IDENTITY_FILE_BYTES_MAX: usize = 64 * KIB;
/// Longest recovery phrase, passphrase or password that is read.
pub const SECRET_TEXT_BYTES_MAX: usize = 4 * KIB;
/// Longest credential that is looked at.
pub const CREDENTIAL_BYTES_MAX: usize = 8 << 10;
/// How long a JWT may hold, from when it is shown.
pub const JWT_LIFETIME: Duration = Duration::from_secs(5 * 60);
/// Longest `jti` of a JWT.
pub const JWT_ID_BYTES_MAX: usize = 256;
/// How far the clocks of two machines may be apart.
pub const CLOCK_SKEW: Duration = Duration::from_secs(30);
/// Longest name of a user.
pub const USER_ID_BYTES_MAX: usize = 256;
/// Longest name of a tenant or a team.
pub const TENANT_NAME_BYTES_MAX: usize = 128;
/// Most tenants of a node.
pub const TENANTS_MAX: u64 = 10_000;
/// Most teams that one user belongs to.
pub const TEAMS_OF_USER_MAX: usize = 256;
/// Most tokens, and most keys, of one user, those included that were revoked.
pub const CREDENTIALS_OF_USER_MAX: usize = 1000;
/// Longest label of a token.
pub const TOKEN_LABEL_BYTES_MAX: usize = 128;
/// Most users, teams, tokens, keys or tenants in one page.
pub const ACCESS_PAGE_MAX: usize = 1000;
