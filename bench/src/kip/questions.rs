//! What is asked, in KIP and in SPARQL, and what an answer may take.
//!
//! Rows of a FIND that agree on what is projected are one row, hence DISTINCT where a node can be reached
//! in several ways. Names are different for all concepts, so a name stands for its node. Of several ways to ask
//! in SPARQL the one is here that oxigraph answers first: names are looked up at the end, levels are matched
//! and not filtered, and MINUS is quicker than NOT EXISTS.

use super::workload::{Size, hub, named, squared, word};
use crate::random::Random;

/// The words of the descriptions.
const WORDS: u64 = 4096;

/// Where a question begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Nowhere: it is the same each time.
    Nowhere,
    /// At a concept, another one each time.
    Concept,
    /// At the concept with the most links to it.
    Hub,
    /// With a word of the descriptions, as often as it stands there.
    Word,
}

/// What of two answers is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    /// Everything that is known of a concept.
    Concept,
    /// All rows, in any order.
    Rows,
    /// One column: the others depend on which of several equal ones are among the first.
    Column(usize),
}

/// One question.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) name: &'static str,
    pub(super) start: Start,
    /// Calls in one round.
    pub(super) times: usize,
    /// Expressions that FIND projects.
    pub(super) columns: usize,
    /// Milliseconds that the reference engine needs among 10,000 concepts.
    pub(super) reference_ms: Option<f64>,
    /// Microseconds that an answer may take among 100,000 concepts; from a hub, one of [`HUB_LINKS`] links.
    pub(super) most_us: f64,
    /// How many times as quick as the same question in SPARQL it has to be.
    pub(super) times_as_quick: f64,
    pub(super) compared: Compared,
    pub(super) kip: &'static str,
    /// With `$TYPE` and `$NAME` for parameters; nothing if there is no such question.
    pub(super) sparql: &'static str,
}

/// How many links a hub has for which [`Question::most_us`] is meant.
pub(super) const HUB_LINKS: f64 = 1600.0;

/// A type with a filter, an order and a limit: everything of the type is looked at.
const FILTERED: Question = Question {
    name: "filter, order, 20",
    start: Start::Nowhere,
    times: 20,
    columns: 2,
    reference_ms: Some(37.0),
    most_us: 20_000.0,
    times_as_quick: 1.0,
    compared: Compared::Column(1),
    kip: "FIND(?n.name, ?n.attributes.score) WHERE { ?n {type: \"Alpha\"} FILTER(?n.attributes.score >= 5000 && \
          ?n.attributes.level == \"k3\") } ORDER BY ?n.attributes.score DESC LIMIT 20",
    sparql: "SELECT ?nn ?s WHERE { { SELECT ?n ?s WHERE { ?n a <b:Alpha> ; <b:level> \"k3\" ; <b:score> ?s \
             FILTER(?s >= 5000) } ORDER BY DESC(?s) LIMIT 20 } ?n <b:name> ?nn } ORDER BY DESC(?s)",
};

/// The same when there is an index of the field that it filters and sorts by.
pub(super) const INDEXED: Question = Question {
    name: "filter, order, 20, indexed",
    times: 60,
    reference_ms: None,
    most_us: 300.0,
    ..FILTERED
};

/// What [`INDEXED`] needs an index of: a type, and a field.
pub(super) const INDEX: (&str, &str) = ("Alpha", "attributes.score");

