//! Comparing two sides of a sign.
//!
//! | sides | `==` | `<` and the like |
//! |---|---|---|
//! | numbers | exactly, 2 and 2.0 are equal | as numbers |
//! | texts | the same, or the same instant | by instant if both are RFC 3339, else by bytes |
//! | truth values | the same | false before true |
//! | null and null | true | false |
//! | whole elements | the same one | false |
//! | an array or object on either side | false, and so is `!=` | false |
//! | anything else | false | false |

use std::cmp::Ordering;

use cairn_base::Value;
use cairn_kip::tree::Comparison;

use super::Side;
use super::instant::Instant;

/// Whether a sign holds between two sides.
pub(super) fn compares(left: &Side<'_>, sign: Comparison, right: &Side<'_>) -> bool {
    if is_compound(left) || is_compound(right) {
        return false;
    }
    let order = || order(left, right);
    match sign {
        Comparison::Equal => is_equal(left, right),
        Comparison::NotEqual => !is_equal(left, right),
        Comparison::Less => order().is_some_and(Ordering::is_lt),
        Comparison::LessOrEqual => order().is_some_and(Ordering::is_le),
        Comparison::Greater => order().is_some_and(Ordering::is_gt),
        Comparison::GreaterOrEqual => order().is_some_and(Ordering::is_ge),
    }
}

fn is_equal(left: &Side<'_>, right: &Side<'_>) -> bool {
    match (left, right) {
        (Side::Element(left), Side::Element(right)) => left == right,
        (Side::Value(_), Side::Value(_)) if left.is_null() => right.is_null(),
        _ => order(left, right).is_some_and(Ordering::is_eq),
    }
}

fn order(left: &Side<'_>, right: &Side<'_>) -> Option<Ordering> {
    let (Side::Value(left), Side::Value(right)) = (left, right) else { return None };
    match (&**left, &**right) {
        (Value::Number(left), Value::Number(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::String(left), Value::String(right)) => Some(order_of_texts(left, right)),
        _ => None,
    }
}

fn order_of_texts(left: &str, right: &str) -> Ordering {
    if left == right {
        return Ordering::Equal;
    }
    match (Instant::parse(left), Instant::parse(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) | (None, _) => left.cmp(right),
    }
}

fn is_compound(side: &Side<'_>) -> bool {
    matches!(side, Side::Value(value) if matches!(**value, Value::Array(_) | Value::Object(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    const SIGNS: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ];

    /// Which signs hold, as they are written.
    fn signs(left: &str, right: &str) -> String {
        let side = |json: &str| Side::Value(Cow::Owned(Value::parse_json(json.as_bytes()).unwrap()));
        let texts = ["==", "!=", "<", "<=", ">", ">="];
        let held = SIGNS.iter().zip(texts).filter(|(sign, _)| compares(&side(left), **sign, &side(right)));
        held.map(|(_, text)| text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_table() {
        const EQUAL: &str = "== <= >=";
        const LESS: &str = "!= < <=";
        const GREATER: &str = "!= > >=";
        const OTHER: &str = "!=";
        let rows = [
            ("2", "2.0", EQUAL),
            ("2", "3", LESS),
            ("-1", "0.5", LESS),
            ("9007199254740993", "9007199254740992.0", GREATER),
            (r#""10""#, r#""9""#, LESS),
            (r#""a""#, r#""B""#, GREATER),
            (r#""a""#, r#""a""#, EQUAL),
            (r#""2025-01-01T00:00:00Z""#, r#""2025-01-01T01:00:00+01:00""#, EQUAL),
            (r#""2025-01-01T00:30:00Z""#, r#""2025-01-01T01:00:00+01:00""#, GREATER),
            (r#""2025-01-01T00:00:00.0001Z""#, r#""2025-01-01T00:00:00.0002Z""#, LESS),
            (r#""2025-01-01T00:00:00Z""#, r#""2025-01-01""#, GREATER),
            ("false", "true", LESS),
            ("true", "true", EQUAL),
            ("1", r#""1""#, OTHER),
            ("true", "1", OTHER),
            ("null", "null", "=="),
            ("null", "1", OTHER),
            ("null", r#""""#, OTHER),
            ("null", "false", OTHER),
            ("[1]", "[1]", ""),
            ("{}", "{}", ""),
            ("[1]", "1", ""),
            ("null", "[]", ""),
        ];
        for (left, right, expected) in rows {
            assert_eq!(signs(left, right), expected, "{left} and {right}");
            let turned = match expected {
                LESS => GREATER,
                GREATER => LESS,
                same => same,
            };
            assert_eq!(signs(right, left), turned, "{right} and {left}");
        }
    }
}
