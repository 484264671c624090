//! DESCRIBE PRIMER: who the memory belongs to, and a map of what is in it.
//!
//! Made for somebody who sees this memory for the first time and has little room to read: who am I, what
//! fields of knowledge are there, with which words are they asked for, how much is there. The work is
//! bounded: definitions, rows of statistics, and a fixed number of members of domains.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use cairn_base::Value;
use cairn_graph::known::{BELONGS_TO_DOMAIN, CONCEPT_TYPE, DOMAIN, PERSON, PROPOSITION_TYPE, SELF};
use cairn_graph::{Concept, ConceptId, Element, Lookup, Meta, PredicateId, Statistic, TypeId, View};
use cairn_seam::Visit;

use super::domains::first;
use super::{concept_info, read};
use crate::{Budget, QueryError};

/// Domains on the map.
const DOMAINS_MAX: usize = 256;
/// Members that are looked at, all domains together.
const MEMBERS_MAX: usize = 1 << 16;
/// Types, and predicates, that are named of a domain.
const KEYS_MAX: usize = 12;
/// Characters that are shown of what a domain says of itself.
const DESCRIPTION_CHARS_MAX: usize = 600;
/// Types, and predicates, that are named of the whole graph.
const LARGEST_MAX: usize = 24;

/// The primer.
pub(super) fn primer(view: &View<'_>, budget: &mut Budget<'_>) -> Result<Value, QueryError> {
    let sizes = Sizes::read(view)?;
    let domains = Domains::read(view, budget)?;
    let map = domains.shown.iter().map(|domain| domain.value(&sizes)).collect();
    Ok(object([
        ("identity", identity(view, budget)?),
        ("domain_map", Value::Array(map)),
        ("total_domains", Value::from(domains.total)),
        ("sizes", sizes.value()),
        ("largest_concept_types", sizes.largest(&sizes.types, Meta::Types, "concepts")),
        ("largest_proposition_types", sizes.largest(&sizes.predicates, Meta::Predicates, "propositions")),
    ]))
}

fn identity(view: &View<'_>, budget: &mut Budget<'_>) -> Result<Value, QueryError> {
    let found = read(view, &[SELF], PERSON, budget)?;
    Ok(found.first().map_or(Value::Null, |own| Value::Object(concept_info(own, "Person"))))
}

/// How much there is of everything.
struct Sizes {
    type_names: HashMap<TypeId, String>,
    predicate_names: HashMap<PredicateId, String>,
    types: HashMap<u64, u64>,
    predicates: HashMap<u64, u64>,
    /// Which predicates concepts of a type are subjects of, and how often.
    used_by: HashMap<TypeId, Vec<(PredicateId, u64)>>,
}

impl Sizes {
    fn read(view: &View<'_>) -> Result<Self, QueryError> {
        let mut sizes = Sizes {
            type_names: HashMap::new(),
            predicate_names: HashMap::new(),
            types: HashMap::new(),
            predicates: HashMap::new(),
            used_by: HashMap::new(),
        };
        view.definitions(Meta::Types, &mut |id, name| {
            sizes.type_names.insert(TypeId(id), name.to_owned());
            Visit::Continue
        })?;
        view.definitions(Meta::Predicates, &mut |id, name| {
            sizes.predicate_names.insert(PredicateId(id), name.to_owned());
            Visit::Continue
        })?;
        view.statistics(&mut |statistic, count| {
            match statistic {
                Statistic::Type(kind) => drop(sizes.types.insert(kind.0, count)),
                Statistic::Predicate(predicate) => drop(sizes.predicates.insert(predicate.0, count)),
                Statistic::SubjectType(kind, predicate) => {
                    sizes.used_by.entry(kind).or_default().push((predicate, count));
                }
                Statistic::Subjects(_) | Statistic::Objects(_) | Statistic::ObjectType(..) => {}
            }
            Visit::Continue
        })?;
        Ok(sizes)
    }

    fn value(&self) -> Value {
        object([
            ("concepts", Value::from(self.types.values().sum::<u64>())),
            ("propositions", Value::from(self.predicates.values().sum::<u64>())),
            ("concept_types", Value::from(self.type_names.len() as u64)),
            ("proposition_types", Value::from(self.predicate_names.len() as u64)),
        ])
    }

    fn name(&self, of: Meta, id: u64) -> Option<&str> {
        match of {
            Meta::Types => self.type_names.get(&TypeId(id)),
            Meta::Predicates => self.predicate_names.get(&PredicateId(id)),
        }
        .map(String::as_str)
    }

    /// Those of which there are most, with how many.
    fn largest(&self, counts: &HashMap<u64, u64>, of: Meta, unit: &str) -> Value {
        let counts = counts.iter().map(|(id, count)| (*id, *count)).filter(|(_, count)| *count > 0);
        let shown = self.by_count(of, counts, LARGEST_MAX).into_iter().map(|(name, count)| {
            object([("name", Value::String(name.to_owned())), (unit, Value::from(count))])
        });
        Value::Array(shown.collect())
    }

