//! Contexts by their last activity.

use cairn_access::{Action, Principal, Resource, Role, Roles};
use cairn_base::{ContextId, ErrorCode, TenantId};
use cairn_engine::{Act, ActivityPage, Engine, EngineError, limits};
use cairn_seam::Blob;
use cairn_turns::query::{Filters, Query};
use cairn_turns::{Append, DeclaredType};

use crate::support::World;

const TENANT: TenantId = TenantId::LOCAL;

fn writing(tenant: TenantId) -> Act {
    Act::new(Action::TurnsWrite, Resource::tenant(tenant))
}

/// Makes contexts, each a millisecond after the one before.
fn create(engine: &Engine, principal: &Principal, count: u64, from_ms: u64) {
    let done = engine.transact(principal, writing(principal.tenant()), move |tx, scope| {
        for at in 0..count {
            cairn_turns::create(tx, scope, None, from_ms + at)?;
        }
        Ok(())
    });
    done.unwrap();
}

fn append(engine: &Engine, principal: &Principal, context: u64, now_ms: u64) {
    let payload = Blob::new(vec![0x80]).unwrap();
    let request = Append {
        context: ContextId(context),
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: "t".into(), version: 1 },
        encoding: 1,
        compression: 0,
        payload_bytes: 1,
        payload,
        tree: None,
        key: None,
        remember_ms: 0,
        now_ms,
        strict: false,
    };
    let done = engine.transact(principal, writing(principal.tenant()), move |tx, scope| {
        Ok(cairn_turns::append(tx, scope, &request)?)
    });
    done.unwrap();
}

fn page(engine: &Engine, principal: &Principal, limit: usize) -> Result<ActivityPage, EngineError> {
    let all = Query::from(Filters::default());
    engine.contexts_by_activity(principal, principal.tenant(), &all, None, limit)
}

fn ids(page: &ActivityPage) -> Vec<u64> {
    page.contexts.iter().map(|(context, _)| context.id.0).collect()
}

#[test]
fn the_order_is_the_same_after_opening_again() {
    let world = World::new();
    create(&world.engine, &world.owner, 4, 100);
    assert_eq!(ids(&page(&world.engine, &world.owner, 9).unwrap()), [4, 3, 2, 1]);
    for (context, at) in [(2, 200), (1, 300), (3, 250)] {
        append(&world.engine, &world.owner, context, at);
    }
    let expected = [1, 3, 2, 4];
    assert_eq!(ids(&page(&world.engine, &world.owner, 9).unwrap()), expected, "kept up by commits");
    assert_eq!(ids(&page(&world.reopen(), &world.owner, 9).unwrap()), expected, "built from what is stored");
    // A clock that was set back moves nothing back.
    append(&world.engine, &world.owner, 1, 50);
    assert_eq!(ids(&page(&world.engine, &world.owner, 9).unwrap()), expected);
}

#[test]
fn the_order_ends_at_its_bound_and_says_so() {
    let world = World::new();
    let max = limits::ACTIVITY_CONTEXTS_MAX;
    for step in 0..(max as u64 / 500) {
        create(&world.engine, &world.owner, 500, 1000 + step * 500);
    }
    let all = |engine: &Engine| page(engine, &world.owner, usize::MAX).unwrap();
    assert_eq!((all(&world.engine).contexts.len(), all(&world.engine).is_cut), (max, false), "at the limit");
    create(&world.engine, &world.owner, 1, 1_000_000);
    for engine in [&world.engine, &world.reopen()] {
        let found = all(engine);
        assert_eq!((found.contexts.len(), found.is_cut, found.next), (max, true, None));
        assert_eq!((ids(&found)[0], ids(&found)[max - 1]), (max as u64 + 1, 2), "the oldest is left out");
    }
    // It comes back as soon as it is active.
    append(&world.engine, &world.owner, 1, 2_000_000);
    let found = all(&world.engine);
    assert_eq!((ids(&found)[0], ids(&found)[max - 1]), (1, 3));
    let first = page(&world.engine, &world.owner, 2).unwrap();
    assert!(!first.is_cut && first.next.is_some(), "only the last page is cut");
}

#[test]
fn tenants_have_orders_of_their_own_and_only_readers_see_them() {
    let world = World::new();
    let own = |tenant, role| Principal::new("somebody", TenantId(tenant), Roles::NONE.with(role));
    let (writer, reader) = (own(7, Role::Writer), own(7, Role::Reader));
    create(&world.engine, &world.owner, 3, 100);
    create(&world.engine, &writer, 1, 100);
    assert_eq!(ids(&page(&world.engine, &reader, 9).unwrap()), [1]);
    assert_eq!(ids(&page(&world.engine, &world.owner, 9).unwrap()), [3, 2, 1]);
    let all = Query::from(Filters::default());
    let foreign = world.engine.contexts_by_activity(&reader, TENANT, &all, None, 9);
    assert_eq!(foreign.map_err(|error| error.code()).map(drop), Err(ErrorCode::NotFound));
    let nobody = Principal::new("nobody", TENANT, Roles::NONE);
    assert_eq!(
        page(&world.engine, &nobody, 9).map_err(|error| error.code()).map(drop),
        Err(ErrorCode::Forbidden)
    );
    // More tenants than are kept: who was dropped is built again, and right.
    append(&world.engine, &writer, 1, 500);
    for tenant in 100..100 + limits::ACTIVITY_TENANTS_MAX as u32 {
        assert_eq!(ids(&page(&world.engine, &own(tenant, Role::Reader), 9).unwrap()), [0; 0]);
    }
    append(&world.engine, &world.owner, 2, 500);
    assert_eq!(ids(&page(&world.engine, &world.owner, 9).unwrap()), [2, 3, 1]);
}
