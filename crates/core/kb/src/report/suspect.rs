//! `kb_suspect`: links whose ends changed after they were made.

use std::collections::BTreeSet;

use super::filter::check_items;
use super::page::Page;
use crate::branch::{Branch, Edge, NodeKey, Trust};
use crate::limits::{PAGE_DEFAULT, SUSPECT_IDS_MAX};
use crate::tools::{ChangedEnds, StatusOutput, SuspectInput, SuspectLink, SuspectOutput};
use crate::{KbError, Result};

/// Returns suspect links, ordered by type, source and target.
pub fn suspect(branch: &Branch, input: &SuspectInput, meta: StatusOutput) -> Result<SuspectOutput> {
    let page = Page::parse(input.limit, input.offset, PAGE_DEFAULT)?;
    check_items("relationships", input.relationships.len())?;
    let (keys, unknown_ids) = named(branch, &input.ids)?;
    let is_asked =
        |edge: &Edge| input.relationships.is_empty() || input.relationships.contains(&edge.relation);
    let mut counts = Counts::default();
    let mut found = Vec::new();
    for edge in edges(branch, keys.as_ref()).into_iter().filter(is_asked) {
        let trust = branch.trust(edge);
        counts.add(trust);
        found.extend(suspect_link(branch, edge, trust));
    }
    found.sort_unstable_by(|one, other| order(one).cmp(&order(other)));
    let (links, count) = page.of(found.into_iter());
    let Counts { current, suspect, unknown } = counts;
    Ok(SuspectOutput { links, count, known: current + suspect, unknown, unknown_ids, meta })
}

/// Numbers of links by their trust.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) current: u64,
    pub(super) suspect: u64,
    pub(super) unknown: u64,
}

impl Counts {
    fn add(&mut self, trust: Trust) {
        *match trust {
            Trust::Current => &mut self.current,
            Trust::Suspect { .. } => &mut self.suspect,
            Trust::Unknown => &mut self.unknown,
        } += 1;
    }
}

/// Counts the links of a branch.
pub(super) fn counts(branch: &Branch) -> Counts {
    let mut counts = Counts::default();
    branch.edges().for_each(|edge| counts.add(branch.trust(edge)));
    counts
}

/// The number of suspect links that start or end at an entity.
pub(super) fn suspect_at(branch: &Branch, key: NodeKey) -> u64 {
    edges_at(branch, key).filter(|edge| branch.trust(*edge).is_suspect()).count() as u64
}

/// The entities with these ids, `None` if none are named; and ids that no entity has.
pub(crate) fn named(branch: &Branch, ids: &[String]) -> Result<(Option<BTreeSet<NodeKey>>, Vec<String>)> {
    if ids.len() > SUSPECT_IDS_MAX {
        let message = format!("{} ids are more than the {SUSPECT_IDS_MAX} allowed", ids.len());
        return Err(KbError::argument("ids", message));
    }
    let ids: BTreeSet<&String> = ids.iter().collect();
    let unknown = ids.iter().filter(|id| branch.find(id).is_none()).map(|id| (*id).clone()).collect();
    let keys = ids.iter().filter_map(|id| Some(branch.find(id)?.0)).collect();
    Ok(((!ids.is_empty()).then_some(keys), unknown))
}

/// Links of the branch, or those at some entities, each once.
pub(crate) fn edges(branch: &Branch, keys: Option<&BTreeSet<NodeKey>>) -> Vec<Edge> {
    let Some(keys) = keys else { return branch.edges().collect() };
    let edges: BTreeSet<Edge> = keys.iter().flat_map(|key| edges_at(branch, *key)).collect();
    edges.into_iter().collect()
}

/// Links that start or end at an entity; one that does both is there once.
fn edges_at(branch: &Branch, key: NodeKey) -> impl Iterator<Item = Edge> {
    let out = branch.out(key).map(move |(relation, to)| Edge { relation, from: key, to });
    let incoming = branch.incoming(key).filter(move |(_, from)| *from != key);
    out.chain(incoming.map(move |(relation, from)| Edge { relation, from, to: key }))
}

fn suspect_link(branch: &Branch, edge: Edge, trust: Trust) -> Option<SuspectLink> {
    let Trust::Suspect { from: source, to: target } = trust else { return None };
    let (from, to) = (branch.node(edge.from)?, branch.node(edge.to)?);
    Some(SuspectLink {
        relation: edge.relation,
        from: from.id.to_string(),
        from_type: from.kind,
        from_title: from.title.to_string(),
        to: to.id.to_string(),
        to_type: to.kind,
        to_title: to.title.to_string(),
        changed: match (source, target) {
            (true, true) => ChangedEnds::Both,
            (true, false) => ChangedEnds::Source,
            (false, _) => ChangedEnds::Target,
        },
    })
}

fn order(link: &SuspectLink) -> (&str, &str, &str) {
    (link.relation.text(), &link.from, &link.to)
}
