//! UPSERT.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::pattern::{proposition, term};
use super::value::object;
use super::{at_no_place, count_slot, string_slot, variable};
use crate::Span;
use crate::tree::{
    Block, ConceptBlock, ConceptMatch, Link, Predicate, PropositionBlock, PropositionMatch, Upsert,
};

/// Any UPSERT.
pub fn upsert() -> BoxedStrategy<Upsert> {
    let block = prop_oneof![
        3 => concept_block().prop_map(Block::Concept),
        1 => proposition_block().prop_map(Block::Proposition),
    ];
    (vec(block.prop_map(at_no_place), 1..3), option::weighted(0.3, object()))
        .prop_map(|(blocks, metadata)| Upsert { blocks, metadata })
        .boxed()
}

fn concept_block() -> BoxedStrategy<ConceptBlock> {
    let handle = option::of(variable());
    let version = option::weighted(0.2, count_slot());
    let metadata = option::weighted(0.3, object());
    (handle, one_concept(), version, option::of(object()), vec(link(), 0..3), metadata)
        .prop_map(|(handle, matcher, expect_version, attributes, links, metadata)| ConceptBlock {
            handle,
            matcher,
            expect_version,
            attributes,
            links,
            metadata,
        })
        .boxed()
}

fn proposition_block() -> BoxedStrategy<PropositionBlock> {
    let handle = option::of(variable());
    let version = option::weighted(0.2, count_slot());
    (handle, one_link(), version, option::of(object()), option::weighted(0.3, object()))
        .prop_map(|(handle, matcher, expect_version, attributes, metadata)| PropositionBlock {
            handle,
            matcher,
            expect_version,
            attributes,
            metadata,
        })
        .boxed()
}

fn link() -> BoxedStrategy<Link> {
    (string_slot(), term(one_concept().boxed(), one_link().boxed()), option::weighted(0.2, object()))
        .prop_map(|(predicate, target, metadata)| Link { predicate, target, metadata, span: Span::default() })
        .boxed()
}

/// A matcher that names one concept.
fn one_concept() -> BoxedStrategy<ConceptMatch> {
    let matcher = |id, kind, name| ConceptMatch { id, kind, name, span: Span::default() };
    prop_oneof![
        1 => string_slot().prop_map(move |id| matcher(Some(id), None, None)),
        3 => (string_slot(), string_slot()).prop_map(move |(kind, name)| matcher(None, Some(kind), Some(name))),
    ].boxed()
}

/// A matcher that names one link.
fn one_link() -> BoxedStrategy<PropositionMatch> {
    let predicate = string_slot().prop_map(|name| Predicate::OneOf(vec![name]));
    proposition(predicate.boxed(), one_concept().boxed()).boxed()
}
