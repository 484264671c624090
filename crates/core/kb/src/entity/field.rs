//! The properties of entities: one row per field.

use cairn_base::{Value, nearest};

use super::FieldError;
use crate::limits;
use crate::model::{
    EntityType, FactKind, Granularity, Operator, Polarity, STATUSES, SymbolRole, ValueType,
    VerificationPerspective, VerificationScope,
};

/// The shape of the value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Text of at most so many bytes.
    Text(usize),
    /// One word of a closed list.
    Word(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A list of JSON scalars.
    Scalars,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A truth value.
    Bool,
}

/// A property that entities may have.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name in the tools.
    pub name: &'static str,
    /// Its name as an attribute of the concept; different only for camelCase names.
    pub attribute: &'static str,
    /// The shape of its value.
    pub shape: Shape,
    /// Types of entities that may have it; empty if all may.
    pub of: &'static [EntityType],
    /// What it holds, for schemas and documentation.
    pub about: &'static str,
    /// Whether only syncs set it. Upserts may send the value that is stored.
    pub is_read_only: bool,
}

const SHORT: Shape = Shape::Text(limits::ENTITY_TEXT_BYTES_MAX);
const PROSE: Shape = Shape::Text(limits::ENTITY_PROSE_BYTES_MAX);
const FACT: &[EntityType] = &[EntityType::Fact];
const TEST: &[EntityType] = &[EntityType::Test];
const SYMBOL: &[EntityType] = &[EntityType::Symbol];

const fn row(name: &'static str, shape: Shape, of: &'static [EntityType], about: &'static str) -> Field {
    Field { name, attribute: name, shape, of, about, is_read_only: false }
}

const fn read_only(name: &'static str, shape: Shape, about: &'static str) -> Field {
    Field { is_read_only: true, ..row(name, shape, &[], about) }
}

/// Every property, in the order of the documentation.
#[rustfmt::skip]
pub const FIELDS: &[Field] = &[
    row("title", SHORT, &[], "Title; required"),
    row("status", Shape::Word(STATUSES), &[], "Status; required. Words outside of the list of the type give a warning"),
    row("source", SHORT, &[], "Where the entity comes from: a path, a URL, a cairn:// URI"),
    row("tags", Shape::Texts, &[], "Tags"),
    row("owner", SHORT, &[], "Person or team responsible"),
    row("priority", SHORT, &[], "Priority, free text; a value that ends with `must` makes the requirement mandatory"),
    row("severity", SHORT, &[], "Severity, free text"),
    row("links", Shape::Texts, &[], "Links to other material, free text"),
    row("text_ref", PROSE, &[], "Prose, or a reference to it"),
    row("body", Shape::Text(limits::ENTITY_BODY_BYTES_MAX), &[], "Markdown body, found by kb_search"),
    row("created_at", SHORT, &[], "Time of creation, ISO 8601; set by cairn, and kept by later upserts"),
    row("updated_at", SHORT, &[], "Time of the last change, ISO 8601; set by cairn unless given"),
    Field { attribute: "source_file", ..row("sourceFile", SHORT, &[], "File that defines the symbol") },
    row("symbol_role", Shape::Word(SymbolRole::TEXTS), SYMBOL, "Role of the symbol"),
    row("granularity_reason", Shape::Word(Granularity::TEXTS), SYMBOL, "Reason to link a whole file or module instead of a narrow symbol"),
    row("verification_scope", Shape::Word(VerificationScope::TEXTS), TEST, "How much of the system the test runs"),
    row("verification_perspective", Shape::Word(VerificationPerspective::TEXTS), TEST, "From where the test looks at the system"),
    row("result_run", SHORT, TEST, "Id of the test run that the status comes from; set by an import of results"),
    row("result_commit", SHORT, TEST, "Commit that this run tested; set by an import of results"),
    row("result_at", SHORT, TEST, "Time of this run, ISO 8601; set by an import of results, and ignored by later ones that are older"),
    row("fact_kind", Shape::Word(FactKind::TEXTS), FACT, "Kind of the fact"),
    row("subject_key", SHORT, FACT, "Key of the subject, like `customer.session`; compared whole"),
    row("property_key", SHORT, FACT, "Key of the property, like `timeout`; compared whole"),
    row("operator", Shape::Word(Operator::TEXTS), FACT, "Comparison of the property with the value"),
    row("value_type", Shape::Word(ValueType::TEXTS), FACT, "Type of the value; decides which value_* field holds it"),
    row("value_string", PROSE, FACT, "Value of type string"),
    row("value_int", Shape::Integer, FACT, "Value of type int"),
    row("value_number", Shape::Number, FACT, "Value of type number"),
    row("value_bool", Shape::Bool, FACT, "Value of type bool"),
    row("unit", SHORT, FACT, "Unit of the value; an empty unit matches only an empty unit"),
    row("scope", SHORT, FACT, "Scope in which the claim holds; empty for all"),
    row("polarity", Shape::Word(Polarity::TEXTS), FACT, "require or forbid for property values, assert or deny for predicates"),
    row("closed_world", Shape::Bool, FACT, "Marks a claim as complete: nothing but it holds"),
    row("valid_from", SHORT, FACT, "First moment at which the claim holds, ISO 8601"),
    row("valid_to", SHORT, FACT, "Last moment at which the claim holds, ISO 8601"),
    row("canonical_key", PROSE, FACT, "Canonical key, such as `name(a,b)` of a predicate"),
    row("predicate_name", SHORT, FACT, "Name of the predicate"),
    row("predicate_args", Shape::Scalars, FACT, "Ordered arguments of a predicate"),
    row("predicate_namespace", SHORT, FACT, "Namespace of the predicate; `default` if absent"),
    row("predicate_arity", Shape::Integer, FACT, "Number of arguments that a predicate schema declares"),
    row("argument_names", Shape::Texts, FACT, "Names of the arguments of a predicate schema"),
    row("argument_types", Shape::Texts, FACT, "Types of the arguments of a predicate schema"),
    row("argument_descriptions", Shape::Texts, FACT, "Descriptions of the arguments of a predicate schema"),
    row("aliases", Shape::Texts, FACT, "Other names of a predicate schema"),
    row("examples", Shape::Texts, FACT, "Examples of a predicate schema"),
    row("use_when", Shape::Texts, FACT, "When to use a predicate schema"),
    row("do_not_use_when", Shape::Texts, FACT, "When not to use a predicate schema"),
    read_only("file", SHORT, "Path of the document that owns the entity; set by syncs"),
    read_only("diverged", Shape::Bool, "True if a tool has changed the entity since its document was synced; set by cairn"),
];

