//! Rules of code symbols: what their roles exclude, and how narrow they have to be.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::relationships::NewLink;
use crate::KbError;
use crate::branch::{Branch, NodeKey};
use crate::entity::{Entity, cut};
use crate::limits::SYMBOL_FACTS_MAX;
use crate::model::{EntityType, Relation};

/// Symbols that the source file of a symbol defines, read by the process that has the working tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"behavioral": ["Session", "Session.end"], "other": ["SessionOptions"]}))]
pub struct SymbolFacts {
    /// Exported functions, classes and methods.
    #[serde(default)]
    pub behavioral: Vec<String>,
    /// Interfaces, type aliases, enums and other symbols.
    #[serde(default)]
    pub other: Vec<String>,
}

/// Relationships that say which code does something.
const OF_CODE: [Relation; 3] = [Relation::Implements, Relation::CoveredBy, Relation::ExecutableFor];
/// Symbols of a file that an error names.
const NAMED_MAX: usize = 20;

#[expect(clippy::too_many_arguments, reason = "one rule over everything that an upsert is examined with")]
pub(super) fn examine_symbol(
    branch: &Branch,
    key: Option<NodeKey>,
    entity: &Entity,
    links: &[NewLink],
    index: &dyn Fn(Relation) -> Option<usize>,
    facts: Option<&SymbolFacts>,
    problems: &mut Vec<KbError>,
    warnings: &mut Vec<String>,
) {
    if entity.kind != EntityType::Symbol {
        return;
    }
    let is_new = |relation: Relation| links.iter().any(|link| link.relation == relation);
    let has = |relation: Relation| {
        is_new(relation) || key.is_some_and(|key| branch.targets(key, relation).next().is_some())
    };
    let added = OF_CODE.into_iter().filter(|relation| is_new(*relation)).filter_map(index).min();
    let is_mixed = has(Relation::ExecutableFor) && (has(Relation::Implements) || has(Relation::CoveredBy));
    if let Some(index) = added.filter(|_| is_mixed) {
        let message = format!(
            "symbol {} cannot mix executable_for with production ownership/coverage relationships",
            cut(&entity.id)
        );
        problems.push(KbError::Relationship { index, message });
    }
    examine_granularity(entity, links, facts, problems, warnings);
}

/// A link from code names the narrow symbol, unless there is a reason not to.
fn examine_granularity(
    entity: &Entity,
    links: &[NewLink],
    facts: Option<&SymbolFacts>,
    problems: &mut Vec<KbError>,
    warnings: &mut Vec<String>,
) {
    let is_linked = links.iter().any(|link| OF_CODE.contains(&link.relation));
    let (file, title) = (entity.text("source_file"), entity.text("title"));
    let has_reason = !entity.text("granularity_reason").is_empty();
    if !is_linked || has_reason || file.is_empty() || title.is_empty() {
        return;
    }
    let Some(facts) = facts else {
        warnings.push(format!("granularity was not checked: {} was not read", cut(file)));
        return;
    };
    let count = facts.behavioral.len() + facts.other.len();
    if count > SYMBOL_FACTS_MAX {
        let max = SYMBOL_FACTS_MAX as u64;
        problems.push(KbError::TooLarge { what: "symbols of a file", count: count as u64, max });
        return;
    }
    // Programmers write what their language does.
    let title = &title.replace("::", ".");
    let is_known = facts.behavioral.iter().chain(&facts.other).any(|name| name == title);
    if is_known || facts.behavioral.is_empty() {
        return;
    }
    let listed = |names: &[String]| {
        let shown: Vec<_> = names.iter().take(NAMED_MAX).map(|name| cut(name)).collect();
        let more = names.len().saturating_sub(NAMED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    };
    let ignored = match facts.other.is_empty() {
        true => String::new(),
        false => format!("; its other symbols do not count: {}", listed(&facts.other)),
    };
    problems.push(KbError::Granularity(format!(
        "symbol {} is coarser than {} allows: {:?} is none of its functions, classes and methods ({}){ignored}",
        cut(&entity.id),
        cut(file),
        cut(title),
        listed(&facts.behavioral),
    )));
}
