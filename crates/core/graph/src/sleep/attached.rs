//! Which links would go with what goes, where nothing is changed.

use std::collections::{HashMap, HashSet};

use cairn_seam::Visit;

use crate::{Element, LinkId, Lookup, PredicateId, Result, View, limits};

/// Elements whose links are looked for at once.
const TOGETHER: usize = 256;

/// Links that would go, each counted once as long as there is room to tell them apart.
#[derive(Default)]
pub(super) struct Attached {
    seen: HashSet<LinkId>,
    /// How many of those follow a predicate.
    following: HashMap<PredicateId, u64>,
    beyond: u64,
}

impl Attached {
    /// How many there are.
    pub(super) fn total(&self) -> u64 {
        self.seen.len() as u64 + self.beyond
    }

    /// How many follow a predicate, of those that are told apart.
    pub(super) fn following(&self, predicate: PredicateId) -> u64 {
        self.following.get(&predicate).copied().unwrap_or(0)
    }

    /// Whether a link is one of those that are told apart.
    pub(super) fn has(&self, link: LinkId) -> bool {
        self.seen.contains(&link)
    }

    /// Takes links that go themselves, and those about them.
    pub(super) fn add_links(&mut self, view: &View<'_>, links: &[(LinkId, PredicateId)]) -> Result<()> {
        let new = links.iter().filter(|(link, predicate)| self.note(*link, *predicate));
        let new = new.map(|(link, _)| Element::Link(*link)).collect();
        self.follow(view, new)
    }

    /// Takes the links of what goes, and those about them.
    pub(super) fn follow(&mut self, view: &View<'_>, mut waiting: Vec<Element>) -> Result<()> {
        while !waiting.is_empty() {
            let page = waiting.split_off(waiting.len().saturating_sub(TOGETHER));
            let from = page.iter().map(|end| Lookup::Out { subject: *end, predicate: None });
            let to = page.iter().map(|end| Lookup::In { object: *end, predicate: None });
            let lookups: Vec<Lookup> = from.chain(to).collect();
            view.edges(&lookups, &mut |_, edge| {
                if self.note(edge.link, edge.predicate) {
                    waiting.push(Element::Link(edge.link));
                }
                Visit::Continue
            })?;
        }
        Ok(())
    }

    /// Whether a link is new. Those beyond the room are counted, and not followed.
    fn note(&mut self, link: LinkId, predicate: PredicateId) -> bool {
        if self.seen.len() < limits::SLEEP_LINKS_MAX {
            let is_new = self.seen.insert(link);
            *self.following.entry(predicate).or_default() += u64::from(is_new);
            return is_new;
        }
        self.beyond += u64::from(!self.seen.contains(&link));
        false
    }
}
