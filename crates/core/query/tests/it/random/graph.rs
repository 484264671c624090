//! Random graphs.

use std::collections::BTreeMap;
use std::fmt;

use cairn_base::Value;

use super::dice::Dice;
use super::words::{self, NAMES, PREDICATES, TYPES};

/// How large graphs are at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) concepts: usize,
    pub(crate) links: usize,
}

impl Size {
    pub(crate) const SMALL: Size = Size { concepts: 12, links: 25 };
    /// More than the engine does at once.
    pub(crate) const LARGE: Size = Size { concepts: 300, links: 600 };
}

/// A graph before it is stored. Ends of links are places in its lists; a link stands behind those it is about.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    pub(crate) concepts: Vec<Node>,
    pub(crate) links: Vec<Fact>,
}

/// A concept.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, Value>,
    pub(crate) metadata: BTreeMap<String, Value>,
}

/// A link.
#[derive(Clone)]
pub(crate) struct Fact {
    pub(crate) subject: End,
    pub(crate) predicate: &'static str,
    pub(crate) object: End,
    pub(crate) attributes: BTreeMap<String, Value>,
    pub(crate) metadata: BTreeMap<String, Value>,
}

/// What a link is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Node(usize),
    Fact(usize),
}

impl Graph {
    /// Few types, predicates and names, so that paths, cycles and equal names happen.
    pub(crate) fn random(dice: &mut Dice<'_>, size: Size) -> Self {
        let kinds = &TYPES[..2 + dice.below(TYPES.len() - 1)];
        let predicates = &PREDICATES[..2 + dice.below(PREDICATES.len() - 1)];
        let mut graph = Graph::default();
        let names = size.concepts / 2;
        for _ in 0..1 + dice.below(size.concepts) {
            let kind = dice.one(kinds);
            let name = match dice.below(names) {
                other if other >= NAMES.len() => format!("n{other}"),
                few => NAMES[few].to_owned(),
            };
            if !graph.concepts.iter().any(|node| node.kind == kind && node.name == name) {
                let (attributes, metadata) = (words::attributes(dice), words::metadata(dice));
                graph.concepts.push(Node { kind, name, attributes, metadata });
            }
        }
        for _ in 0..dice.below(size.links + 1) {
            let (subject, object) = (graph.end(dice), graph.end(dice));
            let predicate = dice.one(predicates);
            let is_there =
                |fact: &Fact| (fact.subject, fact.predicate, fact.object) == (subject, predicate, object);
            if !graph.links.iter().any(is_there) {
                let attributes = if dice.chance(50) { words::attributes(dice) } else { BTreeMap::new() };
                let metadata = words::metadata(dice);
                graph.links.push(Fact { subject, predicate, object, attributes, metadata });
            }
        }
        graph
    }

    fn end(&self, dice: &mut Dice<'_>) -> End {
        if !self.links.is_empty() && dice.chance(12) {
            return End::Fact(dice.below(self.links.len()));
        }
        End::Node(dice.below(self.concepts.len()))
    }

    /// The graph without one element and the links that are about it.
    pub(crate) fn without(&self, gone: End) -> Graph {
        let mut is_gone = vec![false; self.links.len()];
        for (place, fact) in self.links.iter().enumerate() {
            let ends = [fact.subject, fact.object];
            is_gone[place] = gone == End::Fact(place)
                || ends.contains(&gone)
                || ends.iter().any(|end| matches!(end, End::Fact(about) if is_gone[*about]));
        }
        let moved = |end: End| match (end, gone) {
            (End::Node(place), End::Node(gone)) => End::Node(place - usize::from(place > gone)),
            (End::Node(place), End::Fact(_)) => End::Node(place),
            (End::Fact(place), _) => {
                End::Fact(place - is_gone[..place].iter().filter(|is_gone| **is_gone).count())
            }
        };
        let mut graph = self.clone();
        if let End::Node(place) = gone {
            graph.concepts.remove(place);
        }
        let left = self.links.iter().zip(&is_gone).filter(|(_, is_gone)| !**is_gone);
        let left = left.map(|(fact, _)| Fact {
            subject: moved(fact.subject),
            object: moved(fact.object),
            ..fact.clone()
        });
        graph.links = left.collect();
        graph
    }
}

impl fmt::Debug for Graph {
    /// One line per element.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = |map: &BTreeMap<String, Value>| Value::Object(map.clone()).to_json();
        for (place, node) in self.concepts.iter().enumerate() {
            let Node { kind, name, attributes, metadata } = node;
            writeln!(f, "concept {place}: {kind} {name} {} {}", json(attributes), json(metadata))?;
        }
        let end = |end: End| match end {
            End::Node(place) => format!("concept {place}"),
            End::Fact(place) => format!("link {place}"),
        };
        for (place, fact) in self.links.iter().enumerate() {
            let Fact { subject, predicate, object, attributes, metadata } = fact;
            let (subject, object) = (end(*subject), end(*object));
            let maps = format!("{} {}", json(attributes), json(metadata));
            writeln!(f, "link {place}: ({subject}, {predicate}, {object}) {maps}")?;
        }
        Ok(())
    }
}
