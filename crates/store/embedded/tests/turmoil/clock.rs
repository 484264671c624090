//! Time in which a day passes in a fifth of a second, so that blobs get old enough to be swept.

use std::time::Duration;

use cairn_base::{Clock, SystemClock};

/// How many times faster. Times of uploads have 32 bits, which is enough for more than an hour of ours.
const HASTE: u64 = 400_000;

/// Fast on the wall since a moment; elapsed time as it is.
#[derive(Debug)]
pub(crate) struct Hasty {
    pub(crate) epoch_ms: u64,
}

impl Clock for Hasty {
    fn now_ms(&self) -> u64 {
        self.epoch_ms + SystemClock.now_ms().saturating_sub(self.epoch_ms) * HASTE
    }

    fn monotonic(&self) -> Duration {
        SystemClock.monotonic()
    }
}
