//! Going through passes, evenly paced.

use std::time::Duration;

use cairn_base::Pacer;
use cairn_log::Watch;
use cairn_seam::{ScrubPass, ScrubPolicy, StoreError};

use super::item::{Agenda, Item};
use super::state::State;
use crate::options::Background;
use crate::shared::Shared;
use crate::store::yield_to_others;

/// Bytes that are read between two looks at the clock.
const PIECE_BYTES: u64 = 64 << 10;
/// A file costs at least this much, however short it is.
const FILE_BYTES_MIN: u64 = 4 << 10;
/// How often the state is written while a pass goes on.
const WRITE_EVERY: Duration = Duration::from_secs(60);
/// How often it is looked whether a pass is due.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// How often it is looked whether a verification that somebody asked for is done.
const HELD_LOOK: Duration = Duration::from_millis(200);

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Go on.
    AtOnce,
    /// Wait first.
    After(Duration),
    /// The store closes.
    Stop,
}

impl Shared {
    /// Verifies like this from now on.
    pub(crate) fn set_scrub(&self, policy: Option<ScrubPolicy>) {
        {
            let mut progress = self.scrub.progress.lock();
            progress.policy = policy;
            progress.pacer = policy.map(|policy| match progress.pacer.take() {
                Some(mut pacer) => {
                    pacer.set_rate(policy.rate);
                    pacer
                }
                None => Pacer::new(policy.rate),
            });
        }
        self.place.alarm.poke();
    }

    /// The scrubber's thread.
    pub(crate) fn run_scrubber(&self) {
        yield_to_others();
        loop {
            let goes_on = match self.scrub_step() {
                Next::AtOnce => !self.place.alarm.is_stopped(),
                Next::After(time) => self.place.alarm.wait_poked(time),
                Next::Stop => false,
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Verifies files for as long as that is paid for, and ends with the pass. For simulations, where no
    /// thread does: nothing waits here, so the last file may be ahead of its time.
    pub(crate) fn scrub_while_paid(&self) {
        let passes = self.scrub.progress.lock().passes;
        let now = self.options.clock.monotonic();
        let is_paid = || {
            let progress = self.scrub.progress.lock();
            let is_paid = progress.pacer.as_ref().is_some_and(|pacer| pacer.wait(now).is_zero());
            is_paid && progress.passes == passes
        };
        while is_paid() && self.scrub_step() == Next::AtOnce {}
    }

    /// Verifies the next file, if one is due.
    fn scrub_step(&self) -> Next {
        let mut agenda = self.scrub.stepping.lock();
        let Some(policy) = self.scrub.progress.lock().policy else { return Next::After(LOOK_EVERY) };
        if self.scrub.is_held() {
            return Next::After(HELD_LOOK);
        }
        if let Some(wait) = self.begin_pass_if_due(&policy) {
            return Next::After(wait);
        }
        let after = self.scrub.progress.lock().after;
        let next = agenda.next(self, after);
        match next.and_then(|item| item.map(|item| self.scrub_next(item)).transpose()) {
            Ok(Some(is_damaged)) => {
                self.write_state_if_due(is_damaged);
                Next::AtOnce
            }
            Ok(None) => {
                self.end_pass(&mut agenda);
                Next::AtOnce
            }
            Err(StoreError::Stopped) => Next::Stop,
            Err(error) => {
                let line = format!("verifying in the background failed and will be tried again: {error}");
                let told = self.scrub.progress.lock().trouble.replace(line.clone());
                if told.as_ref() != Some(&line) {
                    self.tell(line);
                }
                Next::After(LOOK_EVERY)
            }
        }
    }

    /// Verifies an item and notes what came of it; says whether something was found.
    fn scrub_next(&self, item: Item) -> Result<bool, StoreError> {
        let file = self.file_of(item);
        self.scrub.progress.lock().file = Some(file.clone());
        let (mut bytes, mut unpaid) = (0, 0);
        let mut on_bytes = |more: u64| {
            bytes += more;
            unpaid += more;
            unpaid < PIECE_BYTES || self.spend(std::mem::take(&mut unpaid))
        };
        let findings = self.scrub_item(item, &mut Watch::paced(&mut on_bytes))?;
        let least = FILE_BYTES_MIN.saturating_sub(bytes);
        if !self.spend(unpaid + least) {
            return Err(StoreError::Stopped);
        }
        let mut files: Vec<String> = findings.iter().map(|finding| finding.file.clone()).collect();
        files.push(file);
        let is_damaged = files.len() > 1;
        self.scrub.note(&files, findings);
        let mut progress = self.scrub.progress.lock();
        progress.after = Some(item);
        progress.bytes += bytes;
        if let Some(pass) = &mut progress.current {
            pass.bytes += bytes;
            pass.files += 1;
        }
        Ok(is_damaged)
    }

    /// Spends bytes, and waits until they are paid for; `false` when the store closes.
    fn spend(&self, bytes: u64) -> bool {
        let alarm = &self.place.alarm;
        let now = self.options.clock.monotonic();
        let wait =
            self.scrub.progress.lock().pacer.as_mut().map_or(Duration::ZERO, |pacer| pacer.spend(bytes, now));
        if self.options.background == Background::Manual {
            return !alarm.is_stopped();
        }
        let mut goes_on = alarm.rest(wait);
        while goes_on && self.scrub.is_held() {
            goes_on = alarm.rest(HELD_LOOK);
        }
        goes_on
    }

    /// Begins a pass if there is none and one is due; else how long to wait.
    fn begin_pass_if_due(&self, policy: &ScrubPolicy) -> Option<Duration> {
        let now_ms = self.options.clock.now_ms();
        let mut progress = self.scrub.progress.lock();
        if progress.current.is_some() {
            return None;
        }
        let started_at_ms = progress.last.as_ref().map(|last| last.started_at_ms);
        // A clock that was set back must not keep passes from beginning.
        if let Some(started_at_ms) = started_at_ms.filter(|started_at_ms| *started_at_ms <= now_ms) {
            let left = policy.every.saturating_sub(Duration::from_millis(now_ms - started_at_ms));
            if !left.is_zero() {
                return Some(left.min(LOOK_EVERY));
            }
        }
        progress.current = Some(ScrubPass { started_at_ms: now_ms, ..ScrubPass::default() });
        (progress.after, progress.is_whole_pass) = (None, true);
        None
    }

    fn end_pass(&self, agenda: &mut Agenda) {
        *agenda = Agenda::default();
        {
            let mut progress = self.scrub.progress.lock();
            progress.forget_unseen();
            let finished_at_ms = Some(self.options.clock.now_ms());
            progress.last = progress.current.take().map(|pass| ScrubPass { finished_at_ms, ..pass });
            (progress.after, progress.file) = (None, None);
            progress.passes += 1;
        }
        self.write_state_if_due(true);
    }

    /// Writes down how far the pass is, now and then. If that fails, a restart begins earlier.
    fn write_state_if_due(&self, is_due: bool) {
        let now = self.options.clock.monotonic();
        let state = {
            let mut progress = self.scrub.progress.lock();
            if !is_due && now.saturating_sub(progress.written_at) < WRITE_EVERY {
                return;
            }
            progress.written_at = now;
            let current = progress.current.clone().map(|pass| (pass, progress.after));
            State { last: progress.last.clone(), current, damage: progress.damage() }
        };
        let _ = state.write(&*self.options.fs, &self.dir);
    }

    /// The same when the store closes.
    pub(crate) fn write_scrub_state(&self) {
        let is_on = self.scrub.progress.lock().policy.is_some();
        if is_on {
            self.write_state_if_due(true);
        }
    }
}
