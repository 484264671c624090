//! Calls about who is known and who may do what. They answer what the routes answer.

use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use super::escape::escaped;
use super::{Client, ClientError, JSON};

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
    /// What `GET /v1/access/whoami` answers.
    pub async fn whoami(&mut self) -> Result<Value, ClientError> {
        self.get("/v1/access/whoami").await
    }

    /// What `GET /v1/access/tenants` answers.
    pub async fn tenants(&mut self, part: &ListPart) -> Result<Value, ClientError> {
        self.get(&(address(&[]) + &list_query(part))).await
    }

    /// What `POST /v1/access/tenants` answers.
    pub async fn create_tenant(&mut self, tenant: &str) -> Result<Value, ClientError> {
        self.say(Method::POST, &address(&[]), &json!({"tenant": tenant})).await
    }

    /// What `PATCH /v1/access/tenants/{tenant}` answers.
    pub async fn change_tenant(&mut self, tenant: &str, disabled: bool) -> Result<Value, ClientError> {
        self.say(Method::PATCH, &address(&[tenant]), &json!({"disabled": disabled})).await
    }

    /// What `GET …/users` answers.
    pub async fn users(&mut self, tenant: &str, part: &ListPart) -> Result<Value, ClientError> {
        self.get(&(address(&[tenant, "users"]) + &list_query(part))).await
    }

    /// What `GET …/users/{user}` answers.
    pub async fn user(&mut self, tenant: &str, user: &str) -> Result<Value, ClientError> {
        self.get(&address(&[tenant, "users", user])).await
    }

    /// What `PUT …/users/{user}` answers.
    pub async fn put_user(
        &mut self,
        tenant: &str,
        user: &str,
        roles: &[String],
    ) -> Result<Value, ClientError> {
        self.say(Method::PUT, &address(&[tenant, "users", user]), &json!({"roles": roles})).await
    }

    /// What `PATCH …/users/{user}` answers.
    pub async fn enable_user(&mut self, tenant: &str, user: &str) -> Result<Value, ClientError> {
        self.say(Method::PATCH, &address(&[tenant, "users", user]), &json!({"disabled": false})).await
    }

    /// What `DELETE …/users/{user}` answers.
    pub async fn disable_user(&mut self, tenant: &str, user: &str) -> Result<Value, ClientError> {
        self.ask(Request::delete(address(&[tenant, "users", user])), Vec::new()).await
    }

    /// What `GET …/teams` answers.
    pub async fn teams(&mut self, tenant: &str, part: &ListPart) -> Result<Value, ClientError> {
        self.get(&(address(&[tenant, "teams"]) + &list_query(part))).await
    }

    /// What `PUT …/teams/{team}` answers.
    pub async fn create_team(&mut self, tenant: &str, team: &str) -> Result<Value, ClientError> {
        self.ask(Request::put(address(&[tenant, "teams", team])), Vec::new()).await
    }

    /// Has `DELETE …/teams/{team}` done.
    pub async fn remove_team(&mut self, tenant: &str, team: &str) -> Result<(), ClientError> {
        self.send(Request::delete(address(&[tenant, "teams", team])), Vec::new()).await.map(drop)
    }

    /// What `GET …/teams/{team}/members` answers.
    pub async fn members(&mut self, tenant: &str, team: &str, part: &ListPart) -> Result<Value, ClientError> {
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

    /// What `GET …/tokens` answers.
    pub async fn tokens(&mut self, tenant: &str, part: &ListPart) -> Result<Value, ClientError> {
        self.get(&(address(&[tenant, "tokens"]) + &list_query(part))).await
    }

    /// What `POST …/tokens` answers: the only answer with the token itself.
    pub async fn issue_token(&mut self, tenant: &str, token: &NewToken) -> Result<Value, ClientError> {
        let mut body = json!({"user": token.user, "label": token.label});
        if !token.roles.is_empty() {
            body["roles"] = json!(token.roles);
        }
        if let Some(expires_in) = &token.expires_in {
            body["expires_in"] = json!(expires_in);
        }
        self.say(Method::POST, &address(&[tenant, "tokens"]), &body).await
    }

    /// What `DELETE …/tokens/{id}` answers.
    pub async fn revoke_token(&mut self, tenant: &str, id: &str) -> Result<Value, ClientError> {
        self.ask(Request::delete(address(&[tenant, "tokens", id])), Vec::new()).await
    }

    /// What `GET …/keys` answers.
    pub async fn keys(&mut self, tenant: &str, part: &ListPart) -> Result<Value, ClientError> {
        self.get(&(address(&[tenant, "keys"]) + &list_query(part))).await
    }

    /// What `PUT …/keys/{public_key}` answers.
    pub async fn add_key(&mut self, tenant: &str, key: &str, user: &str) -> Result<Value, ClientError> {
        self.say(Method::PUT, &address(&[tenant, "keys", key]), &json!({"user": user})).await
    }

    /// What `DELETE …/keys/{public_key}` answers.
    pub async fn revoke_key(&mut self, tenant: &str, key: &str) -> Result<Value, ClientError> {
        self.ask(Request::delete(address(&[tenant, "keys", key])), Vec::new()).await
    }

    /// What `GET /v1/audit` answers.
    pub async fn audit(&mut self, part: &AuditPart) -> Result<Value, ClientError> {
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

    /// Sends JSON, and answers what comes back.
    async fn say(&mut self, method: Method, path: &str, body: &Value) -> Result<Value, ClientError> {
        let request = Request::builder().method(method).uri(path).header(CONTENT_TYPE, JSON);
        self.ask(request, body.to_string().into_bytes()).await
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
