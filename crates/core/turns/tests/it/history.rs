//! Appending and reading back.

use cairn_base::{ContextId, ErrorCode, TurnId};
use cairn_seam::Visit;
use cairn_turns::{
    Append, DeclaredType, IdempotencyKey, TurnsError, before, by_depth, contexts, last, limits,
};

use crate::kit::{Kit, keyed, request, scope};

fn ids(turns: &[cairn_turns::Turn]) -> Vec<u64> {
    turns.iter().map(|turn| turn.id.0).collect()
}

#[test]
fn the_first_turn_has_depth_zero_and_the_head_follows() {
    let kit = Kit::new();
    let context = kit.create(None).unwrap();
    assert_eq!((context.id, context.head, context.head_depth), (ContextId(1), TurnId::NONE, 0));
    let first = kit.say(context.id, "hello");
    assert_eq!((first.id, first.parent, first.depth), (TurnId(1), TurnId::NONE, 0));
    let second = kit.say(context.id, "world");
    assert_eq!((second.id, second.parent, second.depth), (TurnId(2), TurnId(1), 1));
    let head = kit.head(context.id);
    assert_eq!((head.head, head.head_depth, head.created_at_ms, head.active_at_ms), (TurnId(2), 1, 5, 7));
    let name = cairn_turns::type_name(&*kit.snapshot(), &kit.scope, second.type_number).unwrap();
    assert_eq!((name.as_str(), second.type_version), ("test.Said", 1));
}

#[test]
fn windows_keep_the_newest_and_know_their_context() {
    let kit = Kit::new();
    let context = kit.create(None).unwrap().id;
    kit.say_all(context, 10);
    let (snapshot, scope) = (kit.snapshot(), kit.scope);
    let all = &mut |_: &cairn_turns::Turn| Visit::Continue;
    assert_eq!(ids(&last(&*snapshot, &scope, context, 3, all).unwrap().1), [8, 9, 10]);
    assert_eq!(ids(&last(&*snapshot, &scope, context, 0, all).unwrap().1), [0_u64; 0]);
    assert_eq!(ids(&last(&*snapshot, &scope, context, 99, all).unwrap().1).len(), 10);
    let mut room = 2;
    let two = last(&*snapshot, &scope, context, 9, &mut |_| {
        room -= 1;
        if room < 0 { Visit::Stop } else { Visit::Continue }
    });
    assert_eq!(ids(&two.unwrap().1), [9, 10]);
    assert_eq!(ids(&before(&*snapshot, &scope, context, TurnId(5), 2, all).unwrap().1), [3, 4]);
    assert_eq!(ids(&before(&*snapshot, &scope, context, TurnId(1), 2, all).unwrap().1), [0_u64; 0]);
    assert_eq!(ids(&by_depth(&*snapshot, &scope, context, 4, 3, all).unwrap().1), [5, 6, 7]);
    assert_eq!(ids(&by_depth(&*snapshot, &scope, context, 8, 99, all).unwrap().1), [9, 10]);
    assert_eq!(ids(&by_depth(&*snapshot, &scope, context, 10, 99, all).unwrap().1), [0_u64; 0]);
    assert_eq!(ids(&by_depth(&*snapshot, &scope, context, 0, 0, all).unwrap().1), [0_u64; 0]);
}

#[test]
fn a_fork_shares_history_and_goes_its_own_way() {
    let kit = Kit::new();
    let one = kit.create(None).unwrap().id;
    kit.say_all(one, 5);
    let two = kit.create(Some(TurnId(3))).unwrap();
    assert_eq!((two.head, two.head_depth, two.base), (TurnId(3), 2, TurnId(3)));
    let forked = kit.say(two.id, "elsewhere");
    assert_eq!((forked.id, forked.parent, forked.depth), (TurnId(6), TurnId(3), 3));
    let (snapshot, scope) = (kit.snapshot(), kit.scope);
    let all = &mut |_: &cairn_turns::Turn| Visit::Continue;
    assert_eq!(ids(&last(&*snapshot, &scope, two.id, 9, all).unwrap().1), [1, 2, 3, 6]);
    assert_eq!(ids(&last(&*snapshot, &scope, one, 2, all).unwrap().1), [4, 5]);
    let outside = before(&*snapshot, &scope, two.id, TurnId(4), 9, all).unwrap_err();
    assert!(matches!(outside, TurnsError::NotInContext { .. }), "{outside}");
    assert_eq!(outside.code(), ErrorCode::NotFound);
    let listed: Vec<u64> =
        contexts(&*snapshot, &scope, None, 9).unwrap().iter().map(|context| context.id.0).collect();
    assert_eq!(listed, [2, 1]);
    assert_eq!(contexts(&*snapshot, &scope, Some(two.id), 9).unwrap()[0].id, one);
}

