//! What of a segment is needed no more, frame by frame.

use cairn_log::{BlobAt, BlobInSegment, Fate, Frame, FrameKind, HashedEntry, HashedName, Op, Ops};
use cairn_seam::{DamagedAt, Keyspace, Selection, StoreError};

use super::sweep::Sweep;
use crate::shared::Shared;

/// How much of history goes.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Records and events up to here go: the image has what still counts. 0 for none.
    pub(super) horizon: u64,
    /// Up to here, what the selections match goes if it was replaced or deleted.
    pub(super) forget_to: u64,
    pub(super) selections: Vec<Selection>,
}

impl History {
    /// Whether transactions from this position on may have to change.
    pub(super) fn touches(&self, position: u64) -> bool {
        position <= self.horizon || (position <= self.forget_to && !self.selections.is_empty())
    }

    /// The selections that a transaction is looked through for.
    fn selections_for(&self, frame: &Frame<'_>) -> Vec<&Selection> {
        let is_meant =
            |selection: &&Selection| frame.position <= self.forget_to && selection.tenant == frame.tenant;
        self.selections.iter().filter(is_meant).collect()
    }
}

/// What was found to be dead.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) bytes: u64,
    /// Puts, deletes and events.
    pub(super) changes: u64,
    /// Whether something has to go, however little it is.
    pub(super) must_go: bool,
}

/// Decides about frames, and counts.
pub(super) struct Sifter<'a> {
    shared: &'a Shared,
    sweep: &'a Sweep<'a>,
    history: &'a History,
    now_ms: u64,
    pub(super) tally: Tally,
}

impl<'a> Sifter<'a> {
    pub(super) fn new(shared: &'a Shared, sweep: &'a Sweep<'a>, history: &'a History) -> Self {
        let now_ms = shared.options.clock.now_ms();
        Sifter { shared, sweep, history, now_ms, tally: Tally::default() }
    }

    pub(super) fn fate(&mut self, frame: &Frame<'_>) -> Result<Fate, StoreError> {
        match frame.kind {
            FrameKind::Blob => {
                let blob = BlobInSegment::of(frame).ok_or_else(|| self.senseless(frame))?;
                self.fate_of_blob(&blob)
            }
            FrameKind::Transaction => self.fate_of_transaction(frame),
            FrameKind::Commit | FrameKind::Gap => Ok(Fate::Stays),
        }
    }

    /// Counts what is dead among blobs alone.
    pub(super) fn weigh_blobs(&mut self, blobs: &[BlobInSegment]) -> Result<(), StoreError> {
        blobs.iter().try_for_each(|blob| self.fate_of_blob(blob).map(drop))
    }

    /// A blob goes only if an entry that was read says so, and what it says is true: it was removed and
    /// no record names it, or it can be read elsewhere. Without an entry it stays: its side file lacks
    /// what its segment has.
    fn fate_of_blob(&mut self, blob: &BlobInSegment) -> Result<Fate, StoreError> {
        let place = self.shared.blob_place(blob.tenant, &blob.hash)?;
        let is_needless = match place {
            Some(BlobAt::Log { position, .. }) if position == blob.position => false,
            Some(BlobAt::Log { position, body_bytes }) => {
                self.shared.log.read_blob(position, body_bytes, &blob.hash, |_| ()).is_ok()
            }
            Some(BlobAt::File { .. }) => self.shared.log.open_blob_file(blob.tenant, &blob.hash).is_ok(),
            Some(BlobAt::Gone) => !self.sweep.is_in_use(blob.tenant, &blob.hash),
            None => {
                self.shared.log.note_incomplete_side_at(blob.position);
                false
            }
        };
        if !is_needless {
            return Ok(Fate::Stays);
        }
        self.tally.bytes += blob.stored_bytes;
        self.tally.must_go |= self.history.selections.iter().any(|selection| selection.tenant == blob.tenant);
        Ok(Fate::Goes)
    }

