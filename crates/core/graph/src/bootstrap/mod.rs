//! What every space begins with: the types and predicates that describe themselves, the core domains, and the
//! two agents. What they say is in `concepts.json`.

mod first;
mod restore;

use std::collections::BTreeMap;

use cairn_access::Scope;
use cairn_base::{Number, Value};
use cairn_seam::WriteTx;

use crate::{
    ConceptId, ConceptWrite, GraphError, LinkTarget, LinkWrite, Map, Result, Target, TypeId, View, Writer,
    known,
};

pub use first::{FirstContent, Named};
pub use restore::restore;

/// The concepts in the order of their numbers; `known.rs` counts on the first ten.
const CONCEPTS: &[u8] = include_bytes!("concepts.json");

/// Gives a space what it begins with, unless it has that. The same time gives the same bytes.
pub fn bootstrap(tx: &mut dyn WriteTx, scope: &Scope, now_ms: u64) -> Result<()> {
    if View::new(&*tx, *scope).is_bootstrapped()? {
        return Ok(());
    }
    let mut writer = Writer::privileged(tx, *scope, now_ms);
    let mut numbers: BTreeMap<String, ConceptId> = BTreeMap::new();
    let mut members = Vec::new();
    for item in items()? {
        let target = Target::Named(item.kind(&numbers)?, item.name.clone());
        let (attributes, metadata) = (item.attributes, metadata());
        let (id, ..) =
            writer.upsert_concept(ConceptWrite { target, expect_version: Some(0), attributes, metadata })?;
        numbers.insert(item.name, id);
        members.extend(item.domain.map(|domain| (id, domain)));
    }
    for (member, domain) in members {
        let domain = *numbers.get(&domain).ok_or_else(|| bad("a domain is not defined"))?;
        let target = LinkTarget::Triple(member.into(), known::BELONGS_TO_DOMAIN, domain.into());
        let (attributes, metadata) = (Map::new(), metadata());
        writer.upsert_link(LinkWrite { target, expect_version: Some(0), attributes, metadata })?;
    }
    writer.finish()
}

/// Where all of it comes from.
fn metadata() -> Map {
    let confidence = Number::from_f64(1.0).map_or(Value::Null, Value::Number);
    let entries = [
        ("source", Value::from("SystemBootstrap")),
        ("author", Value::from("$system")),
        ("confidence", confidence),
        ("status", Value::from("active")),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

struct Item {
    kind: String,
    name: String,
    /// The domain it belongs to.
    domain: Option<String>,
    attributes: Map,
}

impl Item {
    /// Its type, which came before it; the type of types came with itself.
    fn kind(&self, numbers: &BTreeMap<String, ConceptId>) -> Result<TypeId> {
        match numbers.get(&self.kind) {
            Some(id) => Ok(TypeId(id.0)),
            None if self.kind == self.name => Ok(known::CONCEPT_TYPE),
            None => Err(bad("a type is not defined before it is used")),
        }
    }
}

fn items() -> Result<Vec<Item>> {
    let parsed = Value::parse_json(CONCEPTS).map_err(|error| bad(&error.to_string()))?;
    let Value::Array(items) = parsed else { return Err(bad("it is no array")) };
    items.into_iter().map(item).collect()
}

fn item(item: Value) -> Result<Item> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
    let (kind, name, domain) = (text("type"), text("name"), text("domain"));
    let attributes = item.get("attributes").and_then(Value::as_object).cloned();
    let parts = kind.zip(name).zip(attributes);
    let ((kind, name), attributes) = parts.ok_or_else(|| bad("a concept has no type, name or attributes"))?;
    Ok(Item { kind, name, domain, attributes })
}

fn bad(detail: &str) -> GraphError {
    GraphError::BadRecord { what: "list of first concepts", detail: detail.into() }
}
