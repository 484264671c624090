//! Violations as the report shows them.

use super::Rule;
use super::finding::Finding;
use crate::limits::CHECK_DESCRIPTION_BYTES_MAX;
use crate::tools::{SuggestedFix, UpsertInput, Violation};
use crate::{Branch, NodeKey};

/// Builds a violation; its source is that of the entity that was judged.
pub(crate) fn violation(
    branch: &Branch,
    rule: Rule,
    finding: &Finding,
    description: String,
    suggestion: String,
    fix: Vec<UpsertInput>,
) -> Violation {
    Violation {
        rule,
        entity_id: finding.entity.to_string(),
        description: cut(description),
        suggestion: cut(suggestion),
        source: branch.node(finding.subject).map(|node| node.source.to_string()).unwrap_or_default(),
        fix: fix.into_iter().map(SuggestedFix).collect(),
    }
}

/// The id of an entity; its number if it does not exist.
pub(crate) fn name(branch: &Branch, key: NodeKey) -> String {
    branch.node(key).map_or_else(|| format!("#{}", key.0), |node| node.id.to_string())
}

/// Cuts a text at the limit of descriptions.
fn cut(mut text: String) -> String {
    if text.len() > CHECK_DESCRIPTION_BYTES_MAX {
        text.truncate(text.floor_char_boundary(CHECK_DESCRIPTION_BYTES_MAX - '…'.len_utf8()));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_cut_at_the_limit_and_not_before() {
        let max = CHECK_DESCRIPTION_BYTES_MAX;
        assert_eq!(cut("a".repeat(max)), "a".repeat(max));
        assert_eq!(cut("é".repeat(max)).len(), max - 1 + max % 2);
        assert!(cut("a".repeat(max + 1)).ends_with("a…"));
    }
}
