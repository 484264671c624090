//! The suite, as far as the language alone can judge it: what is to succeed is KIP, and what is refused by the
//! language is refused in the words the suite expects.

use cairn_base::Value;
use cairn_conformance::{Case, Expected, own};
use cairn_kip::{Commands, KipRequest, bind, parse, response};

#[test]
fn the_language_reads_the_suite() {
    let mut complaints = Vec::new();
    for group in own().unwrap() {
        for command in &group.setup {
            if let Err(error) = parse(command) {
                complaints.push(format!("{}: setup\n  {command}\n  {error}", group.name));
            }
        }
        for case in &group.cases {
            if let Some(complaint) = refusal(case).and_then(|refusal| case.complaint(&refusal)) {
                complaints.push(format!("{}: {}\n  {complaint}", group.name, case.name));
            }
        }
    }
    assert!(complaints.is_empty(), "{}\n{} complaints", complaints.join("\n"), complaints.len());
}

/// What the language answers to the command of a case if it refuses it. What it accepts may still fail.
fn refusal(case: &Case) -> Option<Value> {
    let request = match KipRequest::decode(Value::Object(case.request.clone())) {
        Ok(request) => request,
        Err(error) => return Some(response::failure(&error, "")),
    };
    // Answers to a batch hold errors of the language among others.
    let Commands::One(command) = &request.commands else { return None };
    let mut parameters = request.parameters_of(command).into_owned();
    parameters.extend(case.uses.iter().map(|name| (name.clone(), Value::from("C:1"))));
    let bound = parse(&command.text).and_then(|tree| bind(tree, &parameters));
    bound.err().map(|error| response::failure(&error, &command.text))
}

#[test]
fn what_the_language_accepts_is_not_expected_to_be_no_kip() {
    // Of all that is refused with these codes the language itself refuses the most: ids of the wrong kind,
    // cursors, fields and regular expressions are for others to judge.
    let cases: Vec<Case> = own().unwrap().into_iter().flat_map(|group| group.cases).collect();
    let wrong = |case: &&Case| matches!(&case.expected, Expected::Error(error) if error.code == "KIP_1001");
    let (refused, accepted): (Vec<&Case>, Vec<&Case>) =
        cases.iter().filter(wrong).partition(|case| refusal(case).is_some());
    let names: Vec<&str> = accepted.iter().map(|case| case.name.as_str()).collect();
    assert!(refused.len() > 5 * accepted.len(), "{} are refused, but not {names:#?}", refused.len());
}
