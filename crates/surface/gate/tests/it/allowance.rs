//! What each user and each tenant may do in a minute, and at once.

use std::num::NonZeroU64;
use std::time::Duration;

use cairn_access::{Principal, Role, Roles};
use cairn_base::TenantId;
use cairn_engine::PrometheusText;
use cairn_gate::{Allowance, Cost, Counted, Gate, GateCode, GateConfig, GateError, Whose};

use crate::support::{CONFIG, gate, world};

fn user(tenant: u32, name: &str) -> Principal {
    Principal::new(name, TenantId(tenant), Roles::NONE.with(Role::Writer))
}

/// Six writes a minute and two connections for a user, twice that for a tenant.
fn config() -> GateConfig {
    let allowance = Allowance {
        writes_per_minute: NonZeroU64::new(6),
        connections: NonZeroU64::new(2),
        upload_bytes_per_minute: NonZeroU64::new(600),
        tenant_factor: NonZeroU64::new(2).unwrap(),
        ..Allowance::default()
    };
    GateConfig { allowance, ..CONFIG }
}

fn refused(outcome: Result<impl std::fmt::Debug, GateError>) -> (Whose, Counted, u64, u32) {
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), GateCode::TooManyRequests);
    let GateError::TooManyRequests { reached, retry_after_s } = error else { panic!("{error:?}") };
    assert_eq!(error.retry_after_s(), Some(retry_after_s));
    (reached.whose, reached.counted, reached.max.get(), retry_after_s)
}

fn write_all(gate: &Gate, who: &Principal, count: usize) {
    for n in 0..count {
        assert!(gate.spend(who, Cost::WRITE).is_ok(), "{n}");
    }
}

#[test]
fn the_answer_says_to_the_second_when_to_come_back() {
    let world = world(config());
    let ada = user(7, "ada");
    write_all(&world.gate, &ada, 6);
    let ten_seconds = (Whose::User, Counted::Writes, 6, 10);
    assert_eq!(refused(world.gate.spend(&ada, Cost::WRITE)), ten_seconds);
    world.clock.advance(Duration::from_millis(1));
    assert_eq!(refused(world.gate.spend(&ada, Cost::WRITE)), ten_seconds, "9.999 s are rounded up");
    world.clock.advance(Duration::from_millis(999));
    assert_eq!(refused(world.gate.spend(&ada, Cost::WRITE)).3, 9);
    world.clock.advance(Duration::from_millis(8_999));
    assert_eq!(refused(world.gate.spend(&ada, Cost::WRITE)).3, 1, "a millisecond is a second");
    world.clock.advance(Duration::from_millis(1));
    write_all(&world.gate, &ada, 1);
    assert_eq!(refused(world.gate.spend(&ada, Cost::WRITE)), ten_seconds);
    let message = world.gate.spend(&ada, Cost::WRITE).unwrap_err().to_string();
    assert_eq!(message, "this user may do 6 writes a minute; try again in 10 s");
    assert!(world.gate.spend(&ada, Cost::READ).is_ok(), "reads are others");
    assert!(world.gate.spend(&ada, Cost::SEARCH).is_ok(), "and searches too");
}

#[test]
fn one_user_does_not_hold_up_another_until_the_tenant_has_had_its_share() {
    let gate = gate(config());
    write_all(&gate, &user(7, "ada"), 6);
    write_all(&gate, &user(7, "bob"), 6);
    assert_eq!(refused(gate.spend(&user(7, "eve"), Cost::WRITE)), (Whose::Tenant, Counted::Writes, 12, 5));
    write_all(&gate, &user(8, "ada"), 6);
}

#[test]
fn the_local_owner_has_no_limits() {
    let gate = gate(config());
    let owner = Principal::local_owner();
    write_all(&gate, &owner, 1000);
    let seats: Vec<_> = (0..1000).map(|_| gate.seat(&owner).unwrap()).collect();
    assert!(gate.spend(&owner, Cost::bytes(u64::MAX)).is_ok());
    let namesake = user(TenantId::LOCAL.0, owner.user_id());
    assert!(seats.iter().all(|seat| seat.is_of(&owner) && !seat.is_of(&namesake)));
    write_all(&gate, &namesake, 6);
    assert_eq!(refused(gate.spend(&namesake, Cost::WRITE)).0, Whose::User, "a name does not make an owner");
}

#[test]
fn connections_are_counted_while_they_last() {
    let gate = gate(config());
    let (ada, bob) = (user(7, "ada"), user(7, "bob"));
    let first = gate.seat(&ada).unwrap();
    let _second = gate.seat(&ada).unwrap();
    assert_eq!(refused(gate.seat(&ada)), (Whose::User, Counted::Connections, 2, 1));
    let _third = [gate.seat(&bob).unwrap(), gate.seat(&bob).unwrap()];
    assert_eq!(refused(gate.seat(&user(7, "eve"))), (Whose::Tenant, Counted::Connections, 4, 1));
    drop(first);
    let again = gate.seat(&ada).unwrap();
    assert!(again.is_of(&user(7, "ada")) && !again.is_of(&bob) && !again.is_of(&user(8, "ada")));
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_slowed_until_there_is_enough_or_the_gate_drains() {
    let world = world(config());
    let ada = user(7, "ada");
    world.gate.spend_in_time(&ada, Cost::bytes(600)).await.unwrap();
    let slowed = tokio::spawn({
        let (gate, ada) = (world.gate.clone(), ada.clone());
        async move { gate.spend_in_time(&ada, Cost::bytes(100)).await }
    });
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(!slowed.is_finished(), "ten seconds have not passed here");
    world.clock.advance(Duration::from_secs(10));
    slowed.await.unwrap().unwrap();
    let slowed = tokio::spawn({
        let (gate, ada) = (world.gate.clone(), ada.clone());
        async move { gate.spend_in_time(&ada, Cost::bytes(100)).await }
    });
    world.gate.drain(Duration::ZERO).await;
    assert!(matches!(slowed.await.unwrap(), Err(GateError::Unavailable)));
}

#[test]
fn refusals_are_counted_by_limit_and_name_nobody() {
    let gate = gate(config());
    let ada = user(7, "ada");
    write_all(&gate, &ada, 6);
    for _ in 0..3 {
        refused(gate.spend(&ada, Cost::WRITE));
    }
    let mut text = PrometheusText::new();
    gate.write_metrics(&mut text);
    let text = text.finish();
    assert!(text.contains("cairn_gate_limited_total{whose=\"user\",limit=\"writes\"} 3\n"), "{text}");
    assert!(!text.contains("ada"), "{text}");
}
