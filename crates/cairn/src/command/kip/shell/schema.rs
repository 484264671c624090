//! What there is in the memory: names to complete, and how much there is of each.

use std::collections::BTreeMap;

use cairn_base::Value;
use cairn_kip::limits::KIP_COMMANDS_MAX;
use cairn_wire::kip::{KipBody, KipResponse};
use serde::Serialize;

use super::door::Door;
use crate::command::kip::run::refuse_error;
use crate::command::kip::table::Table;
use crate::failure::Failure;
use crate::terminal::Look;

/// Names that are looked up, of types and of predicates; more than these are not completed.
const NAMES_MAX: usize = 10_000;

/// What can be completed beside the words of the language.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    pub(super) types: Vec<String>,
    pub(super) predicates: Vec<String>,
    /// Keys of attributes and metadata.
    pub(super) keys: Vec<String>,
}

/// The names of a space.
pub(super) fn vocabulary(door: &Door, space: Option<&str>) -> Result<Vocabulary, Failure> {
    let commands = [
        format!("DESCRIBE CONCEPT TYPES LIMIT {NAMES_MAX}"),
        format!("DESCRIBE PROPOSITION TYPES LIMIT {NAMES_MAX}"),
    ];
    let answers = batch(door, space, &commands)?;
    let names = |answer: Option<&Value>| -> Vec<String> {
        let names = answer.and_then(|answer| answer.get("result")?.as_array()).unwrap_or_default().iter();
        names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let (types, predicates) = (names(answers.first()), names(answers.get(1)));
    Ok(Vocabulary { types, predicates, keys: Vec::new() })
}

/// Types and predicates, and how many concepts and links follow each.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Sizes {
    #[serde(rename = "concept_types")]
    types: BTreeMap<String, u64>,
    #[serde(rename = "proposition_types")]
    predicates: BTreeMap<String, u64>,
}

/// The sizes in a space. The largest are counted already; only if there are more is anything counted here.
pub(super) fn sizes(door: &Door, space: Option<&str>) -> Result<Sizes, Failure> {
    let primer = single(door, space, "DESCRIBE PRIMER")?;
    let Vocabulary { types, predicates, .. } = vocabulary(door, space)?;
    let count =
        |name: &str| format!("FIND(COUNT(?x)) WHERE {{ ?x {{type: {}}} }}", Value::from(name).to_json());
    let types = counted(door, space, types, largest(&primer, "largest_concept_types", "concepts"), &count)?;
    let count =
        |name: &str| format!("FIND(COUNT(?x)) WHERE {{ ?x (?s, {}, ?o) }}", Value::from(name).to_json());
    let known = largest(&primer, "largest_proposition_types", "propositions");
    let predicates = counted(door, space, predicates, known, &count)?;
    Ok(Sizes { types, predicates })
}

/// How many of the largest a primer names at the most: if it names fewer, there is nothing of the others.
const LARGEST: usize = 24;

fn counted(
    door: &Door,
    space: Option<&str>,
    names: Vec<String>,
    mut known: BTreeMap<String, u64>,
    count: &dyn Fn(&str) -> String,
) -> Result<BTreeMap<String, u64>, Failure> {
    let is_all = known.len() < LARGEST;
    let others: Vec<String> = names.into_iter().filter(|name| !known.contains_key(name)).collect();
    for page in others.chunks(KIP_COMMANDS_MAX) {
        let commands: Vec<String> = page.iter().map(|name| count(name)).collect();
        let answers = if is_all { Vec::new() } else { batch(door, space, &commands)? };
        for (at, name) in page.iter().enumerate() {
            let count = answers.get(at).and_then(|answer| answer.get("result")?.as_number()?.as_u64());
            known.insert(name.clone(), count.unwrap_or(0));
        }
    }
    Ok(known)
}

fn largest(primer: &Value, list: &str, unit: &str) -> BTreeMap<String, u64> {
    let rows = primer.get(list).and_then(Value::as_array).unwrap_or_default().iter();
    let size =
        |row: &Value| Some((row.get("name")?.as_str()?.to_owned(), row.get(unit)?.as_number()?.as_u64()?));
    rows.filter_map(size).collect()
}

fn single(door: &Door, space: Option<&str>, command: &str) -> Result<Value, Failure> {
    ask(door, space, KipBody { command: Some(command.to_owned()), ..KipBody::default() })
}

fn batch(door: &Door, space: Option<&str>, commands: &[String]) -> Result<Vec<Value>, Failure> {
    let commands = commands.iter().map(|command| Value::from(command.as_str())).collect();
    let result = ask(door, space, KipBody { commands: Some(commands), ..KipBody::default() })?;
    Ok(if let Value::Array(answers) = result { answers } else { Vec::new() })
}

fn ask(door: &Door, space: Option<&str>, request: KipBody) -> Result<Value, Failure> {
    let request = KipBody { space: space.map(str::to_owned), ..request };
    let answer: KipResponse = door.ask("execute_kip_readonly", &request)?;
    refuse_error(&answer)?;
    Ok(answer.result.unwrap_or_default())
}

impl Sizes {
    pub(super) fn to_text(&self, look: Look) -> String {
        let table = |head: &str, unit: &str, counts: &BTreeMap<String, u64>| {
            let name = |name: &str| cairn_base::Harmless(name).to_string();
            let rows = counts.iter().map(|(key, count)| vec![name(key), count.to_string()]).collect();
            Table { heads: vec![head.to_owned(), unit.to_owned()], rows }.render(look)
        };
        table("type", "concepts", &self.types) + "\n" + &table("predicate", "links", &self.predicates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_tables() {
        let sizes = Sizes {
            types: BTreeMap::from([("Drug".to_owned(), 12), ("Symptom".to_owned(), 0)]),
            predicates: BTreeMap::from([("treats".to_owned(), 3)]),
        };
        assert_eq!(
            sizes.to_text(Look { colour: false, width: None }),
            "type     concepts\nDrug     12\nSymptom  0\n\npredicate  links\ntreats     3\n"
        );
        let primer = br#"{"largest_concept_types":[{"name":"Drug","concepts":12},{"name":1}]}"#;
        let primer = Value::parse_json(primer).expect("JSON");
        let known = largest(&primer, "largest_concept_types", "concepts");
        assert_eq!(known, BTreeMap::from([("Drug".to_owned(), 12)]));
    }
}
