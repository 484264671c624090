//! Conditions.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::path;
use super::value::{node, scalar};
use crate::tree::{Comparison, Condition, Json, JsonNode, Operand, TextTest};

/// Any condition.
pub fn condition() -> BoxedStrategy<Condition> {
    test()
        .prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                vec(inner.clone(), 2..4).prop_map(Condition::Or),
                vec(inner.clone(), 2..4).prop_map(Condition::And),
                inner.prop_map(|inner| Condition::Not(Box::new(inner))),
            ]
        })
        .boxed()
}

fn test() -> BoxedStrategy<Condition> {
    let signs = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ];
    let tests = [TextTest::Contains, TextTest::StartsWith, TextTest::EndsWith, TextTest::Regex];
    let parameter = scalar().prop_filter("a parameter", |json| matches!(json.node, JsonNode::Parameter(_)));
    prop_oneof![
        (operand(), select(signs.to_vec()), operand()).prop_map(|(left, sign, right)| Condition::Compare {
            left,
            sign,
            right
        }),
        (select(tests.to_vec()), operand(), operand()).prop_map(|(test, subject, pattern)| Condition::Text {
            test,
            subject,
            pattern
        }),
        (operand(), prop_oneof![3 => list(), 1 => parameter])
            .prop_map(|(operand, list)| Condition::In { operand, list: Operand::Value(list) }),
        (operand(), any::<bool>()).prop_map(|(operand, negated)| Condition::IsNull { operand, negated }),
    ]
    .boxed()
}

fn operand() -> BoxedStrategy<Operand> {
    prop_oneof![3 => path().prop_map(Operand::Path), 3 => scalar().prop_map(Operand::Value), 1 => list().prop_map(Operand::Value)].boxed()
}

fn list() -> BoxedStrategy<Json> {
    vec(scalar(), 0..4).prop_map(JsonNode::Array).prop_map(node).boxed()
}
