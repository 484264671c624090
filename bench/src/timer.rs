//! What the machine itself does to anybody who waits: a timer with nothing else running.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::spread::Spread;

/// How much later than asked for a thread wakes up that does nothing but sleep for a millisecond at a time.
pub(crate) fn lateness(lasting: Duration) -> Spread {
    let step = Duration::from_millis(1);
    let began = Instant::now();
    let mut late = Vec::new();
    let mut due = began;
    while due.duration_since(began) < lasting {
        due += step;
        sleep(due.saturating_duration_since(Instant::now()));
        late.push(Instant::now().saturating_duration_since(due));
    }
    Spread::new(late)
}
