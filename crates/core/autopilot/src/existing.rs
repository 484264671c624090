//! The entities and relationships that the branch has already.

use std::collections::HashSet;

use cairn_kb::tools::EntityJson;
use cairn_kb::{Branch, Edge, EntityType, Node, NodeKey, Relation, field};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The entities and relationships of the branch, gathered from results of `kb_query` and `kb_graph`.
#[derive(Debug, Clone, Default)]
pub struct Existing {
    branch: Branch,
    titles: HashSet<(EntityType, String, String)>,
}

impl Existing {
    /// Adds an entity. An entity without an id or a known type is left out.
    pub fn add(&mut self, entity: &EntityJson) {
        let id = entity.text("id");
        let Some(kind) = EntityType::parse(entity.text("type")).filter(|_| !id.is_empty()) else { return };
        let properties = entity.0.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "type" | "body"));
        let attributes = properties
            .map(|(name, value)| {
                let attribute = field(name).map_or(name.as_str(), |field| field.attribute);
                (attribute.to_owned(), value.clone())
            })
            .collect();
        let node = Node::of(id, kind, &attributes);
        let file =
            if kind == EntityType::Symbol { node.source_file.as_deref().unwrap_or_default() } else { "" };
        self.titles.insert((kind, folded(&node.title), file.to_owned()));
        let key = self.branch.find(id).map_or(NodeKey(self.branch.len() as u64 + 1), |(key, _)| key);
        self.branch.put(key, node);
    }

    /// Adds a relationship. One whose ends were not added is left out.
    pub fn link(&mut self, relation: Relation, from: &str, to: &str) {
        let key = |id: &str| self.branch.find(id).map(|(key, _)| key);
        if let (Some(from), Some(to)) = (key(from), key(to)) {
            self.branch.link(Edge { relation, from, to });
        }
    }

    /// Returns ids of entities of a type, in order.
    pub fn ids(&self, kind: EntityType) -> impl Iterator<Item = &str> {
        self.branch.by_type(Some(kind)).map(|(_, node)| &*node.id)
    }

    pub(crate) fn branch(&self) -> &Branch {
        &self.branch
    }

    /// Whether the branch has an entity with this id, or one of the type with this title. Titles of symbols are compared
    /// within their file; `file` is empty for other types.
    pub(crate) fn has(&self, kind: EntityType, id: &str, title: &str, file: &str) -> bool {
        self.branch.find(id).is_some() || self.titles.contains(&(kind, folded(title), file.to_owned()))
    }

    /// Counts entities and relationships.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts { relationships: self.branch.edge_count() as u64, ..Counts::default() };
        self.branch.nodes().for_each(|(_, node)| counts.add(node.kind));
        counts
    }
}

/// A title as titles are compared: without case, and with single blanks.
pub(crate) fn folded(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Numbers of entities of each type, and of relationships.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Counts {
    /// Requirements.
    pub req: u64,
    /// Scenarios.
    pub scenario: u64,
    /// Tests.
    pub test: u64,
    /// Decisions.
    pub adr: u64,
    /// Flags.
    pub flag: u64,
    /// Events.
    pub event: u64,
    /// Symbols.
    pub symbol: u64,
    /// Facts.
    pub fact: u64,
    /// Relationships of all types.
    pub relationships: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, kind: EntityType) {
        *match kind {
            EntityType::Req => &mut self.req,
            EntityType::Scenario => &mut self.scenario,
            EntityType::Test => &mut self.test,
            EntityType::Adr => &mut self.adr,
            EntityType::Flag => &mut self.flag,
            EntityType::Event => &mut self.event,
            EntityType::Symbol => &mut self.symbol,
            EntityType::Fact => &mut self.fact,
        } += 1;
    }

    /// Entities of all types.
    pub(crate) fn entities(&self) -> u64 {
        self.without_symbols() + self.symbol
    }

    /// Entities of all types but symbols.
    pub(crate) fn without_symbols(&self) -> u64 {
        let Counts { req, scenario, test, adr, flag, event, symbol: _, fact, relationships: _ } = self;
        req + scenario + test + adr + flag + event + fact
    }

    pub(crate) fn plus(self, more: Counts) -> Counts {
        Counts {
            req: self.req + more.req,
            scenario: self.scenario + more.scenario,
            test: self.test + more.test,
            adr: self.adr + more.adr,
            flag: self.flag + more.flag,
            event: self.event + more.event,
            symbol: self.symbol + more.symbol,
            fact: self.fact + more.fact,
            relationships: self.relationships + more.relationships,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(json: serde_json::Value) -> EntityJson {
        serde_json::from_value(json).expect("an entity")
    }

    #[test]
    fn entities_are_found_by_id_and_by_title_of_their_type() {
        let mut existing = Existing::default();
        existing.add(&entity(serde_json::json!({"id": "REQ-1", "type": "req", "title": "Users  log in"})));
        existing.add(&entity(serde_json::json!({"id": "X", "type": "no-type", "title": "x"})));
        for (kind, id, title, expected) in [
            (EntityType::Req, "REQ-1", "other", true),
            (EntityType::Fact, "REQ-1", "other", true),
            (EntityType::Req, "REQ-2", "users LOG in", true),
            (EntityType::Fact, "REQ-2", "users log in", false),
            (EntityType::Req, "X", "x", false),
        ] {
            assert_eq!(existing.has(kind, id, title, ""), expected, "{kind} {id} {title}");
        }
        assert_eq!(existing.counts(), Counts { req: 1, ..Counts::default() });
    }

    #[test]
    fn relationships_between_unknown_ends_are_left_out() {
        let mut existing = Existing::default();
        existing.add(&entity(serde_json::json!({"id": "A", "type": "req", "title": "a"})));
        existing.add(&entity(serde_json::json!({"id": "B", "type": "req", "title": "b"})));
        existing.link(Relation::DependsOn, "A", "B");
        existing.link(Relation::DependsOn, "A", "C");
        assert_eq!(existing.counts().relationships, 1);
    }
}
