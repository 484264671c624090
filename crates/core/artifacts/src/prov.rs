//! Lineage as PROV-JSON, the W3C vocabulary of provenance.
//!
//! An artifact is an entity, its making an activity, its author and its software are agents. It is a projection
//! for other tools: the signed payload stays the truth. Equal lineages give equal text.

use std::collections::BTreeMap;
use std::fmt::Write;

use cairn_base::Value;

use crate::view::{KnownNode, LineageNode, by_id, object};

const KCP: &str = "urn:kcp:";
const DCTERMS: &str = "http://purl.org/dc/terms/";
const PROV: &str = "http://www.w3.org/ns/prov#";
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// Writes a lineage as PROV-JSON; a single artifact is a lineage of one node.
pub fn prov_json(nodes: &[LineageNode]) -> String {
    let mut document = Document::default();
    for (id, node) in by_id(nodes) {
        match node {
            Some(LineageNode::Known(node)) => document.artifact(node),
            Some(LineageNode::Redacted { .. }) => document.hidden(id, "kcp:redacted"),
            Some(LineageNode::Missing { .. }) | None => document.hidden(id, "kcp:missing"),
        }
    }
    document.to_json()
}

/// The parts of a document: sections, each with elements or relations by their ids.
#[derive(Debug, Default)]
struct Document {
    sections: BTreeMap<&'static str, BTreeMap<String, Value>>,
}

impl Document {
    fn artifact(&mut self, node: &KnownNode) {
        let (entity, run) = (format!("kcp:{}", node.id), format!("kcp:run/{}", node.id));
        self.add(
            "entity",
            &entity,
            [
                ("prov:type", name("kcp:Artifact")),
                ("prov:value", text(&node.content_sha256)),
                ("prov:generatedAtTime", time(&node.timestamp)),
                ("dcterms:title", text(&node.title)),
                ("dcterms:format", text(&node.format)),
                ("kcp:tenant", text(&node.tenant_id)),
                ("kcp:signature", text(&node.signature)),
                ("kcp:public_key", text(&node.public_key)),
            ],
        );
        self.add(
            "activity",
            &run,
            [
                ("prov:endTime", text(&node.timestamp)),
                ("kcp:query", text(&node.query)),
                ("kcp:source", text(&node.source)),
            ],
        );
        self.relate(
            "wasGeneratedBy",
            [
                ("prov:entity", text(&entity)),
                ("prov:activity", text(&run)),
                ("prov:time", text(&node.timestamp)),
            ],
        );
        self.agents(node, &entity, &run);
        for source in &node.data_sources {
            let source_id = format!("kcp:source/{}", escaped(source));
            self.add(
                "entity",
                &source_id,
                [("prov:type", name("kcp:DataSource")), ("prov:label", text(source))],
            );
            self.relate("used", [("prov:activity", text(&run)), ("prov:entity", text(&source_id))]);
        }
        for parent in &node.parents {
            self.relate(
                "wasDerivedFrom",
                [
                    ("prov:generatedEntity", text(&entity)),
                    ("prov:usedEntity", text(&format!("kcp:{}", parent.id))),
                    ("prov:activity", text(&run)),
                    ("kcp:attested", Value::Bool(parent.attested)),
                ],
            );
        }
    }

    fn agents(&mut self, node: &KnownNode, entity: &str, run: &str) {
        let user = format!("kcp:user/{}/{}", escaped(&node.tenant_id), escaped(&node.user_id));
        self.add(
            "agent",
            &user,
            [
                ("prov:type", name("prov:Person")),
                ("prov:label", text(&node.user_id)),
                ("kcp:tenant", text(&node.tenant_id)),
            ],
        );
        self.relate("wasAttributedTo", [("prov:entity", text(entity)), ("prov:agent", text(&user))]);
        let Some(software) = node.software() else {
            self.relate("wasAssociatedWith", [("prov:activity", text(run)), ("prov:agent", text(&user))]);
            return;
        };
        let agent = format!("kcp:agent/{}", escaped(software));
        self.add(
            "agent",
            &agent,
            [("prov:type", name("prov:SoftwareAgent")), ("prov:label", text(software))],
        );
        self.relate("wasAssociatedWith", [("prov:activity", text(run)), ("prov:agent", text(&agent))]);
        self.relate(
            "actedOnBehalfOf",
            [
                ("prov:delegate", text(&agent)),
                ("prov:responsible", text(&user)),
                ("prov:activity", text(run)),
            ],
        );
    }

    /// An artifact of which only the id is known.
    fn hidden(&mut self, id: &str, why: &'static str) {
        self.add(
            "entity",
            &format!("kcp:{id}"),
            [("prov:type", name("kcp:Artifact")), (why, Value::Bool(true))],
        );
    }

