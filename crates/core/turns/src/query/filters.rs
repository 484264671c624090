//! What a list of contexts can be narrowed down to.

use cairn_base::ContextId;

use super::Query;
use super::expression::{Compare, Expression, Test, TextTest};
use crate::metadata::Indexed;

/// Contexts of which all of these hold; what is `None` may be anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// What the writer calls itself.
    pub tag: Option<String>,
    /// One of the labels.
    pub label: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The person it was written for.
    pub user: Option<String>,
    /// The service that wrote it.
    pub service: Option<String>,
    /// The machine on which it was written.
    pub host: Option<String>,
    /// The trace it belongs to.
    pub trace_id: Option<String>,
    /// The context that spawned it.
    pub parent: Option<ContextId>,
    /// The context at the start of everything that was spawned.
    pub root: Option<ContextId>,
    /// It was made after this time, in Unix milliseconds.
    pub created_after_ms: Option<i64>,
    /// It was made before this time, in Unix milliseconds.
    pub created_before_ms: Option<i64>,
}

impl From<Filters> for Query {
    fn from(filters: Filters) -> Self {
        let texts = [
            (Indexed::TraceId, filters.trace_id),
            (Indexed::Title, filters.title),
            (Indexed::User, filters.user),
            (Indexed::Label, filters.label),
            (Indexed::Tag, filters.tag),
            (Indexed::Service, filters.service),
            (Indexed::Host, filters.host),
        ];
        let contexts = [(Indexed::Parent, filters.parent), (Indexed::Root, filters.root)];
        let times =
            [(Compare::Greater, filters.created_after_ms), (Compare::Less, filters.created_before_ms)];
        let texts = texts
            .into_iter()
            .filter_map(|(field, text)| text.map(|text| Test::Text(field, TextTest::AnyOf(vec![text]))));
        let contexts =
            contexts.into_iter().filter_map(|(field, id)| id.map(|id| Test::Context(field, vec![id.0])));
        let times = times.into_iter().filter_map(|(compare, ms)| ms.map(|ms| Test::Created(compare, ms)));
        let tests = contexts.chain(texts).chain(times).map(Expression::Test).collect();
        Query { expression: Expression::All(tests) }
    }
}
