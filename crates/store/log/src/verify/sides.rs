//! Verifying side files: their own bytes, and that they say what their segments say.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::{DamagedAt, StoreError};

use super::fold::digest;
use super::segments::unreadable;
use super::{Findings, Fold, Part, Watch};
use crate::gather::gather_hashed;
use crate::hashed::{HashedEntry, HashedName};
use crate::log::Log;
use crate::manifest::{SegmentState, SideRow};
use crate::side::{self, SideFile};

/// Pages read at once.
const READ_PAGES: usize = 256;
/// Set in a digest when the entry may be missing; the other bits tell values apart.
const MAY_BE_MISSING: u32 = 1;

/// What came of verifying side files.
#[derive(Debug, Default)]
pub struct SidesCheck {
    /// How many were looked at.
    pub files: u64,
    /// Those that have to be made again, and can be.
    pub to_repair: BTreeSet<u64>,
}

/// What comparing a side file with its segments needs to know.
struct Ground<'a> {
    /// Segments that are not whole.
    damaged: &'a BTreeSet<u64>,
    keys_max: usize,
    now_ms: u64,
}

impl Log {
    /// Verifies every side file up to that of segment `last` against its segments, of which those in
    /// `damaged` are known not to be whole. Memory is bounded by `keys_max` entries of a [`Fold`].
    pub fn verify_sides(
        &self,
        last: u64,
        damaged: &BTreeSet<u64>,
        keys_max: usize,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<SidesCheck, StoreError> {
        let ground = Ground { damaged, keys_max, now_ms: self.options.clock.now_ms() };
        self.check_all_are_covered(findings);
        let mut check = SidesCheck::default();
        // Housekeeping may merge files meanwhile: what counts is which segments were looked at.
        let mut looked_at = 0;
        while let Some(row) = self.side_after(looked_at).filter(|row| row.first_segment <= last) {
            let before = findings.count();
            if !self.verify_side(&row, &ground, findings, watch)? {
                continue;
            }
            looked_at = row.last_segment;
            check.files += 1;
            if findings.count() > before && !ground.is_damaged(&row) {
                check.to_repair.insert(row.number);
            }
        }
        Ok(check)
    }

    fn side_after(&self, segment: u64) -> Option<SideRow> {
        self.manifest.lock().sides.iter().find(|row| row.last_segment > segment).copied()
    }

    fn check_all_are_covered(&self, findings: &mut Findings) {
        let manifest = self.manifest.lock();
        for (number, state) in &manifest.segments {
            let is_sealed = matches!(state, SegmentState::Sealed { .. });
            let mut covering = manifest.sides.iter().map(|row| row.first_segment..=row.last_segment);
            if is_sealed && !covering.any(|range| range.contains(number)) {
                let detail =
                    format!("no side file is listed for segment {number}; the next opening makes it");
                findings.add("MANIFEST", 0, detail);
            }
        }
    }

    /// Verifies one side file; `false` when it was merged into another one meanwhile.
    fn verify_side(
        &self,
        row: &SideRow,
        ground: &Ground<'_>,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<bool, StoreError> {
        let Some(side) = self.check_side(row, findings, watch)? else { return Ok(false) };
        if let Some(side) = side.filter(|_| !ground.is_damaged(row)) {
            let name = side::file_name(row.number);
            self.compare(&side, &name, row, ground, findings, watch)?;
        }
        Ok(true)
    }

    /// Verifies the bytes of one side file; `None` when it was merged into another one meanwhile, and
    /// `None` inside when something is wrong with it.
    pub(super) fn check_side(
        &self,
        row: &SideRow,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Option<SideFile>>, StoreError> {
        let name = side::file_name(row.number);
        let is_listed = || self.manifest.lock().sides.contains(row);
        let opened = self.options.fs.open_to_scan(&self.path(&name));
        let opened = opened.and_then(|file| Ok((file.len()?, self.open_side(row.number, file)?)));
        let side = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_listed() => return Ok(None),
            Err(error) => {
                findings.add(&name, 0, unreadable(&error));
                return Ok(Some(None));
            }
            Ok((len, None)) => {
                let footer = len.saturating_sub(side::FOOTER_BYTES as u64);
                findings.add(&name, footer, "the footer or the tables before it are not valid");
                return Ok(Some(None));
            }
            Ok((_, Some(side))) => side,
        };
        if (side.first_segment, side.last_segment) != (row.first_segment, row.last_segment) {
            findings.add(&name, 0, "it covers other segments than the manifest says");
            return Ok(Some(None));
        }
        let is_whole = check_pages(&side, &name, findings, watch)?;
        Ok(Some(is_whole.then_some(side)))
    }

    /// Compares a side file whose own bytes are good with its segments, a part of the names at a time.
    fn compare(
        &self,
        side: &SideFile,
        name: &str,
        row: &SideRow,
        ground: &Ground<'_>,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        // Only a merge that starts at the oldest file drops what has expired.
        let oldest = self.manifest.lock().sides.first().map(|first| first.number);
        let may_drop = oldest == Some(row.number) && row.first_segment != row.last_segment;
        let expired_at_ms = may_drop.then_some(ground.now_ms);
        // All of them as they are now: the newest ones may have been sealed since the log was read.
        let mut segments = self.segments();
        segments.retain(|segment| (row.first_segment..=row.last_segment).contains(&segment.number));
        let of = side.entries.div_ceil(ground.keys_max as u64).max(1);
        let mut next = Some(Part { number: 0, of });
        while let Some(part) = next {
            let fold = Fold::new(&self.hash_key, part, side.entries / part.of, ground.keys_max);
            let mut gather = Gather { fold, expired_at_ms };
            for segment in &segments {
                let mut makes_sense = true;
                let is_whole = self.read_again(segment, watch, &mut |frame| {
                    makes_sense &= gather_hashed(&self.hash_key, frame, &mut gather).is_ok();
                })?;
                if !is_whole || !makes_sense {
                    findings.add(name, 0, "its segments could not be read once more");
                    return Ok(());
                }
            }
            if gather.fold.overflowed() {
                next = Some(part.first_half());
                continue;
            }
            // As it is now: segments may have been written anew since they were read.
            let was_rewritten = self.segments().iter().any(|segment| {
                segment.packed > 0 && (row.first_segment..=row.last_segment).contains(&segment.number)
            });
            self.compare_part(side, name, &mut gather.fold, was_rewritten, findings)?;
            next = part.next();
        }
        Ok(())
    }

    fn compare_part(
        &self,
        side: &SideFile,
        name: &str,
        fold: &mut Fold,
        was_rewritten: bool,
        findings: &mut Findings,
    ) -> Result<(), StoreError> {
        let part = fold.part();
        let read = for_each_page(side, |offset, page| {
            let Ok(entries) = page else { return };
            for (entry_name, entry) in entries.into_iter().filter(|(name, _)| part.holds(name)) {
                let wrong = match fold.take(&entry_name) {
                    Some(taken) if taken & !MAY_BE_MISSING == digest_of(&entry) => continue,
                    Some(_) => "an entry differs from what the segments have",
                    None => "an entry that the segments do not have",
                };
                if !self.was_taken_out(side, &entry_name, &entry, was_rewritten) {
                    findings.add(name, offset, wrong);
                }
            }
        });
        read.map_err(|error| StoreError::io(format!("reading {name}"), error))?;
        let missing = fold.left().filter(|digest| digest & MAY_BE_MISSING == 0).count();
        if missing > 0 {
            findings.add(name, 0, format!("{missing} entries of the segments are missing"));
        }
        Ok(())
    }

    /// Whether an entry was taken out of a segment that was written anew, after a newer entry or time had
    /// put an end to it.
    fn was_taken_out(
        &self,
        side: &SideFile,
        name: &HashedName,
        entry: &HashedEntry,
        was_rewritten: bool,
    ) -> bool {
        let is_over = || entry.expired(self.options.clock.now_ms()) || self.is_superseded(side, name, entry);
        was_rewritten && is_over()
    }

    /// Whether something newer than a side file has an entry of this name, which may be an equal one.
    fn is_superseded(&self, side: &SideFile, name: &HashedName, entry: &HashedEntry) -> bool {
        let view = Arc::clone(&self.hashed.read());
        let Some(at) = view.sides.iter().position(|other| other.number == side.number) else {
            // It was merged in this moment, and where its entries are now cannot be told apart.
            return self.hashed_get(name).is_ok_and(|newest| newest.as_ref() != Some(entry));
        };
        view.recent.values().any(|recent| recent.read().contains_key(name))
            || view.sides[at + 1..].iter().any(|newer| matches!(newer.get(name), Ok(Some(_))))
    }
}

impl Ground<'_> {
    fn is_damaged(&self, row: &SideRow) -> bool {
        self.damaged.range(row.first_segment..=row.last_segment).next().is_some()
    }
}

