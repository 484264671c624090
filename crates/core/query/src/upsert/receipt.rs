//! What an UPSERT answers.

use std::collections::BTreeMap;

use cairn_base::Value;
use cairn_graph::{Element, Outcome};

use crate::hash::FastMap;

/// How many elements became what; each counts once, however often it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UpsertCounts {
    /// Concepts that are new.
    pub concepts_created: u64,
    /// Concepts that have changed.
    pub concepts_changed: u64,
    /// Links that are new.
    pub links_created: u64,
    /// Links that have changed.
    pub links_changed: u64,
    /// Concepts and links that were so already.
    pub unchanged: u64,
}

impl UpsertCounts {
    /// All of them.
    pub fn elements(&self) -> u64 {
        self.concepts_created
            + self.concepts_changed
            + self.links_created
            + self.links_changed
            + self.unchanged
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: UpsertCounts) -> UpsertCounts {
        UpsertCounts {
            concepts_created: self.concepts_created + other.concepts_created,
            concepts_changed: self.concepts_changed + other.concepts_changed,
            links_created: self.links_created + other.links_created,
            links_changed: self.links_changed + other.links_changed,
            unchanged: self.unchanged + other.unchanged,
        }
    }
}

/// What became of everything that was written.
#[derive(Default)]
pub(super) struct Receipt {
    /// Whether nobody asks for ids.
    without_ids: bool,
    /// Blocks that are concepts: their ids, and what became of each.
    concepts: Vec<(String, Outcome)>,
    /// The same for blocks that are propositions.
    links: Vec<(String, Outcome)>,
    /// What became of each element, links of SET PROPOSITIONS included.
    elements: FastMap<Element, Outcome>,
}

impl Receipt {
    /// One that only counts.
    pub(super) fn without_ids() -> Self {
        Receipt { without_ids: true, ..Receipt::default() }
    }

    /// Whether ids are answered.
    pub(super) fn has_ids(&self) -> bool {
        !self.without_ids
    }

    /// How many elements became what.
    pub(super) fn counts(&self) -> UpsertCounts {
        let mut counts = UpsertCounts::default();
        for (element, outcome) in &self.elements {
            *match (element, outcome) {
                (Element::Concept(_), Outcome::Created) => &mut counts.concepts_created,
                (Element::Concept(_), Outcome::Updated) => &mut counts.concepts_changed,
                (Element::Link(_), Outcome::Created) => &mut counts.links_created,
                (Element::Link(_), Outcome::Updated) => &mut counts.links_changed,
                (_, Outcome::Unchanged) => &mut counts.unchanged,
            } += 1;
        }
        counts
    }

    /// An element was written.
    pub(super) fn note(&mut self, element: Element, outcome: Outcome) {
        let sum = self.elements.entry(element).or_insert(outcome);
        if rank(outcome) > rank(*sum) {
            *sum = outcome;
        }
    }

    /// A block was written, and its id is answered.
    pub(super) fn list(&mut self, element: Element, id: String, outcome: Outcome) {
        match element {
            Element::Concept(_) => self.concepts.push((id, outcome)),
            Element::Link(_) => self.links.push((id, outcome)),
        }
    }

    /// As an answer. What was only tried has no ids: others may get them.
    pub(super) fn value(self, blocks: usize, with_ids: bool) -> Value {
        let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for outcome in [Outcome::Created, Outcome::Updated, Outcome::Unchanged] {
            counts.insert(name(outcome), (0, 0));
        }
        for (element, outcome) in &self.elements {
            let (concepts, links) = counts.entry(name(*outcome)).or_default();
            match element {
                Element::Concept(_) => *concepts += 1,
                Element::Link(_) => *links += 1,
            }
        }
        let mut answer: BTreeMap<String, Value> = counts
            .into_iter()
            .map(|(name, (concepts, links))| {
                let both = [("concepts", concepts), ("propositions", links)];
                let both = both.map(|(what, count)| (what.to_owned(), Value::from(count)));
                (name.to_owned(), Value::Object(both.into()))
            })
            .collect();
        answer.insert("blocks".to_owned(), Value::from(blocks as u64));
        let lists = [
            ("upsert_concept_nodes", "concept_outcomes", self.concepts),
            ("upsert_proposition_links", "proposition_outcomes", self.links),
        ];
        for (ids, outcomes, list) in lists {
            let became = list.iter().map(|(_, outcome)| text(name(*outcome))).collect();
            answer.insert(outcomes.to_owned(), Value::Array(became));
            let list = if with_ids { list } else { Vec::new() };
            let list = list.into_iter().map(|(id, _)| Value::String(id)).collect();
            answer.insert(ids.to_owned(), Value::Array(list));
        }
        Value::Object(answer)
    }
}

/// What counts when an element is written more than once.
fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Unchanged => 0,
        Outcome::Updated => 1,
        Outcome::Created => 2,
    }
}

fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "created",
        Outcome::Updated => "updated",
        Outcome::Unchanged => "unchanged",
    }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}
