//! Properties of an entity as clients send them: an object whose schema is the table of fields.

use std::collections::BTreeMap;

use cairn_base::Value;
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use super::field::{FIELDS, Field, Shape};

/// Properties of an entity, by their names in the tools. Null removes a property.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Properties(pub BTreeMap<String, Value>);

impl Properties {
    /// Returns the text of a property.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Properties {
    fn from(entries: [(&str, Value); N]) -> Self {
        Properties(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

impl PartialSchema for Properties {
    fn schema() -> RefOr<Schema> {
        let object = ObjectBuilder::new()
            .description(Some("Properties of an entity. A property that is not sent stays; null removes it."))
            .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)));
        let object =
            FIELDS.iter().fold(object, |object, field| object.property(field.name, schema_of(field)));
        RefOr::T(Schema::Object(object.build()))
    }
}

impl ToSchema for Properties {}

fn schema_of(field: &Field) -> RefOr<Schema> {
    let plain = |kind: Type| ObjectBuilder::new().schema_type(SchemaType::from_iter([kind, Type::Null]));
    let list = |of: ObjectBuilder| {
        let list = ArrayBuilder::new().schema_type(SchemaType::from_iter([Type::Array, Type::Null]));
        Schema::Array(list.items(of.build()).description(Some(field.about)).build())
    };
    let one = |object: ObjectBuilder| Schema::Object(object.description(Some(field.about)).build());
    RefOr::T(match field.shape {
        Shape::Text(bytes_max) => one(plain(Type::String).max_length(Some(bytes_max))),
        Shape::Word(words) => {
            let words = words.iter().copied().map(Some).chain([None]);
            one(plain(Type::String).enum_values(Some(words)))
        }
        Shape::Texts => list(ObjectBuilder::new().schema_type(Type::String)),
        Shape::Scalars => {
            let scalar = [Type::String, Type::Number, Type::Boolean];
            list(ObjectBuilder::new().schema_type(SchemaType::from_iter(scalar)))
        }
        Shape::Integer => one(plain(Type::Integer)),
        Shape::Number => one(plain(Type::Number)),
        Shape::Bool => one(plain(Type::Boolean)),
    })
}
