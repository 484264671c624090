//! Reading single contexts: their heads, what is said of them, their forks.

use cairn_access::Principal;
use cairn_base::{ContextId, Position, TenantId};
use cairn_turns::{Context, ForkParent, Metadata, Turn, limits};

use super::acts::reading;
use crate::{Engine, EngineError, LiveIn};

/// A context with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedContext {
    /// The context.
    pub context: Context,
    /// What its first turn says.
    pub said: Metadata,
    /// The client that works on it now.
    pub live: Option<LiveIn>,
}

/// A context among those it was forked from and those forked from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextForks {
    /// The context.
    pub of: DescribedContext,
    /// What it was forked from, what that was forked from, and so on; at most
    /// [`limits::FORK_PARENTS_MAX`].
    pub parents: Vec<ForkParent>,
    /// Forks from turns that were appended to it, the newest first, each with the turn it starts at unless
    /// that is pruned.
    pub forks: Vec<(Context, Option<Turn>)>,
    /// Where the next page of forks begins; `None` on the last page.
    pub next_before: Option<ContextId>,
}

impl DescribedContext {
    /// The tag of the client: what the first turn says, or else what the client that works on it now says.
    pub fn client_tag(&self) -> Option<&str> {
        let live = || self.live.as_ref().map(|live| &*live.tag).filter(|tag| !tag.is_empty());
        self.said.client_tag.as_deref().or_else(live)
    }
}

impl Engine {
    /// Returns a context with its head.
    pub fn head(
        &self,
        principal: &Principal,
        tenant: TenantId,
        context: ContextId,
    ) -> Result<Context, EngineError> {
        self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            Ok(cairn_turns::head(snapshot, scope, context)?)
        })
    }

    /// Returns a context with everything that is known of it.
    pub fn context(
        &self,
        principal: &Principal,
        tenant: TenantId,
        context: ContextId,
    ) -> Result<DescribedContext, EngineError> {
        let (context, said) =
            self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
                let context = cairn_turns::head(snapshot, scope, context)?;
                Ok((context, cairn_turns::metadata(snapshot, scope, &[context.id])?.pop()))
            })?;
        Ok(self.described(tenant, (context, said.unwrap_or_default())))
    }

    /// Returns a context among its forks: up to `limit` of them that were made before `before`.
    pub fn context_forks(
        &self,
        principal: &Principal,
        tenant: TenantId,
        context: ContextId,
        before: Option<ContextId>,
        limit: usize,
    ) -> Result<ContextForks, EngineError> {
        self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            let context = cairn_turns::head(snapshot, scope, context)?;
            let said = cairn_turns::metadata(snapshot, scope, &[context.id])?.pop().unwrap_or_default();
            let parents = cairn_turns::parents(snapshot, scope, &context, limits::FORK_PARENTS_MAX)?;
            // One more than wanted says whether there is another page.
            let mut forks = cairn_turns::forks(snapshot, scope, context.id, before, limit + 1)?;
            let has_more = forks.len() > limit;
            forks.truncate(limit);
            let next_before = forks.last().filter(|_| has_more).map(|(fork, _)| fork.id);
            Ok(ContextForks { of: self.described(tenant, (context, said)), parents, forks, next_before })
        })
    }

    /// Fails with [`cairn_turns::TurnsError::NoContext`] unless a context exists, or may have existed and
    /// been pruned if that is good enough.
    pub fn expect_context(
        &self,
        principal: &Principal,
        tenant: TenantId,
        context: ContextId,
        may_be_pruned: bool,
    ) -> Result<(), EngineError> {
        self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            if !may_be_pruned || context > cairn_turns::last_numbers(snapshot, scope)?.0 {
                cairn_turns::head(snapshot, scope, context)?;
            }
            Ok(())
        })
    }

    /// Adds who works on a context now to what was read under a permit.
    pub(super) fn described(
        &self,
        tenant: TenantId,
        (context, said): (Context, Metadata),
    ) -> DescribedContext {
        DescribedContext { context, said, live: self.presence_in(tenant).live(context.id) }
    }
}
