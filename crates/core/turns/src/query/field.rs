//! What a query can ask about, and how.

use super::lexer::Operator;
use crate::metadata::Indexed;

/// A field of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// Text that the first turn says.
    Text(Indexed),
    /// A context that the first turn names.
    Context(Indexed),
    Id,
    Created,
    Depth,
    IsLive,
}

/// A field by its name.
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) field: Field,
    pub(super) operators: &'static [Operator],
}

const TEXT: &[Operator] = &[
    Operator::Equal,
    Operator::NotEqual,
    Operator::Prefix,
    Operator::SameLetters,
    Operator::PrefixOfLetters,
    Operator::In,
];
const SET: &[Operator] = &[Operator::Equal, Operator::NotEqual, Operator::In];
const ORDERED: &[Operator] = &[
    Operator::Equal,
    Operator::NotEqual,
    Operator::Greater,
    Operator::GreaterOrEqual,
    Operator::Less,
    Operator::LessOrEqual,
];

/// Every field.
pub(super) const FIELDS: &[Known] = &[
    known("tag", Field::Text(Indexed::Tag), TEXT),
    known("title", Field::Text(Indexed::Title), TEXT),
    known("user", Field::Text(Indexed::User), TEXT),
    known("service", Field::Text(Indexed::Service), TEXT),
    known("host", Field::Text(Indexed::Host), TEXT),
    known("label", Field::Text(Indexed::Label), SET),
    known("trace_id", Field::Text(Indexed::TraceId), &[Operator::Equal, Operator::NotEqual]),
    known("id", Field::Id, SET),
    known("parent", Field::Context(Indexed::Parent), SET),
    known("root", Field::Context(Indexed::Root), SET),
    known("created", Field::Created, ORDERED),
    known("depth", Field::Depth, ORDERED),
    known("is_live", Field::IsLive, &[Operator::Equal]),
];

const fn known(name: &'static str, field: Field, operators: &'static [Operator]) -> Known {
    Known { name, field, operators }
}
