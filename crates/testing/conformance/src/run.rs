//! Running groups through a door.

use std::collections::BTreeMap;

use cairn_base::Value;

use crate::{Case, Group, Mismatch, Report};

/// A way to a graph.
///
/// It takes a request as section 5 of the protocol has it, and gives back the answer. Besides the keys of the
/// protocol a request may have `format`, `space` and `readonly`; a door with two functions takes `readonly`
/// out and calls the one that only reads.
pub trait Door {
    /// Answers one request.
    fn execute(&mut self, request: &Value) -> Value;
}

impl<F: FnMut(&Value) -> Value> Door for F {
    fn execute(&mut self, request: &Value) -> Value {
        self(request)
    }
}

/// Runs every group on a graph of its own, which `open` makes with nothing in it but the bootstrap.
///
/// A group whose setup fails is not run further.
pub fn run<D: Door>(groups: &[Group], mut open: impl FnMut() -> D) -> Report {
    let mut report = Report::default();
    for group in groups {
        report.groups += 1;
        run_group(group, &mut open(), &mut report);
    }
    report
}

fn run_group(group: &Group, door: &mut impl Door, report: &mut Report) {
    for command in &group.setup {
        let request = BTreeMap::from([("command".to_owned(), Value::from(command.as_str()))]);
        let answer = door.execute(&Value::Object(request));
        if answer.get("result").is_none() {
            let complaint = format!("the setup fails: {}", answer.to_json());
            report.mismatches.push(mismatch(group, "setup", command.clone(), complaint));
            return;
        }
    }
    let mut kept = BTreeMap::new();
    for case in &group.cases {
        report.cases += 1;
        if let Err(complaint) = run_case(case, &mut kept, door) {
            report.mismatches.push(mismatch(group, &case.name, shown(case), complaint));
        }
    }
}

fn mismatch(group: &Group, case: &str, command: String, complaint: String) -> Mismatch {
    Mismatch { group: group.name.clone(), case: case.to_owned(), command, complaint }
}

fn shown(case: &Case) -> String {
    let command = case.request.get("command").or_else(|| case.request.get("commands"));
    command.map_or_else(String::new, |command| match command.as_str() {
        Some(text) => text.to_owned(),
        None => command.to_json(),
    })
}

fn run_case(case: &Case, kept: &mut BTreeMap<String, Value>, door: &mut impl Door) -> Result<(), String> {
    let answer = door.execute(&request(case, kept)?);
    for (name, pointer) in &case.keep {
        let value = pointed(&answer, pointer);
        let value = value.ok_or_else(|| format!("there is no {pointer} to keep in {}", answer.to_json()))?;
        kept.insert(name.clone(), value.clone());
    }
    case.complaint(&answer).map_or(Ok(()), Err)
}

/// The request of a case, with what it uses of earlier answers among its parameters.
fn request(case: &Case, kept: &BTreeMap<String, Value>) -> Result<Value, String> {
    let mut request = case.request.clone();
    if !case.uses.is_empty() {
        let given = request.get("parameters").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut parameters = given;
        for name in &case.uses {
            let value = kept.get(name).ok_or_else(|| format!("no case before this one kept \"{name}\""))?;
            parameters.insert(name.clone(), value.clone());
        }
        request.insert("parameters".to_owned(), Value::Object(parameters));
    }
    Ok(Value::Object(request))
}

/// What a JSON pointer without escapes leads to.
fn pointed<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(value, |value, step| match value.as_array() {
        Some(items) => items.get(step.parse::<usize>().ok()?),
        None => value.get(step),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(json: &str) -> Group {
        Group::from_value(&Value::parse_json(json.as_bytes()).unwrap()).unwrap()
    }

    /// Answers every request with itself.
    fn mirror() -> impl Door {
        |request: &Value| Value::Object(BTreeMap::from([("result".to_owned(), request.clone())]))
    }

    #[test]
    fn what_was_kept_becomes_a_parameter_of_who_uses_it() {
        let group = group(
            r#"{"name": "g", "setup": [], "cases": [
                {"name": "first", "command": "a", "keep": {"k": "/result/command"}, "expect": {"result": {}}},
                {"name": "second", "command": "b", "use": "k", "parameters": {"x": 1}, "readonly": true,
                 "expect": {"result": {"command": "b", "parameters": {"k": "a", "x": 1}, "readonly": true}}},
                {"name": "third", "command": "c", "expect": {"result": {"parameters": {}}}},
                {"name": "fourth", "command": "d", "use": "y", "expect": {"result": {}}},
                {"name": "fifth", "command": "e", "keep": {"z": "/result/3"}, "expect": {"result": {}}}
            ]}"#,
        );
        let report = run(&[group], mirror);
        let wrong: Vec<&str> = report.mismatches.iter().map(|mismatch| mismatch.case.as_str()).collect();
        assert_eq!(
            (report.cases, wrong.as_slice()),
            (5, ["third", "fourth", "fifth"].as_slice()),
            "{report}"
        );
    }

    #[test]
    fn each_group_has_a_graph_of_its_own() {
        let text = r#"{"name": "g", "setup": ["one"], "cases": [
            {"name": "counts", "command": "FIND(?a) WHERE {}", "expect": {"result": 2}}]}"#;
        let counter = || {
            let mut requests = 0_u64;
            move |_: &Value| {
                requests += 1;
                Value::Object(BTreeMap::from([("result".to_owned(), Value::from(requests))]))
            }
        };
        let report = run(&[group(text), group(text)], counter);
        assert_eq!((report.groups, report.cases, report.mismatches.len()), (2, 2, 0), "{report}");
    }

    #[test]
    fn a_setup_that_fails_is_told_and_ends_its_group() {
        let group = group(
            r#"{"name": "g", "setup": ["one", "two"], "cases": [
                {"name": "c", "command": "a", "expect": {"error": {"code": "KIP_1001"}}}]}"#,
        );
        let refuses = || |_: &Value| Value::parse_json(br#"{"error": {"code": "KIP_1001"}}"#).unwrap();
        let report = run(&[group], refuses);
        assert_eq!((report.cases, report.mismatches.len()), (0, 1));
        assert!(report.to_string().starts_with("g: setup\n  one\n"), "{report}");
    }
}