    /// The names of those with the highest counts, and these.
    fn by_count(&self, of: Meta, counts: impl Iterator<Item = (u64, u64)>, most: usize) -> Vec<(&str, u64)> {
        let mut named: Vec<_> = counts.filter_map(|(id, count)| Some((self.name(of, id)?, count))).collect();
        named.sort_unstable_by_key(|(name, count)| (Reverse(*count), *name));
        named.truncate(most);
        named
    }
}

/// Fields of knowledge.
struct Domains {
    total: u64,
    shown: Vec<Domain>,
}

/// One of them, and what its members are.
struct Domain {
    concept: Concept,
    members: u64,
    /// Whether there are more members than were looked at.
    has_more: bool,
    /// Types that are defined in it or that its members have.
    types: HashSet<TypeId>,
    /// Predicates that are defined in it.
    predicates: HashSet<PredicateId>,
}

impl Domains {
    fn read(view: &View<'_>, budget: &mut Budget<'_>) -> Result<Self, QueryError> {
        let total = view.count(Statistic::Type(DOMAIN))?;
        let concepts = read(view, &first(view, DOMAINS_MAX)?, DOMAIN, budget)?;
        let mut shown: Vec<_> = concepts.into_iter().map(Domain::new).collect();
        look_at_members(view, &mut shown)?;
        Ok(Domains { total, shown })
    }
}

fn look_at_members(view: &View<'_>, domains: &mut [Domain]) -> Result<(), QueryError> {
    let lookups: Vec<_> = domains
        .iter()
        .map(|domain| domain.concept.id.into())
        .map(|object| Lookup::In { object, predicate: Some(BELONGS_TO_DOMAIN) })
        .collect();
    let each = (MEMBERS_MAX / domains.len().max(1)) as u64;
    view.edges(&lookups, &mut |at, edge| {
        let domain = &mut domains[at];
        if domain.members == each {
            domain.has_more = true;
            return Visit::NextRange;
        }
        domain.members += 1;
        match (edge.subject, edge.subject_type) {
            (Element::Concept(ConceptId(id)), Some(CONCEPT_TYPE)) => drop(domain.types.insert(TypeId(id))),
            (Element::Concept(ConceptId(id)), Some(PROPOSITION_TYPE)) => {
                domain.predicates.insert(PredicateId(id));
            }
            (_, Some(kind)) => drop(domain.types.insert(kind)),
            (_, None) => {}
        }
        Visit::Continue
    })?;
    Ok(())
}

impl Domain {
    fn new(concept: Concept) -> Self {
        Domain { concept, members: 0, has_more: false, types: HashSet::new(), predicates: HashSet::new() }
    }

    fn value(&self, sizes: &Sizes) -> Value {
        let types = self.types.iter().map(|kind| (kind.0, count(&sizes.types, kind.0)));
        let types = sizes.by_count(Meta::Types, types, KEYS_MAX);
        let predicates = self.predicate_counts(sizes);
        let predicates = sizes.by_count(Meta::Predicates, predicates.into_iter(), KEYS_MAX);
        let description = self.concept.attributes.get("description").map_or(Value::Null, beginning);
        let mut shown = BTreeMap::from([
            ("name".to_owned(), Value::String(self.concept.name.clone())),
            ("description".to_owned(), description),
            ("members".to_owned(), Value::from(self.members)),
            ("key_concept_types".to_owned(), names(&types)),
            ("key_proposition_types".to_owned(), names(&predicates)),
        ]);
        if self.has_more {
            shown.insert("has_more_members".to_owned(), Value::Bool(true));
        }
        Value::Object(shown)
    }

    /// Predicates that are defined here, and those that say something about what is of its types.
    fn predicate_counts(&self, sizes: &Sizes) -> HashMap<u64, u64> {
        let mut counts: HashMap<u64, u64> = HashMap::new();
        for (predicate, used) in self.types.iter().filter_map(|kind| sizes.used_by.get(kind)).flatten() {
            // That something belongs to a domain says nothing about the domain.
            if *predicate != BELONGS_TO_DOMAIN {
                *counts.entry(predicate.0).or_default() += used;
            }
        }
        for predicate in &self.predicates {
            counts.insert(predicate.0, count(&sizes.predicates, predicate.0));
        }
        counts
    }
}

/// A primer is read in one go: of a long text its beginning is enough.
fn beginning(description: &Value) -> Value {
    let Some(text) = description.as_str() else { return description.clone() };
    match text.char_indices().nth(DESCRIPTION_CHARS_MAX) {
        Some((end, _)) => Value::String(format!("{}…", &text[..end])),
        None => description.clone(),
    }
}

fn count(counts: &HashMap<u64, u64>, id: u64) -> u64 {
    counts.get(&id).copied().unwrap_or(0)
}

fn names(named: &[(&str, u64)]) -> Value {
    Value::Array(named.iter().map(|(name, _)| Value::String((*name).to_owned())).collect())
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.map(|(name, value)| (name.to_owned(), value)).into())
}
