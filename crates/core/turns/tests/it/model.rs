//! Random histories against a plain list of turns.

use std::collections::BTreeMap;

use cairn_base::{ContextId, TurnId};
use cairn_seam::Visit;
use cairn_turns::{Append, Turn, TurnsError, ancestor_at, before, by_depth, last};
use proptest::prelude::*;

use crate::kit::{Kit, keyed, request};

#[derive(Debug, Clone)]
enum Step {
    Create,
    Fork(usize),
    Append(usize),
    AppendBelow(usize, usize),
    AppendExpecting(usize, usize),
    AppendKeyed(usize, u8, u8),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => Just(Step::Create),
        1 => any::<usize>().prop_map(Step::Fork),
        12 => any::<usize>().prop_map(Step::Append),
        2 => any::<(usize, usize)>().prop_map(|(context, parent)| Step::AppendBelow(context, parent)),
        2 => any::<(usize, usize)>().prop_map(|(context, head)| Step::AppendExpecting(context, head)),
        2 => (any::<usize>(), 0..3_u8, 0..2_u8).prop_map(|(context, key, text)| {
            Step::AppendKeyed(context, key, text)
        }),
        1 => Just(Step::Restart),
    ]
}

#[derive(Default)]
struct Model {
    /// Parents by number less one; 0 is none.
    parents: Vec<u64>,
    /// Heads by number less one.
    heads: Vec<u64>,
    keys: BTreeMap<(usize, u8), (u8, u64)>,
}

impl Model {
    /// A turn and everything before it, oldest first.
    fn chain(&self, turn: u64) -> Vec<u64> {
        let mut chain = Vec::new();
        let mut at = turn;
        while at > 0 {
            chain.push(at);
            at = self.parents[at as usize - 1];
        }
        chain.reverse();
        chain
    }

    fn append(&mut self, context: usize, parent: u64) -> u64 {
        self.parents.push(parent);
        let turn = self.parents.len() as u64;
        self.heads[context] = turn;
        turn
    }

    fn check(&self, kit: &Kit) {
        let (snapshot, scope) = (kit.snapshot(), kit.scope);
        let all = &mut |_: &Turn| Visit::Continue;
        for (at, head) in self.heads.iter().enumerate() {
            let context = ContextId(at as u64 + 1);
            let chain = self.chain(*head);
            let (found, turns) = last(&*snapshot, &scope, context, usize::MAX, all).unwrap();
            let numbers: Vec<u64> = turns.iter().map(|turn| turn.id.0).collect();
            assert_eq!((found.head.0, &numbers), (*head, &chain));
            assert_eq!(found.head_depth as usize, chain.len().saturating_sub(1));
            for (depth, turn) in turns.iter().enumerate() {
                let parent = depth.checked_sub(1).map_or(0, |above| chain[above]);
                assert_eq!((turn.depth as usize, turn.parent.0), (depth, parent));
            }
            let Some(newest) = turns.last() else { continue };
            for depth in 0..=chain.len() {
                let found = ancestor_at(&*snapshot, &scope, *newest, depth as u32).unwrap();
                assert_eq!(found.map(|turn| turn.id.0), chain.get(depth).copied());
                let (_, two) = by_depth(&*snapshot, &scope, context, depth as u32, 2, all).unwrap();
                let expected: Vec<u64> = chain.iter().skip(depth).take(2).copied().collect();
                assert_eq!(two.iter().map(|turn| turn.id.0).collect::<Vec<_>>(), expected);
            }
            for turn in 1..=self.parents.len() as u64 {
                let page = before(&*snapshot, &scope, context, TurnId(turn), 3, all);
                match chain.iter().position(|other| *other == turn) {
                    Some(place) => {
                        let numbers: Vec<u64> = page.unwrap().1.iter().map(|turn| turn.id.0).collect();
                        assert_eq!(numbers, chain[place.saturating_sub(3)..place]);
                    }
                    None => assert!(matches!(page, Err(TurnsError::NotInContext { .. }))),
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn histories_are_those_of_the_model(steps in proptest::collection::vec(step(), 1..60)) {
        let mut kit = Kit::on_disk();
        let mut model = Model::default();
        for (number, step) in steps.into_iter().enumerate() {
            let text = format!("turn {number}");
            let context = |at: usize, model: &Model| (!model.heads.is_empty()).then(|| at % model.heads.len());
            match step {
                Step::Restart => kit.restart(),
                Step::Create => {
                    kit.create(None).unwrap();
                    model.heads.push(0);
                }
                Step::Fork(base) => {
                    let base = base as u64 % (model.parents.len() as u64 + 2);
                    let forked = kit.create(Some(TurnId(base)));
                    let is_there = (1..=model.parents.len() as u64).contains(&base);
                    prop_assert_eq!(forked.is_ok(), is_there);
                    if is_there {
                        model.heads.push(base);
                    }
                }
                Step::Append(at) => {
                    let Some(at) = context(at, &model) else { continue };
                    let turn = kit.say(ContextId(at as u64 + 1), &text);
                    let head = model.heads[at];
                    prop_assert_eq!(turn.id.0, model.append(at, head));
                }
                Step::AppendBelow(at, parent) => {
                    let Some(at) = context(at, &model) else { continue };
                    let parent = parent as u64 % (model.parents.len() as u64 + 1) + 1;
                    let request = Append { parent: Some(TurnId(parent)), ..request(ContextId(at as u64 + 1), &text) };
                    let appended = kit.append(request);
                    prop_assert_eq!(appended.is_ok(), parent <= model.parents.len() as u64);
                    if let Ok(appended) = appended {
                        prop_assert_eq!(appended.turn.id.0, model.append(at, parent));
                    }
                }
                Step::AppendExpecting(at, head) => {
                    let Some(at) = context(at, &model) else { continue };
                    let expected = head as u64 % (model.parents.len() as u64 + 1);
                    let request =
                        Append { expected_head: Some(TurnId(expected)), ..request(ContextId(at as u64 + 1), &text) };
                    let appended = kit.append(request);
                    let head = model.heads[at];
                    prop_assert_eq!(appended.is_ok(), expected == head);
                    if appended.is_ok() {
                        model.append(at, head);
                    }
                }
                Step::AppendKeyed(at, key, text) => {
                    let Some(at) = context(at, &model) else { continue };
                    let request = keyed(ContextId(at as u64 + 1), &text.to_string(), &key.to_string());
                    let appended = kit.append(request);
                    match model.keys.get(&(at, key)).copied() {
                        Some((same, turn)) if same == text => prop_assert_eq!(appended.unwrap().turn.id.0, turn),
                        Some(_) => prop_assert!(matches!(appended, Err(TurnsError::KeyReused(_)))),
                        None => {
                            let head = model.heads[at];
                            let turn = model.append(at, head);
                            prop_assert_eq!(appended.unwrap().turn.id.0, turn);
                            model.keys.insert((at, key), (text, turn));
                        }
                    }
                }
            }
        }
        model.check(&kit);
        kit.restart();
        model.check(&kit);
    }
}