    fn fate_of_transaction(&mut self, frame: &Frame<'_>) -> Result<Fate, StoreError> {
        let is_old = frame.position <= self.history.horizon;
        let selections = self.history.selections_for(frame);
        if !is_old && selections.is_empty() {
            return Ok(Fate::Stays);
        }
        if frame.body.is_empty() {
            // It closes a run with blobs; when those are gone, nobody needs it.
            return Ok(Fate::Goes);
        }
        let whole_tenant = selections.iter().any(|selection| selection.is_whole_tenant());
        let mut body = Vec::with_capacity(frame.body.len());
        let mut events = Vec::new();
        let (mut gone, mut lives) = (0, false);
        for op in Ops::new(frame.body) {
            match op.map_err(|_| self.senseless(frame))? {
                op @ (Op::Put { keyspace, key, .. } | Op::Delete { keyspace, key }) => {
                    let is_meant = selections.iter().any(|selection| selection.matches(keyspace, key));
                    if is_old || (is_meant && !self.is_current(&op)?) {
                        gone += 1;
                    } else {
                        op.encode(&mut body);
                        lives = true;
                    }
                }
                Op::Hashed { name, expires_at_ms, value } => {
                    let kept = match is_old || whole_tenant {
                        true => self.needed(frame.position, &name, expires_at_ms, value)?,
                        false => Some(value),
                    };
                    if let Some(value) = kept {
                        Op::Hashed { name, expires_at_ms, value }.encode(&mut body);
                    }
                }
                event @ Op::Event { .. } => events.push(event),
            }
        }
        // An event may tell what its transaction wrote.
        if is_old || gone > 0 || (whole_tenant && !lives) {
            gone += events.len() as u64;
        } else {
            events.iter().for_each(|event| event.encode(&mut body));
        }
        if body.len() == frame.body.len() {
            return Ok(Fate::Stays);
        }
        self.tally.bytes += (frame.body.len() - body.len()) as u64;
        self.tally.changes += gone;
        // Old hashed entries alone wait until a segment is mostly dead, unless they are to be forgotten.
        self.tally.must_go |= gone > 0 || whole_tenant;
        Ok(if body.is_empty() { Fate::Goes } else { Fate::Shrinks(body) })
    }

    /// Whether a change is what its record holds now.
    fn is_current(&self, op: &Op<'_>) -> Result<bool, StoreError> {
        let &Op::Put { keyspace, key, value } = op else { return Ok(false) };
        let view = self.shared.view();
        let mut is_current = false;
        let name = Keyspace::new(keyspace, "any");
        view.multi_get(&self.shared.place, view.position, name, &[key], &mut |_, found| {
            is_current = found == Some(value);
        })?;
        Ok(is_current)
    }

    /// What has to stay of a hashed entry.
    ///
    /// One that expired may hide an older one in a segment that stays as it is: its name stays, without its
    /// value, until a newer one that counts hides both.
    fn needed<'v>(
        &self,
        position: u64,
        name: &HashedName,
        expires_at_ms: u64,
        value: &'v [u8],
    ) -> Result<Option<&'v [u8]>, StoreError> {
        let entry = HashedEntry { expires_at_ms, value: value.into() };
        let newest = self.shared.log.hashed_get(name)?;
        if entry.expired(self.now_ms) {
            let is_hidden = newest.is_some_and(|newest| !newest.expired(self.now_ms));
            return Ok((!is_hidden).then_some(&[]));
        }
        let Some(newest) = newest else {
            // Its side file lacks what its segment has.
            self.shared.log.note_incomplete_side_at(position);
            return Ok(Some(value));
        };
        Ok((newest == entry).then_some(value))
    }

    fn senseless(&self, frame: &Frame<'_>) -> StoreError {
        StoreError::Damaged(DamagedAt {
            file: self.shared.dir.clone(),
            offset: frame.position,
            detail: "the frame at this position makes no sense".into(),
        })
    }
}
