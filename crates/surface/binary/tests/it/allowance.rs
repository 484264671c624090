//! What each user and each tenant may do, over frames.

use std::io::Read;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles};
use cairn_base::{ManualClock, TenantId};
use cairn_binary::BinaryConfig;
use cairn_engine::NewToken;
use cairn_gate::{Allowance, Authentication, GateConfig};

use crate::wire::{CREATE, Client, HEAD, HELLO, PUT_BLOB, Reply, Server, hello, store};

struct World {
    server: Server,
    clock: ManualClock,
    acme: TenantId,
    other: TenantId,
}

fn world(allowance: Allowance) -> World {
    let allowance = Allowance { tenant_factor: NonZeroU64::new(2).unwrap(), ..allowance };
    let gate = GateConfig { authentication: Authentication::Required, allowance, ..GateConfig::default() };
    let clock = ManualClock::new(1_700_000_000_000);
    let server = Server::behind(store(), Arc::new(clock.clone()), BinaryConfig::default(), gate);
    let tenant = |name: &str| {
        let name = TenantName::parse(name).unwrap();
        server.engine.create_tenant(&Principal::local_owner(), &name).unwrap().id
    };
    let (acme, other) = (tenant("acme"), tenant("other"));
    World { server, clock, acme, other }
}

impl World {
    fn token(&self, tenant: TenantId, name: &str) -> String {
        let (owner, user) = (Principal::local_owner(), UserId::parse(name).unwrap());
        let roles = Roles::NONE.with(Role::Writer).with(Role::Reader);
        self.server.engine.put_user(&owner, tenant, &user, roles).unwrap();
        let wanted = NewToken { user, label: "test".into(), scope: roles, expires_at_ms: None };
        self.server.engine.issue_token(&owner, tenant, wanted).unwrap().0.reveal().to_string()
    }

    /// A connection of somebody who was let in.
    fn of(&self, tenant: TenantId, name: &str) -> Client {
        let mut client = self.server.connect();
        client.ask(HELLO, &hello(&self.token(tenant, name))).ok();
        client
    }
}

fn create(client: &mut Client) -> Reply {
    client.ask(CREATE, &0_u64.to_le_bytes())
}

/// Whose limit, which one, how much, and when to come back.
fn refused(reply: &Reply) -> (String, String, u64, u64) {
    assert_eq!(reply.error().0, 429);
    let detail: serde_json::Value = serde_json::from_slice(&reply.body[8..]).unwrap();
    assert_eq!(detail["code"], "TooManyRequests");
    let details = &detail["details"];
    let text = |name: &str| details[name].as_str().unwrap().to_owned();
    let number = |name: &str| details[name].as_u64().unwrap();
    (text("whose"), text("limit"), number("max"), number("retry_after_s"))
}

fn reached(whose: &str, limit: &str, max: u64, retry_after_s: u64) -> (String, String, u64, u64) {
    (whose.into(), limit.into(), max, retry_after_s)
}

#[test]
fn users_and_tenants_have_their_limits_and_the_connection_goes_on() {
    let world = world(Allowance { writes_per_minute: NonZeroU64::new(2), ..Allowance::default() });
    let mut ada = world.of(world.acme, "ada");
    for _ in 0..2 {
        create(&mut ada).ok();
    }
    assert_eq!(refused(&create(&mut ada)), reached("user", "writes", 2, 30));
    ada.ask(HEAD, &1_u64.to_le_bytes()).ok();
    let mut bob = world.of(world.acme, "bob");
    for _ in 0..2 {
        create(&mut bob).ok();
    }
    let mut joe = world.of(world.acme, "joe");
    assert_eq!(refused(&create(&mut joe)), reached("tenant", "writes", 4, 15));
    create(&mut world.of(world.other, "ada")).ok();
    world.clock.advance(Duration::from_millis(14_999));
    assert_eq!(refused(&create(&mut joe)), reached("tenant", "writes", 4, 1));
    world.clock.advance(Duration::from_millis(1));
    create(&mut joe).ok();
}

#[test]
fn reads_are_not_writes_and_bytes_are_counted() {
    let allowance = Allowance {
        reads_per_minute: NonZeroU64::new(2),
        upload_bytes_per_minute: NonZeroU64::new(1000),
        ..Allowance::default()
    };
    let world = world(allowance);
    let mut ada = world.of(world.acme, "ada");
    create(&mut ada).ok();
    ada.ask(HEAD, &1_u64.to_le_bytes()).ok();
    // The first greeting was free, and the second one is not.
    ada.ask(HELLO, &hello(&world.token(world.acme, "ada"))).ok();
    assert_eq!(refused(&ada.ask(HEAD, &1_u64.to_le_bytes())), reached("user", "reads", 2, 30));
    assert_eq!(refused(&ada.ask(HELLO, &hello(&world.token(world.acme, "ada")))).1, "reads");
    ada.put_blob(&[7; 900]);
    let blob = [&[0; 32][..], &500_u32.to_le_bytes(), &[0; 500]].concat();
    // 16 bytes went for two messages, 936 for the blob, and 536 are wanted.
    assert_eq!(refused(&ada.ask(PUT_BLOB, &blob)), reached("user", "upload_bytes", 1000, 30));
    world.clock.advance(Duration::from_secs(30));
    assert_eq!(ada.ask(PUT_BLOB, &blob).error().0, 422, "it is taken and has the wrong hash");
}

#[test]
fn connections_are_counted_from_the_greeting_to_the_end() {
    let world = world(Allowance { connections: NonZeroU64::new(1), ..Allowance::default() });
    let token = world.token(world.acme, "ada");
    let mut waiting = world.server.connect();
    let mut first = world.server.connect();
    first.ask(HELLO, &hello(&token)).ok();
    first.ask(HELLO, &hello(&token)).ok();
    assert_eq!(refused(&waiting.ask(HELLO, &hello(&token))), reached("user", "connections", 1, 1));
    assert_eq!(create(&mut waiting).error().0, 401, "it is not in");
    world.of(world.acme, "bob");
    drop(first);
    let until = Instant::now() + Duration::from_secs(300);
    while waiting.ask(HELLO, &hello(&token)).kind != HELLO {
        assert!(Instant::now() < until, "an end is noticed");
        std::thread::sleep(Duration::from_millis(5));
    }
    create(&mut waiting).ok();
}

#[test]
fn who_guesses_is_hung_up_on() {
    let world = world(Allowance::default());
    let mut guessing = world.server.connect();
    for n in 0..4 {
        // Whatever else is asked for outside counts like a guess.
        assert_eq!(create(&mut guessing).error().0, 401, "{n}");
        assert_eq!(guessing.ask(HELLO, &hello("wrong")).error().0, 401, "{n}");
    }
    assert_eq!(guessing.stream.read(&mut [0]).unwrap(), 0, "it is closed");
    let mut lucky = world.server.connect();
    for _ in 0..7 {
        lucky.ask(HELLO, &hello("wrong"));
    }
    lucky.ask(HELLO, &hello(&world.token(world.acme, "ada"))).ok();
    create(&mut lucky).ok();
    // Who was let in and shows something that is no good is outside again.
    assert_eq!(lucky.ask(HELLO, &hello("wrong")).error().0, 401);
    assert_eq!(create(&mut lucky).error().0, 401);
    assert_eq!(lucky.stream.read(&mut [0]).unwrap(), 0, "the eighth failure outside");
}
