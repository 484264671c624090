//! Values.

use cairn_base::Number;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{at_no_place, identifier};
use crate::Span;
use crate::tree::{Json, JsonNode, Object};

/// Any text: mostly names, now and then whatever there is.
pub fn text() -> BoxedStrategy<String> {
    prop_oneof![4 => "[A-Z][a-z]{0,8}", 2 => "\\PC{0,12}", 1 => any::<String>(), 1 => "[\"\\\\:/ \n\t{}]{0,6}"].boxed()
}

/// Any value.
pub fn json() -> BoxedStrategy<Json> {
    scalar()
        .prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(JsonNode::Array),
                vec((key(), inner), 0..4).prop_map(|entries| {
                    JsonNode::Object(
                        entries.into_iter().map(|(key, value)| (at_no_place(key), value)).collect(),
                    )
                }),
            ]
            .prop_map(node)
        })
        .boxed()
}

/// A value that is no array and no object, or a parameter.
pub(super) fn scalar() -> BoxedStrategy<Json> {
    prop_oneof![
        Just(JsonNode::Null),
        any::<bool>().prop_map(JsonNode::Bool),
        number().prop_map(JsonNode::Number),
        text().prop_map(JsonNode::String),
        identifier().prop_map(JsonNode::Parameter),
    ]
    .prop_map(node)
    .boxed()
}

fn number() -> BoxedStrategy<Number> {
    prop_oneof![
        (-100..100i64).prop_map(Number::from),
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("numbers are finite", Number::from_f64),
    ]
    .boxed()
}

/// Attributes or metadata.
pub(super) fn object() -> BoxedStrategy<Object> {
    vec((key(), json()), 0..4)
        .prop_map(|entries| Object {
            entries: entries.into_iter().map(|(key, value)| (at_no_place(key), value)).collect(),
            span: Span::default(),
        })
        .boxed()
}

fn key() -> BoxedStrategy<String> {
    prop_oneof![3 => identifier(), 1 => text()].boxed()
}

pub(super) fn node(node: JsonNode) -> Json {
    Json { node, span: Span::default() }
}
