//! Streams of two tenants: what one of them does is nothing to the other.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles};
use cairn_base::{ManualClock, TenantId};
use cairn_engine::{Engine, NewToken};
use cairn_gate::{Authentication, GateConfig};
use cairn_http::HttpConfig;
use cairn_seam::{MemoryStore, Store};
use tokio::time::timeout;

use super::sse::{Block, open};
use crate::client::{Answer, request, send};
use crate::server::Server;

/// Longer than a refusal takes.
const LONG: Duration = Duration::from_secs(300);
const TENANTS: [&str; 2] = ["acme", "other"];

/// A server that asks everybody who they are; `authorization` lines of a writer of each tenant.
struct World {
    store: Arc<MemoryStore>,
    server: Server,
    tenants: [TenantId; 2],
    writers: [String; 2],
}

async fn over(store: &Arc<MemoryStore>) -> Server {
    let gate = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
    let store = Arc::clone(store) as Arc<dyn Store>;
    Server::over(|_| store, HttpConfig::default(), gate).await
}

impl World {
    async fn new() -> World {
        let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1))));
        let server = over(&store).await;
        let made = TENANTS.map(|name| writer_of(server.gate.engine(), name));
        let tenants = [made[0].0, made[1].0];
        World { store, server, tenants, writers: made.map(|(_, bearer)| bearer) }
    }

    /// A tenant makes contexts, each in a transaction of its own.
    async fn create(&self, tenant: usize, count: usize) {
        for _ in 0..count {
            let headers = format!("{}content-type: application/json\r\n", self.writers[tenant]);
            let made = send(self.server.addr, "POST /v1/contexts", &headers, b"{}").await;
            assert_eq!(made.status, 201, "{made:?}");
        }
    }

    /// What a tenant is told after an id, as many blocks as said.
    async fn told(&self, tenant: usize, after: &str, count: usize) -> Vec<Block> {
        let headers = format!("{}last-event-id: {after}\r\n", self.writers[tenant]);
        open(self.server.addr, "/v1/events", &headers).await.take(count).await
    }

    /// The answer to a tenant that comes with an id that is none.
    async fn refused(&self, tenant: usize, id: &str) -> Answer {
        let headers = format!("{}x-request-id: same\r\n", self.writers[tenant]);
        let line = format!("GET /v1/events?last_event_id={id}");
        let answer = timeout(LONG, request(self.server.addr, &line, &headers)).await;
        answer.expect("it is refused, and does not go on for ever")
    }
}

fn writer_of(engine: &Engine, name: &str) -> (TenantId, String) {
    let owner = Principal::local_owner();
    let tenant =
        engine.create_tenant(&owner, &TenantName::parse(name).expect("a name")).expect("it is made").id;
    let (user, roles) = (UserId::parse("writer").expect("a name"), Roles::NONE.with(Role::Writer));
    engine.put_user(&owner, tenant, &user, roles).expect("it is made");
    let wanted = NewToken { user, label: String::new(), scope: roles, expires_at_ms: None };
    let (token, _) = engine.issue_token(&owner, tenant, wanted).expect("it is made");
    (tenant, format!("authorization: Bearer {}\r\n", *token.reveal()))
}

fn ids(blocks: &[Block]) -> Vec<String> {
    blocks.iter().map(|block| block.id.clone().expect("it has an id")).collect()
}

#[tokio::test]
async fn ids_are_opaque_and_good_for_one_tenant_alone() {
    let world = World::new().await;
    let starts =
        [&ids(&world.told(0, "", 1).await)[0], &ids(&world.told(1, "", 1).await)[0]].map(String::clone);
    world.create(0, 20).await;
    world.create(1, 20).await;
    let told = [world.told(0, &starts[0], 21).await, world.told(1, &starts[1], 21).await];
    for told in &told {
        let ids = ids(&told[1..]);
        assert!(ids.iter().all(|id| id.len() == 48), "{ids:?}");
        assert!(!ids.is_sorted() && !ids.iter().rev().is_sorted(), "their order tells nothing");
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 20);
    }
    let nonsense = world.refused(0, "nonsense").await;
    assert_eq!(nonsense.error(), (422, "InvalidRequest".to_owned()));
    // Of places before, at and after where the tenant itself is.
    for id in [&starts[1]].into_iter().chain(&ids(&told[1])) {
        let foreign = world.refused(0, id).await;
        assert_eq!((foreign.status, &foreign.body), (nonsense.status, &nonsense.body));
        assert_eq!(foreign.headers, nonsense.headers);
    }
}

#[tokio::test]
async fn an_event_keeps_its_id_and_a_client_goes_on_after_a_restart() {
    let mut world = World::new().await;
    let start = ids(&world.told(0, "", 1).await).remove(0);
    world.create(0, 3).await;
    world.create(1, 3).await;
    let before = world.told(0, &start, 4).await;
    world.server.stop().await.expect("it ends");
    world.server = over(&world.store).await;
    assert_eq!(world.told(0, &start, 4).await[1..], before[1..]);
    world.create(0, 1).await;
    let last = before[3].id.as_deref().expect("it has an id");
    assert_eq!(world.told(0, last, 2).await[1].short("context_id"), "context_created 4");
}

#[tokio::test]
async fn where_a_stream_begins_does_not_show_whether_others_wrote() {
    let world = World::new().await;
    let mut seen = HashSet::new();
    for others in [0, 0, 1, 0] {
        world.create(1, others).await;
        let connected = world.told(0, "", 1).await.remove(0);
        assert!(seen.insert(connected.id.clone()), "the same id as before: nobody wrote in between");
    }
    // Also where it goes on after an id of its own.
    world.create(0, 1).await;
    let start = seen.into_iter().flatten().next().expect("one of them");
    let last = ids(&world.told(0, &start, 2).await).remove(1);
    let again = [world.told(0, &last, 1).await, world.told(0, &last, 1).await].concat();
    assert_eq!(ids(&again).into_iter().chain([last]).collect::<HashSet<_>>().len(), 3);
}

/// What a tenant is told while another one makes `others` contexts and has as many clients.
async fn told_beside(others: usize) -> Vec<String> {
    let world = World::new().await;
    let engine = world.server.gate.engine();
    let mut events = open(world.server.addr, "/v1/events", &world.writers[0]).await;
    assert_eq!(events.next().await.event, "connected");
    let (mut told, mut theirs) = (Vec::new(), Vec::new());
    for tag in ["first", "second"] {
        world.create(1, others).await;
        for _ in 0..others {
            let session = engine.open_session(world.tenants[1], None);
            session.hello("theirs").expect("a short tag");
            theirs.push(session);
        }
        let session = engine.open_session(world.tenants[0], None);
        session.hello(tag).expect("a short tag");
        told.push(events.next().await);
        world.create(0, 1).await;
        told.push(events.next().await);
        let list = request(world.server.addr, "GET /v1/sessions", &world.writers[0]).await;
        told.push(Block { data: list.body, ..Block::default() });
        drop(session);
        told.push(events.next().await);
    }
    told.into_iter().map(|block| format!("{} {}", block.event, block.data)).collect()
}

#[tokio::test]
async fn what_is_told_is_the_same_whatever_others_do() {
    let alone = told_beside(0).await;
    assert!(alone[4].contains(r#""session_id":"2""#), "{alone:?}");
    assert_eq!(told_beside(3).await, alone);
}
