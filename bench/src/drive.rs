//! Producers: threads that call an operation as fast as it answers, or at a steady pace.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::spread::Spread;

/// One call of a producer: its number, and how many calls it made before.
pub(crate) type Operation<'a> = &'a (dyn Fn(u32, u64) -> Result<()> + Sync);

/// What a run of producers that never wait came to.
#[derive(Debug)]
pub(crate) struct Run {
    /// Calls per second.
    pub(crate) rate: f64,
    /// Time of each call.
    pub(crate) latency: Spread,
}

const WARMING_UP: u8 = 0;
const MEASURING: u8 = 1;
const STOPPING: u8 = 2;

/// Calls as fast as answers come, and measures after a warm-up.
pub(crate) fn flat_out(
    producers: u32,
    warm_up: Duration,
    measured: Duration,
    call: Operation<'_>,
) -> Result<Run> {
    let phase = AtomicU8::new(WARMING_UP);
    let (times, elapsed) = thread::scope(|scope| {
        let produce = |producer| {
            let phase = &phase;
            move || -> Result<Vec<Duration>> {
                let mut times = Vec::with_capacity(1 << 16);
                for count in 0.. {
                    let began = phase.load(Ordering::Relaxed);
                    if began == STOPPING {
                        break;
                    }
                    let start = Instant::now();
                    call(producer, count)?;
                    if began == MEASURING && phase.load(Ordering::Relaxed) == MEASURING {
                        times.push(start.elapsed());
                    }
                }
                Ok(times)
            }
        };
        let threads: Vec<_> = (0..producers).map(|producer| scope.spawn(produce(producer))).collect();
        thread::sleep(warm_up);
        let start = Instant::now();
        phase.store(MEASURING, Ordering::Relaxed);
        thread::sleep(measured);
        phase.store(STOPPING, Ordering::Relaxed);
        let elapsed = start.elapsed();
        (gather(threads), elapsed)
    });
    let latency = Spread::new(times?);
    Ok(Run { rate: latency.count() as f64 / elapsed.as_secs_f64(), latency })
}

/// What a run at a steady pace came to.
#[derive(Debug)]
pub(crate) struct Paced {
    /// From when a call was due to its answer: falling behind counts.
    pub(crate) latency: Spread,
    /// When answers came, since the start.
    pub(crate) answers: Spread,
}

/// How long producers warm up before their answers count.
const WARM_UP: Duration = Duration::from_secs(1);

/// Calls `rate` times a second, spread evenly over producers, whether answers keep up or not.
pub(crate) fn at_pace(producers: u32, rate: u32, lasting: Duration, call: Operation<'_>) -> Result<Paced> {
    let step = Duration::from_secs(1) * producers / rate;
    let calls_in = |time: Duration| (time.as_nanos() / step.as_nanos()) as usize;
    let warm_up = calls_in(WARM_UP);
    let ready = Barrier::new(producers as usize);
    let began = OnceLock::new();
    let answered = thread::scope(|scope| {
        let produce = |producer: u32| {
            let (ready, began) = (&ready, &began);
            move || -> Result<Vec<(Duration, Duration)>> {
                // In memory before the first call: all producers growing at the same moment, into pages
                // that the machine has yet to find, is a pause of its own.
                let mut times = vec![(Duration::MAX, Duration::MAX); warm_up + calls_in(lasting)];
                ready.wait();
                let start = *began.get_or_init(Instant::now);
                let mut due = step * producer / producers;
                for (count, time) in times.iter_mut().enumerate() {
                    if let Some(early) = due.checked_sub(start.elapsed()) {
                        thread::sleep(early);
                    }
                    call(producer, count as u64)?;
                    let now = start.elapsed();
                    *time = (now - due, now);
                    due += step;
                }
                Ok(times.split_off(warm_up))
            }
        };
        gather((0..producers).map(|producer| scope.spawn(produce(producer))).collect())
    })?;
    let (latency, answers) = answered.into_iter().unzip();
    Ok(Paced { latency: Spread::new(latency), answers: Spread::new(answers) })
}

/// The longest time that a thread which only looks at the clock was not let to, with one on every core:
/// what the machine itself takes away.
pub(crate) fn longest_gap_of_clock(lasting: Duration) -> Duration {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let look = || {
        let start = Instant::now();
        let (mut last, mut longest) = (start, Duration::ZERO);
        while last.duration_since(start) < lasting {
            let now = Instant::now();
            longest = longest.max(now.duration_since(last));
            last = now;
        }
        longest
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(look)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a clock does not panic")).max()
    })
    .unwrap_or_default()
}

fn gather<T>(threads: Vec<thread::ScopedJoinHandle<'_, Result<Vec<T>>>>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for thread in threads {
        all.extend(thread.join().expect("a producer does not panic")?);
    }
    Ok(all)
}
