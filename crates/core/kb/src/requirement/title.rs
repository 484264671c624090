//! Titles of generated entities.

use super::claim::{ClaimOperator, SemanticClaim};
use crate::limits::ENTITY_TEXT_BYTES_MAX;

/// A key for people: `customer.data_set` is `Customer Data Set`.
pub(super) fn humanized(key: &str) -> String {
    let words = key.split(['.', '_', '-']).filter(|word| !word.is_empty());
    let capitalized = words.map(|word| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    });
    capitalized.collect::<Vec<_>>().join(" ")
}

/// The title of a property value: `Retention Years = 7`.
pub(super) fn property(claim: &SemanticClaim) -> String {
    let (property, value) = (humanized(&claim.property_key), claim.value.shown());
    let title = match claim.operator {
        ClaimOperator::Eq | ClaimOperator::Bool => format!("{property} = {value}"),
        ClaimOperator::Neq => format!("{property} != {value}"),
        ClaimOperator::Gte => format!("{property} >= {value}"),
        ClaimOperator::Lte => format!("{property} <= {value}"),
        ClaimOperator::Polarity => format!("{property} {value}"),
    };
    cut(&title).0
}

/// A text as a title on one line, cut at the limit of titles; and whether it was cut.
pub(super) fn cut(text: &str) -> (String, bool) {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= ENTITY_TEXT_BYTES_MAX {
        return (line, false);
    }
    let mut end = ENTITY_TEXT_BYTES_MAX - '…'.len_utf8();
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    (format!("{}…", &line[..end]), true)
}
