//! Pages of contexts: by creation, by activity, and found by a query.

use cairn_access::Principal;
use cairn_base::{ContextId, Position, TenantId};
use cairn_turns::query::{Filters, Query, Search};

use super::acts::reading;
use crate::{ActivityCursor, ActivityPage, DescribedContext, Engine, EngineError, SessionInfo};

/// A list of contexts to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListContexts {
    /// The filters, all of which hold. Contexts that a client of the tag works on are found here.
    pub filters: Filters,
    /// The order, and where in it to begin.
    pub order: ContextOrder,
    /// Maximum number of contexts.
    pub limit: usize,
}

/// The order of a list of contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextOrder {
    /// The newest first: those made before a context.
    Created(Option<ContextId>),
    /// The most recently active first: those behind a cursor.
    Active(Option<ActivityCursor>),
}

/// A page of contexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextPage {
    /// The contexts.
    pub contexts: Vec<DescribedContext>,
    /// Where the next page begins; `None` on the last page.
    pub next: Option<ContextOrder>,
    /// Whether this is the last page by activity, and older contexts exist that the order does not hold.
    pub is_truncated: bool,
    /// Every client that is connected.
    pub sessions: Vec<SessionInfo>,
}

/// Contexts that a query found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundContexts {
    /// The contexts, the newest first.
    pub contexts: Vec<DescribedContext>,
    /// The number of contexts that fit, as far as was looked.
    pub count: usize,
    /// Whether contexts exist that were not looked at.
    pub is_truncated: bool,
    /// Where to search on; `None` if nothing more is to be found.
    pub next_before: Option<ContextId>,
}

impl Engine {
    /// Returns a page of contexts.
    pub fn list_contexts(
        &self,
        principal: &Principal,
        tenant: TenantId,
        list: ListContexts,
    ) -> Result<ContextPage, EngineError> {
        let ListContexts { mut filters, order, limit } = list;
        let presence = self.presence_in(tenant);
        if let Some(tag) = &filters.tag {
            filters.live = presence.tagged(tag);
        }
        let query = Query::from(filters);
        let (contexts, next, is_truncated) = match order {
            ContextOrder::Created(before) => {
                // No filter asks who works on a context.
                let search = Search {
                    query: &query,
                    before,
                    limit,
                    counts_all: false,
                    visits_max: cairn_turns::limits::SEARCH_VISITS_MAX,
                    is_live: &|_| false,
                };
                let found =
                    self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
                        Ok(cairn_turns::query::search(snapshot, scope, &search)?)
                    })?;
                let next = found.next_before.map(|before| ContextOrder::Created(Some(before)));
                (found.contexts, next, false)
            }
            ContextOrder::Active(after) => {
                let page = self.contexts_by_activity(principal, tenant, &query, after, limit)?;
                let ActivityPage { contexts, next, is_cut } = page;
                (contexts, next.map(|cursor| ContextOrder::Active(Some(cursor))), is_cut)
            }
        };
        let contexts = contexts.into_iter().map(|context| self.described(tenant, context)).collect();
        Ok(ContextPage { contexts, next, is_truncated, sessions: presence.sessions() })
    }

    /// Returns contexts that a query finds, the newest first: up to `limit` of them that were made before
    /// `before`, and how many there are.
    pub fn find_contexts(
        &self,
        principal: &Principal,
        tenant: TenantId,
        query: &Query,
        before: Option<ContextId>,
        limit: usize,
    ) -> Result<FoundContexts, EngineError> {
        let presence = self.presence_in(tenant);
        let search = Search {
            query,
            before,
            limit,
            counts_all: true,
            visits_max: cairn_turns::limits::SEARCH_VISITS_MAX,
            is_live: &|context| presence.live(context).is_some(),
        };
        let found = self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            Ok(cairn_turns::query::search(snapshot, scope, &search)?)
        })?;
        Ok(FoundContexts {
            contexts: found.contexts.into_iter().map(|context| self.described(tenant, context)).collect(),
            count: found.count,
            is_truncated: found.is_truncated,
            next_before: found.next_before,
        })
    }
}
