//! Who is connected, and what they work on.

use std::time::Duration;

use cairn_access::Principal;
use cairn_base::{ContextId, ErrorCode, TenantId};
use cairn_engine::{LiveIn, Received, SessionHandle, SessionId, SessionNews, limits};

use crate::support::{NOW_MS, World, every_role, stranger};

const TENANT: TenantId = TenantId::LOCAL;

impl World {
    fn open(&self, tag: &str) -> SessionHandle {
        let session = self.engine.open_session(TENANT, None);
        session.hello(tag).unwrap();
        session
    }

    fn live(&self, context: u64) -> Option<(u64, String)> {
        let presence = self.engine.presence(&self.owner, TENANT).unwrap();
        let LiveIn { session, tag, .. } = presence.live(ContextId(context))?;
        Some((session.0, tag.to_string()))
    }

    fn tags(&self) -> Vec<String> {
        let sessions = self.engine.presence(&self.owner, TENANT).unwrap().sessions();
        sessions.iter().map(|session| session.tag.to_string()).collect()
    }
}

#[test]
fn a_session_is_known_as_long_as_its_handle_is_held() {
    let world = World::new();
    let first = world.engine.open_session(TENANT, Some("127.0.0.1:4711".into()));
    let second = world.engine.open_session(TENANT, None);
    assert_eq!((first.id(), second.id()), (SessionId(1), SessionId(2)));
    first.hello("writer").unwrap();
    first.works_on(ContextId(1));
    first.works_on(ContextId(2));
    first.works_on(ContextId(1));
    world.clock.advance(Duration::from_millis(5));
    first.touch();

    let sessions = world.engine.presence(&world.owner, TENANT).unwrap().sessions();
    let seen = &sessions[0];
    assert_eq!((seen.id, &*seen.tag, seen.peer.as_deref()), (SessionId(1), "writer", Some("127.0.0.1:4711")));
    assert_eq!((seen.connected_at_ms, seen.active_at_ms, seen.contexts), (NOW_MS, NOW_MS + 5, 2));
    let seen = &sessions[1];
    assert_eq!((seen.id, &*seen.tag, seen.active_at_ms, seen.contexts), (SessionId(2), "", NOW_MS, 0));

    drop(first);
    assert_eq!(world.tags(), [""]);
    assert_eq!((world.live(1), world.live(2)), (None, None));
    assert_eq!(world.engine.open_session(TENANT, None).id(), SessionId(3), "numbers are not used again");
}

#[test]
fn a_panic_closes_it_too() {
    let world = World::new();
    let session = world.open("fragile");
    let connection = std::thread::spawn(move || {
        session.works_on(ContextId(1));
        panic!("a bug in a connection");
    });
    assert!(connection.join().is_err());
    assert_eq!((world.tags().len(), world.live(1)), (0, None));
}

#[test]
fn the_first_tag_counts_and_too_long_ones_are_refused() {
    let world = World::new();
    let listener = world.engine.subscribe(&world.owner, TENANT).unwrap();
    let session = world.engine.open_session(TENANT, None);
    let error = session.hello(&"x".repeat(limits::CLIENT_TAG_BYTES_MAX + 1)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidRequest);
    assert_eq!(listener.try_recv(), None);
    let longest = "x".repeat(limits::CLIENT_TAG_BYTES_MAX);
    session.hello(&longest).unwrap();
    session.hello("another").unwrap();
    assert_eq!(world.tags(), [longest]);
    assert!(matches!(listener.try_recv(), Some(Received::Session(_))));
    assert_eq!(listener.try_recv(), None, "it is announced once");
}

#[test]
fn who_said_hello_is_announced_and_so_is_the_end() {
    let world = World::new();
    let listener = world.engine.subscribe(&world.owner, TENANT).unwrap();
    let silent = world.engine.open_session(TENANT, None);
    silent.works_on(ContextId(9));
    let session = world.open("agent");
    session.works_on(ContextId(12));
    session.works_on(ContextId(3));
    drop((silent, session));
    let heard = std::iter::from_fn(|| listener.try_recv()).map(|received| {
        let Received::Session(event) = received else { panic!("{received:?}") };
        (event.news, event.session.0, event.tag.to_string(), event.contexts.clone())
    });
    let agent = |news, contexts: &[u64]| {
        (news, 2, "agent".to_owned(), contexts.iter().copied().map(ContextId).collect::<Vec<_>>())
    };
    assert_eq!(
        heard.collect::<Vec<_>>(),
        [agent(SessionNews::Connected, &[]), agent(SessionNews::Disconnected, &[3, 12])]
    );
}

