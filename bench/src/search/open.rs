//! From start to the first answer, with an index and without: opening it is nobody's wait.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::million::Million;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::spread::{median, ms};
use crate::turns::load::{Framing, Load};
use crate::turns::server::Server;
use crate::turns::wire;

const ROUNDS: usize = 7;
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let million = Million::ready(setting)?;
    let (mut without, mut with, mut ready) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for is_searching in [false, true] {
            let began = Instant::now();
            let start = if is_searching { Server::start_searching } else { Server::start };
            let mut server = start(&million.store)?;
            let answer = Load::connect(server.addr, 1, Framing::Binary)?.call(|out| wire::last(out, 1, 1))?;
            let answered = ms(began.elapsed());
            wire::body(&answer, 6)?;
            if is_searching {
                while server.search_status()?.0 != "ready" {
                    ensure!(began.elapsed() < PATIENCE, "the index does not open");
                    thread::sleep(Duration::from_millis(2));
                }
                ready.push(ms(began.elapsed()));
                with.push(answered);
            } else {
                without.push(answered);
            }
            server.stop()?;
        }
    }
    let later = median(with.clone()) - median(without.clone());
    report.add(
        Figure::new("the first answer comes later with an index, by", later, Unit::Millis)
            .target(Target::Below(20.0))
            .beside(format!(
                "{:.0} against {:.0} ms from start to answer; searches after {:.0} ms; {} turns, medians of {ROUNDS}",
                median(with),
                median(without),
                median(ready),
                million.turns
            )),
    );
    Ok(())
}
