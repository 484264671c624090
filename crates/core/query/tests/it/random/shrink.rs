//! Cases that are a little smaller.

use cairn_kip::Spanned;
use cairn_kip::tree::{Clause, Column, Condition, Find, Group, Predicate, PropositionMatch, Term};

use super::Case;
use super::graph::{End, Graph};
use super::tree::here;

/// Everything that is one step smaller, what removes most first.
pub(crate) fn smaller(case: &Case) -> Vec<Case> {
    let mut all: Vec<Case> =
        finds(&case.find).into_iter().map(|find| Case { find, ..case.clone() }).collect();
    all.extend(graphs(&case.graph).into_iter().map(|graph| Case { graph, ..case.clone() }));
    all
}

fn graphs(graph: &Graph) -> Vec<Graph> {
    let nodes = (0..graph.concepts.len()).filter(|_| graph.concepts.len() > 1).map(End::Node);
    let facts = (0..graph.links.len()).map(End::Fact);
    let mut all: Vec<Graph> = Vec::new();
    if !graph.links.is_empty() {
        all.push(halved(graph));
    }
    all.extend(facts.chain(nodes).map(|gone| graph.without(gone)));
    for place in 0..graph.concepts.len() {
        let node = &graph.concepts[place];
        for key in node.attributes.keys() {
            let mut graph = graph.clone();
            graph.concepts[place].attributes.remove(key);
            all.push(graph);
        }
        if !node.metadata.is_empty() {
            let mut graph = graph.clone();
            graph.concepts[place].metadata.clear();
            all.push(graph);
        }
    }
    for place in 0..graph.links.len() {
        for key in graph.links[place].attributes.keys() {
            let mut graph = graph.clone();
            graph.links[place].attributes.remove(key);
            all.push(graph);
        }
        if !graph.links[place].metadata.is_empty() {
            let mut graph = graph.clone();
            graph.links[place].metadata.clear();
            all.push(graph);
        }
    }
    all
}

/// Without the second half of the links.
fn halved(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    graph.links.truncate(graph.links.len() / 2);
    graph
}

fn finds(find: &Find) -> Vec<Find> {
    let mut all: Vec<Find> =
        groups(&find.pattern).into_iter().map(|pattern| Find { pattern, ..find.clone() }).collect();
    for place in 0..find.columns.len() {
        if find.columns.len() > 1 {
            let mut find = find.clone();
            find.columns.remove(place);
            all.push(find);
        }
        if let Column::Path(path) = &find.columns[place].node
            && !path.fields.is_empty()
        {
            let mut find = find.clone();
            let mut path = path.clone();
            path.fields.clear();
            find.columns[place] = here(Column::Path(path));
            all.push(find);
        }
    }
    for place in 0..find.order_by.len() {
        let mut find = find.clone();
        find.order_by.remove(place);
        all.push(find);
    }
    if find.limit.is_some() {
        all.push(Find { limit: None, ..find.clone() });
    }
    all
}

fn groups(group: &Group) -> Vec<Group> {
    let mut all = Vec::new();
    for (place, clause) in group.clauses.iter().enumerate() {
        let mut instead = |clauses: Vec<Spanned<Clause>>| {
            let mut group = group.clone();
            group.clauses.splice(place..=place, clauses);
            if !group.clauses.is_empty() {
                all.push(group);
            }
        };
        instead(Vec::new());
        if let Clause::Optional(inner) | Clause::Not(inner) | Clause::Union(inner) = &clause.node {
            instead(inner.clauses.clone());
        }
        for smaller in clauses(&clause.node) {
            instead(vec![here(smaller)]);
        }
    }
    all
}

fn clauses(clause: &Clause) -> Vec<Clause> {
    match clause {
        Clause::Concept { .. } => Vec::new(),
        Clause::Proposition { variable, matcher } => {
            let mut all: Vec<Clause> = matchers(matcher)
                .into_iter()
                .map(|matcher| Clause::Proposition { variable: variable.clone(), matcher })
                .collect();
            if variable.is_some() {
                all.push(Clause::Proposition { variable: None, matcher: matcher.clone() });
            }
            all
        }
        Clause::Filter(condition) => conditions(condition).into_iter().map(Clause::Filter).collect(),
        Clause::Optional(inner) => groups(inner).into_iter().map(Clause::Optional).collect(),
        Clause::Not(inner) => groups(inner).into_iter().map(Clause::Not).collect(),
        Clause::Union(inner) => groups(inner).into_iter().map(Clause::Union).collect(),
    }
}

fn matchers(matcher: &PropositionMatch) -> Vec<PropositionMatch> {
    let PropositionMatch::Triple(triple) = matcher else { return Vec::new() };
    let mut all = Vec::new();
    for predicate in predicates(&triple.predicate) {
        let mut triple = triple.clone();
        triple.predicate = predicate;
        all.push(PropositionMatch::Triple(triple));
    }
    for subject in terms(&triple.subject) {
        let mut triple = triple.clone();
        triple.subject = subject;
        all.push(PropositionMatch::Triple(triple));
    }
    for object in terms(&triple.object) {
        let mut triple = triple.clone();
        triple.object = object;
        all.push(PropositionMatch::Triple(triple));
    }
    all
}

fn predicates(predicate: &Predicate) -> Vec<Predicate> {
    match predicate {
        Predicate::OneOf(names) if names.len() > 1 => {
            names.iter().map(|name| Predicate::OneOf(vec![name.clone()])).collect()
        }
        Predicate::OneOf(_) | Predicate::Variable(_) => Vec::new(),
        Predicate::Path { name, least, most, span } => {
            let path = |least, most| Predicate::Path { name: name.clone(), least, most, span: *span };
            let mut all = vec![Predicate::OneOf(vec![name.clone()])];
            if *least > 0 {
                all.push(path(least - 1, *most));
            }
            match most {
                Some(most) if most > least => all.push(path(*least, Some(most - 1))),
                Some(_) => {}
                None => all.push(path(*least, Some(least + 1))),
            }
            all
        }
    }
}

fn terms(term: &Term) -> Vec<Term> {
    match term {
        Term::Variable(_) => Vec::new(),
        Term::Concept { variable, matcher } => {
            let alone = variable.as_ref().map(|_| Term::Concept { variable: None, matcher: matcher.clone() });
            variable.clone().map(Term::Variable).into_iter().chain(alone).collect()
        }
        Term::Proposition { variable, matcher } => {
            let smaller = matchers(matcher).into_iter();
            let smaller = smaller.map(|matcher| Term::Proposition { variable: variable.clone(), matcher });
            variable.clone().map(Term::Variable).into_iter().chain(smaller).collect()
        }
    }
}

fn conditions(condition: &Condition) -> Vec<Condition> {
    match condition {
        Condition::Or(parts) | Condition::And(parts) => parts.clone(),
        Condition::Not(part) => {
            let smaller = conditions(part).into_iter().map(|part| Condition::Not(Box::new(part)));
            smaller.chain([(**part).clone()]).collect()
        }
        Condition::Compare { .. }
        | Condition::Text { .. }
        | Condition::In { .. }
        | Condition::IsNull { .. } => Vec::new(),
    }
}
