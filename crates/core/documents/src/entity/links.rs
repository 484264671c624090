//! Links of an entity: relationships, and references to other material.
//!
//! Without `relationships`, a text in `links` is the id of an entity that it relates to, unless it is a URL. With
//! `relationships`, `links` are references to other material alone.

use std::collections::BTreeSet;

use cairn_base::nearest;
use cairn_kb::tools::RelationshipInput;
use cairn_kb::{Relation, check_relationship};

use super::cut;
use crate::document::Problems;
use crate::problem::ProblemClass;
use crate::yaml::{Entry, Node, NodeKind};

/// Values of `links` and `relationships`, with the lines of their keys.
#[derive(Default)]
pub(super) struct Links {
    pub(super) links: Option<(u32, Node)>,
    pub(super) relationships: Option<(u32, Node)>,
}

/// The links of an entity.
pub(super) struct ReadLinks {
    /// Each relationship once.
    pub(super) relationships: Vec<RelationshipInput>,
    /// The line of each relationship.
    pub(super) lines: Vec<u32>,
    /// References to other material, if there are any.
    pub(super) texts: Option<Vec<String>>,
}

/// Keys of a relationship.
const KEYS: &[&str] =
    &["type", "target", "to", "id", "from", "created_at", "created_by", "source", "confidence"];

impl Links {
    /// Reads the links of the entity `id`. Links that are wrong become problems and are left out.
    pub(super) fn read(self, id: &str, problems: &mut Problems) -> ReadLinks {
        let (relationships, lines) = (Vec::new(), Vec::new());
        let mut read = Read { id, problems, seen: BTreeSet::new(), relationships, lines };
        let is_apart = self.relationships.as_ref().is_some_and(|(_, node)| !node.is_null());
        if let Some(items) =
            self.relationships.and_then(|(line, node)| read.items("relationships", line, node))
        {
            items.into_iter().for_each(|item| match item.kind {
                NodeKind::Map(entries) => read.relationship(item.line, entries),
                NodeKind::Scalar(_) | NodeKind::List(_) => read.wrong(item.line, &item),
            });
        }
        let Some(items) = self.links.and_then(|(line, node)| read.items("links", line, node)) else {
            return ReadLinks { relationships: read.relationships, lines: read.lines, texts: None };
        };
        let mut texts = Vec::new();
        for item in items {
            match (item.text().map(str::to_owned), item.kind) {
                (_, NodeKind::Map(entries)) => read.relationship(item.line, entries),
                (Some(text), _) if is_apart || text.contains("://") => texts.push(text),
                (Some(text), _) => read.add(item.line, Relation::RelatesTo, text.trim().to_owned()),
                (None, kind @ (NodeKind::Scalar(_) | NodeKind::List(_))) => {
                    read.wrong(item.line, &Node { line: item.line, kind });
                }
            }
        }
        let texts = (is_apart || !texts.is_empty()).then_some(texts);
        ReadLinks { relationships: read.relationships, lines: read.lines, texts }
    }
}

struct Read<'a> {
    id: &'a str,
    problems: &'a mut Problems,
    seen: BTreeSet<(Relation, String)>,
    relationships: Vec<RelationshipInput>,
    lines: Vec<u32>,
}

