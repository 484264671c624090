//! Tenants, users, teams, tokens, keys, and who the caller is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use crate::secret::Revealed;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WhoAmI {
    /// What it is called.
    #[schema(example = "ada@example.org")]
    pub user_id: String,
    /// Its tenant.
    #[schema(example = "acme")]
    pub tenant: String,
    /// The teams it belongs to there.
    pub teams: Vec<String>,
    /// What it may do with what it showed.
    #[schema(example = json!(["reader", "writer"]))]
    pub roles: Vec<String>,
    /// Whether it owns the data directory, and may do everything.
    pub is_local_owner: bool,
}

/// A tenant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShownTenant {
    /// What it is called.
    #[schema(example = "acme")]
    pub tenant: String,
    /// Its number, as `cairn compact --forget tenant:ID` takes it.
    pub id: u32,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// Whether its users are shut out.
    pub disabled: bool,
    /// Since when.
    pub disabled_at_ms: Option<u64>,
}

/// Part of the tenants, in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Tenants {
    /// The tenants.
    pub tenants: Vec<ShownTenant>,
    /// What to pass as `after` to go on; null at the end.
    pub next: Option<String>,
}

/// A tenant that is to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTenant {
    /// What to call it: 1 to 128 bytes without space, `/`, `,` and `:`.
    #[schema(example = "acme")]
    pub tenant: String,
}

/// What to change of a tenant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TenantChange {
    /// Whether its users are shut out.
    pub disabled: bool,
}

/// A user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShownUser {
    /// What it is called.
    #[schema(example = "ada@example.org")]
    pub user: String,
    /// What it may be trusted with.
    #[schema(example = json!(["writer"]))]
    pub roles: Vec<String>,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// Whether it is shut out.
    pub disabled: bool,
    /// Since when.
    pub disabled_at_ms: Option<u64>,
}

/// A user, and where it belongs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the type of the field says it all")]
pub struct UserAndTeams {
    #[serde(flatten)]
    pub user: ShownUser,
    /// The teams it belongs to.
    pub teams: Vec<String>,
}

/// Part of the users, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Users {
    /// The users.
    pub users: Vec<ShownUser>,
    /// What to pass as `after` to go on; null at the end.
    pub next: Option<String>,
}

/// What a user is to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedUser {
    /// All of its roles: `reader`, `writer` and `admin` of the tenant, each with those before it; in the
    /// tenant `local` also `operator` of the node.
    #[schema(example = json!(["writer"]))]
    pub roles: Vec<String>,
}

/// What is to change about a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserChange {
    /// Whether it is shut out, with all of its tokens and keys.
    pub disabled: bool,
}

/// A team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShownTeam {
    /// What it is called.
    #[schema(example = "core")]
    pub team: String,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
}

/// Part of the teams, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Teams {
    /// The teams.
    pub teams: Vec<ShownTeam>,
    /// What to pass as `after` to go on; null at the end.
    pub next: Option<String>,
}

/// Part of the members of a team, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Members {
    /// Users.
    #[schema(example = json!(["ada@example.org"]))]
    pub members: Vec<String>,
    /// What to pass as `after` to go on; null at the end.
    pub next: Option<String>,
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShownToken {
    /// What it is called.
    #[schema(example = "5f3a90c1d2e4b687")]
    pub id: String,
    /// Whose it is.
    #[schema(example = "ada@example.org")]
    pub user: String,
    /// What it is for.
    pub label: String,
    /// What it may be used for, as far as its user may do that.
    #[schema(example = json!(["writer"]))]
    pub roles: Vec<String>,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// From when on it does not hold any more; null for one that never ends.
    pub expires_at_ms: Option<u64>,
    /// Since when it is revoked.
    pub revoked_at_ms: Option<u64>,
    /// `active`, `expired` or `revoked`.
    #[schema(example = "active")]
    pub state: String,
}

/// A token that was made, and its secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the type of the field says it all")]
pub struct IssuedToken {
    /// The token, for `Authorization: Bearer`. It is never shown again.
    #[schema(value_type = String, example = "cairn_AAAAAV86kMHS5LaH…")]
    pub token: Revealed,
    #[serde(flatten)]
    pub about: ShownToken,
}

/// Part of the tokens, by id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Tokens {
    /// The tokens; those that do not hold any more too.
    pub tokens: Vec<ShownToken>,
    /// What to pass as `after` to go on; null at the end.
    pub next: Option<String>,
}

/// What a token is to be for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedToken {
    /// Whose it is.
    #[schema(example = "ada@example.org")]
    pub user: String,
    /// A note for people, at most 128 bytes.
    #[serde(default)]
    #[schema(example = "laptop")]
    pub label: String,
    /// What it may be used for; what its user may do now if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
    /// How long it holds, such as `30d` or `12h`, or `never`; 90 days if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "30d")]
    pub expires_in: Option<String>,
    /// The same as a time in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<u64>,
}

/// The public half of a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShownKey {
    /// The key: 64 hexadecimal digits.
    pub public_key: String,
    /// Whose it is.
    #[schema(example = "ada@example.org")]
    pub user: String,
    /// When it was registered, in Unix milliseconds.
    pub created_at_ms: u64,
    /// Whether it is revoked.
    pub revoked: bool,
    /// Since when.
    pub revoked_at_ms: Option<u64>,
}

/// Part of the keys, in their own order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Keys {
    /// The keys; revoked ones too.
    pub keys: Vec<ShownKey>,
    /// What to pass as `after` to go on; null at the end.
    pub next: Option<String>,
}

/// For whom a key is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyOwner {
    /// The user.
    #[schema(example = "ada@example.org")]
    pub user: String,
}
