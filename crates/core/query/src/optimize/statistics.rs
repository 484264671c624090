//! Pass: COUNT is looked up where the graph counts the same thing, and counts it exactly: all concepts of a type,
//! and all links of a predicate, their different subjects and objects, or those with an end of a type.

use cairn_graph::Statistic;

use crate::cell::Place;
use crate::plan::{Access, Block, ElementStep, LinkStep, Slot, Stage, Step, Test, Work};

/// What says how many rows there are with something in a place, or how many different things.
pub(crate) fn counted(root: &Block, slot: Slot, is_distinct: bool) -> Option<Statistic> {
    let [Stage::Step(Step { work, .. })] = &root.stages[..] else { return None };
    match work {
        Work::Elements(ElementStep { slot: own, tests, filters, .. }) => match &tests[..] {
            [Test::Type(kind)] if *own == slot && filters.is_empty() => Some(Statistic::Type(*kind)),
            _ => None,
        },
        Work::Links(step) => of_links(step, slot, is_distinct),
        Work::Check { .. } | Work::Path(_) | Work::Filter(_) => None,
    }
}

fn of_links(step: &LinkStep, slot: Slot, is_distinct: bool) -> Option<Statistic> {
    let LinkStep { access: Access::Scan, predicates: Some(predicates), puts, agrees, tests, .. } = step
    else {
        return None;
    };
    let [predicate] = predicates[..] else { return None };
    if !agrees.is_empty() {
        return None;
    }
    let place = puts.iter().find(|(_, own)| *own == slot).map(|(place, _)| *place)?;
    let is_by_link = !is_distinct || place == Place::Link;
    match (&tests[..], place) {
        ([], _) if is_by_link => Some(Statistic::Predicate(predicate)),
        ([(Place::Subject, Test::Type(kind))], _) if is_by_link => {
            Some(Statistic::SubjectType(*kind, predicate))
        }
        ([(Place::Object, Test::Type(kind))], _) if is_by_link => {
            Some(Statistic::ObjectType(predicate, *kind))
        }
        ([], Place::Subject) => Some(Statistic::Subjects(predicate)),
        ([], Place::Object) => Some(Statistic::Objects(predicate)),
        _ => None,
    }
}
