//! Whoever is connected is seen, and whoever is gone is not, however the connection ended.

use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles};
use cairn_base::{ContextId, SystemClock, TenantId};
use cairn_binary::BinaryConfig;
use cairn_engine::{NewToken, Received, SessionEvent, SessionInfo, SessionNews, Subscription, limits};
use cairn_gate::{Authentication, GateConfig};

use crate::wire::*;

const TENANT: TenantId = TenantId::LOCAL;
const LONG: Duration = Duration::from_secs(300);

impl Server {
    fn listen(&self) -> Subscription {
        self.engine.subscribe(&Principal::local_owner(), TENANT).unwrap()
    }

    fn sessions(&self) -> Vec<SessionInfo> {
        self.engine.presence(&Principal::local_owner(), TENANT).unwrap().sessions()
    }

    fn live(&self, context: u64) -> Option<u64> {
        let presence = self.engine.presence(&Principal::local_owner(), TENANT).unwrap();
        presence.live(ContextId(context)).map(|live| live.session.0)
    }

    /// Waits until nobody is connected.
    fn wait_empty(&self) {
        let until = Instant::now() + LONG;
        while !self.sessions().is_empty() {
            assert!(Instant::now() < until, "{:?}", self.sessions());
            std::thread::yield_now();
        }
    }
}

fn hello(tag: &str) -> Vec<u8> {
    let length = u16::try_from(tag.len()).unwrap().to_le_bytes();
    [&[1, 0], &length[..], tag.as_bytes(), &[0; 4]].concat()
}

