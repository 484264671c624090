//! Making and forking contexts.

use cairn_access::Principal;
use cairn_base::{TenantId, TurnId};
use cairn_turns::Context;

use super::acts::writing;
use crate::{Committed, DescribedContext, Engine, Prepared};

impl Engine {
    /// Prepares a new context: an empty one, or a fork whose history is `base` and everything before it.
    pub fn create_context(
        &self,
        principal: &Principal,
        tenant: TenantId,
        base: Option<TurnId>,
    ) -> Prepared<Context> {
        let now_ms = self.clock().now_ms();
        Prepared::new(principal, writing(tenant), move |tx, scope| {
            Ok(cairn_turns::create(tx, scope, base, now_ms)?)
        })
    }

    /// The same with what the first turn of a fork says, read in the same transaction.
    pub fn create_described_context(
        &self,
        principal: &Principal,
        tenant: TenantId,
        base: Option<TurnId>,
    ) -> Prepared<DescribedContext> {
        let now_ms = self.clock().now_ms();
        let write = Prepared::new(principal, writing(tenant), move |tx, scope| {
            let context = cairn_turns::create(tx, scope, base, now_ms)?;
            Ok((context, cairn_turns::metadata(tx, scope, &[context.id])?.pop().unwrap_or_default()))
        });
        // Nobody can work on a context before it is there.
        write.map(|outcome| {
            let Committed { value: (context, said), position } = outcome?;
            Ok(Committed { value: DescribedContext { context, said, live: None }, position })
        })
    }
}
