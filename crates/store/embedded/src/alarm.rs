//! Noticing that the index is damaged, and waking whoever rebuilds it.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Rung by whoever meets damage in the index.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    rung: Rung,
    /// Damage that the index in use has.
    why: Option<String>,
    /// Why it could not be rebuilt when that was last tried.
    failed: Option<String>,
    /// Something else wants the attention of whoever waits.
    poked: bool,
    stop: bool,
}

/// When damage was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Rung {
    /// While the store is opened: the next opening rebuilds the index.
    #[default]
    Opening,
    /// While it serves: the index is rebuilt beside.
    Serving,
    /// In an index that is being built: the build fails.
    Building,
}

impl Alarm {
    /// An alarm that nobody hears.
    pub(crate) fn for_building() -> Self {
        let alarm = Alarm::default();
        alarm.state.lock().rung = Rung::Building;
        alarm
    }

    /// From now on the store serves.
    pub(crate) fn serve(&self) {
        self.state.lock().rung = Rung::Serving;
    }

    /// Says that the index is damaged. The first cause is kept.
    pub(crate) fn ring(&self, why: &str) -> Rung {
        let mut state = self.state.lock();
        if state.rung == Rung::Serving {
            state.why.get_or_insert_with(|| why.to_owned());
            self.changed.notify_all();
        }
        state.rung
    }

    /// The damage that the index in use has, if any is known.
    pub(crate) fn why(&self) -> Option<String> {
        self.state.lock().why.clone()
    }

    /// Notes that the index could not be rebuilt.
    pub(crate) fn failed(&self, why: &str) {
        self.state.lock().failed = Some(why.to_owned());
    }

    /// Why a damaged index could not be rebuilt when that was last tried.
    pub(crate) fn failure(&self) -> Option<String> {
        let state = self.state.lock();
        state.why.as_ref().and(state.failed.clone())
    }

    /// Says that the index in use is a new one.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock();
        (state.why, state.failed) = (None, None);
    }

    /// Wakes whoever waits.
    pub(crate) fn poke(&self) {
        self.state.lock().poked = true;
        self.changed.notify_all();
    }

    /// Ends all waiting, for good.
    pub(crate) fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state.lock().stop
    }

    /// Waits that long, whatever rings; `false` as soon as it is time to stop.
    pub(crate) fn rest(&self, time: Duration) -> bool {
        let mut state = self.state.lock();
        self.changed.wait_while_for(&mut state, |state| !state.stop, time);
        !state.stop
    }

    /// Waits that long or until poked; `false` as soon as it is time to stop.
    pub(crate) fn wait_poked(&self, time: Duration) -> bool {
        let mut state = self.state.lock();
        self.changed.wait_while_for(&mut state, |state| !state.stop && !state.poked, time);
        state.poked = false;
        !state.stop
    }

    /// Waits until the index is damaged; `false` as soon as it is time to stop.
    pub(crate) fn wait_rung(&self) -> bool {
        let mut state = self.state.lock();
        self.changed.wait_while(&mut state, |state| !state.stop && state.why.is_none());
        !state.stop
    }
}
