//! Verifying that the index, with what is not in it yet, holds what the image and the log leave.
//!
//! The log is folded forward into a table of digests ([`Fold`]) and the keys are walked in their order,
//! each taking its digest out. What has none, another one, or is left over disagrees. When there are more
//! keys than the table may hold, that is done for one part of the keys after the other.

use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cairn_log::{Findings, Fold, Frame, FrameKind, Op, Ops, Part, Watch};
use cairn_seam::{KeyRange, Keyspace, StoreError, Visit};

use super::Subject;
use crate::index;
use crate::view::View;

/// How much of a key is shown.
const KEY_BYTES_SHOWN: usize = 48;

impl Subject<'_> {
    /// Compares all parts; `fold` is the first one, filled already.
    pub(super) fn check_agreement(
        &mut self,
        fold: Fold,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        // What is damaged was named, and says nothing about the rest.
        if self.is_index_bad || !self.is_truth_whole() {
            return Ok(());
        }
        let before = findings.count();
        let mut next = Some(fold);
        while let Some(mut fold) = next.take() {
            let part = if fold.overflowed() {
                Some(fold.part().first_half())
            } else if self.compare(&mut fold, findings, watch)? {
                fold.part().next()
            } else {
                None
            };
            drop(fold);
            if let Some(part) = part {
                next = self.fold(part, watch)?;
            }
        }
        self.is_index_bad |= findings.count() > before;
        Ok(())
    }

    /// Reads image and log once more for another part of the keys; `None` when they cannot be read now.
    fn fold(&self, part: Part, watch: &mut Watch<'_>) -> Result<Option<Fold>, StoreError> {
        let keys = self.view.keys_at_most() / part.of;
        let mut fold = Fold::new(self.shared.log.hash_key(), part, keys, self.keys_max);
        let mut findings = Findings::default();
        if self.image.position() > 0 {
            self.read_image(&mut findings, watch, &mut |keyspace, key, value| {
                fold.put(keyspace, key, value)
            })?;
        }
        let is_whole = self.read_log_again(watch, &mut |frame| fold.transaction(frame))?;
        Ok((is_whole && findings.count() == 0).then_some(fold))
    }

    /// Calls `visit` with every transaction that counts.
    fn read_log_again(
        &self,
        watch: &mut Watch<'_>,
        visit: &mut dyn FnMut(&Frame<'_>),
    ) -> Result<bool, StoreError> {
        let (after, to) = (self.image.position(), self.view.position);
        let needed = self.segments.iter().filter(|segment| segment.end() > after);
        watch.begin("reading the log again", needed.clone().map(|segment| segment.frames_end()).sum())?;
        let mut is_whole = true;
        for segment in needed {
            is_whole &= self.shared.log.read_again(segment, watch, &mut |frame| {
                if frame.kind == FrameKind::Transaction && frame.position > after && frame.position <= to {
                    visit(frame);
                }
            })?;
        }
        Ok(is_whole)
    }

    /// Walks over all keys and takes each one's digest out of the fold; `false` when that is not possible.
    fn compare(
        &self,
        fold: &mut Fold,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<bool, StoreError> {
        watch.begin("comparing the index with the log", self.shared.index().bytes())?;
        for keyspace in self.view.keyspaces() {
            let mut stopped = None;
            let mut visit = |_: usize, key: &[u8], value: &[u8]| {
                compare_key(keyspace, key, value, fold, findings);
                match watch.advance((key.len() + value.len()) as u64) {
                    Ok(()) => Visit::Continue,
                    Err(error) => {
                        stopped = Some(error);
                        Visit::Stop
                    }
                }
            };
            let all = KeyRange::new(Bound::Unbounded, Bound::Unbounded);
            let name = Keyspace::new(keyspace, "any");
            let place = &self.shared.place;
            let walked = catch_unwind(AssertUnwindSafe(|| {
                self.view.multi_scan(place, self.view.position, name, &[all], None, &mut visit)
            }));
            if let Some(error) = stopped {
                return Err(error);
            }
            let walked = walked.unwrap_or_else(|_| Err(place.damaged(&"redb panicked")));
            if let Err(error) = walked {
                findings.add(index::FILE, 0, format!("keyspace {keyspace} cannot be read: {error}"));
                return Ok(false);
            }
        }
        self.name_missing(fold, findings, watch)?;
        Ok(true)
    }

    /// Looks up what the index lacks in the log, to say what it is.
    fn name_missing(
        &self,
        fold: &mut Fold,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        if fold.left().next().is_none() {
            return Ok(());
        }
        self.read_log_again(watch, &mut |frame| {
            for op in Ops::new(frame.body) {
                let Ok(Op::Put { keyspace, key, .. }) = op else { continue };
                if fold.name(keyspace, key).is_some_and(|name| fold.take(&name).is_some()) {
                    let detail = format!(
                        "key {} of keyspace {keyspace} is missing; the log has it at position {}",
                        shown(key),
                        frame.position
                    );
                    findings.add(index::FILE, 0, detail);
                }
            }
        })?;
        let of_image = fold.left().count();
        if of_image > 0 {
            findings.add(index::FILE, 0, format!("{of_image} keys of the image are missing"));
        }
        Ok(())
    }
}

fn compare_key(keyspace: u16, key: &[u8], value: &[u8], fold: &mut Fold, findings: &mut Findings) {
    let Some(name) = fold.name(keyspace, key) else { return };
    let wrong = match fold.take(&name) {
        Some(digest) if Fold::is_same(digest, value) => return,
        Some(_) => "has another value than in the log",
        None => "is not in the log",
    };
    findings.add(index::FILE, 0, format!("key {} of keyspace {keyspace} {wrong}", shown(key)));
}

fn shown(key: &[u8]) -> String {
    let start: String = key.iter().take(KEY_BYTES_SHOWN).map(|byte| format!("{byte:02x}")).collect();
    if key.len() > KEY_BYTES_SHOWN { start + "…" } else { start }
}

impl View {
    /// Every keyspace that holds anything, in the order of numbers.
    fn keyspaces(&self) -> Vec<u16> {
        let generations = [Some(&self.active), self.frozen.as_ref()];
        let tables = generations.into_iter().flatten().flat_map(|generation| generation.tables());
        let mut all: Vec<u16> = tables.map(|(keyspace, _)| keyspace).collect();
        all.extend(self.index.tables().map(|(keyspace, _)| keyspace));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many keys there may be.
    pub(super) fn keys_at_most(&self) -> u64 {
        // A change that is not in the index yet takes more than this.
        const CHANGE_BYTES: u64 = 96;
        self.index.keys() + self.unapplied_bytes() / CHANGE_BYTES
    }
}