#[test]
fn what_does_not_exist_is_not_found_and_changes_nothing() {
    let kit = Kit::new();
    let context = kit.create(None).unwrap().id;
    kit.say(context, "hello");
    let with_parent = |id, parent| Append { parent: Some(TurnId(parent)), ..request(ContextId(id), "x") };
    for (request, expected) in [
        (request(ContextId(9), "x"), "there is no context 9"),
        (with_parent(9, 1), "there is no context 9"),
        (with_parent(1, 7), "there is no turn 7"),
    ] {
        let error = kit.append(request).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.code()), (expected, ErrorCode::NotFound));
    }
    assert_eq!(kit.create(Some(TurnId(7))).unwrap_err().to_string(), "there is no turn 7");
    assert_eq!(kit.say(context, "next").id, TurnId(2), "no number was lost");
    assert_eq!(kit.create(None).unwrap().id, ContextId(2));
}

#[test]
fn an_expected_head_must_be_the_head() {
    let kit = Kit::new();
    let context = kit.create(None).unwrap().id;
    let expecting = |head| Append { expected_head: Some(TurnId(head)), ..request(context, "x") };
    kit.append(expecting(0)).unwrap();
    let error = kit.append(expecting(0)).unwrap_err();
    assert_eq!(error.to_string(), "the head of context 1 is turn 1, not 0");
    assert_eq!(error.code(), ErrorCode::Conflict);
    kit.append(expecting(1)).unwrap();
}

#[test]
fn a_key_makes_one_turn_and_is_forgotten_in_time() {
    let kit = Kit::new();
    let context = kit.create(None).unwrap().id;
    let first = kit.append(keyed(context, "x", "k")).unwrap();
    let again = kit.append(keyed(context, "x", "k")).unwrap();
    assert_eq!((again.turn, first.is_repeated, again.is_repeated), (first.turn, false, true));
    let other = kit.append(keyed(context, "y", "k")).unwrap_err();
    assert!(matches!(other, TurnsError::KeyReused(TurnId(1))) && other.code() == ErrorCode::Conflict);
    for changed in [
        Append { parent: Some(TurnId(1)), ..keyed(context, "x", "k") },
        Append { encoding: 2, ..keyed(context, "x", "k") },
        Append { declared: DeclaredType { id: "test.Said".into(), version: 2 }, ..keyed(context, "x", "k") },
        Append { declared: DeclaredType { id: "test.Sai".into(), version: 1 }, ..keyed(context, "x", "k") },
    ] {
        assert!(matches!(kit.append(changed), Err(TurnsError::KeyReused(_))));
    }
    let elsewhere = kit.create(None).unwrap().id;
    assert!(!kit.append(keyed(elsewhere, "x", "k")).unwrap().is_repeated, "keys are the context's");
    kit.clock.advance(std::time::Duration::from_millis(1_000));
    assert!(!kit.append(keyed(context, "y", "k")).unwrap().is_repeated);
}

#[test]
fn names_are_limited_at_their_limit() {
    let kit = Kit::new();
    let context = kit.create(None).unwrap().id;
    let typed = |bytes| Append {
        declared: DeclaredType { id: "t".repeat(bytes), version: 0 },
        ..request(context, "x")
    };
    kit.append(typed(limits::TYPE_ID_BYTES_MAX)).unwrap();
    kit.append(typed(0)).unwrap();
    let error = kit.append(typed(limits::TYPE_ID_BYTES_MAX + 1)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidRequest);
    let longest = vec![0; limits::IDEMPOTENCY_KEY_BYTES_MAX];
    assert!(IdempotencyKey::parse(&longest).unwrap().is_some());
    assert!(IdempotencyKey::parse(&[&longest[..], &[0]].concat()).is_err());
    assert_eq!(IdempotencyKey::parse(b"").unwrap(), None);
}

#[test]
fn tenants_number_their_own_and_see_no_others() {
    let mut kit = Kit::new();
    let context = kit.create(None).unwrap().id;
    kit.say(context, "mine");
    kit.scope = scope(cairn_base::TenantId(9));
    let error = kit.append(request(context, "x")).unwrap_err();
    assert!(matches!(error, TurnsError::NoContext(_)));
    assert_eq!(kit.create(None).unwrap().id, ContextId(1));
    assert_eq!(kit.say(ContextId(1), "theirs").id, TurnId(1));
}
