//! Random WHERE blocks.

use cairn_kip::Span;
use cairn_kip::tree::{Clause, ConceptMatch, Group, Predicate, PropositionMatch, Term, Text};

use super::dice::Dice;
use super::graph::{End, Fact, Graph};
use super::tree::{concept_at, concept_match, here, link_at, slot, text, triple};
use super::words::{NAMES, PREDICATES, TYPES};

const ELEMENTS: [&str; 4] = ["a", "b", "c", "d"];
const LINKS: [&str; 2] = ["l", "m"];
const PREDICATE_NAMES: [&str; 2] = ["p", "q"];

/// Blocks inside blocks.
pub(crate) const DEPTH_MAX: usize = 3;
/// Links inside links.
const NESTING_MAX: usize = 2;

/// Writes queries about a graph: mostly ones that have an answer.
pub(crate) struct Author<'a, 'b> {
    pub(crate) dice: &'a mut Dice<'b>,
    pub(crate) graph: &'a Graph,
}

impl Author<'_, '_> {
    /// A block; `seen` are the variables that it sees, and afterwards those it has bound as well.
    pub(crate) fn group(&mut self, depth: usize, seen: &mut Vec<String>) -> Group {
        let count = 1 + self.dice.below(if depth == DEPTH_MAX { 4 } else { 3 });
        Group { clauses: (0..count).map(|_| here(self.clause(depth, seen))).collect() }
    }

    fn clause(&mut self, depth: usize, seen: &mut Vec<String>) -> Clause {
        let nested = if depth > 1 { 1 } else { 0 };
        // A filter has little to say before something is bound.
        let filters = if seen.is_empty() { 1 } else { 16 };
        let choice = self.dice.weighted(&[
            (22, 0),
            (42, 1),
            (filters, 2),
            (11 * nested, 3),
            (9 * nested, 4),
            (9 * nested, 5),
        ]);
        match choice {
            0 => {
                let matcher = self.concept_match();
                Clause::Concept { variable: self.variable(&ELEMENTS, seen), matcher }
            }
            1 => {
                let matcher = self.link_match(seen, NESTING_MAX);
                let variable = self.dice.chance(30).then(|| self.variable(&LINKS, seen));
                Clause::Proposition { variable, matcher }
            }
            2 => Clause::Filter(self.condition(seen, 2)),
            3 => Clause::Optional(self.group(depth - 1, seen)),
            // What NOT binds is its own.
            4 => Clause::Not(self.group(depth - 1, &mut seen.clone())),
            _ => {
                // A UNION sees nothing, but is mostly about the same.
                let mut inside = Vec::new();
                let branch = self.group(depth - 1, &mut inside);
                seen.extend(inside);
                Clause::Union(branch)
            }
        }
    }

    /// A variable: mostly one that is there already.
    fn variable(&mut self, names: &[&str], seen: &mut Vec<String>) -> Text {
        let there: Vec<String> = seen.iter().filter(|name| names.contains(&name.as_str())).cloned().collect();
        let name = if !there.is_empty() && self.dice.chance(65) {
            self.dice.one(&there)
        } else {
            self.dice.one(names).to_owned()
        };
        seen.push(name.clone());
        text(&name)
    }

    fn concept_match(&mut self) -> ConceptMatch {
        self.concept_match_of(None)
    }

    /// One that a concept of the graph fulfils, mostly.
    fn concept_match_of(&mut self, place: Option<usize>) -> ConceptMatch {
        let place = place.unwrap_or_else(|| self.dice.below(self.graph.concepts.len()));
        let node = &self.graph.concepts[place];
        let (kind, name) = (node.kind, node.name);
        match self.dice.below(200) {
            0 => concept_match(None, Some("drug"), None),
            1 => concept_match(None, Some("Nothing"), Some(name)),
            2 => concept_match(None, Some(kind), Some("nobody")),
            3 => concept_match(Some("C:999999"), None, None),
            4 => concept_match(Some(&link_at(place)), None, None),
            5 => concept_match(None, None, Some("nobody")),
            6..=8 => concept_match(None, Some(self.dice.one(&TYPES)), Some(self.dice.one(&NAMES))),
            9..=12 => concept_match(None, Some("$ConceptType"), None),
            13..=25 => concept_match(Some(&concept_at(place)), None, None),
            26..=65 => concept_match(None, None, Some(name)),
            66..=90 => concept_match(None, Some(kind), Some(name)),
            _ => concept_match(None, Some(kind), None),
        }
    }

