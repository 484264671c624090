//! The table of value and polarity conflicts of the reference: each of its rows is a conflict.

use super::conflicts;
use crate::Operator;

/// Rows of the table for two claims that are both required.
fn in_table(one: Operator, x: i32, other: Operator, y: i32) -> bool {
    match (one, other) {
        (Operator::Eq, Operator::Eq) => x != y,
        (Operator::Eq, Operator::Neq) => x == y,
        (Operator::Lte, Operator::Gte) | (Operator::Lte, Operator::Gt) => x < y,
        (Operator::Lt, Operator::Gt) | (Operator::Lt, Operator::Gte) => x <= y,
        _ => false,
    }
}

#[test]
fn every_row_of_the_table_conflicts_both_ways() {
    let mut rows = 0;
    for one in Operator::ALL.iter().copied() {
        for other in Operator::ALL.iter().copied() {
            for (x, y) in [(4, 4), (4, 5), (5, 4), (-1, 3)] {
                if !in_table(one, x, other, y) {
                    continue;
                }
                for (kind, others) in
                    [("int", "int"), ("number", "number"), ("int", "number"), ("number", "int")]
                {
                    rows += 1;
                    let (a, b) = (format!("{one} {kind}:{x} unit=u"), format!("{other} {others}:{y} unit=u"));
                    assert_eq!(conflicts(&[&a, &b]).list.len(), 1, "{a} against {b}");
                    assert_eq!(conflicts(&[&b, &a]).list.len(), 1, "{b} against {a}");
                }
            }
        }
    }
    assert_eq!(rows, 4 * (3 + 1 + 2 + 2 + 3 + 3));
}

#[test]
fn identity_of_text_and_truth_values_conflicts_as_in_the_table() {
    for (kind, x, y) in [("string", "a/b", "c/b"), ("bool", "true", "false")] {
        let claim = |operator: &str, value: &str| format!("{operator} {kind}:{value}");
        for (a, b, expected) in [
            (claim("eq", x), claim("eq", y), 1),
            (claim("eq", x), claim("eq", x), 0),
            (claim("eq", x), claim("neq", x), 1),
            (claim("eq", x), claim("neq", y), 0),
        ] {
            assert_eq!(conflicts(&[&a, &b]).list.len(), expected, "{a} against {b}");
            assert_eq!(conflicts(&[&b, &a]).list.len(), expected, "{b} against {a}");
        }
    }
}

#[test]
fn a_claim_and_its_prohibition_conflict_whatever_the_operator_and_the_type() {
    for operator in Operator::ALL.iter().copied() {
        for value in ["int:5", "number:5.5", "string:five", "bool:true"] {
            let (require, forbid) = (format!("{operator} {value}"), format!("forbid {operator} {value}"));
            let found = conflicts(&[&require, &forbid]).list;
            assert_eq!(found.len(), 1, "{require}");
            assert_eq!(found[0].kind, crate::ConflictKind::Polarity);
            assert!(found[0].reason.starts_with("Polarity conflict on s.p: require"), "{}", found[0].reason);
            assert!(conflicts(&[&forbid, &forbid]).list.is_empty(), "{forbid}");
        }
        let (int, number) = (format!("{operator} int:5"), format!("forbid {operator} number:5.0"));
        assert_eq!(conflicts(&[&int, &number]).list.len(), 1, "{int} against {number}");
    }
}
