//! Tests of contradictions: rows of claims as text, the table of the reference, brute force, and the index.
//!
//! A claim is written `[forbid] OPERATOR TYPE:VALUE [unit=U] [scope=S] [from=T] [to=T] [property=P]`.

use cairn_base::{Number, Value};

use super::conflict::Conflicts;
use super::search::{Holder, of_claims};
use crate::FactFields;

mod brute;
mod groups;
mod index;
mod limits;
mod rules;
mod table;

/// Reads the fields of a property value.
pub(crate) fn fields(text: &str) -> FactFields {
    let mut fact = FactFields {
        fact_kind: Some("property_value".into()),
        subject_key: Some("s".into()),
        property_key: Some("p".into()),
        ..FactFields::default()
    };
    for word in text.split(' ') {
        if let Some((name, value)) = word.split_once('=') {
            let value = Some(Box::from(value));
            match name {
                "unit" => fact.unit = value,
                "scope" => fact.scope = value,
                "from" => fact.valid_from = value,
                "to" => fact.valid_to = value,
                "subject" => fact.subject_key = value,
                "property" => fact.property_key = value,
                _ => panic!("{word}"),
            }
        } else if let Some((kind, value)) = word.split_once(':') {
            fact.value_type = Some(kind.into());
            match kind {
                "string" => fact.value_string = Some(value.into()),
                "bool" => fact.value_bool = Some(value == "true"),
                "int" => fact.value_int = Some(number(value)),
                "number" => fact.value_number = Some(number(value)),
                _ => panic!("{word}"),
            }
        } else if word == "forbid" {
            fact.polarity = Some("forbid".into());
        } else {
            fact.operator = Some(word.into());
        }
    }
    fact
}

pub(crate) fn number(text: &str) -> Number {
    Value::parse_json(text.as_bytes()).unwrap().as_number().unwrap()
}

/// Finds conflicts of claims by requirement; the fact of the n-th claim is `Fn`. With `only`, those of one
/// requirement.
pub(crate) fn conflicts_by(claims: &[(&str, FactFields)], only: Option<&str>) -> Conflicts {
    let names: Vec<String> = (0..claims.len()).map(|at| format!("F{at}")).collect();
    let holders = claims.iter().zip(&names).map(|((requirement, fact), name)| Holder {
        requirement,
        fact: name,
        claim: fact.claim().unwrap(),
        wanted: only.is_none_or(|only| only == *requirement),
    });
    of_claims(holders.collect())
}

/// Finds conflicts of claims, each of a requirement of its own: `R0`, `R1` and so on.
pub(crate) fn conflicts(claims: &[&str]) -> Conflicts {
    let names: Vec<String> = (0..claims.len()).map(|at| format!("R{at}")).collect();
    let claims: Vec<(&str, FactFields)> =
        names.iter().zip(claims).map(|(name, claim)| (name.as_str(), fields(claim))).collect();
    conflicts_by(&claims, None)
}
