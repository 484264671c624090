//! A mapping of a document, read as an entity.

mod key;
mod links;
mod value;

use std::collections::BTreeMap;

use cairn_base::Value;
use cairn_kb::tools::UpsertInput;
use cairn_kb::{Branch, EntityType, Field, KbError, Properties, examine_upsert};
use sha2::{Digest, Sha256};

use self::key::Key;
use self::links::Links;
use crate::document::{DocumentEntity, Problems};
use crate::problem::ProblemClass;
use crate::yaml::{Entry, Node};

/// An entity of a document before its type is known: its keys, sorted out.
pub(crate) struct Draft {
    /// Line of its first key.
    pub(crate) line: u32,
    /// Text of `type` and its line.
    pub(crate) kind: Option<(String, u32)>,
    pub(crate) id: Option<String>,
    properties: BTreeMap<String, Value>,
    lines: BTreeMap<&'static str, u32>,
    links: Links,
    /// The first key of an embedded entity, and its line.
    embedded: Option<(String, u32)>,
    /// Whether something of it is so wrong that it is rejected.
    is_rejected: bool,
}

/// What an entity is, if its document does not say.
pub(crate) struct Defaults<'a> {
    pub(crate) path: &'a str,
    pub(crate) status: &'a str,
}

impl Draft {
    /// Sorts out the keys of a mapping. Keys that are wrong become problems.
    pub(crate) fn read(entries: Vec<Entry>, line: u32, problems: &mut Problems) -> Draft {
        let mut draft = Draft {
            line: entries.first().map_or(line, |first| first.line),
            kind: None,
            id: None,
            properties: BTreeMap::new(),
            lines: BTreeMap::new(),
            links: Links::default(),
            embedded: None,
            is_rejected: false,
        };
        for Entry { key, line, value } in entries {
            let found = Key::of(&key);
            if let Some(written) = found.renamed(&key) {
                let hint = format!("write {written}");
                let class = ProblemClass::RenamedField;
                problems.add(line, class, format!("{} was read as {written}", cut(&key)), hint);
            }
            draft.take(found, &key, line, value, problems);
        }
        draft
    }

    fn take(&mut self, found: Key, key: &str, line: u32, value: Node, problems: &mut Problems) {
        match found {
            Key::Id => self.take_text("id", line, &value, problems, |draft, text| draft.id = Some(text)),
            Key::Type => {
                self.take_text("type", line, &value, problems, |draft, text| draft.kind = Some((text, line)));
            }
            Key::Field(field) => self.take_field(field, line, &value, problems),
            Key::Links => self.links.links = Some((line, value)),
            Key::Relationships => self.links.relationships = Some((line, value)),
            Key::Generated => problems.ignore(key),
            Key::Embedded => {
                self.embedded.get_or_insert_with(|| (key.to_owned(), line));
            }
            Key::Value => {
                self.is_rejected = true;
                let hint = "write value_type, and the value as value_string, value_int, value_number or \
                            value_bool";
                problems.add(line, ProblemClass::UnknownField, "unknown field value", hint.to_owned());
            }
            Key::Near(near) => {
                self.is_rejected = true;
                let message = format!("unknown field {}", cut(key));
                problems.add(line, ProblemClass::UnknownField, message, format!("did you mean {near}?"));
            }
            Key::Unknown => {
                problems.ignore(key);
                let message = format!("unknown field {} was ignored", cut(key));
                let hint = "remove it, or put it into the text below the front matter".to_owned();
                problems.add(line, ProblemClass::IgnoredField, message, hint);
            }
        }
    }

    fn take_text(
        &mut self,
        name: &str,
        line: u32,
        value: &Node,
        problems: &mut Problems,
        set: impl FnOnce(&mut Self, String),
    ) {
        match value.text() {
            Some(text) => set(self, text.to_owned()),
            None if value.is_null() => {}
            None => {
                self.is_rejected = true;
                let message = format!("{name} is {}, not text", value.word());
                problems.add(line, ProblemClass::InvalidField, message, None);
            }
        }
    }

