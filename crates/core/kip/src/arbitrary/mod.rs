//! Well-formed commands, made at random, for tests.
//!
//! Whatever the parser can read may come out, parameters included, and nothing else: names are identifiers,
//! groups are not empty, what is written names one concept. Strings and keys may hold anything.

mod condition;
mod pattern;
mod upsert;
mod value;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::tree::{
    Aggregate, Column, Command, Delete, Deleted, Describe, ElementKind, Find, Function, Path, Search, Slot,
    SortKey, Text,
};
use crate::{Span, Spanned};

pub use condition::condition;
pub use pattern::group;
pub use upsert::upsert;
pub use value::{json, text};

/// Any command.
pub fn command() -> BoxedStrategy<Command> {
    prop_oneof![
        4 => find().prop_map(Command::Find),
        1 => (any::<bool>(), find()).prop_map(|(analyze, find)| Command::Explain { analyze, find }),
        3 => vec(upsert(), 1..3).prop_map(Command::Upsert),
        2 => delete().prop_map(Command::Delete),
        1 => describe().prop_map(Command::Describe),
        1 => search().prop_map(Command::Search),
    ]
    .boxed()
}

/// Any FIND.
pub fn find() -> BoxedStrategy<Find> {
    let key = (column(), any::<bool>()).prop_map(|(by, descending)| SortKey { by, descending });
    let cursor = option::weighted(0.2, string_slot());
    (vec(column(), 1..4), group(), vec(key, 0..3), limit(), cursor)
        .prop_map(|(columns, pattern, order_by, limit, cursor)| Find {
            columns,
            pattern,
            order_by,
            limit,
            cursor,
        })
        .boxed()
}

fn column() -> BoxedStrategy<Spanned<Column>> {
    let functions = [Function::Count, Function::Sum, Function::Avg, Function::Min, Function::Max];
    let function = proptest::sample::select(functions.to_vec());
    let aggregate = (function, any::<bool>(), path())
        .prop_map(|(function, distinct, path)| Column::Aggregate(Aggregate { function, distinct, path }));
    prop_oneof![3 => path().prop_map(Column::Path), 1 => aggregate].prop_map(at_no_place).boxed()
}

/// Any path.
pub fn path() -> BoxedStrategy<Path> {
    let plain = proptest::sample::select(vec!["id", "type", "name", "subject", "predicate", "object"]);
    let deep = (proptest::sample::select(vec!["attributes", "metadata"]), vec(identifier(), 0..3));
    let fields = prop_oneof![
        Just(Vec::new()),
        plain.prop_map(|field| vec![field.to_owned()]),
        deep.prop_map(|(field, mut inner)| {
            inner.insert(0, field.to_owned());
            inner
        }),
    ];
    (variable(), fields)
        .prop_map(|(variable, fields)| Path {
            variable,
            fields: fields.into_iter().map(at_no_place).collect(),
        })
        .boxed()
}

fn delete() -> BoxedStrategy<Delete> {
    let keys = || vec(text().prop_map(at_no_place), 1..3);
    let what = prop_oneof![
        keys().prop_map(Deleted::Attributes),
        keys().prop_map(Deleted::Metadata),
        Just(Deleted::Propositions),
        Just(Deleted::Concept),
    ];
    (what, variable(), group()).prop_map(|(what, target, pattern)| Delete { what, target, pattern }).boxed()
}

fn describe() -> BoxedStrategy<Describe> {
    let cursor = option::weighted(0.3, string_slot());
    prop_oneof![
        Just(Describe::Primer),
        Just(Describe::Domains),
        (element_kind(), limit(), cursor).prop_map(|(of, limit, cursor)| Describe::Types {
            of,
            limit,
            cursor
        }),
        (element_kind(), string_slot()).prop_map(|(of, name)| Describe::Type { of, name }),
    ]
    .boxed()
}

fn search() -> BoxedStrategy<Search> {
    (element_kind(), string_slot(), option::of(string_slot()), limit())
        .prop_map(|(of, term, kind, limit)| Search { of, term, kind, limit })
        .boxed()
}

fn element_kind() -> BoxedStrategy<ElementKind> {
    prop_oneof![Just(ElementKind::Concept), Just(ElementKind::Proposition)].boxed()
}

fn limit() -> BoxedStrategy<Option<Spanned<Slot<u64>>>> {
    option::weighted(0.4, count_slot()).boxed()
}

/// A count or a parameter.
pub fn count_slot() -> BoxedStrategy<Spanned<Slot<u64>>> {
    slot(prop_oneof![0..100u64, any::<u64>()]).boxed()
}

/// A string or a parameter.
pub fn string_slot() -> BoxedStrategy<Spanned<Slot<String>>> {
    slot(text()).boxed()
}

fn slot<T: std::fmt::Debug + Clone + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Spanned<Slot<T>>> {
    prop_oneof![4 => value.prop_map(Slot::Is), 1 => identifier().prop_map(Slot::Parameter)]
        .prop_map(at_no_place)
        .boxed()
}

/// A variable, of a few that come again.
pub fn variable() -> BoxedStrategy<Text> {
    prop_oneof![8 => "[a-e]", 1 => identifier()].prop_map(at_no_place).boxed()
}

/// An identifier; keywords too.
pub fn identifier() -> BoxedStrategy<String> {
    let words =
        ["WHERE", "null", "true", "id", "type", "SET", "WITH", "METADATA", "FILTER", "UPSERT", "ORDER"];
    prop_oneof![6 => "[a-zA-Z_][a-zA-Z0-9_]{0,8}", 1 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned)].boxed()
}

fn at_no_place<T>(node: T) -> Spanned<T> {
    Spanned::new(node, Span::default())
}