    /// One that a link of the graph fulfils, mostly.
    fn link_match(&mut self, seen: &mut Vec<String>, nesting: usize) -> PropositionMatch {
        if self.graph.links.is_empty() {
            let subject = Term::Variable(self.variable(&ELEMENTS, seen));
            let predicate = self.predicate(PREDICATES[0], seen, nesting);
            return triple(subject, predicate, Term::Variable(self.variable(&ELEMENTS, seen)));
        }
        let place = self.dice.below(self.graph.links.len());
        self.link_match_of(place, seen, nesting)
    }

    fn link_match_of(&mut self, place: usize, seen: &mut Vec<String>, nesting: usize) -> PropositionMatch {
        let id = match self.dice.below(100) {
            0 => Some("P:999999:treats".to_owned()),
            1 if self.dice.chance(30) => Some(concept_at(0)),
            2..=4 => Some(link_at(place)),
            _ => None,
        };
        if let Some(id) = id {
            return PropositionMatch::Id { id: slot(&id), span: Span::default() };
        }
        let Fact { subject, predicate, object, .. } = self.graph.links[place].clone();
        let subject = self.term(subject, seen, nesting);
        let predicate = self.predicate(predicate, seen, nesting);
        triple(subject, predicate, self.term(object, seen, nesting))
    }

    fn term(&mut self, end: End, seen: &mut Vec<String>, nesting: usize) -> Term {
        let choice = self.dice.below(100);
        match end {
            End::Node(place) if choice < 25 => {
                let matcher = self.concept_match_of(Some(place));
                let variable = self.dice.chance(35).then(|| self.variable(&ELEMENTS, seen));
                Term::Concept { variable, matcher }
            }
            End::Fact(place) if choice < 55 && nesting > 0 => {
                let matcher = self.link_match_of(place, seen, nesting - 1);
                let variable = self.dice.chance(35).then(|| self.variable(&LINKS, seen));
                Term::Proposition { variable, matcher }
            }
            End::Node(_) if choice == 99 && nesting > 0 => {
                let matcher = self.link_match(seen, nesting - 1);
                Term::Proposition { variable: None, matcher }
            }
            End::Fact(_) if choice < 80 => Term::Variable(self.variable(&LINKS, seen)),
            End::Node(_) | End::Fact(_) => Term::Variable(self.variable(&ELEMENTS, seen)),
        }
    }

    fn predicate(&mut self, name: &str, seen: &mut Vec<String>, nesting: usize) -> Predicate {
        // A path is not a link: below another one it is a mistake, which is made seldom.
        let paths = if nesting == NESTING_MAX { 22 } else { 1 };
        match self.dice.weighted(&[(55, 0), (12, 1), (14, 2), (paths, 3), (1, 4)]) {
            0 => Predicate::OneOf(vec![slot(name)]),
            1 => {
                let others = (0..1 + self.dice.below(2)).map(|_| slot(self.dice.one(&PREDICATES)));
                Predicate::OneOf(others.chain([slot(name)]).collect())
            }
            2 => {
                let mistaken = self.dice.chance(3);
                let names: &[&str] = if mistaken { &ELEMENTS } else { &PREDICATE_NAMES };
                Predicate::Variable(self.variable(names, seen))
            }
            3 => {
                let least = self.dice.weighted(&[(30, 0), (45, 1), (15, 2), (10, 3_u16)]);
                let more = u16::try_from(self.dice.below(4)).unwrap();
                let most = self.dice.chance(70).then_some(least + more);
                Predicate::Path { name: slot(name), least, most, span: Span::default() }
            }
            _ => Predicate::OneOf(vec![slot("treat")]),
        }
    }
}
