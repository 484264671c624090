//! Entities that a sync creates and changes: their attributes, their files and their times.

use cairn_base::{Value, to_iso_utc};
use cairn_graph::Map;

use super::candidate::{is_same, says_the_same};
use super::edges::Edges;
use super::leaving::{Counts, Leaving};
use super::outlook::{Outcome, Outlook, Written};
use super::plan::{End, Stored, StoredEntity, Update};
use crate::branch::NodeKey;
use crate::entity::Entity;

/// Changes of entities.
#[derive(Debug, Default)]
pub(super) struct Bookkeeping {
    pub(super) created: Vec<Entity>,
    pub(super) updated: Vec<Update>,
    /// The number of entities that are new.
    pub(super) new: u64,
    /// The number of entities that say something else now.
    pub(super) rewritten: u64,
    /// The number of entities that say the same.
    pub(super) unchanged: u64,
}

/// Plans the changes of entities, and counts how many each file owns.
pub(super) fn plan<'a>(
    outlook: &'a Outlook<'a>,
    leaving: &Leaving,
    stored: &Stored,
    edges: &Edges,
    now_ms: u64,
    counts: &mut Counts<'a>,
) -> Bookkeeping {
    let mut all = Bookkeeping::default();
    let now = to_iso_utc(now_ms);
    for (at, claim) in outlook.claims.all.iter().enumerate() {
        let node = claim.stored.and_then(|key| outlook.branch.node(key));
        let before = node.and_then(|node| node.file.as_deref());
        if !claim.stored.is_some_and(|key| outlook.leaving.contains(&key) || leaving.released.contains(&key))
        {
            let after = claim.stored.and_then(|key| outlook.file_of(key));
            let is_new = node.is_none() && matches!(outlook.outcomes[at], Outcome::Write(_));
            counts.moved(before, if is_new { Some(claim.path) } else { after });
        }
        match &outlook.outcomes[at] {
            Outcome::Write(written) => {
                let known = claim.stored.and_then(|key| stored.get(&key));
                let gives_time = claim.input.properties.text("updated_at").is_some();
                all.write(written, known, edges.moved.contains(&at), (!gives_time).then_some(&now));
            }
            Outcome::Keep => all.mark(outlook, claim.stored, Some(claim.path), true),
            Outcome::Invalid => {
                let stays = claim.stored.filter(|key| {
                    !outlook.leaving.contains(key) && !leaving.released.contains(key) && before.is_some()
                });
                all.mark(outlook, stays, Some(claim.path), node.is_some_and(|node| node.diverged));
            }
        }
    }
    for key in leaving.removed.iter().chain(&leaving.released) {
        counts.moved(outlook.branch.node(*key).and_then(|node| node.file.as_deref()), None);
    }
    for key in &leaving.released {
        all.mark(outlook, Some(*key), None, false);
    }
    all.updated.sort_by_key(|update| update.key);
    all
}

impl Bookkeeping {
    /// Adds an entity that becomes what its file says. `now` becomes the time of its change, if it changes.
    fn write(
        &mut self,
        written: &Written,
        known: Option<&StoredEntity>,
        has_moved: bool,
        now: Option<&String>,
    ) {
        let mut entity = written.entity.clone();
        let before = known.map(|known| &known.entity);
        let is_changed = has_moved
            || before.is_none_or(|before| {
                before.kind != entity.kind || !says_the_same(&before.attributes, &entity.attributes)
            });
        if let (true, Some(now), Some(_)) = (is_changed, now, before) {
            entity.attributes.insert("updated_at".into(), now.as_str().into());
        }
        match (before, is_changed) {
            (None, _) => self.new += 1,
            (Some(_), true) => self.rewritten += 1,
            (Some(_), false) => self.unchanged += 1,
        }
        let End::Stored(key) = written.end else { return self.created.push(entity) };
        let old = before.map(|before| before.attributes.clone()).unwrap_or_default();
        let changed: Map = entity
            .attributes
            .iter()
            .filter(|(name, value)| !old.get(*name).is_some_and(|old| is_same(old, value)))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let removed: Vec<String> =
            old.into_keys().filter(|name| !entity.attributes.contains_key(name)).collect();
        if !changed.is_empty() || !removed.is_empty() {
            self.updated.push(Update { key, node: entity.node(), changed, removed });
        }
    }

    /// Adds an entity that stays as it is, with another file or another mark.
    fn mark(&mut self, outlook: &Outlook<'_>, key: Option<NodeKey>, file: Option<&str>, diverged: bool) {
        let Some((key, old)) = key.and_then(|key| Some((key, outlook.branch.node(key)?))) else { return };
        let mut node = old.clone();
        (node.file, node.diverged) = (file.map(Box::from), diverged);
        if node == *old {
            return;
        }
        let mut changed = Map::new();
        let mut removed = Vec::new();
        match file.map(Value::from) {
            Some(file) => drop(changed.insert("file".to_owned(), file)),
            None => removed.push("file".to_owned()),
        }
        match diverged {
            true => drop(changed.insert("diverged".to_owned(), true.into())),
            false => removed.push("diverged".to_owned()),
        }
        self.updated.push(Update { key, node, changed, removed });
    }
}
