//! What checks and reports need to know of one entity.

use cairn_base::{Number, Value};

use crate::digest::ContentDigest;
use crate::{EntityType, FactKind, Operator, Polarity, SymbolRole, ValueType};

/// One entity, without what only readers of the whole entity need.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its id.
    pub id: Box<str>,
    /// Its type.
    pub kind: EntityType,
    /// Its title; empty if it is missing.
    pub title: Box<str>,
    /// Its status; empty if it is missing.
    pub status: Box<str>,
    /// Where it comes from; empty if it is missing.
    pub source: Box<str>,
    /// The file of a symbol.
    pub source_file: Option<Box<str>>,
    /// Its priority, free text.
    pub priority: Option<Box<str>>,
    /// Its owner, free text.
    pub owner: Option<Box<str>>,
    /// Its severity, free text.
    pub severity: Option<Box<str>>,
    /// Its tags, sorted, each once.
    pub tags: Box<[Box<str>]>,
    /// Whether `created_at` and `updated_at` are missing.
    pub lacks_times: [bool; 2],
    /// The scope of a test, as it is written.
    pub verification_scope: Option<Box<str>>,
    /// The perspective of a test, as it is written.
    pub verification_perspective: Option<Box<str>>,
    /// The role of a symbol.
    pub symbol_role: Option<SymbolRole>,
    /// Path of the document that owns it; `None` if tools do.
    pub file: Option<Box<str>>,
    /// Whether a tool has changed it, or relationships that start at it, since its document was synced.
    pub diverged: bool,
    /// Digest of its content.
    pub digest: ContentDigest,
    /// Fields of a fact; `None` for other types.
    pub fact: Option<Box<FactFields>>,
}

/// Fields of a fact, as they are written. Facts from elsewhere may have any of them missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FactFields {
    /// The kind as it is written; legacy facts have none.
    pub fact_kind: Option<Box<str>>,
    /// The subject.
    pub subject_key: Option<Box<str>>,
    /// The property.
    pub property_key: Option<Box<str>>,
    /// The operator as it is written.
    pub operator: Option<Box<str>>,
    /// The type of the value as it is written.
    pub value_type: Option<Box<str>>,
    /// `value_string`, if it is there.
    pub value_string: Option<Box<str>>,
    /// `value_int`, if it is there.
    pub value_int: Option<Number>,
    /// `value_number`, if it is there.
    pub value_number: Option<Number>,
    /// `value_bool`, if it is there.
    pub value_bool: Option<bool>,
    /// The unit; `None` and an empty one mean the same.
    pub unit: Option<Box<str>>,
    /// The scope in which the claim holds.
    pub scope: Option<Box<str>>,
    /// The polarity as it is written.
    pub polarity: Option<Box<str>>,
    /// The first moment at which the claim holds.
    pub valid_from: Option<Box<str>>,
    /// The last moment at which the claim holds.
    pub valid_to: Option<Box<str>>,
    /// The canonical key.
    pub canonical_key: Option<Box<str>>,
    /// The name of the predicate, of a predicate or a schema.
    pub predicate_name: Option<Box<str>>,
    /// The namespace of the predicate.
    pub predicate_namespace: Option<Box<str>>,
    /// The arguments of a predicate as they are written; `None` if missing.
    pub predicate_args: Option<Box<[Value]>>,
    /// The arity of a schema.
    pub predicate_arity: Option<Number>,
    /// How many argument names a schema has.
    pub argument_names: Option<usize>,
    /// How many argument types a schema has.
    pub argument_types: Option<usize>,
}

impl FactFields {
    /// The kind, if it is a known one.
    pub fn kind(&self) -> Option<FactKind> {
        FactKind::parse(self.fact_kind.as_deref()?)
    }
}

/// A value that a property is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimValue {
    /// Text.
    Text(Box<str>),
    /// An integer or another number.
    Number(Number),
    /// A truth value.
    Bool(bool),
}

/// The claim of a property-value fact, with defaults filled in: operator `eq`, type `string`, polarity `require`.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim<'a> {
    /// The subject.
    pub subject_key: &'a str,
    /// The property.
    pub property_key: &'a str,
    /// The comparison.
    pub operator: Operator,
    /// The type of the value.
    pub value_type: ValueType,
    /// The value.
    pub value: ClaimValue,
    /// The unit; empty if there is none.
    pub unit: &'a str,
    /// The scope; empty if there is none.
    pub scope: &'a str,
    /// Whether it is required or forbidden.
    pub polarity: Polarity,
    /// The first moment at which it holds; empty if open.
    pub valid_from: &'a str,
    /// The last moment at which it holds; empty if open.
    pub valid_to: &'a str,
}
