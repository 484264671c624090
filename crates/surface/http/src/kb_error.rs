//! Details of errors of the requirements KB.

use cairn_kb::{Dependents, FieldError, KbError};
use serde_json::{Value, json};

use crate::ApiError;

/// The same error with what a program needs to act on it.
pub(crate) fn with_details(answer: ApiError, error: &KbError) -> ApiError {
    match error {
        KbError::Entity(fields) => answer.detail("fields", list(fields, field)),
        KbError::Relationship { index, .. } => answer.detail("index", *index),
        KbError::OtherType { id, found, .. } => answer.detail("id", id.as_str()).detail("type", *found),
        KbError::Contradiction { id, conflicts, others } => answer
            .detail("id", id.as_str())
            .detail("conflicts", conflicts.as_slice())
            .detail("others", others.as_slice()),
        KbError::Blocked(blocked) => answer.detail("dependents", list(blocked, dependents)),
        KbError::Argument { parameter, .. } => answer.detail("parameter", *parameter),
        KbError::NoBranch { workspace, branch, near } => {
            let answer = answer.detail("workspace", workspace.as_str()).detail("branch", branch.as_str());
            match near {
                Some(near) => answer.detail("near", near.as_str()),
                None => answer,
            }
        }
        KbError::NoEntity(ids) => answer.detail("ids", ids.as_slice()),
        KbError::Refresh { branch, .. } | KbError::Busy { branch, .. } => {
            answer.detail("branch", branch.as_str())
        }
        KbError::SyncMoved { found, .. } => answer.detail("sync_id", found.as_str()),
        KbError::TooLarge { count, max, .. } => answer.detail("count", *count).detail("max", *max),
        KbError::Off { setting, .. } => answer.detail("setting", *setting),
        KbError::Granularity(_)
        | KbError::Store(_)
        | KbError::Graph(_)
        | KbError::Sparql(_)
        | KbError::Record(_) => answer,
    }
}

fn list<T>(items: &[T], shown: impl Fn(&T) -> Value) -> Value {
    items.iter().map(shown).collect()
}

fn field(FieldError { field, message, hint }: &FieldError) -> Value {
    json!({"field": field, "message": message, "hint": hint})
}

/// The same for each entity: what refers to it, and how many there are.
fn dependents(Dependents { id, from, count }: &Dependents) -> Value {
    let from = list(from, |(relation, id)| json!({"type": relation.text(), "id": id}));
    json!({"id": id, "from": from, "count": count})
}
