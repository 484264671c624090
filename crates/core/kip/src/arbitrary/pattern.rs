//! Groups of clauses, and what they match.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::{at_no_place, condition, string_slot, variable};
use crate::Span;
use crate::tree::{Clause, ConceptMatch, Group, Predicate, PropositionMatch, Term, Triple};

/// Clauses, some of them with groups inside.
pub fn group() -> BoxedStrategy<Group> {
    let simple = prop_oneof![
        3 => (variable(), concept()).prop_map(|(variable, matcher)| Clause::Concept { variable, matcher }),
        4 => (option::weighted(0.3, variable()), proposition(predicate().boxed(), concept().boxed()))
            .prop_map(|(variable, matcher)| Clause::Proposition { variable, matcher }),
        2 => condition().prop_map(Clause::Filter),
    ];
    let clause = simple.prop_recursive(2, 8, 3, |inner| {
        let nested = vec(inner.prop_map(at_no_place), 1..3).prop_map(|clauses| Group { clauses });
        (nested, 0..3u8).prop_map(|(group, kind)| match kind {
            0 => Clause::Optional(group),
            1 => Clause::Not(group),
            _ => Clause::Union(group),
        })
    });
    vec(clause.prop_map(at_no_place), 1..4).prop_map(|clauses| Group { clauses }).boxed()
}

/// Any concept matcher of a question.
fn concept() -> BoxedStrategy<ConceptMatch> {
    let some = || string_slot().prop_map(Some);
    prop_oneof![
        (some(), Just(None), Just(None)),
        (Just(None), some(), Just(None)),
        (Just(None), Just(None), some()),
        (Just(None), some(), some()),
    ]
    .prop_map(|(id, kind, name)| ConceptMatch { id, kind, name, span: Span::default() })
    .boxed()
}

/// Links, with ends that may be links themselves.
pub(super) fn proposition(
    predicate: BoxedStrategy<Predicate>,
    concept: BoxedStrategy<ConceptMatch>,
) -> BoxedStrategy<PropositionMatch> {
    let by_id = string_slot().prop_map(|id| PropositionMatch::Id { id, span: Span::default() });
    by_id
        .prop_recursive(2, 6, 2, move |inner| {
            let term = term(concept.clone(), inner.boxed()).boxed();
            (term.clone(), predicate.clone(), term).prop_map(|(subject, predicate, object)| {
                PropositionMatch::Triple(Box::new(Triple {
                    subject,
                    predicate,
                    object,
                    span: Span::default(),
                }))
            })
        })
        .boxed()
}

/// One end of a link.
pub(super) fn term(
    concept: BoxedStrategy<ConceptMatch>,
    proposition: BoxedStrategy<PropositionMatch>,
) -> BoxedStrategy<Term> {
    let name = || option::weighted(0.3, variable());
    prop_oneof![
        3 => variable().prop_map(Term::Variable),
        2 => (name(), concept).prop_map(|(variable, matcher)| Term::Concept { variable, matcher }),
        1 => (name(), proposition).prop_map(|(variable, matcher)| Term::Proposition { variable, matcher }),
    ]
    .boxed()
}

fn predicate() -> BoxedStrategy<Predicate> {
    let hops = (any::<u16>(), option::of(any::<u16>())).prop_map(|(one, other)| match other {
        Some(other) => (one.min(other), Some(one.max(other))),
        None => (one, None),
    });
    prop_oneof![
        4 => vec(string_slot(), 1..3).prop_map(Predicate::OneOf),
        1 => (string_slot(), hops).prop_map(|(name, (least, most))| Predicate::Path {
            name,
            least,
            most,
            span: Span::default()
        }),
        1 => variable().prop_map(Predicate::Variable),
    ]
    .boxed()
}
