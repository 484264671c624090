//! Calls about turns.

use axum::http::header::{CONTENT_TYPE, IF_MATCH};
use axum::http::{HeaderValue, Method, Request};
use cairn_base::{ContextId, TurnId, Value};
use cairn_wire::contexts::{ContextObject, ContextPage, NewContext};
use cairn_wire::turns::{AppendedTurn, SingleTurn, TurnPage};

use super::escape::escaped;
use super::{Client, ClientError};

/// A turn that is to be appended.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// To which context.
    pub context: ContextId,
    /// The name of its type.
    pub type_id: String,
    /// The version of its type.
    pub type_version: u32,
    /// Below which turn; the head if none is named.
    pub parent: Option<TurnId>,
    /// The head that the context has to have; [`TurnId::NONE`] for an empty one.
    pub expected_head: Option<TurnId>,
    /// What the writer calls this append. Without it a call that was not answered cannot be repeated.
    pub key: String,
    /// The payload, in msgpack.
    pub payload: Vec<u8>,
}

/// The order of a list of contexts, and where it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextOrder {
    /// The newest first.
    Created {
        /// Only contexts that were made before this one.
        before: Option<ContextId>,
    },
    /// The most recently active first.
    Activity {
        /// The `next_cursor` of the page before.
        cursor: Option<String>,
    },
}

impl Client {
    /// Calls `GET /v1/contexts`.
    pub async fn contexts(&mut self, limit: u64, order: &ContextOrder) -> Result<ContextPage, ClientError> {
        let order = match order {
            ContextOrder::Created { before: None } => String::new(),
            ContextOrder::Created { before: Some(before) } => format!("&before={before}"),
            ContextOrder::Activity { cursor: None } => "&sort=activity".to_owned(),
            ContextOrder::Activity { cursor: Some(cursor) } => {
                format!("&sort=activity&cursor={}", escaped(cursor))
            }
        };
        self.get(&format!("/v1/contexts?limit={limit}{order}")).await
    }

    /// Calls `GET /v1/contexts/{id}`.
    pub async fn context(&mut self, context: ContextId) -> Result<ContextObject, ClientError> {
        self.get(&format!("/v1/contexts/{context}")).await
    }

    /// Calls `POST /v1/contexts`: an empty context, or a fork.
    pub async fn create_context(&mut self, base: Option<TurnId>) -> Result<ContextObject, ClientError> {
        let base_turn_id = base.map_or(Value::Null, |base| Value::from(base.to_string()));
        self.say(Method::POST, "/v1/contexts", &NewContext { base_turn_id }).await
    }

    /// Calls `GET /v1/contexts/{id}/turns`, with payloads in base64.
    pub async fn turns(
        &mut self,
        context: ContextId,
        limit: u64,
        before: Option<TurnId>,
    ) -> Result<TurnPage, ClientError> {
        let before = before.map(|before| format!("&before_turn_id={before}")).unwrap_or_default();
        self.get(&format!("/v1/contexts/{context}/turns?view=raw&limit={limit}{before}")).await
    }

    /// Calls `GET /v1/turns/{id}`, with the payload in base64.
    pub async fn turn(&mut self, turn: TurnId) -> Result<SingleTurn, ClientError> {
        self.get(&format!("/v1/turns/{turn}?view=raw")).await
    }

    /// Calls `POST /v1/contexts/{id}/turns`.
    pub async fn append(&mut self, turn: &NewTurn) -> Result<AppendedTurn, ClientError> {
        let type_id = escaped(&turn.type_id);
        let parent = turn.parent.map(|parent| format!("&parent_turn_id={parent}")).unwrap_or_default();
        let (context, version) = (turn.context, turn.type_version);
        let path = format!("/v1/contexts/{context}/turns?type_id={type_id}&type_version={version}{parent}");
        let mut request = Request::post(path).header(CONTENT_TYPE, "application/msgpack");
        if !turn.key.is_empty() {
            let key = HeaderValue::from_str(&turn.key);
            let key = key.map_err(|_| ClientError::Unsendable { what: "the idempotency key" })?;
            request = request.header("idempotency-key", key);
        }
        if let Some(head) = turn.expected_head {
            request = request.header(IF_MATCH, format!("\"{head}\""));
        }
        self.ask(request, turn.payload.clone()).await
    }
}
