//! The violating example of each rule violates exactly this rule, and the passing one none.

use cairn_kb::tools::{CheckInput, UpsertInput};
use cairn_kb::{Branch, Change, CheckRequest, CheckState, Entity, Node, NodeKey, Rule, examine_upsert};

use super::page::{json_blocks, read, section};

/// The branch that payloads give, and whether one of them is refused.
fn applied(payloads: &str) -> (Branch, bool) {
    let payloads: Vec<UpsertInput> = serde_json::from_str(payloads).expect("payloads of kb_upsert");
    let (mut branch, mut entities, mut is_refused) = (Branch::default(), Vec::<Entity>::new(), false);
    for input in &payloads {
        let at = entities.iter().position(|entity| entity.id == input.id);
        let current = at.map(|at| &entities[at]);
        let examined = examine_upsert(&branch, current, input, None, 1_767_225_600_000);
        is_refused |= !examined.problems.is_empty();
        let at = at.unwrap_or(entities.len());
        branch.apply(examined.plan.changes(NodeKey(at as u64 + 1)));
        match entities.get_mut(at) {
            Some(entity) => *entity = examined.plan.entity,
            None => entities.push(examined.plan.entity),
        }
    }
    (branch, is_refused)
}

/// Rules that a branch violates, of all ten.
fn violated(branch: &Branch) -> Vec<Rule> {
    let input = CheckInput { rules: Some(Rule::ALL.to_vec()), ..CheckInput::default() };
    let request = CheckRequest::new(&input, &[], false).expect("a valid request");
    let report = CheckState::build(branch, &mut |_, _| {}).report(branch, &request);
    report.counts.iter().filter(|counted| counted.count > 0).map(|counted| counted.rule).collect()
}

#[test]
fn examples_of_rules() {
    let page = read();
    for rule in Rule::ALL {
        let mut seen = Vec::new();
        for (words, payloads) in json_blocks(section(&page, rule.text())) {
            let (mut branch, is_refused) = applied(payloads);
            let mut words = words.split(' ');
            let kind = words.next().expect("a word");
            let mut expects_refusal = false;
            for word in words {
                match word.split_once('=') {
                    Some((damage, id)) => {
                        let (key, node) = branch.find(id).expect("an entity of the example");
                        let sourceless = Node { source: "".into(), ..node.clone() };
                        branch.apply([match damage {
                            "lost" => Change::Remove(key),
                            "sourceless" => Change::Put(key, Box::new(sourceless)),
                            _ => panic!("{damage}"),
                        }]);
                    }
                    None => expects_refusal = word == "refused",
                }
            }
            assert_eq!(is_refused, expects_refusal, "{rule}, {kind}");
            let expected = if kind == "violates" { vec![*rule] } else { Vec::new() };
            assert_eq!(violated(&branch), expected, "{rule}, {kind}");
            seen.push(kind);
        }
        assert_eq!(seen, ["violates", "passes"], "{rule}");
    }
}
