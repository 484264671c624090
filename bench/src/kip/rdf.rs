//! The same graph as RDF in oxigraph, on disk, and the same questions in SPARQL.
//!
//! A concept is a node with a type and literals, a proposition one triple. Weights of propositions are left
//! out, as RDF has no place for them on a triple and nothing asks for them: that is to its advantage. Names
//! in angle brackets are as short as they can be.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use oxigraph::model::vocab::{rdf, xsd};
use oxigraph::model::{GraphName, Literal, NamedNode, Quad, Term};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;

use super::workload::{Concept, Proposition, Size};

/// What stands before every name.
const SCHEME: &str = "b:";

/// A store of oxigraph with the graph in it.
pub(super) struct Rdf {
    store: Store,
    /// How long loading and compacting took.
    pub(super) took: Duration,
}

/// Rows of an answer.
pub(super) struct Rows(Vec<Vec<Option<Term>>>);

impl Rdf {
    /// Loads the graph as quickly as oxigraph can, and has it tidy up.
    pub(super) fn load(dir: &Path, size: Size) -> Result<Option<Self>> {
        let began = Instant::now();
        let store = Store::open(dir)?;
        let mut loader = store.bulk_loader();
        loader.load_quads((0..size.concepts).flat_map(concept))?;
        loader
            .load_quads((0..size.propositions).map(|number| link(Proposition::new(number, size.concepts))))?;
        loader.commit()?;
        store.optimize()?;
        Ok(Some(Rdf { store, took: began.elapsed() }))
    }

    /// What a SELECT answers.
    pub(super) fn ask(&self, sparql: &str) -> Result<Rows> {
        let results = SparqlEvaluator::new().parse_query(sparql)?.on_store(&self.store).execute()?;
        let QueryResults::Solutions(solutions) = results else { bail!("{sparql} is no SELECT") };
        let rows = solutions.map(|row| row.map(|row| row.values().to_vec()));
        Ok(Rows(rows.collect::<Result<_, _>>()?))
    }

    /// One concept and a link to another. Oxigraph does not wait for the disk.
    pub(super) fn upsert(&self, number: u64, target: &(&'static str, String)) -> Result<()> {
        let (kind, name) = target;
        let update = format!(
            "INSERT {{ <b:new/{number}> a <b:Alpha> ; <b:name> \"new {number}\" ; <b:score> {number} ; \
             <b:links_to> ?t }} WHERE {{ ?t <b:name> \"{name}\" ; a <b:{kind}> }}"
        );
        SparqlEvaluator::new().parse_update(&update)?.on_store(&self.store).execute()?;
        Ok(())
    }
}

impl Rows {
    /// How many.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// As texts that can be compared.
    pub(super) fn texts(&self) -> Vec<Vec<String>> {
        self.0
            .iter()
            .map(|row| row.iter().map(|term| term.as_ref().map_or(String::new(), text)).collect())
            .collect()
    }
}

fn text(term: &Term) -> String {
    match term {
        Term::NamedNode(node) => node.as_str().trim_start_matches(SCHEME).to_owned(),
        Term::BlankNode(node) => node.as_str().to_owned(),
        Term::Literal(literal) => {
            let is_number = [xsd::INTEGER, xsd::DECIMAL, xsd::DOUBLE].contains(&literal.datatype());
            match literal.value().parse() {
                Ok(number) if is_number => super::same::number(number),
                _ => literal.value().to_owned(),
            }
        }
    }
}

fn concept(number: u64) -> Vec<Quad> {
    let Concept { kind, name, score, level, description, confidence, tags, created_at } =
        Concept::new(number);
    let node = node(number);
    let created_at = Literal::new_typed_literal(created_at, xsd::DATE_TIME);
    let mut quads = vec![quad(&node, rdf::TYPE.into_owned(), named(kind))];
    let literals = [
        ("name", name.into()),
        ("score", score.into()),
        ("level", level.into()),
        ("description", description.into()),
        ("confidence", confidence.into()),
        ("created_at", created_at),
    ];
    let tags = tags.map(|tag| ("tag", Literal::from(tag)));
    quads.extend(
        literals.into_iter().chain(tags).map(|(property, value)| quad(&node, named(property), value)),
    );
    quads
}

fn link(proposition: Proposition) -> Quad {
    let Proposition { subject, predicate, object, .. } = proposition;
    quad(&node(subject), named(predicate), node(object))
}

fn quad(subject: &NamedNode, predicate: NamedNode, object: impl Into<Term>) -> Quad {
    Quad::new(subject.clone(), predicate, object, GraphName::DefaultGraph)
}

fn node(concept: u64) -> NamedNode {
    named(&format!("c/{concept}"))
}

fn named(name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{SCHEME}{name}"))
}