/// Takes gathered entries into a fold.
struct Gather {
    fold: Fold,
    /// Entries that have expired by then may be missing.
    expired_at_ms: Option<u64>,
}

impl Extend<(HashedName, HashedEntry)> for Gather {
    fn extend<T: IntoIterator<Item = (HashedName, HashedEntry)>>(&mut self, entries: T) {
        for (name, entry) in entries {
            if self.fold.part().holds(&name) {
                let may_be_missing = self.expired_at_ms.is_some_and(|now_ms| entry.expired(now_ms));
                self.fold.insert(&name, digest_of(&entry) | u32::from(may_be_missing));
            }
        }
    }
}

fn digest_of(entry: &HashedEntry) -> u32 {
    let mut bytes = entry.expires_at_ms.to_le_bytes().to_vec();
    bytes.extend_from_slice(&entry.value);
    digest(&bytes) & !MAY_BE_MISSING
}

/// Checks checksums, order, directory, filter and count; `false` when something is wrong.
fn check_pages(
    side: &SideFile,
    name: &str,
    findings: &mut Findings,
    watch: &mut Watch<'_>,
) -> Result<bool, StoreError> {
    let before = findings.count();
    let (mut last, mut count) = (None, 0);
    let mut go_on = Ok(());
    let read = for_each_page(side, |offset, page| {
        if go_on.is_ok() {
            go_on = watch.advance(side::PAGE_BYTES as u64);
        }
        let entries = match page {
            Ok(entries) => entries,
            Err(damaged) => return findings.add(name, offset, damaged.detail),
        };
        count += entries.len() as u64;
        for (entry_name, _) in &entries {
            if last.is_some_and(|last| last >= *entry_name) {
                findings.add(name, offset, "entries are out of order");
            }
            if !side.filter.may_contain(entry_name) {
                findings.add(name, offset, "the filter denies an entry that is there");
            }
            last = Some(*entry_name);
        }
    });
    go_on?;
    if let Err(error) = read {
        findings.add(name, 0, unreadable(&error));
    } else if count != side.entries && findings.count() == before {
        findings.add(name, 0, format!("it holds {count} entries and says {}", side.entries));
    }
    Ok(findings.count() == before)
}

/// The entries of a page, or what is wrong with it.
type PageRead = Result<Vec<(HashedName, HashedEntry)>, DamagedAt>;

/// Calls `visit` with the offset of every page, and with its entries or what is wrong with it.
fn for_each_page(side: &SideFile, mut visit: impl FnMut(u64, PageRead)) -> io::Result<()> {
    let file: &Arc<dyn File> = &side.file;
    let mut bytes = Vec::new();
    for first in (0..side.directory.len()).step_by(READ_PAGES) {
        let pages = READ_PAGES.min(side.directory.len() - first);
        bytes.resize(pages * side::PAGE_BYTES, 0);
        file.read_at(&mut bytes, (first * side::PAGE_BYTES) as u64)?;
        for (page, bytes) in (first..).zip(bytes.chunks_exact(side::PAGE_BYTES)) {
            visit((page * side::PAGE_BYTES) as u64, side.open_page(page, bytes.to_vec()));
        }
    }
    Ok(())
}
