//! A graph as plain lists, and what is to be seen of it.

use std::collections::BTreeMap;

use cairn_base::Value;
use cairn_kip::tree::Path;

use super::paths::Walked;
use super::{Cell, Solution};

/// A concept or a link by its number; concepts come before links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    Concept(u64),
    Link(u64),
}

/// A node.
#[derive(Debug, Clone)]
pub(crate) struct Concept {
    pub(crate) id: u64,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, Value>,
    /// With what the engine maintains (decision 8).
    pub(crate) metadata: BTreeMap<String, Value>,
}

/// A fact.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) id: u64,
    pub(crate) subject: Element,
    pub(crate) predicate: String,
    pub(crate) object: Element,
    pub(crate) attributes: BTreeMap<String, Value>,
    /// With what the engine maintains (decision 8).
    pub(crate) metadata: BTreeMap<String, Value>,
}

/// Everything that is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct World {
    pub(crate) concepts: Vec<Concept>,
    pub(crate) links: Vec<Link>,
    pub(super) walked: Walked,
}

impl World {
    pub(crate) fn elements(&self) -> Vec<Element> {
        let concepts = self.concepts.iter().map(|concept| Element::Concept(concept.id));
        concepts.chain(self.links.iter().map(|link| Element::Link(link.id))).collect()
    }

    pub(crate) fn concept(&self, id: u64) -> &Concept {
        self.concepts.iter().find(|concept| concept.id == id).unwrap()
    }

    pub(crate) fn link(&self, id: u64) -> &Link {
        self.links.iter().find(|link| link.id == id).unwrap()
    }

    /// 1.4: `C:7` for a concept, `P:9:treats` for a link.
    pub(crate) fn id_text(&self, element: Element) -> String {
        match element {
            Element::Concept(id) => format!("C:{id}"),
            Element::Link(id) => format!("P:{id}:{}", self.link(id).predicate),
        }
    }

    /// What a path shows of a solution. 1.5: whatever is missing is null.
    pub(crate) fn value(&self, path: &Path, solution: &Solution) -> Value {
        let cell = &solution[&path.variable.node];
        let fields: Vec<&str> = path.fields.iter().map(|field| field.node.as_str()).collect();
        match cell {
            Cell::Null => Value::Null,
            // 1.5: a predicate variable is its name; it has no fields.
            Cell::Text(name) if fields.is_empty() => Value::String(name.clone()),
            Cell::Text(_) => Value::Null,
            Cell::Element(element) => self.field(*element, &fields),
        }
    }

    fn field(&self, element: Element, fields: &[&str]) -> Value {
        let Some((first, deeper)) = fields.split_first() else { return self.shown(element) };
        let mut value = match *first {
            // Not left out when it is empty (silent): who asks for the object gets one.
            "attributes" => Value::Object(self.attributes(element)),
            "metadata" => Value::Object(self.metadata(element)),
            // What the other kind of element has is missing here.
            other => self.shown(element).get(other).cloned().unwrap_or_default(),
        };
        // 1.5: deeper paths go on into objects.
        for key in deeper {
            value = value.get(key).cloned().unwrap_or_default();
        }
        value
    }

    /// All of an element. 1.4: attributes only where there are any.
    fn shown(&self, element: Element) -> Value {
        let mut shown = BTreeMap::new();
        let mut put = |key: &str, value: Value| shown.insert(key.to_owned(), value);
        put("id", self.id_text(element).into());
        match element {
            Element::Concept(id) => {
                put("_type", "ConceptNode".into());
                put("type", self.concept(id).kind.clone().into());
                put("name", self.concept(id).name.clone().into());
            }
            Element::Link(id) => {
                let link = self.link(id);
                put("_type", "PropositionLink".into());
                put("subject", self.id_text(link.subject).into());
                put("predicate", link.predicate.clone().into());
                put("object", self.id_text(link.object).into());
            }
        }
        put("metadata", Value::Object(self.metadata(element)));
        let attributes = self.attributes(element);
        if !attributes.is_empty() {
            put("attributes", Value::Object(attributes));
        }
        Value::Object(shown)
    }

    fn attributes(&self, element: Element) -> BTreeMap<String, Value> {
        match element {
            Element::Concept(id) => self.concept(id).attributes.clone(),
            Element::Link(id) => self.link(id).attributes.clone(),
        }
    }

    fn metadata(&self, element: Element) -> BTreeMap<String, Value> {
        match element {
            Element::Concept(id) => self.concept(id).metadata.clone(),
            Element::Link(id) => self.link(id).metadata.clone(),
        }
    }
}
