//! What TLS costs appends.
//!
//! The client encrypts, too, and shares the two cores with the server: its part is in the figure, and its
//! processor time is shown beside it. Handshakes are made before.

use std::time::Duration;

use anyhow::Result;
use cairn_tls::testing::Authority;

use super::rounds::take_turns;
use crate::figure::{Report, Target};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::turns::load::Span;
use crate::turns::server::Server;
use crate::turns::stream::Trust;
use crate::turns::writers::Source;

const CONNECTIONS: usize = 64;
const SLOWER_PERCENT: f64 = 25.0;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "encrypted")?;
    let authority = Authority::new();
    authority.issue().write(dir.path());
    let (server, doors) = Server::start_with_doors(&dir.path().join("store"), dir.path())?;
    let (warm_up, measured) = setting.pick((50, 300), (50, 100));
    let span = Span { warm_up: Duration::from_millis(warm_up), measured: Duration::from_millis(measured) };
    let trust = Trust::new(&authority.trusted())?;
    let writers = [
        doors.enter(server.addr, CONNECTIONS, None)?,
        doors.enter(doors.encrypted, CONNECTIONS, Some(&trust))?,
    ];
    let rounds = setting.pick(48, 3);
    let [plain, encrypted] = take_turns(&server, writers, rounds, span, &mut Source::new())?;
    report.add(
        encrypted.slower_than(&plain, "64 connections, slower by").target(Target::Below(SLOWER_PERCENT)),
    );
    server.stop()
}