/// Every question, in the order they are asked.
pub(super) const QUESTIONS: &[Question] = &[
    Question {
        name: "point",
        start: Start::Concept,
        times: 1000,
        columns: 1,
        reference_ms: Some(0.41),
        most_us: 30.0,
        times_as_quick: 1.0,
        compared: Compared::Concept,
        kip: "FIND(?n) WHERE { ?n {type: :type, name: :name} }",
        // Links are no literals, and are not asked for.
        sparql: "SELECT ?p ?o WHERE { ?n <b:name> \"$NAME\" ; a <b:$TYPE> ; ?p ?o FILTER(isLiteral(?o)) }",
    },
    Question {
        name: "one hop",
        start: Start::Concept,
        times: 1000,
        columns: 1,
        reference_ms: Some(1.8),
        most_us: 40.0,
        times_as_quick: 2.0,
        compared: Compared::Rows,
        kip: "FIND(?b.name) WHERE { ?a {type: :type, name: :name} (?a, \"links_to\", ?b) }",
        sparql: "SELECT ?bn WHERE { ?a <b:name> \"$NAME\" ; a <b:$TYPE> ; <b:links_to> ?b . ?b <b:name> ?bn }",
    },
    Question {
        name: "two hops",
        start: Start::Concept,
        times: 1000,
        columns: 1,
        reference_ms: Some(2.4),
        most_us: 120.0,
        times_as_quick: 2.0,
        compared: Compared::Rows,
        kip: "FIND(?c.name) WHERE { ?a {type: :type, name: :name} (?a, \"links_to\", ?b) (?b, \"links_to\", ?c) }",
        sparql: "SELECT DISTINCT ?cn WHERE { ?a <b:name> \"$NAME\" ; a <b:$TYPE> ; <b:links_to> ?b . \
                 ?b <b:links_to> ?c . ?c <b:name> ?cn }",
    },
    Question {
        name: "path {1,3}",
        start: Start::Concept,
        times: 500,
        columns: 1,
        reference_ms: Some(2.6),
        most_us: 300.0,
        times_as_quick: 2.0,
        compared: Compared::Rows,
        kip: "FIND(?b.name) WHERE { ?a {type: :type, name: :name} (?a, \"links_to\"{1,3}, ?b) }",
        sparql: "SELECT DISTINCT ?bn WHERE { ?a <b:name> \"$NAME\" ; a <b:$TYPE> ; \
                 (<b:links_to>|<b:links_to>/<b:links_to>|<b:links_to>/<b:links_to>/<b:links_to>) ?b . \
                 ?b <b:name> ?bn }",
    },
    Question {
        name: "triangle",
        start: Start::Concept,
        times: 500,
        columns: 2,
        reference_ms: None,
        most_us: 300.0,
        times_as_quick: 2.0,
        compared: Compared::Rows,
        kip: "FIND(?b.name, ?c.name) WHERE { ?a {type: :type, name: :name} (?a, \"links_to\", ?b) \
              (?b, \"links_to\", ?c) (?c, \"links_to\", ?a) }",
        sparql: "SELECT ?bn ?cn WHERE { ?a <b:name> \"$NAME\" ; a <b:$TYPE> ; <b:links_to> ?b . \
                 ?b <b:links_to> ?c ; <b:name> ?bn . ?c <b:links_to> ?a ; <b:name> ?cn }",
    },
    Question {
        name: "backward hop from a hub",
        start: Start::Hub,
        times: 100,
        columns: 1,
        reference_ms: None,
        most_us: 1500.0,
        times_as_quick: 2.0,
        compared: Compared::Rows,
        kip: "FIND(?a.name) WHERE { ?b {type: :type, name: :name} (?a, \"links_to\", ?b) } LIMIT 10000",
        sparql: "SELECT ?an WHERE { ?b <b:name> \"$NAME\" ; a <b:$TYPE> . ?a <b:links_to> ?b ; <b:name> ?an }",
    },
    Question {
        name: "backward hop, any link",
        start: Start::Hub,
        times: 100,
        columns: 1,
        reference_ms: None,
        most_us: 1500.0,
        times_as_quick: 2.0,
        compared: Compared::Rows,
        kip: "FIND(?a.name) WHERE { ?b {type: :type, name: :name} \
              (?a, \"links_to\" | \"mentions\" | \"part_of\", ?b) } LIMIT 10000",
        sparql: "SELECT DISTINCT ?an WHERE { ?b <b:name> \"$NAME\" ; a <b:$TYPE> . \
                 ?a <b:links_to>|<b:mentions>|<b:part_of> ?b ; <b:name> ?an }",
    },
    FILTERED,
    Question {
        name: "count and mean",
        start: Start::Nowhere,
        times: 20,
        columns: 2,
        reference_ms: None,
        most_us: 12_000.0,
        times_as_quick: 1.0,
        compared: Compared::Rows,
        kip: "FIND(COUNT(?n), AVG(?n.attributes.score)) WHERE { ?n {type: \"Beta\"} }",
        sparql: "SELECT (COUNT(?n) AS ?count) (AVG(?s) AS ?mean) WHERE { ?n a <b:Beta> ; <b:score> ?s }",
    },
    Question {
        name: "grouped count",
        start: Start::Nowhere,
        times: 10,
        columns: 2,
        reference_ms: Some(230.0),
        most_us: 60_000.0,
        times_as_quick: 1.0,
        compared: Compared::Column(1),
        kip: "FIND(?t.name, COUNT(?x)) WHERE { (?x, \"part_of\", ?t) } ORDER BY COUNT(?x) DESC LIMIT 20",
        sparql: "SELECT ?tn ?count WHERE { { SELECT ?t (COUNT(?x) AS ?count) WHERE { ?x <b:part_of> ?t } \
                 GROUP BY ?t ORDER BY DESC(?count) LIMIT 20 } ?t <b:name> ?tn } ORDER BY DESC(?count)",
    },
    Question {
        name: "not",
        start: Start::Nowhere,
        times: 10,
        columns: 1,
        reference_ms: Some(98.0),
        most_us: 20_000.0,
        times_as_quick: 1.0,
        compared: Compared::Rows,
        kip: "FIND(COUNT(?n)) WHERE { ?n {type: \"Beta\"} NOT { (?n, \"mentions\", ?x) } }",
        sparql: "SELECT (COUNT(?n) AS ?count) WHERE { ?n a <b:Beta> MINUS { ?n <b:mentions> ?x } }",
    },
    Question {
        name: "search",
        start: Start::Word,
        times: 300,
        columns: 1,
        reference_ms: None,
        most_us: 2000.0,
        times_as_quick: 1.0,
        compared: Compared::Rows,
        kip: "SEARCH CONCEPT :word LIMIT 10",
        sparql: "",
    },
];

impl Question {
    /// Whether there is such a question in SPARQL.
    pub(super) fn is_in_sparql(&self) -> bool {
        !self.sparql.is_empty()
    }
}

/// Where one call begins: parameters of KIP by their names.
pub(super) type Beginning = Vec<(&'static str, String)>;

/// Where all calls of a question begin, the same in every run.
pub(super) struct Starts(Vec<Beginning>);

impl Starts {
    /// So many of them, or one if the question always begins at the same place.
    pub(super) fn of(question: &Question, size: Size, count: usize) -> Self {
        let mut random = Random::new(11);
        let starts = match question.start {
            Start::Nowhere => vec![Vec::new()],
            Start::Hub => vec![at(hub(size))],
            Start::Concept => (0..count).map(|_| at(random.below(size.concepts))).collect(),
            Start::Word => (0..count).map(|_| vec![("word", word(squared(&mut random, WORDS)))]).collect(),
        };
        Starts(starts)
    }

    /// Those that most links go to: what there is little of is found there.
    pub(super) fn of_popular(question: &Question, count: usize) -> Self {
        let count = if question.start == Start::Concept { count as u64 } else { 0 };
        Starts((0..count).map(at).collect())
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Beginning] {
        &self.0
    }
}

fn at(concept: u64) -> Beginning {
    let (kind, name) = named(concept);
    vec![("type", kind.to_owned()), ("name", name)]
}