/// Returns the field with this name in the tools.
pub fn field(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}

/// Returns the field that is stored as this attribute.
pub fn field_of_attribute(attribute: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.attribute == attribute)
}

impl Field {
    /// Checks a value, which is not null. Fails with what is wrong with it.
    pub fn check(&self, value: &Value) -> Result<(), FieldError> {
        let wrong = |expected: String| {
            FieldError::new(self.name, format!("{} is not {expected}", shown(value)), None)
        };
        match (self.shape, value) {
            (Shape::Text(bytes_max), Value::String(text)) => self.check_text(text, bytes_max),
            (Shape::Word(words), Value::String(word)) if words.contains(&word.as_str()) => Ok(()),
            (Shape::Word(words), Value::String(word)) => {
                let near = nearest(word, words.iter().copied());
                let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
                let message = format!("{:?} is not one of {}{near}", cut(word), words.join(", "));
                Err(FieldError::new(self.name, message, None))
            }
            (Shape::Texts, Value::Array(items)) => {
                self.check_count(items.len())?;
                items.iter().try_for_each(|item| match item {
                    Value::String(text) => self.check_text(text, limits::ENTITY_PROSE_BYTES_MAX),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                        Err(wrong("a list of strings".into()))
                    }
                })
            }
            (Shape::Scalars, Value::Array(items)) => {
                self.check_count(items.len())?;
                items.iter().try_for_each(|item| match item {
                    Value::String(text) => self.check_text(text, limits::ENTITY_TEXT_BYTES_MAX),
                    Value::Bool(_) | Value::Number(_) => Ok(()),
                    Value::Null | Value::Array(_) | Value::Object(_) => {
                        Err(wrong("a list of strings, numbers and booleans".into()))
                    }
                })
            }
            (Shape::Integer, Value::Number(number)) if number.as_i64().is_some() => Ok(()),
            (Shape::Number, Value::Number(_)) | (Shape::Bool, Value::Bool(_)) => Ok(()),
            (Shape::Text(_) | Shape::Word(_), _) => Err(wrong("a string".into())),
            (Shape::Texts, _) => Err(wrong("a list of strings".into())),
            (Shape::Scalars, _) => Err(wrong("a list".into())),
            (Shape::Integer, _) => Err(wrong("an integer".into())),
            (Shape::Number, _) => Err(wrong("a number".into())),
            (Shape::Bool, _) => Err(wrong("true or false".into())),
        }
    }

    fn check_text(&self, text: &str, bytes_max: usize) -> Result<(), FieldError> {
        if text.len() > bytes_max {
            let message = format!("{} bytes are more than the {bytes_max} allowed", text.len());
            return Err(FieldError::new(self.name, message, None));
        }
        Ok(())
    }

    fn check_count(&self, count: usize) -> Result<(), FieldError> {
        if count > limits::ENTITY_LIST_ITEMS_MAX {
            let message =
                format!("{count} items are more than the {} allowed", limits::ENTITY_LIST_ITEMS_MAX);
            return Err(FieldError::new(self.name, message, None));
        }
        Ok(())
    }
}

fn shown(value: &Value) -> String {
    cut(&value.to_json()).to_owned()
}

/// The beginning of a text of a client, for a message.
pub(crate) fn cut(text: &str) -> &str {
    let end = text.char_indices().nth(80).map_or(text.len(), |(at, _)| at);
    &text[..end]
}