    fn take_field(&mut self, field: &'static Field, line: u32, value: &Node, problems: &mut Problems) {
        if self.lines.insert(field.name, line).is_some() {
            self.is_rejected = true;
            let message = format!("{} is there twice, in two spellings", field.name);
            problems.add(line, ProblemClass::InvalidField, message, "keep one of them".to_owned());
            return;
        }
        match value::of_field(field, value) {
            Ok(None) => {}
            Ok(Some(value)) => {
                self.properties.insert(field.name.to_owned(), value);
            }
            Err(error) => {
                self.is_rejected = true;
                let line = error.line.unwrap_or(line);
                problems.add(line, ProblemClass::InvalidField, error.message, error.hint);
            }
        }
    }

    /// The text of a property.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.properties.get(name).and_then(Value::as_str)
    }

    /// Sets a property that is not a key of the mapping.
    pub(crate) fn set(&mut self, field: &'static str, line: u32, value: Value) {
        self.lines.insert(field, line);
        self.properties.insert(field.to_owned(), value);
    }

    /// The entity, unless something of it is wrong.
    pub(crate) fn finish(
        mut self,
        kind: EntityType,
        defaults: &Defaults<'_>,
        problems: &mut Problems,
    ) -> Option<DocumentEntity> {
        if let (EntityType::Req, Some((key, line))) = (kind, &self.embedded) {
            let message = format!("the requirement contains {}", cut(key));
            let hint = "give scenarios and tests documents of their own, and link them by specified_by and \
                        verified_by";
            problems.add(*line, ProblemClass::EmbeddedEntity, message, hint.to_owned());
            return None;
        }
        if let Some((key, line)) = &self.embedded {
            problems.ignore(key);
            let message = format!("unknown field {} was ignored", cut(key));
            problems.add(*line, ProblemClass::IgnoredField, message, None);
        }
        let title = self.text("title").map(str::trim).filter(|title| !title.is_empty()).map(str::to_owned);
        let Some(title) = title else {
            // A title that is a list has its problem already.
            if !self.is_rejected || !self.lines.contains_key("title") {
                let line = self.lines.get("title").copied().unwrap_or(self.line);
                let hint = "add a line like `title: Sessions end when idle`".to_owned();
                problems.add(line, ProblemClass::MissingField, "title is missing", hint);
            }
            return None;
        };
        let id = self.id.take().unwrap_or_else(|| derived_id(defaults.path, &title));
        if self.text("status").is_none_or(|status| status.trim().is_empty()) {
            self.properties.insert("status".into(), defaults.status.into());
        }
        if self.text("source").is_none_or(|source| source.trim().is_empty()) {
            self.properties.insert("source".into(), defaults.path.into());
        }
        let links = std::mem::take(&mut self.links).read(&id, problems);
        if let Some(links) = links.texts {
            self.properties
                .insert("links".into(), links.into_iter().map(Value::from).collect::<Vec<_>>().into());
        }
        let properties = Properties(std::mem::take(&mut self.properties));
        let mut input = UpsertInput { kind, id, properties, relationships: Vec::new(), request_id: None };
        let is_valid = self.examine(&input, problems);
        input.relationships = links.relationships;
        let (line, link_lines) = (self.line, links.lines);
        (is_valid && !self.is_rejected).then_some(DocumentEntity { line, input, link_lines })
    }

    /// Says everything that is wrong with the entity by itself, as a write of it would.
    fn examine(&self, input: &UpsertInput, problems: &mut Problems) -> bool {
        let examined = examine_upsert(&Branch::default(), None, input, None, 0);
        let is_valid = examined.problems.is_empty();
        for problem in examined.problems {
            if let KbError::Entity(errors) = problem {
                for error in errors {
                    let line = self.lines.get(error.field.as_str()).copied().unwrap_or(self.line);
                    let message = format!("{}: {}", error.field, error.message);
                    problems.add(line, ProblemClass::InvalidField, message, error.hint);
                }
            } else {
                problems.add(self.line, ProblemClass::InvalidField, problem.to_string(), None);
            }
        }
        is_valid
    }
}

/// The id of an entity whose document gives none: it changes with path and title.
fn derived_id(path: &str, title: &str) -> String {
    let hash = Sha256::digest(format!("{path}:{title}"));
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The beginning of a text of a document, for a message.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}
