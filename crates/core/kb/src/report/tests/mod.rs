//! Tests of reports: tables of rules, naive models on random branches, pages, and other numbers of entities.

use cairn_base::Value;
use cairn_graph::Map;

use crate::{Branch, Edge, EntityType, KbError, Node, NodeKey, Relation};

mod body;
mod coverage;
mod filters;
mod graph;
mod impact;
mod matrix;
mod models;
mod pages;
mod random;
mod search;

/// Reads an entity: `TYPE ID [ATTRIBUTE=VALUE]…`. An underscore is a space in values; tags are joined by commas.
pub(crate) fn node(text: &str) -> Node {
    let mut words = text.split(' ');
    let kind = EntityType::parse(words.next().unwrap()).unwrap();
    let id = words.next().unwrap();
    let attributes: Map = words
        .map(|word| {
            let (name, value) = word.split_once('=').unwrap();
            let text = |text: &str| Value::String(text.replace('_', " "));
            let value = match name {
                "tags" => Value::Array(value.split(',').map(text).collect()),
                "verification_scope" | "fact_kind" => Value::String(value.into()),
                _ => text(value),
            };
            (name.to_owned(), value)
        })
        .collect();
    Node::of(id, kind, &attributes)
}

/// Reads a branch: one line per entity, and one per relationship `ID RELATION ID` after those of its ends.
pub(crate) fn branch(text: &str) -> Branch {
    let mut branch = Branch::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        match words.get(1).and_then(|word| Relation::parse(word)) {
            Some(relation) => {
                let end = |id: &str| branch.find(id).map_or(NodeKey(u64::MAX), |(key, _)| key);
                let edge = Edge { relation, from: end(words[0]), to: end(words[2]) };
                branch.link(edge);
            }
            // Numbers run against the order of the lines.
            None => branch.put(NodeKey(1_000_000 - branch.len() as u64), node(line)),
        }
    }
    branch
}

/// The ids of entities.
pub(crate) fn ids(branch: &Branch, keys: impl IntoIterator<Item = NodeKey>) -> String {
    let ids: Vec<String> = keys.into_iter().map(|key| branch.node(key).unwrap().id.to_string()).collect();
    ids.join(" ")
}

/// Arguments of a tool, from JSON.
pub(crate) fn input<T: serde::de::DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap()
}

/// The parameter that an error is about.
pub(crate) fn parameter(error: KbError) -> &'static str {
    let KbError::Argument { parameter, .. } = error else { panic!("{error}") };
    parameter
}
