//! What the host takes away: a virtual processor that wants to run and may not.

use std::fs;

use crate::figure::{Figure, Report, Unit};

/// Processor time since the machine started, in ticks: what was used, and what the host kept from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticks {
    used: u64,
    stolen: u64,
}

impl Ticks {
    /// As the system counts them now; nothing where it does not.
    pub(crate) fn now() -> Option<Self> {
        let counted = fs::read_to_string("/proc/stat").ok()?;
        let numbers: Vec<u64> =
            counted.lines().next()?.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
        // user, nice, system, idle, waiting for a disk, interrupts, soft interrupts, stolen.
        let &[user, nice, system, _, _, interrupts, soft, stolen, ..] = &numbers[..] else { return None };
        Some(Ticks { used: user + nice + system + interrupts + soft, stolen })
    }

    /// Of the time in which something wanted to run since then, how much the host took, in percent.
    pub(crate) fn taken_since(self) -> Option<f64> {
        let now = Ticks::now()?;
        let (used, stolen) = (now.used.saturating_sub(self.used), now.stolen.saturating_sub(self.stolen));
        Some(100.0 * stolen as f64 / (used + stolen).max(1) as f64)
    }

    /// Reports the same.
    pub(crate) fn report_since(self, report: &mut Report) {
        let Some(share) = self.taken_since() else { return };
        report.add(
            Figure::new("taken by the host", share, Unit::Percent)
                .beside("of the processor time that was wanted while this was measured"),
        );
    }
}
