//! `kill -9` of a process that does everything at once; the test runs itself as that process.

use std::process::{Command, Stdio};

use cairn_base::{Clock, Entropy, SystemClock, SystemEntropy};

use crate::turmoil::{Orders, Tally, check, watch_and_kill, work_until_killed};

const ORDERS: &str = "CAIRN_TEST_TURMOIL";
const ROUNDS: u32 = 6;

/// Not a test of its own: what the child does.
#[test]
fn the_process_that_is_killed() {
    let Ok(orders) = std::env::var(ORDERS) else { return };
    work_until_killed(&Orders::parse(&orders).unwrap()).unwrap();
}

fn command(orders: &Orders) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "kill::the_process_that_is_killed", "--nocapture", "--test-threads=1"]);
    command.env(ORDERS, orders.to_text()).stdin(Stdio::null());
    command
}

#[test]
fn kills_in_the_middle_of_everything_lose_nothing_and_leave_nothing() {
    let seed = std::env::var("CAIRN_KILL_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| SystemEntropy.next_u64());
    let temporary = tempfile::tempdir().unwrap();
    let place = temporary.path().to_owned();
    let mut orders = Orders { place, life: 0, epoch_ms: SystemClock.now_ms(), key: 1, seed };
    let mut tally = Tally::default();
    let mut lives = Vec::new();
    for life in 0..ROUNDS {
        orders = Orders { life, seed: seed.wrapping_add(life.into()), ..orders };
        lives.push(watch_and_kill(command(&orders), &orders));
        orders.key = check(&orders, &lives, life + 1 == ROUNDS, &mut tally);
    }
    assert!(tally.wrong.is_empty(), "CAIRN_KILL_SEED={seed}: {:#?}", tally.wrong);
    assert!(tally.acknowledged > 0, "nothing was written");
}
