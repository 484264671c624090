//! Calls that are too short to be timed one by one.

use std::time::Instant;

use anyhow::{Result, ensure};

use crate::spread::median;

/// What one call takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PerCall {
    /// In the middle one of the batches.
    pub(super) median_us: f64,
    /// In the fastest and in the slowest.
    range_us: (f64, f64),
    batches: usize,
}

/// What is called for an item.
type Call<'a, T> = &'a mut dyn FnMut(&T) -> Result<()>;

impl PerCall {
    /// Makes one call for each item, timed in batches of so many; what is left over is not called.
    pub(super) fn of<T>(
        items: &[T],
        batch: usize,
        mut call: impl FnMut(&T) -> Result<()>,
    ) -> Result<PerCall> {
        let [one] = PerCall::in_turns(items, batch, [&mut call])?;
        Ok(one)
    }

    /// The same for several calls, each of which gets every batch before the next one comes.
    pub(super) fn in_turns<T, const CALLS: usize>(
        items: &[T],
        batch: usize,
        mut calls: [Call<'_, T>; CALLS],
    ) -> Result<[PerCall; CALLS]> {
        let mut times: [Vec<f64>; CALLS] = std::array::from_fn(|_| Vec::new());
        for items in items.chunks_exact(batch) {
            for (call, times) in calls.iter_mut().zip(&mut times) {
                let began = Instant::now();
                for item in items {
                    call(item)?;
                }
                times.push(began.elapsed().as_secs_f64() * 1e6 / batch as f64);
            }
        }
        ensure!(times.iter().all(|times| !times.is_empty()), "fewer calls than a batch has");
        Ok(times.map(PerCall::from_times))
    }

    fn from_times(times: Vec<f64>) -> Self {
        let range_us =
            times.iter().fold((f64::MAX, 0.0_f64), |(low, high), time| (low.min(*time), high.max(*time)));
        PerCall { batches: times.len(), range_us, median_us: median(times) }
    }

    /// "0.410 to 0.523 µs in 20 batches" for the last column.
    pub(super) fn shown(&self) -> String {
        let (low, high) = self.range_us;
        format!("{low:.3} to {high:.3} µs in {} batches", self.batches)
    }
}
