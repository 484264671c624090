//! The audit trail.

use std::time::Duration;

use cairn_access::{Action, Principal, RefusalReason, Resource};
use cairn_base::{ErrorCode, TenantId};
use cairn_engine::{Act, AuditCursor, AuditOutcome, AuditPage, limits};

use crate::support::{NOW_MS, World, advance, every_role, name, register, start, stranger};

#[test]
fn administrative_acts_leave_a_line_and_others_do_not() {
    let world = World::new();
    world.clock.advance(Duration::from_millis(5));
    world.engine.consumer_register(&world.owner, &name("search"), start()).unwrap();
    world.engine.feed_advance(&world.owner, &name("search"), start()).unwrap();
    world.engine.consumers(&world.owner).unwrap();
    world.engine.consumer_remove(&world.owner, &name("search")).unwrap();
    let lines = world.trail(TenantId::NODE);
    let acts: Vec<_> =
        lines.iter().map(|line| (line.action, line.subject.as_str(), line.actor.as_str())).collect();
    assert_eq!(
        acts[1..],
        [
            (Action::ConsumerRegister, "search", "local-owner"),
            (Action::ConsumerRemove, "search", "local-owner")
        ]
    );
    assert_eq!((lines[1].at_ms, lines[1].outcome), (NOW_MS + 5, AuditOutcome::Done));
}

#[test]
fn a_refused_act_leaves_a_line_with_whoever_asked() {
    let world = World::new();
    let before = world.trail(TenantId::NODE);
    let _ = world.engine.transact(&stranger(), register().on("x"), |_, _| Ok(()));
    let _ = world.engine.consumers(&stranger());
    let lines = world.trail(TenantId(7));
    let [first, second] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(
        (first.actor.as_str(), first.action, first.subject.as_str()),
        ("eve", Action::ConsumerRegister, "x")
    );
    assert_eq!((first.resource, second.action), (Resource::NODE, Action::ConsumerRead));
    let refused = AuditOutcome::Refused { reason: RefusalReason::RoleMissing, unrecorded: 0 };
    assert_eq!((first.outcome, second.outcome), (refused, refused));
    assert_eq!(world.trail(TenantId::NODE), before, "nobody writes into another's trail");
}

#[test]
fn a_flood_of_refusals_leaves_a_bounded_number_of_lines() {
    let world = World::new();
    let most = limits::AUDIT_REFUSALS_MAX as usize;
    for _ in 0..most * 10 {
        let _ = world.engine.consumers(&stranger());
    }
    assert_eq!(world.trail(TenantId(7)).len(), most);
    world.clock.advance(limits::AUDIT_REFUSALS_EVERY);
    let _ = world.engine.consumers(&stranger());
    let lines = world.trail(TenantId(7));
    let AuditOutcome::Refused { unrecorded, .. } = lines[most].outcome else { panic!("{lines:?}") };
    assert_eq!((lines.len(), unrecorded as usize), (most + 1, most * 9));
    let metrics = world.engine.render_prometheus();
    assert!(metrics.contains(&format!("cairn_audit_refusals_unrecorded_total {}", most * 9)), "{metrics}");
}

#[test]
fn lines_keep_the_order_of_commits_also_when_the_clock_is_set_back() {
    let world = World::new();
    let store = std::sync::Arc::clone(&world.store) as std::sync::Arc<dyn cairn_seam::Store>;
    // The same store opened by a machine whose clock is an hour behind.
    let behind = cairn_base::ManualClock::new(NOW_MS - 3_600_000);
    let other = crate::support::open(store, &behind).unwrap();
    for consumer in ["a", "b"] {
        other.consumer_register(&world.owner, &name(consumer), start()).unwrap();
    }
    world.engine.consumer_register(&world.owner, &name("c"), start()).unwrap();
    let lines = world.trail(TenantId::NODE);
    let seen: Vec<_> = lines.iter().skip(1).map(|line| (line.subject.as_str(), line.at_ms)).collect();
    assert_eq!(seen, [("a", NOW_MS - 3_600_000), ("b", NOW_MS - 3_600_000), ("c", NOW_MS)]);
}

#[test]
fn pages_neither_repeat_nor_skip_and_end() {
    let world = World::new();
    for index in 0..20 {
        world.clock.advance(Duration::from_millis(index % 2));
        world.engine.transact(&world.owner, register().on(index.to_string()), |_, _| Ok(())).unwrap();
    }
    // Twenty-one lines in pages of seven: the last page is full and says that it is the last.
    let subjects: Vec<_> = world.trail(TenantId::NODE).into_iter().skip(1).map(|line| line.subject).collect();
    assert_eq!(subjects, (0..20).map(|index| index.to_string()).collect::<Vec<_>>());
    let page = world.engine.audit_page(&world.owner, TenantId::NODE, None, 0).unwrap();
    assert_eq!((page.lines.len(), page.next.is_some()), (1, true));
    let page = world.engine.audit_page(&world.owner, TenantId::NODE, None, usize::MAX).unwrap();
    assert_eq!((page.lines.len(), page.next), (21, None));
}

#[test]
fn the_newest_lines_are_the_last_ones_and_what_comes_is_after_them() {
    let world = World::new();
    let act = |subject: &str| {
        world.clock.advance(Duration::from_millis(10));
        world.engine.transact(&world.owner, register().on(subject), |_, _| Ok(())).unwrap();
    };
    ["a", "b", "c"].into_iter().for_each(act);
    let subjects =
        |page: &AuditPage| -> Vec<String> { page.lines.iter().map(|line| line.subject.clone()).collect() };
    let newest =
        |after, limit| world.engine.audit_newest(&world.owner, TenantId::NODE, after, limit).unwrap();
    let two = newest(None, 2);
    assert_eq!((subjects(&two), two.next), (vec!["b".into(), "c".into()], None));
    let after = |after| world.engine.audit_page(&world.owner, TenantId::NODE, after, 10).unwrap();
    let nothing = after(two.last);
    assert_eq!((nothing.lines.len(), nothing.last), (0, two.last), "the place stays while nothing comes");
    act("d");
    assert_eq!(subjects(&after(two.last)), ["d"]);
    // From the millisecond of `b` on, that included.
    let since = AuditCursor::before(NOW_MS + 20);
    assert_eq!(subjects(&after(since)), ["b", "c", "d"]);
    assert_eq!(subjects(&after(AuditCursor::before(NOW_MS + 21))), ["c", "d"]);
    assert_eq!(subjects(&newest(since, 100)), ["b", "c", "d"], "not before the cursor");
}

#[test]
fn a_trail_is_for_administrators_of_its_tenant() {
    let world = World::new();
    let neighbour = Principal::new("bob", TenantId(8), every_role());
    let page = |tenant| world.engine.audit_page(&neighbour, TenantId(tenant), None, 10);
    assert!(page(8).is_ok());
    assert_eq!(page(7).unwrap_err().code(), ErrorCode::NotFound);
}

#[test]
fn long_subjects_are_cut_between_characters() {
    let world = World::new();
    let long = format!("x{}", "ä".repeat(limits::AUDIT_NAME_BYTES_MAX));
    let act = Act::new(Action::ConsumerRemove, Resource::NODE).on(long);
    world.engine.transact(&world.owner, act, |_, _| Ok(())).unwrap();
    world.engine.transact(&world.owner, advance().on("y"), |_, _| Ok(())).unwrap();
    let subject = world.trail(TenantId::NODE).pop().unwrap().subject;
    assert_eq!(subject.len(), limits::AUDIT_NAME_BYTES_MAX - 1);
}
