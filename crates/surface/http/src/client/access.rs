//! Calls about who is known and who may do what.

use axum::http::{Method, Request};
use cairn_wire::access::{
    IssuedToken, KeyOwner, Keys, Members, NewTenant, ShownKey, ShownTeam, ShownTenant, ShownToken, ShownUser,
    Teams, TenantChange, Tenants, Tokens, UserAndTeams, UserChange, Users, WantedToken, WantedUser, WhoAmI,
};
use cairn_wire::audit::Trail;

use super::escape::escaped;
use super::{Client, ClientError};

/// Which part of a list.
#[derive(Debug, Clone, Default)]
pub struct ListPart {
    /// After which of them: the `next` of the part before.
    pub after: Option<String>,
    /// How many at the most; the server decides if nothing is said.
    pub limit: Option<u64>,
    /// Only what this user has, of tokens and keys.
    pub user: Option<String>,
}

/// A token that is to be made.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// For which user.
    pub user: String,
    /// A note for people.
    pub label: String,
    /// What it may be used for; empty for what its user may do.
    pub roles: Vec<String>,
    /// How long it holds, such as `30d`, or `never`; the server decides if nothing is said.
    pub expires_in: Option<String>,
}

/// Which lines of an audit trail.
#[derive(Debug, Clone, Default)]
pub struct AuditPart {
    /// Whose trail; that of the node if nothing is said.
    pub tenant: Option<String>,
    /// After which line: the `next` or `last` of a part before.
    pub after: Option<String>,
    /// From which time on, as the route takes it.
    pub since: Option<String>,
    /// Whether the last lines are wanted instead of the first.
    pub newest: bool,
    /// How many at the most; the server decides if nothing is said.
    pub limit: Option<u64>,
}

impl Client {
    /// Calls `GET /v1/access/whoami`.
    pub async fn whoami(&mut self) -> Result<WhoAmI, ClientError> {
        self.get("/v1/access/whoami").await
    }

    /// Calls `GET /v1/access/tenants`.
    pub async fn tenants(&mut self, part: &ListPart) -> Result<Tenants, ClientError> {
        self.get(&(address(&[]) + &list_query(part))).await
    }

    /// Calls `POST /v1/access/tenants`.
    pub async fn create_tenant(&mut self, tenant: &str) -> Result<ShownTenant, ClientError> {
        self.say(Method::POST, &address(&[]), &NewTenant { tenant: tenant.to_owned() }).await
    }

    /// Calls `PATCH /v1/access/tenants/{tenant}`.
    pub async fn change_tenant(&mut self, tenant: &str, disabled: bool) -> Result<ShownTenant, ClientError> {
        self.say(Method::PATCH, &address(&[tenant]), &TenantChange { disabled }).await
    }

    /// Calls `GET …/users`.
    pub async fn users(&mut self, tenant: &str, part: &ListPart) -> Result<Users, ClientError> {
        self.get(&(address(&[tenant, "users"]) + &list_query(part))).await
    }

    /// Calls `GET …/users/{user}`.
    pub async fn user(&mut self, tenant: &str, user: &str) -> Result<UserAndTeams, ClientError> {
        self.get(&address(&[tenant, "users", user])).await
    }

    /// Calls `PUT …/users/{user}`.
    pub async fn put_user(
        &mut self,
        tenant: &str,
        user: &str,
        roles: &[String],
    ) -> Result<ShownUser, ClientError> {
        self.say(Method::PUT, &address(&[tenant, "users", user]), &WantedUser { roles: roles.to_vec() }).await
    }

    /// Calls `PATCH …/users/{user}`.
    pub async fn enable_user(&mut self, tenant: &str, user: &str) -> Result<ShownUser, ClientError> {
        self.say(Method::PATCH, &address(&[tenant, "users", user]), &UserChange { disabled: false }).await
    }

    /// Calls `DELETE …/users/{user}`.
    pub async fn disable_user(&mut self, tenant: &str, user: &str) -> Result<ShownUser, ClientError> {
        self.ask(Request::delete(address(&[tenant, "users", user])), Vec::new()).await
    }

    /// Calls `GET …/teams`.
    pub async fn teams(&mut self, tenant: &str, part: &ListPart) -> Result<Teams, ClientError> {
        self.get(&(address(&[tenant, "teams"]) + &list_query(part))).await
    }

    /// Calls `PUT …/teams/{team}`.
    pub async fn create_team(&mut self, tenant: &str, team: &str) -> Result<ShownTeam, ClientError> {
        self.ask(Request::put(address(&[tenant, "teams", team])), Vec::new()).await
    }

