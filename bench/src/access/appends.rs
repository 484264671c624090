//! What appends lose when callers have to say who they are.
//!
//! Three doors of one server: one that asks nobody, one that asks for a token, and one that also counts
//! against limits. The limits are set so high that nobody reaches them: with those of the product a user may
//! append ten times a second. The last door is the one that counts.

use std::time::Duration;

use anyhow::{Result, ensure};
use cairn_tls::testing::Authority;

use super::rounds::take_turns;
use crate::figure::{Report, Target};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::turns::load::{Framing, Load, Span};
use crate::turns::server::Server;
use crate::turns::wire;
use crate::turns::writers::Source;

const LOST_PERCENT: f64 = 3.0;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "authenticated")?;
    Authority::new().issue().write(dir.path());
    let (server, doors) = Server::start_with_doors(&dir.path().join("store"), dir.path())?;
    for door in [doors.unlimited, doors.limited] {
        let answer = Load::connect(door, 1, Framing::Binary)?.call(|out| wire::create(out, 0))?;
        ensure!(wire::body(&answer, 2).is_err(), "somebody came in without a token");
    }
    let mut source = Source::new();
    let (warm_up, measured) = setting.pick((20, 100), (50, 100));
    let span = Span { warm_up: Duration::from_millis(warm_up), measured: Duration::from_millis(measured) };
    for (connections, name) in [(1, "1 connection"), (64, "64 connections")] {
        let writers = [
            doors.enter(server.addr, connections, None)?,
            doors.enter(doors.unlimited, connections, None)?,
            doors.enter(doors.limited, connections, None)?,
        ];
        let rounds = setting.pick(200, 3);
        let [off, unlimited, limited] = take_turns(&server, writers, rounds, span, &mut source)?;
        report.add(
            limited
                .slower_than(&off, format!("{name}, slower with tokens and limits by"))
                .target(Target::Below(LOST_PERCENT)),
        );
        report.add(unlimited.slower_than(&off, format!("{name}, slower with tokens alone by")));
    }
    server.stop()
}
