//! Transactions that are under way: how many there may be, and what became of them.

use std::sync::mpsc::{Receiver, Sender, channel};

use cairn_query::UpsertCounts;

use crate::{EngineError, limits};

type Outcome = Result<UpsertCounts, EngineError>;

/// Transactions that were sent, in their order.
pub(super) struct Flights {
    sender: Sender<(Flight, Outcome)>,
    receiver: Receiver<(Flight, Outcome)>,
    sent: u64,
    under_way: usize,
    bytes: usize,
    counts: UpsertCounts,
    /// The first one that failed; those behind it failed because of it, whichever was heard of first.
    failed: Option<(u64, EngineError)>,
}

#[derive(Debug, Clone, Copy)]
struct Flight {
    number: u64,
    bytes: usize,
}

/// Tells what became of one.
pub(super) struct Landing {
    sender: Sender<(Flight, Outcome)>,
    flight: Flight,
}

impl Landing {
    pub(super) fn tell(self, outcome: Outcome) {
        // Nobody may be interested any more.
        let _ = self.sender.send((self.flight, outcome));
    }
}

impl Default for Flights {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Flights {
            sender,
            receiver,
            sent: 0,
            under_way: 0,
            bytes: 0,
            counts: UpsertCounts::default(),
            failed: None,
        }
    }
}

impl Flights {
    /// One more is sent, which holds so many bytes.
    pub(super) fn begin(&mut self, bytes: usize) -> Landing {
        let flight = Flight { number: self.sent, bytes };
        self.sent += 1;
        self.under_way += 1;
        self.bytes += bytes;
        Landing { sender: self.sender.clone(), flight }
    }

    /// Waits until one with so many bytes may be sent. One may in any case.
    pub(super) fn wait_for_room(&mut self, bytes: usize) {
        while self.under_way > 0
            && (self.under_way >= limits::KIP_IMPORTS_UNDER_WAY_MAX
                || self.bytes.saturating_add(bytes) > cairn_kip::limits::KIP_CAPSULE_BYTES_MAX)
        {
            self.wait();
        }
        self.look();
    }

    /// Counts those that have ended, and waits for none.
    pub(super) fn look(&mut self) {
        while let Ok((flight, outcome)) = self.receiver.try_recv() {
            self.ended(flight, outcome);
        }
    }

    /// Waits for all, and fails with the first that did.
    pub(super) fn settle(&mut self) -> Result<(), EngineError> {
        while self.under_way > 0 {
            self.wait();
        }
        self.failed.take().map_or(Ok(()), |(_, error)| Err(error))
    }

    pub(super) fn have_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// What became of those that ended well.
    pub(super) fn counts(&self) -> UpsertCounts {
        self.counts
    }

    fn wait(&mut self) {
        // A sender is held here, so that somebody could still say something.
        if let Ok((flight, outcome)) = self.receiver.recv() {
            self.ended(flight, outcome);
        }
    }

    fn ended(&mut self, flight: Flight, outcome: Outcome) {
        self.under_way -= 1;
        self.bytes -= flight.bytes;
        match outcome {
            Ok(counts) => self.counts = self.counts.plus(counts),
            Err(error) => {
                if self.failed.as_ref().is_none_or(|(number, _)| flight.number < *number) {
                    self.failed = Some((flight.number, error));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_seam::StoreError;

    use super::*;

    fn one() -> UpsertCounts {
        UpsertCounts { unchanged: 1, ..UpsertCounts::default() }
    }

    #[test]
    fn the_first_failure_is_told_whichever_is_heard_first() {
        let mut flights = Flights::default();
        let [first, second, third] = [0; 3].map(|_| flights.begin(10));
        third.tell(Err(StoreError::Conflict.into()));
        flights.look();
        assert!(flights.have_failed());
        second.tell(Err(StoreError::Record { detail: "no room".into() }.into()));
        first.tell(Ok(one()));
        let failed = flights.settle().unwrap_err();
        assert!(failed.to_string().contains("no room"), "{failed}");
        assert_eq!((flights.counts(), flights.under_way, flights.bytes), (one(), 0, 0));
    }

    #[test]
    fn there_is_room_for_one_in_any_case_and_for_no_more_than_may_be() {
        let mut flights = Flights::default();
        flights.wait_for_room(usize::MAX);
        for _ in 0..limits::KIP_IMPORTS_UNDER_WAY_MAX {
            flights.wait_for_room(1);
            let landing = flights.begin(1);
            // Told beforehand, or it would wait for good.
            landing.tell(Ok(one()));
        }
        assert_eq!(flights.counts().unchanged, limits::KIP_IMPORTS_UNDER_WAY_MAX as u64 - 1);
        flights.wait_for_room(cairn_kip::limits::KIP_CAPSULE_BYTES_MAX);
        assert_eq!(flights.under_way, 0);
    }
}
