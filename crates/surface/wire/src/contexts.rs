//! Contexts: names for the newest turns of chains.

use cairn_base::{ContextId, TurnId, Value};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::sessions::{Active, Live};

/// A context: a name for the newest turn of a chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextObject {
    /// Its number, in decimal digits.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "1")]
    pub context_id: ContextId,
    /// Its newest turn, in decimal digits; 0 while it is empty.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "42")]
    pub head_turn_id: TurnId,
    /// How many turns are before its newest one; 0 also while it is empty.
    pub head_depth: u32,
    /// When it was made, in Unix milliseconds.
    pub created_at_unix_ms: u64,
    /// The turn it was forked from; 0 for one that began empty.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "0")]
    pub base_turn_id: TurnId,
    /// When something was last appended to it, or it was made, in Unix milliseconds.
    pub last_activity_at: u64,
    /// Whether somebody works on it now. What its first turn says of the client goes before that.
    #[serde(flatten)]
    pub live: Live,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Where it came from, if that was asked for; null if nothing is said of it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::exact::present")]
    #[schema(value_type = Option<Object>)]
    pub provenance: Option<Value>,
}

/// From where a new context starts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewContext {
    /// The turn to fork from, as text or as a number; 0 or nothing for an empty context.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<String>, example = "1")]
    pub base_turn_id: Value,
}

/// A page of contexts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextPage {
    /// The contexts, the newest first, or with `sort=activity` the most recently active.
    pub contexts: Vec<ContextObject>,
    /// How many they are.
    pub count: usize,
    /// What to pass as `before` for the next page; null if this is the last, and with `sort=activity`.
    #[serde(with = "crate::digits::option")]
    #[schema(value_type = Option<String>)]
    pub next_before: Option<ContextId>,
    /// With `sort=activity`: what to pass as `cursor` for the next page; null if this is the last.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub next_cursor: Option<Option<String>>,
    /// Whether this is the last page of `sort=activity` and older contexts exist: the order holds the 10,000
    /// most recently active.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(value_type = Option<bool>)]
    pub truncated: bool,
    /// Who is connected.
    #[serde(flatten)]
    pub active: Active,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchPage {
    /// The contexts, the newest first.
    pub contexts: Vec<ContextObject>,
    /// How many contexts there are that fit, on this page and after it, as far as was looked.
    pub total_count: usize,
    /// Whether there are contexts that were not looked at; search on with `next_before`.
    pub truncated: bool,
    /// What to pass as `before` for the next page; null if this is the last.
    #[serde(with = "crate::digits::option")]
    #[schema(value_type = Option<String>)]
    pub next_before: Option<ContextId>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
    /// The query, as it was asked.
    pub query: String,
}

/// Where a context came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProvenanceAnswer {
    /// The context.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "1")]
    pub context_id: ContextId,
    /// What its first turn says; null if it says nothing of it.
    #[serde(with = "crate::exact")]
    #[schema(value_type = Option<Object>)]
    pub provenance: Value,
}

/// A context among those it was forked from and those forked from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ForkTree {
    /// The context.
    pub context: ContextObject,
    /// What it was forked from; null if it began empty.
    pub parent: Option<ParentObject>,
    /// What it was forked from, what that was forked from, and so on; at most 100.
    pub parents: Vec<ParentObject>,
    /// What was forked from turns that were appended to it, the newest first.
    pub forks: Vec<ForkObject>,
    /// What to pass as `before` for the next page of forks; null if this is the last.
    #[serde(with = "crate::digits::option")]
    #[schema(value_type = Option<String>)]
    pub next_before: Option<ContextId>,
}

/// Where a fork starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ParentObject {
    /// The context that the turn was appended to.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "1")]
    pub context_id: ContextId,
    /// The turn at which the fork starts.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "42")]
    pub base_turn_id: TurnId,
    /// The depth of that turn.
    pub depth: u32,
}

/// A fork.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ForkObject {
    /// Its number.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "2")]
    pub context_id: ContextId,
    /// The turn at which it starts.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "42")]
    pub base_turn_id: TurnId,
    /// The depth of that turn; null if it is gone.
    pub base_depth: Option<u32>,
    /// Its newest turn.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "57")]
    pub head_turn_id: TurnId,
    /// How many turns are before its newest one.
    pub head_depth: u32,
}

/// A field that is there, even if it is null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: &str = r#"{"context_id":"7","head_turn_id":"42","head_depth":3,"created_at_unix_ms":1,"base_turn_id":"0","last_activity_at":2,"is_live":true,"client_tag":"a","session_id":"3"#;

    #[test]
    fn null_and_absent_are_two_things() {
        let rest = r#""count":1,"next_before":null"#;
        for (context, page) in [
            ("", ""),
            (r#","title":"t","labels":["a=b"],"provenance":null"#, r#","next_cursor":null"#),
            (r#","provenance":{"trace_id":"x","when":0.1}"#, r#","next_cursor":"9-7","truncated":true"#),
        ] {
            let text = format!(
                r#"{{"contexts":[{CONTEXT}"{context}}}],{rest}{page},"active_sessions":[],"active_tags":[]}}"#
            );
            let read: ContextPage = serde_json::from_str(&text).expect("its own text");
            assert_eq!(serde_json::to_string(&read).expect("plain data"), text);
        }
    }

    #[test]
    fn a_field_of_a_later_version_is_passed_over() {
        let context: ContextObject =
            serde_json::from_str(&format!(r#"{CONTEXT}","later":{{}}}}"#)).expect("read");
        assert_eq!((context.context_id, context.head_turn_id), (ContextId(7), TurnId(42)));
        assert_eq!(context.live.client_tag.as_deref(), Some("a"));
    }
}
