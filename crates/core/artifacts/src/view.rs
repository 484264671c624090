//! A lineage as its exports see it: nodes with their parents, detached from any store.

use std::collections::BTreeMap;

use cairn_base::Value;

/// A node of a lineage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineageNode {
    /// An artifact that the caller may read.
    Known(Box<KnownNode>),
    /// An artifact that the caller may not read.
    Redacted {
        /// Its id, as UUID text.
        id: String,
    },
    /// An artifact that this node does not have.
    Missing {
        /// Its id, as UUID text.
        id: String,
    },
}

/// An artifact of a lineage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownNode {
    /// Its id, as UUID text.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its format.
    pub format: String,
    /// SHA-256 of its content, in hexadecimal digits.
    pub content_sha256: String,
    /// Its author.
    pub user_id: String,
    /// The author's tenant.
    pub tenant_id: String,
    /// Its timestamp, as the author wrote it.
    pub timestamp: String,
    /// Its signature, in hexadecimal digits.
    pub signature: String,
    /// The key it is signed with, in hexadecimal digits.
    pub public_key: String,
    /// The agent that performed the analysis; empty if there is none.
    pub agent: String,
    /// The agent that generated the artifact; empty if there is none.
    pub source: String,
    /// The query that led to it; empty if there is none.
    pub query: String,
    /// The data sources that it used.
    pub data_sources: Vec<String>,
    /// The artifacts that it is derived from.
    pub parents: Vec<Parent>,
}

/// A parent of an artifact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parent {
    /// Its id, as UUID text.
    pub id: String,
    /// Whether the author signed that the artifact is derived from it.
    pub attested: bool,
}

impl LineageNode {
    /// Returns the id.
    pub fn id(&self) -> &str {
        match self {
            LineageNode::Known(node) => &node.id,
            LineageNode::Redacted { id } | LineageNode::Missing { id } => id,
        }
    }

    /// Returns the artifact, if the caller may read it.
    pub fn known(&self) -> Option<&KnownNode> {
        match self {
            LineageNode::Known(node) => Some(node),
            LineageNode::Redacted { .. } | LineageNode::Missing { .. } => None,
        }
    }

    /// Returns the parents; none are known of a redacted or a missing artifact.
    pub fn parents(&self) -> &[Parent] {
        self.known().map_or(&[], |node| &node.parents)
    }
}

impl KnownNode {
    /// Returns the name of the software that made it: its agent, else its source, if it names one.
    pub fn software(&self) -> Option<&str> {
        [&self.agent, &self.source].into_iter().map(String::as_str).find(|name| !name.is_empty())
    }
}

/// The nodes of a lineage by their ids, each once, and parents outside of it as missing ones.
pub(crate) fn by_id(nodes: &[LineageNode]) -> BTreeMap<&str, Option<&LineageNode>> {
    let parents = nodes.iter().flat_map(|node| node.parents()).map(|parent| (parent.id.as_str(), None));
    let mut sorted: BTreeMap<_, _> = parents.collect();
    sorted.extend(nodes.iter().rev().map(|node| (node.id(), Some(node))));
    sorted
}

/// A JSON object of entries; those with an empty text are left out.
pub(crate) fn object<K: Into<String>>(entries: impl IntoIterator<Item = (K, Value)>) -> Value {
    let is_said = |value: &Value| value.as_str() != Some("");
    let entries = entries.into_iter().filter(|(_, value)| is_said(value));
    Value::Object(entries.map(|(key, value)| (key.into(), value)).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const ROOT: &str = "11111111-1111-4111-8111-111111111111";
    pub(crate) const CHILD: &str = "22222222-2222-4222-8222-222222222222";
    pub(crate) const HIDDEN: &str = "33333333-3333-4333-8333-333333333333";
    pub(crate) const ABSENT: &str = "44444444-4444-4444-8444-444444444444";

    /// A child of a known, a redacted and a missing artifact.
    pub(crate) fn lineage() -> Vec<LineageNode> {
        let parent = |id: &str, attested| Parent { id: id.into(), attested };
        let root = KnownNode {
            id: ROOT.into(),
            title: "Root".into(),
            format: "csv".into(),
            content_sha256: "ab".repeat(32),
            user_id: "bob".into(),
            tenant_id: "acme".into(),
            timestamp: "2026-01-01T00:00:00Z".into(),
            ..KnownNode::default()
        };
        let child = KnownNode {
            id: CHILD.into(),
            title: "Q3 \"risk\" <report>".into(),
            format: "markdown".into(),
            content_sha256: "cd".repeat(32),
            user_id: "alice@example.com".into(),
            tenant_id: "acme".into(),
            timestamp: "2026-01-02T00:00:00Z".into(),
            signature: "ef".repeat(64),
            public_key: "01".repeat(32),
            agent: "risk-agent/2".into(),
            source: "pipeline".into(),
            query: "what is at risk?".into(),
            data_sources: vec!["s3://lake/risk.csv".into(), "crm".into()],
            parents: vec![parent(ROOT, true), parent(HIDDEN, false), parent(ABSENT, true)],
        };
        let hidden = LineageNode::Redacted { id: HIDDEN.into() };
        vec![LineageNode::Known(Box::new(child)), hidden, LineageNode::Known(Box::new(root))]
    }

    #[test]
    fn parents_outside_of_the_lineage_are_missing() {
        let nodes = lineage();
        let sorted = by_id(&nodes);
        assert_eq!(sorted.keys().copied().collect::<Vec<_>>(), [ROOT, CHILD, HIDDEN, ABSENT]);
        assert!(sorted[ABSENT].is_none() && sorted[HIDDEN].is_some_and(|node| node.known().is_none()));
        assert_eq!(sorted[CHILD].and_then(|node| node.known()?.software()), Some("risk-agent/2"));
    }
}
