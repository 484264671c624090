//! One version of a type: its fields by their tags.

use std::collections::BTreeMap;

use cairn_base::Value;

use super::parse::{Parsing, Wrong};
use super::shape::{Kind, Shape};
use crate::limits;

/// One version of a type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Descriptor {
    /// Its fields by their tags.
    pub fields: BTreeMap<u64, Field>,
    /// What shows it.
    pub renderer: Option<Renderer>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name in JSON; the empty one of a tombstone that has none.
    pub name: String,
    /// What it holds; only a tombstone may not say.
    pub shape: Option<Shape>,
    /// What it means beyond that, such as `unix_ms`.
    pub semantic: Option<String>,
    /// Whether writers may leave it out. For people.
    pub optional: bool,
    /// Whether it is gone: its tag stays taken.
    pub tombstone: bool,
    /// What it is for. For people.
    pub description: Option<String>,
    /// The name as it stands in JSON, quoted.
    pub(crate) quoted: String,
}

/// What shows a type in a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renderer {
    /// Where it comes from: `builtin:…` or an address.
    pub esm_url: String,
    /// Which part of it.
    pub component: Option<String>,
    /// What its bytes must hash to.
    pub integrity: Option<String>,
}

impl Descriptor {
    /// Out of a bundle, or as it was stored.
    pub(super) fn parse(at: &Parsing<'_>, value: &Value) -> Result<Self, Wrong> {
        let entries = at.object(value)?;
        let at_fields = at.key("fields");
        let sent = at.object_at(entries, "fields")?;
        if sent.len() > limits::REGISTRY_FIELDS_MAX {
            return Err(at_fields.wrong(format!("has more than {} fields", limits::REGISTRY_FIELDS_MAX)));
        }
        let mut fields = BTreeMap::new();
        for (tag, value) in sent {
            let at = at_fields.key(tag);
            let field = Field::parse(&at, value)?;
            let taken = |other: &Field| !field.name.is_empty() && other.name == field.name;
            if fields.values().any(taken) {
                return Err(at.key("name").wrong(format!("`{}` names two fields", field.name)));
            }
            // `01` and `1` are the same tag.
            if fields.insert(at_fields.number(tag)?, field).is_some() {
                return Err(at.wrong("is there twice"));
            }
        }
        let renderer = entries.get("renderer").filter(|value| !value.is_null());
        let renderer = renderer.map(|value| Renderer::parse(&at.key("renderer"), value)).transpose()?;
        Ok(Descriptor { fields, renderer })
    }

    /// As a bundle has it, and as it is stored.
    pub fn to_value(&self) -> Value {
        let fields = self.fields.iter().map(|(tag, field)| (tag.to_string(), field.to_value())).collect();
        let mut entries = BTreeMap::from([("fields".to_owned(), Value::Object(fields))]);
        if let Some(renderer) = &self.renderer {
            entries.insert("renderer".to_owned(), renderer.to_value());
        }
        entries.into()
    }

    /// The field with a name that is not gone.
    pub fn named(&self, name: &str) -> Option<(u64, &Field)> {
        let mut live = self.fields.iter().filter(|(_, field)| !field.tombstone);
        live.find(|(_, field)| field.name == name).map(|(tag, field)| (*tag, field))
    }
}

impl Field {
    fn parse(at: &Parsing<'_>, value: &Value) -> Result<Self, Wrong> {
        let entries = at.object(value)?;
        let tombstone = at.flag(entries, "tombstone")?;
        let name = at.name(entries, "name")?;
        if name.is_none() && !tombstone {
            return Err(at.key("name").wrong("is missing"));
        }
        let name = name.unwrap_or_default();
        let is_bare = tombstone && !entries.contains_key("type");
        Ok(Field {
            shape: if is_bare { None } else { Some(Shape::parse(at, entries)?) },
            semantic: at.name(entries, "semantic")?,
            optional: at.flag(entries, "optional")?,
            tombstone,
            description: description(at, entries)?,
            quoted: Value::from(name.as_str()).to_json(),
            name,
        })
    }

    fn to_value(&self) -> Value {
        let mut entries = BTreeMap::new();
        if let Some(shape) = &self.shape {
            shape.put(&mut entries);
        }
        let texts = [("semantic", &self.semantic), ("description", &self.description)];
        let texts = texts.into_iter().filter_map(|(key, text)| Some((key, Value::from(text.as_deref()?))));
        let flags = [("optional", self.optional), ("tombstone", self.tombstone)];
        let flags = flags.into_iter().filter(|(_, set)| *set).map(|(key, _)| (key, Value::Bool(true)));
        let name = (!self.name.is_empty()).then(|| ("name", Value::from(self.name.as_str())));
        entries.extend(texts.chain(flags).chain(name).map(|(key, value)| (key.to_owned(), value)));
        entries.into()
    }

    /// How it is shown: an integer may say that it is a time.
    pub(crate) fn kind(&self) -> Kind {
        let kind = self.shape.as_ref().map_or(Kind::Any, |shape| shape.kind);
        match (kind, self.semantic.as_deref()) {
            (Kind::Wide | Kind::Integer, Some("unix_ms")) => Kind::UnixMillis,
            _ => kind,
        }
    }
}

fn description(at: &Parsing<'_>, entries: &BTreeMap<String, Value>) -> Result<Option<String>, Wrong> {
    let Some(value) = entries.get("description").filter(|value| !value.is_null()) else { return Ok(None) };
    let text = value.as_str().ok_or_else(|| at.key("description").wrong("is not a text"))?;
    Ok(Some(text.to_owned()))
}

impl Renderer {
    fn parse(at: &Parsing<'_>, value: &Value) -> Result<Self, Wrong> {
        let entries = at.object(value)?;
        let text = |key: &str| match entries.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.len() <= limits::REGISTRY_URL_BYTES_MAX => {
                Ok(Some(text.clone()))
            }
            Some(_) => Err(at
                .key(key)
                .wrong(format!("is not a text of at most {} bytes", limits::REGISTRY_URL_BYTES_MAX))),
        };
        let esm_url = text("esm_url")?.ok_or_else(|| at.key("esm_url").wrong("is missing"))?;
        Ok(Renderer { esm_url, component: text("component")?, integrity: text("integrity")? })
    }

    /// As a bundle has it.
    pub fn to_value(&self) -> Value {
        let entries = [
            ("esm_url", Some(self.esm_url.as_str())),
            ("component", self.component.as_deref()),
            ("integrity", self.integrity.as_deref()),
        ];
        let entries = entries.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into())));
        Value::Object(entries.collect())
    }
}