impl Read<'_> {
    fn items(&mut self, name: &str, line: u32, node: Node) -> Option<Vec<Node>> {
        if node.is_null() {
            return None;
        }
        let word = node.word();
        match node.kind {
            NodeKind::List(items) => Some(items),
            NodeKind::Scalar(_) | NodeKind::Map(_) => {
                let hint =
                    format!("write `{name}:`, and one `- type: specified_by` with its `target` per link");
                self.problem(line, format!("{name} is {word}, not a list"), Some(hint));
                None
            }
        }
    }

    fn wrong(&mut self, line: u32, node: &Node) {
        let word = if node.is_null() { "empty" } else { node.word() };
        let hint = "write `- type: specified_by` and below it `target: SCEN-001`".to_owned();
        self.problem(line, format!("a link is {word}"), Some(hint));
    }

    fn add(&mut self, line: u32, relation: Relation, to: String) {
        self.push(
            line,
            RelationshipInput {
                relation,
                from: self.id.to_owned(),
                to,
                created_at: None,
                created_by: None,
                source: None,
                confidence: None,
            },
        );
    }

    fn relationship(&mut self, line: u32, entries: Vec<Entry>) {
        let mut relationship = RelationshipInput {
            relation: Relation::RelatesTo,
            from: self.id.to_owned(),
            to: String::new(),
            created_at: None,
            created_by: None,
            source: None,
            confidence: None,
        };
        for Entry { key, line, value } in entries {
            if value.is_null() {
                continue;
            }
            if let Err((message, hint)) = self.take(&mut relationship, &key, &value) {
                return self.problem(line, message, hint);
            }
        }
        if relationship.to.is_empty() {
            let hint = "add `target: ID` with the id of the other entity".to_owned();
            return self.problem(line, "the link has no target".to_owned(), Some(hint));
        }
        self.push(line, relationship);
    }

    /// Takes one key of a relationship. Fails with message and hint.
    fn take(
        &mut self,
        relationship: &mut RelationshipInput,
        key: &str,
        value: &Node,
    ) -> Result<(), (String, Option<String>)> {
        let text = || {
            let text = value.text().map(str::to_owned);
            text.ok_or_else(|| (format!("{} is {}, not text", cut(key), value.word()), None))
        };
        match key {
            "type" => relationship.relation = relation(&text()?)?,
            "target" | "to" | "id" if !relationship.to.is_empty() => {
                return Err(("the link has two targets".to_owned(), Some("keep one of them".to_owned())));
            }
            "target" | "to" | "id" => relationship.to = text()?,
            "from" => relationship.from = text()?,
            "created_at" | "createdAt" => relationship.created_at = Some(text()?),
            "created_by" | "createdBy" => relationship.created_by = Some(text()?),
            "source" => relationship.source = Some(text()?),
            "confidence" => {
                let number = match &value.kind {
                    NodeKind::Scalar(scalar) => scalar.value().ok().and_then(|value| value.as_number()),
                    NodeKind::List(_) | NodeKind::Map(_) => None,
                };
                let number = number.ok_or_else(|| {
                    ("confidence is not a number".to_owned(), Some("write a number from 0 to 1".to_owned()))
                })?;
                relationship.confidence = Some(number.to_f64());
            }
            _ => {
                let hint = match nearest(key, KEYS.iter().copied()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("keys of a link are {}", KEYS.join(", ")),
                };
                return Err((format!("unknown key {} of a link", cut(key)), Some(hint)));
            }
        }
        Ok(())
    }

    fn push(&mut self, line: u32, relationship: RelationshipInput) {
        if relationship.from != self.id {
            let message = format!("the link starts at {}, not at {}", cut(&relationship.from), cut(self.id));
            let hint = "write it into the document of the entity that it starts at".to_owned();
            return self.problem(line, message, Some(hint));
        }
        if let Err(message) = check_relationship(&relationship) {
            return self.problem(line, message, None);
        }
        if self.seen.insert((relationship.relation, relationship.to.clone())) {
            self.relationships.push(relationship);
            self.lines.push(line);
        }
    }

    fn problem(&mut self, line: u32, message: String, hint: Option<String>) {
        self.problems.add(line, ProblemClass::InvalidLink, message, hint);
    }
}

fn relation(text: &str) -> Result<Relation, (String, Option<String>)> {
    Relation::parse(text).ok_or_else(|| {
        let hint = match nearest(text, Relation::TEXTS.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("types are {}", Relation::TEXTS.join(", ")),
        };
        (format!("unknown relationship type {}", cut(text)), Some(hint))
    })
}