    fn add<const N: usize>(&mut self, section: &'static str, id: &str, attributes: [(&str, Value); N]) {
        self.sections.entry(section).or_default().insert(id.to_owned(), object(attributes));
    }

    /// Adds a relation, under a name that says only which one it is.
    fn relate<const N: usize>(&mut self, section: &'static str, attributes: [(&str, Value); N]) {
        let relations = self.sections.entry(section).or_default();
        // Names with leading zeroes keep the order of the relations.
        let name = format!("_:{section}{:06}", relations.len() + 1);
        relations.insert(name, object(attributes));
    }

    fn to_json(&self) -> String {
        let prefix = object(
            [("kcp", KCP), ("dcterms", DCTERMS), ("prov", PROV), ("xsd", XSD)]
                .map(|(prefix, namespace)| (prefix, Value::from(namespace))),
        );
        let sections = self.sections.iter().map(|(name, elements)| (*name, Value::Object(elements.clone())));
        object(sections.chain([("prefix", prefix)])).to_json()
    }
}

fn text(text: &str) -> Value {
    Value::from(text)
}

/// A name as a value.
fn name(name: &str) -> Value {
    object([("$", Value::from(name)), ("type", Value::from("prov:QUALIFIED_NAME"))])
}

fn time(timestamp: &str) -> Value {
    object([("$", Value::from(timestamp)), ("type", Value::from("xsd:dateTime"))])
}

/// Percent-encodes what cannot stand in a local name.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a text does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::{ABSENT, CHILD, HIDDEN, ROOT, lineage};

    fn parse(nodes: &[LineageNode]) -> Value {
        Value::parse_json(prov_json(nodes).as_bytes()).expect("JSON")
    }

    fn at<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
        path.iter().fold(value, |value, key| value.get(key).unwrap_or_else(|| panic!("{key} in {value:?}")))
    }

    #[test]
    fn artifacts_become_entities_activities_and_agents() {
        let document = parse(&lineage());
        let child = format!("kcp:{CHILD}");
        let entity = at(&document, &["entity", &child]);
        assert_eq!(at(entity, &["prov:value"]).as_str(), Some("cd".repeat(32).as_str()));
        assert_eq!(at(entity, &["dcterms:title"]).as_str(), Some("Q3 \"risk\" <report>"));
        assert_eq!(at(entity, &["prov:generatedAtTime", "$"]).as_str(), Some("2026-01-02T00:00:00Z"));
        at(&document, &["activity", &format!("kcp:run/{CHILD}")]);
        let agents: Vec<_> = at(&document, &["agent"]).as_object().expect("agents").keys().collect();
        assert_eq!(
            agents,
            ["kcp:agent/risk-agent%2F2", "kcp:user/acme/alice@example.com", "kcp:user/acme/bob"]
        );
        let delegation = at(&document, &["actedOnBehalfOf", "_:actedOnBehalfOf000001"]);
        assert_eq!(at(delegation, &["prov:responsible"]).as_str(), Some("kcp:user/acme/alice@example.com"));
        at(&document, &["entity", "kcp:source/s3%3A%2F%2Flake%2Frisk.csv"]);
        assert_eq!(at(&document, &["used"]).as_object().map(BTreeMap::len), Some(2));
    }

    #[test]
    fn parents_are_derivations_and_hidden_ones_show_only_their_ids() {
        let document = parse(&lineage());
        let derived = at(&document, &["wasDerivedFrom"]).as_object().expect("relations");
        let parents: Vec<_> = derived
            .values()
            .map(|relation| {
                (at(relation, &["prov:usedEntity"]).as_str(), at(relation, &["kcp:attested"]).as_bool())
            })
            .collect();
        let expected =
            [(ROOT, true), (HIDDEN, false), (ABSENT, true)].map(|(id, is)| (format!("kcp:{id}"), is));
        assert!(parents.iter().copied().eq(expected.iter().map(|(id, is)| (Some(id.as_str()), Some(*is)))));
        for (id, why) in [(HIDDEN, "kcp:redacted"), (ABSENT, "kcp:missing")] {
            let entity = at(&document, &["entity", &format!("kcp:{id}")]).as_object().expect("an entity");
            assert_eq!(entity.keys().collect::<Vec<_>>(), [why, "prov:type"]);
        }
    }

    #[test]
    fn equal_lineages_give_equal_text() {
        let mut nodes = lineage();
        let text = prov_json(&nodes);
        nodes.reverse();
        assert_eq!(prov_json(&nodes), text);
        assert!(prov_json(&[]).starts_with("{\"prefix\":{\"dcterms\""));
    }
}
