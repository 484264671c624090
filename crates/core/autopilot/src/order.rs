//! The order of candidates: by confidence, and among equals the targets of relationships first.

use std::cmp::Reverse;
use std::collections::HashMap;

use cairn_kb::tools::UpsertInput;

use crate::candidate::Draft;

type Chosen = (Draft, Vec<UpsertInput>);

/// Orders candidates by confidence; among equals, targets of relationships come first, then what `is_first` says of
/// their paths, then the paths.
pub(crate) fn in_order(mut chosen: Vec<Chosen>, is_first: &dyn Fn(&str) -> bool) -> Vec<Chosen> {
    chosen.sort_by(|(one, _), (other, _)| {
        let key =
            |draft: &Draft| (Reverse(draft.confidence), draft.evidence.first().and_then(|first| first.line));
        let (one_key, other_key) = (key(one), key(other));
        one_key
            .0
            .cmp(&other_key.0)
            .then_with(|| is_first(&other.path).cmp(&is_first(&one.path)))
            .then_with(|| one.path.cmp(&other.path))
            .then_with(|| one_key.1.cmp(&other_key.1))
            .then_with(|| one.id.cmp(&other.id))
    });
    let places: HashMap<String, usize> =
        chosen.iter().enumerate().map(|(at, (draft, _))| (draft.entity_id.clone(), at)).collect();
    let targets: Vec<Vec<usize>> = chosen
        .iter()
        .map(|(draft, payloads)| {
            let links = payloads.iter().flat_map(|payload| &payload.relationships);
            let places = links.filter_map(|link| places.get(&link.to).copied());
            let is_equal = |at: &usize| chosen[*at].0.confidence == draft.confidence;
            places.filter(is_equal).collect()
        })
        .collect();
    let mut order = Vec::with_capacity(chosen.len());
    let mut state = vec![State::New; chosen.len()];
    for start in 0..chosen.len() {
        visit(start, &targets, &mut state, &mut order);
    }
    let mut slots: Vec<Option<Chosen>> = chosen.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| slots.get_mut(at).and_then(Option::take)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Puts a candidate behind its targets. A circle is cut where it closes.
fn visit(start: usize, targets: &[Vec<usize>], state: &mut [State], order: &mut Vec<usize>) {
    let mut stack = vec![start];
    while let Some(at) = stack.last().copied() {
        match state[at] {
            State::New => {
                state[at] = State::Open;
                let next = targets[at].iter().rev().copied().filter(|to| state[*to] == State::New);
                let next: Vec<usize> = next.collect();
                stack.extend(next);
            }
            State::Open => {
                state[at] = State::Done;
                order.push(at);
                stack.pop();
            }
            State::Done => {
                stack.pop();
            }
        }
    }
}
