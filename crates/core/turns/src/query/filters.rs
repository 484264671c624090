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
    /// Contexts that a client of that tag works on now. They count as far as nothing that is stored says
    /// another tag.
    pub live: Vec<ContextId>,
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
        let tag = filters.tag.map(|tag| tagged(tag, &filters.live));
        let tests = contexts.chain(texts).chain(times).map(Expression::Test).chain(tag).collect();
        Query { expression: Expression::All(tests) }
    }
}

/// A tag that is stored, or else that of a client that works on the context.
fn tagged(tag: String, live: &[ContextId]) -> Expression {
    let stored = Expression::Test(Test::Text(Indexed::Tag, TextTest::AnyOf(vec![tag])));
    if live.is_empty() {
        return stored;
    }
    let any_stored = Expression::Test(Test::Text(Indexed::Tag, TextTest::Prefix(String::new())));
    let is_live = Expression::Test(Test::id(live.iter().map(|id| id.0).collect()));
    Expression::Any(vec![stored, Expression::All(vec![is_live, Expression::Not(Box::new(any_stored))])])
}
