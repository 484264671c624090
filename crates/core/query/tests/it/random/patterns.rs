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
pub(crate) const DEPTH_MAX: usize = 4;
/// Links inside links.
const NESTING_MAX: usize = 2;

/// A variable that is bound, and what it stands for in the solution that the author has in mind.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) name: String,
    pub(crate) meant: Option<End>,
}

/// Writes queries about a graph: mostly ones that have an answer.
pub(crate) struct Author<'a, 'b> {
    pub(crate) dice: &'a mut Dice<'b>,
    pub(crate) graph: &'a Graph,
}

impl Author<'_, '_> {
    /// A block; `seen` are the variables that it sees, and afterwards those it has bound as well.
    pub(crate) fn group(&mut self, depth: usize, seen: &mut Vec<Seen>) -> Group {
        let count = 1 + self.dice.below(if depth == DEPTH_MAX { 4 } else { 3 });
        Group { clauses: (0..count).map(|_| here(self.clause(depth, seen))).collect() }
    }

    fn clause(&mut self, depth: usize, seen: &mut Vec<Seen>) -> Clause {
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
                let variable = self.variable(&ELEMENTS, seen);
                let meant = seen.iter().find(|seen| seen.name == variable.node).and_then(|seen| seen.meant);
                let place = match meant {
                    Some(End::Node(place)) if self.dice.chance(85) => place,
                    Some(End::Node(_) | End::Fact(_)) | None => self.dice.below(self.graph.concepts.len()),
                };
                mean(seen, &variable, End::Node(place));
                Clause::Concept { variable, matcher: self.concept_match_of(place) }
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
    fn variable(&mut self, names: &[&str], seen: &mut Vec<Seen>) -> Text {
        let there: Vec<&Seen> = seen.iter().filter(|seen| names.contains(&seen.name.as_str())).collect();
        let name = if !there.is_empty() && self.dice.chance(65) {
            self.dice.one(&there).name.clone()
        } else {
            self.dice.one(names).to_owned()
        };
        if !seen.iter().any(|seen| seen.name == name) {
            seen.push(Seen { name: name.clone(), meant: None });
        }
        text(&name)
    }

    /// A variable for an element: mostly the one that means it, or a new one that will.
    fn variable_for(&mut self, end: End, names: &[&str], seen: &mut Vec<Seen>) -> Text {
        let meaning: Vec<&Seen> = seen.iter().filter(|seen| seen.meant == Some(end)).collect();
        let free = |name: &&&str| !seen.iter().any(|seen| seen.name == **name);
        let free: Vec<&str> = names.iter().filter(free).copied().collect();
        let variable = if self.dice.chance(20) {
            self.variable(names, seen)
        } else if !meaning.is_empty() && self.dice.chance(85) {
            text(&self.dice.one(&meaning).name)
        } else if free.is_empty() {
            self.variable(names, seen)
        } else {
            text(self.dice.one(&free))
        };
        mean(seen, &variable, end);
        variable
    }

    /// One that a concept of the graph fulfils, mostly.
    fn concept_match_of(&mut self, place: usize) -> ConceptMatch {
        let node = &self.graph.concepts[place];
        let (kind, name) = (node.kind, node.name.as_str());
        match self.dice.below(400) {
            0 => concept_match(None, Some("drug"), None),
            1 => concept_match(None, Some("Nothing"), Some(name)),
            2 => concept_match(None, Some(kind), Some("nobody")),
            3 => concept_match(Some("C:999999"), None, None),
            4 => concept_match(Some(&link_at(place)), None, None),
            5 => concept_match(None, None, Some("nobody")),
            6..=10 => concept_match(None, Some(self.dice.one(&TYPES)), Some(self.dice.one(&NAMES))),
            11..=18 => concept_match(None, Some("$ConceptType"), None),
            19..=50 => concept_match(Some(&concept_at(place)), None, None),
            51..=125 => concept_match(None, None, Some(name)),
            126..=180 => concept_match(None, Some(kind), Some(name)),
            _ => concept_match(None, Some(kind), None),
        }
    }

    /// One that a link of the graph fulfils, mostly.
    fn link_match(&mut self, seen: &mut Vec<Seen>, nesting: usize) -> PropositionMatch {
        if self.graph.links.is_empty() {
            let subject = Term::Variable(self.variable(&ELEMENTS, seen));
            let predicate = self.predicate(PREDICATES[0], seen, nesting);
            return triple(subject, predicate, Term::Variable(self.variable(&ELEMENTS, seen)));
        }
        let is_near = |fact: &Fact| {
            seen.iter().any(|seen| seen.meant == Some(fact.subject) || seen.meant == Some(fact.object))
        };
        let places = 0..self.graph.links.len();
        let near: Vec<usize> = places.filter(|place| is_near(&self.graph.links[*place])).collect();
        let place = if near.is_empty() || self.dice.chance(20) {
            self.dice.below(self.graph.links.len())
        } else {
            self.dice.one(&near)
        };
        self.link_match_of(place, seen, nesting)
    }

    fn link_match_of(&mut self, place: usize, seen: &mut Vec<Seen>, nesting: usize) -> PropositionMatch {
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

    fn term(&mut self, end: End, seen: &mut Vec<Seen>, nesting: usize) -> Term {
        let choice = self.dice.below(100);
        match end {
            End::Node(place) if choice < 25 => {
                let matcher = self.concept_match_of(place);
                let variable = self.dice.chance(35).then(|| self.variable_for(end, &ELEMENTS, seen));
                Term::Concept { variable, matcher }
            }
            End::Fact(place) if choice < 55 && nesting > 0 => {
                let matcher = self.link_match_of(place, seen, nesting - 1);
                let variable = self.dice.chance(35).then(|| self.variable_for(end, &LINKS, seen));
                Term::Proposition { variable, matcher }
            }
            End::Node(_) if choice == 99 && nesting > 0 => {
                let matcher = self.link_match(seen, nesting - 1);
                Term::Proposition { variable: None, matcher }
            }
            End::Fact(_) if choice < 80 => Term::Variable(self.variable_for(end, &LINKS, seen)),
            End::Node(_) | End::Fact(_) => Term::Variable(self.variable_for(end, &ELEMENTS, seen)),
        }
    }

    fn predicate(&mut self, name: &str, seen: &mut Vec<Seen>, nesting: usize) -> Predicate {
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

/// A variable means an element from now on, if it does not mean another.
fn mean(seen: &mut Vec<Seen>, variable: &Text, end: End) {
    match seen.iter_mut().find(|seen| seen.name == variable.node) {
        Some(seen) => seen.meant = seen.meant.or(Some(end)),
        None => seen.push(Seen { name: variable.node.clone(), meant: Some(end) }),
    }
}
