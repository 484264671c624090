//! What a rule found, per subject and in the order of the report.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::NodeKey;

/// A violation in few bytes. Findings are ordered as the report shows them: by entity first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// Id of the entity, or ids joined with `/`.
    pub(crate) entity: Box<str>,
    /// The problem, one of those that the rule tells apart.
    pub(crate) problem: u8,
    /// Id of another entity that takes part, or another text that orders findings of one entity; may be empty.
    pub(crate) other: Box<str>,
    /// The entity that was judged.
    pub(crate) subject: NodeKey,
    /// A number of the rule: the key of another entity, or a place in a list.
    pub(crate) at: u64,
}

impl Finding {
    /// A finding about the subject alone.
    pub(crate) fn new(subject: NodeKey, entity: &str, problem: u8) -> Self {
        Finding { entity: entity.into(), problem, other: "".into(), subject, at: 0 }
    }

    /// A finding about the subject and another entity.
    pub(crate) fn with(self, other: NodeKey, id: &str) -> Self {
        Finding { other: id.into(), at: other.0, ..self }
    }

    /// The key of the other entity.
    pub(crate) fn other_key(&self) -> NodeKey {
        NodeKey(self.at)
    }
}

/// Findings of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    rows: BTreeSet<Arc<Finding>>,
    by_subject: HashMap<NodeKey, Held>,
    count: usize,
    rows_max: usize,
}

/// Findings of one subject; fewer rows than the count if there was no room for them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Held {
    count: usize,
    rows: Box<[Arc<Finding>]>,
}

impl Found {
    pub(crate) fn new(rows_max: usize) -> Self {
        Found { rows: BTreeSet::new(), by_subject: HashMap::new(), count: 0, rows_max }
    }

    /// Replaces the findings of one subject.
    pub(crate) fn replace(&mut self, subject: NodeKey, mut found: Vec<Finding>) {
        let old = self.by_subject.get(&subject);
        if old.is_some_and(|old| old.rows.iter().map(|row| &**row).eq(&found)) {
            return;
        }
        if let Some(old) = self.by_subject.remove(&subject) {
            self.count -= old.count;
            for row in &old.rows {
                self.rows.remove(row);
            }
        }
        if found.is_empty() {
            return;
        }
        let count = found.len();
        self.count += count;
        found.truncate(self.rows_max - self.rows.len());
        let rows: Box<[_]> = found.into_iter().map(Arc::new).collect();
        self.rows.extend(rows.iter().cloned());
        self.by_subject.insert(subject, Held { count, rows });
    }

    /// The number of findings, with those that there was no room for.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The number of findings that can be shown.
    pub(crate) fn shown(&self) -> usize {
        self.rows.len()
    }

    /// Whether there was no room for all findings.
    pub(crate) fn is_cut(&self) -> bool {
        self.rows.len() < self.count
    }

    /// Whether so much room became free that the missing findings should be looked for.
    pub(crate) fn is_worth_a_rebuild(&self) -> bool {
        self.is_cut() && self.rows.len() <= self.rows_max / 2
    }

    /// Findings in the order of the report.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Finding> {
        self.rows.iter().map(|row| &**row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(subject: u64, count: u8) -> Vec<Finding> {
        (0..count).map(|problem| Finding::new(NodeKey(subject), &format!("E-{subject}"), problem)).collect()
    }

    #[test]
    fn counts_stay_right_when_rows_do_not_fit() {
        let mut found = Found::new(4);
        found.replace(NodeKey(2), findings(2, 3));
        found.replace(NodeKey(1), findings(1, 3));
        assert_eq!((found.count(), found.rows().count(), found.is_cut()), (6, 4, true));
        assert!(!found.is_worth_a_rebuild());
        assert_eq!(found.rows().next().map(|row| &*row.entity), Some("E-1"));
        found.replace(NodeKey(2), Vec::new());
        assert_eq!((found.count(), found.rows().count()), (3, 1));
        assert!(found.is_worth_a_rebuild());
        found.replace(NodeKey(1), findings(1, 3));
        assert_eq!((found.count(), found.is_cut(), found.is_worth_a_rebuild()), (3, false, false));
    }
}
