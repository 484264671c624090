//! Fields and links of an entity in YAML.

use cairn_base::{Number, Value};
use cairn_kb::tools::{RelationshipInput, UpsertInput};
use cairn_kb::{EntityType, FIELDS, Field, Shape};

use crate::yaml::{write_scalar, write_text};

/// Fields that come first, in this order.
const FIRST: &[&str] = &["title", "status"];

/// An entity that is being written.
pub(super) struct Fields<'a> {
    pub(super) path: &'a str,
    pub(super) input: &'a UpsertInput,
    /// Spaces before each line.
    pub(super) indent: usize,
    /// Whether the body is written, too.
    pub(super) with_body: bool,
}

impl Fields<'_> {
    /// Writes the id, the type unless it is the only possible one, all fields and all links. The first line has no
    /// spaces before it.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str("id: ");
        write_text(out, &self.input.id, self.indent + 2);
        if self.input.kind != EntityType::Symbol || self.indent == 0 {
            self.key(out, "type");
            out.push_str(self.input.kind.text());
            out.push('\n');
        }
        let first = FIRST.iter().filter_map(|name| cairn_kb::field(name));
        let others = FIELDS.iter().filter(|field| !FIRST.contains(&field.name));
        for field in first.chain(others) {
            if let Some(value) = self.input.properties.0.get(field.name) {
                self.field(out, field, value);
            }
        }
        self.links(out);
    }

    fn field(&self, out: &mut String, field: &Field, value: &Value) {
        let is_implied = match field.name {
            "links" => true,
            "body" => !self.with_body,
            "source" => value.as_str() == Some(self.path),
            _ => false,
        };
        // What a write would refuse came from elsewhere, and would be refused again.
        if is_implied || field.is_read_only || value.is_null() || field.check(value).is_err() {
            return;
        }
        self.key(out, field.name);
        match (field.shape, value) {
            (Shape::Texts | Shape::Scalars, Value::Array(items)) => self.items(out, items),
            _ => write_scalar(out, value, self.indent + 2),
        }
    }

    fn items(&self, out: &mut String, items: &[Value]) {
        if items.is_empty() {
            out.truncate(out.trim_end_matches(' ').len());
            out.push_str(" []\n");
            return;
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
        for item in items {
            self.spaces(out, 2);
            out.push_str("- ");
            write_scalar(out, item, self.indent + 4);
        }
    }

    /// Relationships are `links`; beside links to other material they have a key of their own.
    fn links(&self, out: &mut String) {
        let relationships = &self.input.relationships;
        let links = self.input.properties.0.get("links").filter(|links| {
            cairn_kb::field("links").is_some_and(|field| !links.is_null() && field.check(links).is_ok())
        });
        if let Some(links) = links.and_then(Value::as_array) {
            self.key(out, "links");
            self.items(out, links);
            self.key(out, "relationships");
            if relationships.is_empty() {
                out.push_str("[]\n");
                return;
            }
        } else if relationships.is_empty() {
            return;
        } else {
            self.key(out, "links");
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
        relationships.iter().for_each(|relationship| self.relationship(out, relationship));
    }

    fn relationship(&self, out: &mut String, relationship: &RelationshipInput) {
        let RelationshipInput { relation, to, created_at, created_by, source, confidence, .. } = relationship;
        self.spaces(out, 2);
        out.push_str("- type: ");
        out.push_str(relation.text());
        out.push('\n');
        let texts = [
            ("target", Some(to)),
            ("created_at", created_at.as_ref()),
            ("created_by", created_by.as_ref()),
            ("source", source.as_ref()),
        ];
        for (name, text) in texts {
            let Some(text) = text else { continue };
            self.spaces(out, 4);
            out.push_str(name);
            out.push_str(": ");
            write_text(out, text, self.indent + 6);
        }
        if let Some(confidence) = confidence.and_then(Number::from_f64) {
            self.spaces(out, 4);
            out.push_str("confidence: ");
            write_scalar(out, &confidence.into(), 0);
        }
    }

    fn key(&self, out: &mut String, name: &str) {
        self.spaces(out, 0);
        out.push_str(name);
        out.push_str(": ");
    }

    fn spaces(&self, out: &mut String, more: usize) {
        out.extend(std::iter::repeat_n(' ', self.indent + more));
    }
}
