//! Rounds in which several writers take turns, so that whatever disturbs the machine disturbs all of them.

use std::time::Duration;

use anyhow::Result;

use crate::figure::{Figure, Unit, shown};
use crate::spread::median;
use crate::turns::load::Span;
use crate::turns::server::{Server, own_processor_time};
use crate::turns::writers::{Source, Writers};

/// What one of them did.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Appends per second, by round.
    rates: Vec<f64>,
    /// Appends in all rounds, and what they took of processors.
    appends: u64,
    server: Duration,
    client: Duration,
}

/// Has everybody append for a while in each round. Who begins changes from round to round.
pub(super) fn take_turns<const WRITERS: usize>(
    server: &Server,
    mut writers: [Writers; WRITERS],
    rounds: usize,
    span: Span,
    source: &mut Source,
) -> Result<[Taken; WRITERS]> {
    let mut taken: [Taken; WRITERS] = std::array::from_fn(|_| Taken::default());
    for round in 0..rounds {
        for turn in 0..WRITERS {
            let number = (round + turn) % WRITERS;
            let first = source.number;
            let (server_before, client_before) = (server.processor_time()?, own_processor_time()?);
            let run = writers[number].run(span, source)?;
            let taken = &mut taken[number];
            taken.rates.push(run.rate);
            taken.appends += source.number - first;
            taken.server += server.processor_time()? - server_before;
            taken.client += own_processor_time()? - client_before;
        }
    }
    Ok(taken)
}

impl Taken {
    /// By how much it is slower than another one: the median of all rounds, each against its own.
    pub(super) fn slower_than(&self, other: &Taken, name: impl Into<String>) -> Figure {
        let pairs = self.rates.iter().zip(&other.rates);
        let mut lost: Vec<f64> = pairs.map(|(own, other)| (1.0 - own / other) * 100.0).collect();
        lost.sort_unstable_by(f64::total_cmp);
        let (low, high) = (lost[lost.len() / 4], lost[lost.len() * 3 / 4]);
        Figure::new(name, median(lost), Unit::Percent).beside(format!(
            "{} against {}, medians of {} rounds; half of the rounds {low:.1} to {high:.1} %; \
             server {:.1} against {:.1} µs each, client {:.1} against {:.1} µs",
            shown(median(self.rates.clone()), Unit::PerSecond),
            shown(median(other.rates.clone()), Unit::PerSecond),
            self.rates.len(),
            self.each_us(self.server),
            other.each_us(other.server),
            self.each_us(self.client),
            other.each_us(other.client),
        ))
    }

    fn each_us(&self, spent: Duration) -> f64 {
        spent.as_secs_f64() * 1e6 / self.appends.max(1) as f64
    }
}
