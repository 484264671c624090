//! Planning a deletion: all of it, or nothing if anything else refers to what is deleted.

use std::collections::{BTreeMap, BTreeSet};

use crate::branch::{Branch, Change, NodeKey};
use crate::error::Dependents;
use crate::limits;
use crate::{KbError, Result};

/// Dependents of one entity that an error names.
const NAMED_MAX: usize = 20;

/// Entities that can be deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeletePlan {
    /// Their numbers, in the order of their ids.
    pub keys: Vec<NodeKey>,
    /// Ids that no entity has, sorted.
    pub skipped: Vec<String>,
    /// Remarks that block nothing.
    pub warnings: Vec<String>,
}

impl DeletePlan {
    /// The changes of the branch.
    pub fn changes(&self) -> Vec<Change> {
        self.keys.iter().copied().map(Change::Remove).collect()
    }
}

/// Plans the deletion of entities, which may refer to each other.
///
/// # Errors
///
/// Fails if other entities refer to any of them, and names those, up to a limit.
pub fn plan_delete(branch: &Branch, ids: &[String]) -> Result<DeletePlan> {
    if ids.is_empty() {
        return Err(KbError::argument("ids", "it is empty; name at least one entity"));
    }
    if ids.len() > limits::DELETE_IDS_MAX {
        let (count, max) = (ids.len() as u64, limits::DELETE_IDS_MAX as u64);
        return Err(KbError::TooLarge { what: "ids of one deletion", count, max });
    }
    let ids: BTreeSet<&String> = ids.iter().collect();
    let mut found: BTreeMap<&str, NodeKey> = BTreeMap::new();
    let mut skipped = Vec::new();
    for id in ids {
        match branch.find(id) {
            Some((key, node)) => drop(found.insert(&node.id, key)),
            None => skipped.push(id.clone()),
        }
    }
    let going: BTreeSet<NodeKey> = found.values().copied().collect();
    let mut blocked = Vec::new();
    let mut named = 0;
    for (id, key) in &found {
        if named >= limits::BLOCKED_NAMED_MAX {
            break;
        }
        if let Some(dependents) = dependents(branch, id, *key, &going) {
            named += 1 + dependents.from.len();
            blocked.push(dependents);
        }
    }
    if !blocked.is_empty() {
        return Err(KbError::Blocked(blocked));
    }
    let keys: Vec<NodeKey> = found.into_values().collect();
    Ok(DeletePlan { warnings: warnings(branch, &keys), keys, skipped })
}

/// A remark about entities that the next sync creates again.
fn warnings(branch: &Branch, keys: &[NodeKey]) -> Vec<String> {
    let nodes = keys.iter().filter_map(|key| branch.node(*key));
    let owned: Vec<_> = nodes.filter_map(|node| Some((&*node.id, node.file.as_deref()?))).collect();
    if owned.is_empty() {
        return Vec::new();
    }
    let named: Vec<_> = owned.iter().take(NAMED_MAX).map(|(id, file)| format!("{id} ({file})")).collect();
    let more = owned.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    vec![format!(
        "the next sync creates entities of documents again: {}{more}; remove them from their documents",
        named.join(", ")
    )]
}

fn dependents(branch: &Branch, id: &str, key: NodeKey, going: &BTreeSet<NodeKey>) -> Option<Dependents> {
    let others = branch.incoming(key).filter(|(_, from)| !going.contains(from));
    let mut from: Vec<_> =
        others.filter_map(|(relation, from)| Some((relation, branch.node(from)?.id.to_string()))).collect();
    let count = from.len();
    from.sort_by(|one, other| (one.0.text(), &one.1).cmp(&(other.0.text(), &other.1)));
    from.truncate(NAMED_MAX);
    (count > 0).then(|| Dependents { id: id.to_owned(), from, count })
}