    /// Has `DELETE …/teams/{team}` done.
    pub async fn remove_team(&mut self, tenant: &str, team: &str) -> Result<(), ClientError> {
        self.send(Request::delete(address(&[tenant, "teams", team])), Vec::new()).await.map(drop)
    }

    /// Calls `GET …/teams/{team}/members`.
    pub async fn members(
        &mut self,
        tenant: &str,
        team: &str,
        part: &ListPart,
    ) -> Result<Members, ClientError> {
        self.get(&(address(&[tenant, "teams", team, "members"]) + &list_query(part))).await
    }

    /// Has `PUT …/teams/{team}/members/{user}` done, or `DELETE`.
    pub async fn set_member(
        &mut self,
        tenant: &str,
        team: &str,
        user: &str,
        belongs: bool,
    ) -> Result<(), ClientError> {
        let method = if belongs { Method::PUT } else { Method::DELETE };
        let request = Request::builder().method(method);
        let request = request.uri(address(&[tenant, "teams", team, "members", user]));
        self.send(request, Vec::new()).await.map(drop)
    }

    /// Calls `GET …/tokens`.
    pub async fn tokens(&mut self, tenant: &str, part: &ListPart) -> Result<Tokens, ClientError> {
        self.get(&(address(&[tenant, "tokens"]) + &list_query(part))).await
    }

    /// Calls `POST …/tokens`: the only answer with the token itself.
    pub async fn issue_token(&mut self, tenant: &str, token: &NewToken) -> Result<IssuedToken, ClientError> {
        let NewToken { user, label, roles, expires_in } = token.clone();
        let roles = Some(roles).filter(|roles| !roles.is_empty());
        let body = WantedToken { user, label, roles, expires_in, expires_at_ms: None };
        self.say(Method::POST, &address(&[tenant, "tokens"]), &body).await
    }

    /// Calls `DELETE …/tokens/{id}`.
    pub async fn revoke_token(&mut self, tenant: &str, id: &str) -> Result<ShownToken, ClientError> {
        self.ask(Request::delete(address(&[tenant, "tokens", id])), Vec::new()).await
    }

    /// Calls `GET …/keys`.
    pub async fn keys(&mut self, tenant: &str, part: &ListPart) -> Result<Keys, ClientError> {
        self.get(&(address(&[tenant, "keys"]) + &list_query(part))).await
    }

    /// Calls `PUT …/keys/{public_key}`.
    pub async fn add_key(&mut self, tenant: &str, key: &str, user: &str) -> Result<ShownKey, ClientError> {
        self.say(Method::PUT, &address(&[tenant, "keys", key]), &KeyOwner { user: user.to_owned() }).await
    }

    /// Calls `DELETE …/keys/{public_key}`.
    pub async fn revoke_key(&mut self, tenant: &str, key: &str) -> Result<ShownKey, ClientError> {
        self.ask(Request::delete(address(&[tenant, "keys", key])), Vec::new()).await
    }

    /// Calls `GET /v1/audit`.
    pub async fn audit(&mut self, part: &AuditPart) -> Result<Trail, ClientError> {
        let node = part.tenant.is_none().then(|| "true".to_owned());
        let newest = part.newest.then(|| "true".to_owned());
        let query = query(&[
            ("tenant", part.tenant.clone()),
            ("node", node),
            ("after", part.after.clone()),
            ("since", part.since.clone()),
            ("newest", newest),
            ("limit", part.limit.map(|limit| limit.to_string())),
        ]);
        self.get(&format!("/v1/audit{query}")).await
    }
}

/// An address below the list of tenants.
fn address(parts: &[&str]) -> String {
    parts.iter().fold("/v1/access/tenants".to_owned(), |path, part| path + "/" + &escaped(part))
}

fn list_query(part: &ListPart) -> String {
    let limit = part.limit.map(|limit| limit.to_string());
    query(&[("after", part.after.clone()), ("limit", limit), ("user", part.user.clone())])
}

/// What is said of these parameters.
fn query(parameters: &[(&str, Option<String>)]) -> String {
    let mut out = String::new();
    for (name, value) in parameters {
        if let Some(value) = value {
            out.push(if out.is_empty() { '?' } else { '&' });
            out += &format!("{name}={}", escaped(value));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_addresses_escaped() {
        assert_eq!(address(&["acme", "users", "a/b@c"]), "/v1/access/tenants/acme/users/a%2Fb%40c");
        let part = ListPart { limit: Some(7), user: Some("a b".into()), ..ListPart::default() };
        assert_eq!(list_query(&part), "?limit=7&user=a%20b");
        assert_eq!(list_query(&ListPart::default()), "");
    }
}