/// The next news of a session.
fn next(listener: &Subscription) -> SessionEvent {
    loop {
        match listener.recv_timeout(LONG).expect("something happens") {
            Received::Session(event) => return (*event).clone(),
            Received::Notification(_) => {}
            other @ (Received::Lagged { .. } | Received::Closed) => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_first_hello_is_announced_and_names_the_session() {
    let server = Server::start();
    let listener = server.listen();
    let mut client = server.connect();
    let session = client.ask(HELLO, &hello("agent")).ok().u64_at(0);
    let event = next(&listener);
    assert_eq!((event.news, event.session.0, &*event.tag), (SessionNews::Connected, session, "agent"));
    client.ask(HELLO, &hello("another")).ok();
    assert_eq!(listener.try_recv(), None);
    let sessions = server.sessions();
    let peer = client.stream.local_addr().unwrap().to_string();
    assert_eq!((sessions.len(), &*sessions[0].tag, sessions[0].peer.as_deref()), (1, "agent", Some(&*peer)));
}

/// The sessions that a tenant's clients are given, while `others` clients of another tenant come before each.
fn given_beside(others: usize) -> Vec<u64> {
    let gate = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
    let server = Server::behind(store(), Arc::new(SystemClock), BinaryConfig::default(), gate);
    let [own, other] = ["acme", "other"].map(|tenant| greeting_in(&server, tenant));
    let mut clients = Vec::new();
    let mut connect = |greeting: &[u8]| {
        let mut client = server.connect();
        let session = client.ask(HELLO, greeting).ok().u64_at(0);
        clients.push(client);
        session
    };
    let given = (0..3).map(|_| {
        for _ in 0..others {
            connect(&other);
        }
        connect(&own)
    });
    given.collect()
}

/// The HELLO of a writer of a new tenant.
fn greeting_in(server: &Server, tenant: &str) -> Vec<u8> {
    let (engine, owner) = (&server.engine, Principal::local_owner());
    let tenant = engine.create_tenant(&owner, &TenantName::parse(tenant).unwrap()).unwrap().id;
    let (user, roles) = (UserId::parse("writer").unwrap(), Roles::NONE.with(Role::Writer));
    engine.put_user(&owner, tenant, &user, roles).unwrap();
    let wanted = NewToken { user, label: String::new(), scope: roles, expires_at_ms: None };
    let (token, _) = engine.issue_token(&owner, tenant, wanted).unwrap();
    crate::wire::hello(&token.reveal())
}

#[test]
fn each_tenant_counts_its_own_sessions() {
    assert_eq!(given_beside(0), [1, 2, 3]);
    assert_eq!(given_beside(2), [1, 2, 3]);
}

#[test]
fn a_tag_over_the_limit_is_refused_and_the_connection_goes_on() {
    let server = Server::start();
    let mut client = server.connect();
    let (code, text) = client.ask(HELLO, &hello(&"x".repeat(limits::CLIENT_TAG_BYTES_MAX + 1))).error();
    assert_eq!((code, text.as_str()), (422, "a client's tag has at most 256 bytes, this one has 257"));
    client.ask(HELLO, &hello(&"x".repeat(limits::CLIENT_TAG_BYTES_MAX))).ok();
    assert_eq!(server.sessions()[0].tag.len(), limits::CLIENT_TAG_BYTES_MAX);
}

#[test]
fn a_context_is_live_in_the_connection_that_made_forked_or_appended_to_it() {
    let server = Server::start();
    let (mut maker, mut writer) = (server.connect(), server.connect());
    let made_in = maker.ask(HELLO, b"").ok().u64_at(0);
    let written_in = writer.ask(HELLO, b"").ok().u64_at(0);
    let context = maker.create();
    assert_eq!(server.live(context), Some(made_in));
    let (turn, _) = writer.append(context, b"one");
    assert_eq!(server.live(context), Some(written_in));
    let fork = maker.ask(FORK, &turn.to_le_bytes()).ok().u64_at(0);
    assert_eq!(server.live(fork), Some(made_in));
    // Reading, and failing to append, is not working on it.
    let mut reader = server.connect();
    reader.ask(LAST, &window(context, 9, 1)).ok();
    reader.ask(APPEND, &Append { hash: [0; 32], ..Append::new(fork, b"x") }.encode()).error();
    assert_eq!((server.live(context), server.live(fork)), (Some(written_in), Some(made_in)));
}

#[test]
fn a_connection_cut_in_the_middle_of_a_frame_is_gone_for_everyone() {
    let server = Server::start();
    let listener = server.listen();
    let mut client = server.connect();
    client.ask(HELLO, &hello("agent")).ok();
    let context = client.create();
    client.append(context, b"one");
    // A failure that is answered ends nothing.
    client.ask(APPEND, &Append::new(99, b"nowhere").encode()).error();
    assert!(server.live(context).is_some());

    let append = frame(APPEND, 0, 7, &Append::new(context, &[7; 1000]).encode());
    client.send(&append[..append.len() - 1]);
    client.stream.shutdown(Shutdown::Both).unwrap();
    assert_eq!(next(&listener).news, SessionNews::Connected);
    let event = next(&listener);
    assert_eq!((event.news, &*event.tag), (SessionNews::Disconnected, "agent"));
    assert_eq!(event.contexts, [ContextId(context)]);
    assert_eq!((server.live(context), server.sessions().len()), (None, 0));
}

#[test]
fn every_other_end_closes_the_session_too() {
    let patient = BinaryConfig { idle: Duration::from_millis(50), ..BinaryConfig::default() };
    let impatient = BinaryConfig { patience: Duration::from_millis(50), ..BinaryConfig::default() };
    let too_large = (64_u32 << 20) + 1;
    let ends: [(BinaryConfig, &[u8]); 4] = [
        // Nothing is said; half a header; half a body; a frame over the limit.
        (patient, &[]),
        (impatient.clone(), &[1, 0, 0]),
        (impatient, &frame(LAST, 0, 1, &[0; 16])[..20]),
        (BinaryConfig::default(), &[&too_large.to_le_bytes()[..], &[0; 12]].concat()),
    ];
    for (config, sent) in ends {
        let server = Server::with(config);
        let listener = server.listen();
        let mut client = server.connect();
        client.ask(HELLO, &hello("agent")).ok();
        let context = client.create();
        client.send(sent);
        assert_eq!(next(&listener).news, SessionNews::Connected);
        assert_eq!(next(&listener).news, SessionNews::Disconnected, "after {sent:?}");
        assert_eq!(server.live(context), None);
        server.wait_empty();
    }
}

#[test]
fn when_the_server_stops_nobody_is_connected_any_more() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.ask(HELLO, &hello("agent")).ok();
    let context = client.create();
    server.stop();
    server.wait_empty();
    assert_eq!(server.live(context), None);
}