#[test]
fn live_follows_whoever_appends() {
    let world = World::new();
    let maker = world.open("maker");
    maker.works_on(ContextId(1));
    assert_eq!(world.live(1), Some((1, "maker".into())));
    let writer = world.open("writer");
    writer.works_on(ContextId(1));
    assert_eq!(world.live(1), Some((2, "writer".into())));
    // Also when it never worked on anything else in between.
    maker.works_on(ContextId(1));
    assert_eq!(world.live(1), Some((1, "maker".into())));
    drop(maker);
    assert_eq!(world.live(1), Some((2, "writer".into())), "the other one is still there");
    drop(writer);
    assert_eq!(world.live(1), None);
}

#[test]
fn the_end_of_one_that_was_not_the_latest_changes_nothing() {
    let world = World::new();
    let [first, second, third] = ["first", "second", "third"].map(|tag| world.open(tag));
    for session in [&first, &second, &third, &first] {
        session.works_on(ContextId(1));
    }
    drop(second);
    assert_eq!(world.live(1), Some((1, "first".into())));
    drop(first);
    assert_eq!(world.live(1), Some((3, "third".into())));
}

#[test]
fn so_many_contexts_are_remembered_those_worked_on_last() {
    let world = World::new();
    let session = world.open("busy");
    let max = limits::SESSION_CONTEXTS_MAX as u64;
    for context in 1..=max {
        session.works_on(ContextId(context));
    }
    assert!(world.live(1).is_some());
    session.works_on(ContextId(1));
    session.works_on(ContextId(max + 1));
    assert_eq!(world.live(2), None, "2 is the one it worked on least recently");
    assert!(world.live(1).is_some() && world.live(max + 1).is_some());
    let count = || world.engine.presence(&world.owner, TENANT).unwrap().sessions()[0].contexts;
    assert_eq!(count(), limits::SESSION_CONTEXTS_MAX);
    session.works_on(ContextId(2));
    assert_eq!((world.live(2).is_some(), world.live(3), count()), (true, None, limits::SESSION_CONTEXTS_MAX));
    drop(session);
    assert!((1..=max + 1).all(|context| world.live(context).is_none()));
}

/// What a tenant sees of three clients that come and go while `others` clients of another tenant do.
fn seen_beside(others: usize) -> Vec<String> {
    let world = World::new();
    let mut seen = Vec::new();
    let (mut held, mut stayed) = (Vec::new(), None);
    for tag in ["first", "second", "third"] {
        for _ in 0..others {
            let other = world.engine.open_session(TenantId(7), None);
            other.hello("other").unwrap();
            other.works_on(ContextId(1));
            held.push(other);
        }
        let session = world.open(tag);
        session.works_on(ContextId(1));
        seen.push(format!("{}: {:?}, {:?}", session.id(), world.tags(), world.live(1)));
        // Half of the others go, of which some have the number of this one.
        held.truncate(held.len() / 2);
        seen.push(format!("{}: {:?}, {:?}", session.id(), world.tags(), world.live(1)));
        // The second one stays.
        stayed = stayed.or((tag == "second").then_some(session));
    }
    seen
}

#[test]
fn numbers_and_answers_are_the_same_however_many_clients_others_have() {
    let alone = seen_beside(0);
    assert_eq!(alone[0], r#"1: ["first"], Some((1, "first"))"#);
    assert_eq!(alone[5], r#"3: ["second", "third"], Some((3, "third"))"#);
    for others in 1..4 {
        assert_eq!(seen_beside(others), alone, "beside {others}");
    }
}

#[test]
fn tenants_do_not_see_each_other() {
    let world = World::new();
    let session = world.engine.open_session(TenantId(7), None);
    session.works_on(ContextId(1));
    assert_eq!((world.tags().len(), world.live(1)), (0, None));
    let own = world.open("own");
    own.works_on(ContextId(1));
    assert_eq!((own.id(), session.id()), (SessionId(1), SessionId(1)), "each tenant counts for itself");
    let eve = Principal::new("eve", TenantId(7), every_role());
    let presence = world.engine.presence(&eve, TenantId(7)).unwrap();
    assert_eq!(presence.live(ContextId(1)).map(|live| live.tag.to_string()), Some(String::new()));
    drop(session);
    assert_eq!((world.tags(), world.live(1)), (vec!["own".to_owned()], Some((1, "own".into()))));
    assert_eq!((presence.sessions(), presence.live(ContextId(1))), (vec![], None));
    let error = world.engine.presence(&stranger(), TENANT).map(drop).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
}

#[test]
fn many_at_once_leave_nothing_behind() {
    let world = World::new();
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let world = &world;
            scope.spawn(move || {
                for round in 0..200_u64 {
                    let session = world.open("swarm");
                    for context in 0..20 {
                        session.works_on(ContextId((thread + round + context) % 13));
                    }
                }
            });
        }
    });
    assert_eq!(world.tags().len(), 0);
    assert!((0..13).all(|context| world.live(context).is_none()));
}
