//! KIP: requests, responses and function definitions.

use std::collections::BTreeMap;

use cairn_base::Value;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What `execute_kip` takes: `command` or `commands`, and not both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct KipBody {
    /// One command.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "FIND(?d.name) WHERE { ?d {type: \"Domain\"} }")]
    pub command: Option<String>,
    /// Commands to be executed in order: texts, or objects with `command` and `parameters` of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Value>>)]
    pub commands: Option<Vec<Value>>,
    /// What stands for `:name` in commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<BTreeMap<String, Value>>,
    /// Whether nothing is to be changed, only said what would be. Later commands of a batch see what earlier ones
    /// would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Whether commands that change something are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readonly: Option<bool>,
    /// In which space; `memory` if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// `columns`, which is taken if nothing is said, or `rows`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Bytes of JSON after which a page ends, behind a whole row; `next_cursor` goes on there. All pages of a batch
    /// share them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub page_bytes: Option<u64>,
}

/// What `list_logs` takes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct KipLogsBody {
    /// How many at the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Where the next page begins, as the page before said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A call of a function, as `POST /kip` takes it from this program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KipMethodCall<'a, P> {
    /// Name of the function.
    pub method: &'a str,
    /// Its arguments.
    pub params: &'a P,
}

/// What KIP answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KipResponse {
    /// Why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<KipFault>,
    /// What the next page begins with, if there is more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was asked for; for a batch, a response for each command.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::exact::present")]
    #[schema(value_type = Option<Value>)]
    pub result: Option<Value>,
}

/// A page of the log of commands, newest first: what `list_logs` returns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KipLogs {
    /// Why there is no page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<KipFault>,
    /// Cursor of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// The entries; absent with an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Vec<KipLogEntry>>,
}

/// A command in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KipLogEntry {
    /// The command, its beginning if it is long.
    pub command: String,
    /// Whether only the beginning of the command is shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
    /// Whether it was a dry run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dry_run: bool,
    /// Kind of command, such as `FIND`.
    pub kind: String,
    /// Duration in milliseconds.
    pub milliseconds: u64,
    /// `ok`, or the code of an error.
    pub outcome: String,
    /// Space of the graph.
    pub space: String,
    /// Time in UTC, as in ISO 8601.
    pub time: String,
    /// User that sent it.
    pub user: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Why KIP did not do what was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KipFault {
    /// What kind of mistake.
    #[schema(example = "KIP_2001")]
    pub code: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What people call it.
    #[schema(example = "TypeMismatch")]
    pub name: String,
}

/// A function that a model can call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KipFunction {
    /// What it does, and when to call it.
    pub description: String,
    /// What it is called.
    #[schema(example = "execute_kip")]
    pub name: String,
    /// A JSON schema of its arguments.
    #[serde(with = "crate::exact")]
    #[schema(value_type = Object)]
    pub parameters: Value,
}

/// `{"method", "params"}`, JSON-RPC 2.0, or `{"function": {"name", "arguments"}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(value_type = Value, example = json!({"method": "execute_kip_readonly", "params": {"command": "DESCRIBE PRIMER"}}))]
pub struct KipCall(#[serde(with = "crate::exact")] pub Value);

impl KipResponse {
    /// Returns the result; null for an error.
    pub fn result(&self) -> &Value {
        self.result.as_ref().unwrap_or(&Value::Null)
    }

    /// Writes the response as JSON text.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a response is plain data")
    }
}

impl From<KipLogs> for KipResponse {
    /// Returns the page as any response of KIP.
    fn from(KipLogs { error, next_cursor, result }: KipLogs) -> Self {
        let result = result.map(|entries| entries.into_iter().map(Value::from).collect::<Vec<_>>().into());
        KipResponse { error, next_cursor, result }
    }
}

impl From<KipLogEntry> for Value {
    fn from(entry: KipLogEntry) -> Self {
        let KipLogEntry { command, cut, dry_run, kind, milliseconds, outcome, space, time, user } = entry;
        let texts = [
            ("command", command),
            ("kind", kind),
            ("outcome", outcome),
            ("space", space),
            ("time", time),
            ("user", user),
        ];
        let texts = texts.into_iter().map(|(name, text)| (name, Value::from(text)));
        let flags = [("cut", cut), ("dry_run", dry_run)];
        let flags = flags.into_iter().filter(|(_, flag)| *flag).map(|(name, flag)| (name, Value::from(flag)));
        let members = texts.chain(flags).chain([("milliseconds", Value::from(milliseconds))]);
        Value::Object(members.map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

impl From<Value> for KipResponse {
    /// Takes a response apart that is made of values. Members that this type does not have are left out.
    fn from(response: Value) -> Self {
        let Value::Object(mut entries) = response else { return KipResponse::default() };
        KipResponse {
            error: entries.remove("error").map(KipFault::from),
            next_cursor: entries.remove("next_cursor").and_then(text),
            result: entries.remove("result"),
        }
    }
}

impl From<Value> for KipFault {
    /// Takes an error apart in the same way.
    fn from(error: Value) -> Self {
        let mut entries = if let Value::Object(entries) = error { entries } else { BTreeMap::new() };
        let mut take = |name: &str| entries.remove(name).and_then(text);
        KipFault {
            code: take("code").unwrap_or_default(),
            hint: take("hint"),
            message: take("message").unwrap_or_default(),
            name: take("name").unwrap_or_default(),
        }
    }
}

fn text(value: Value) -> Option<String> {
    if let Value::String(text) = value { Some(text) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_the_log_reads_back_and_is_a_response() {
        for text in [
            r#"{"result":[]}"#,
            r#"{"next_cursor":"7","result":[{"command":"FIND(","kind":"SYNTAX","milliseconds":0,"outcome":"KIP_1001","space":"memory","time":"2026-11-18T11:23:14.747Z","user":"rita"},{"command":"UPSERT","cut":true,"dry_run":true,"kind":"UPSERT","milliseconds":5,"outcome":"ok","space":"memory","time":"2026-11-18T11:23:14.711Z","user":"local-owner"}]}"#,
            r#"{"error":{"code":"KIP_1001","message":"no","name":"InvalidSyntax"}}"#,
        ] {
            let page: KipLogs = serde_json::from_str(text).expect("its own text");
            assert_eq!(serde_json::to_string(&page).expect("plain data"), text);
            assert_eq!(KipResponse::from(page).to_text(), text);
        }
    }

    #[test]
    fn a_response_reads_back_with_its_numbers() {
        for text in [
            r#"{"result":null}"#,
            r#"{"next_cursor":"abc","result":[[18446744073709551615,0.30000000000000004,1.0,-1]]}"#,
            r#"{"error":{"code":"KIP_2001","hint":"did you mean `Drug`?","message":"no","name":"TypeMismatch"}}"#,
        ] {
            let read: KipResponse = serde_json::from_str(text).expect("its own text");
            assert_eq!(serde_json::to_string(&read).expect("plain data"), text);
        }
    }
}
