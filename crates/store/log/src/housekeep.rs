//! Work that nobody waits for: preparing segments, sealing them, merging side files.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use cairn_base::fs::File;
use cairn_seam::{DamagedAt, StoreError};

use crate::hashed::{HashedEntry, HashedName};
use crate::log::{Log, Segment, Spare};
use crate::manifest::{self, SegmentState, SideRow};
use crate::memory_file::MemoryFile;
use crate::seal::FileKind;
use crate::segment;
use crate::side::{self, SideFile};

/// Bytes zeroed between two syncs, so that the log's own syncs never wait for many.
const FILL_SLICE_BYTES: u64 = 512 << 10;
/// How long the disk is left to others between two slices when there is time.
const FILL_PAUSE: Duration = Duration::from_millis(10);
/// Nothing is kept in order while less than this is free.
const KEEP_BYTES_MIN: u64 = 1 << 20;
/// This many neighbouring side files of one size class become one of the next.
const MERGE_FILES: usize = 4;
/// A look-up probes at most this many filters.
const SIDE_FILES_MAX: usize = 12;

impl Log {
    /// Does whatever there is to do, except for the segment being written; says what it did.
    pub fn housekeep(&self) -> Result<Vec<String>, StoreError> {
        let _one_at_a_time = self.housekeeping.lock();
        if !self.has_room_to_keep()? {
            // Everything here makes the next opening or look-up quicker, and nothing has to be done.
            return Ok(Vec::new());
        }
        self.remove_leftovers()?;
        self.prepare_spare()?;
        let in_use = self.segments.read().last().map_or(0, |last| last.number);
        let mut done = std::mem::take(&mut *self.repaired.lock());
        done.extend(self.seal_before_number(in_use)?);
        done.extend(self.add_missing_sides()?);
        done.extend(self.repair_sides()?);
        while let Some(merged) = self.merge_side_files()? {
            done.push(merged);
        }
        Ok(done)
    }

    /// Seals every segment after the last write, so that the next opening finds nothing to do.
    pub fn seal_all(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.housekeeping.lock();
        self.seal_before_number(u64::MAX).map(drop)
    }

    /// Seals every segment before one that is written next.
    pub fn seal_before(&self, number: u64) -> Result<(), StoreError> {
        let _one_at_a_time = self.housekeeping.lock();
        self.seal_before_number(number).map(drop)
    }

    /// Makes the side files of segments that were written anew again, so that they hold what those hold.
    pub fn renew_sides(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.housekeeping.lock();
        let rewritten: Vec<u64> = self
            .segments()
            .iter()
            .filter(|segment| segment.packed > 0)
            .map(|segment| segment.number)
            .collect();
        let sides = self.hashed.read().sides.clone();
        for side in sides {
            let (first, last) = (side.first_segment, side.last_segment);
            if rewritten.iter().any(|number| (first..=last).contains(number)) {
                let renewed = self.sides_from_segments(first, last)?;
                self.replace_sides(&[side.number], renewed)?;
            }
        }
        while self.merge_side_files()?.is_some() {}
        Ok(())
    }

    /// Nobody writes to the segments before that one any more.
    fn seal_before_number(&self, in_use: u64) -> Result<Vec<String>, StoreError> {
        let mut done = Vec::new();
        let mut segments = self.segments();
        segments.retain(|segment| segment.number < in_use);
        let unsealed: Vec<Segment> = {
            let manifest = self.manifest.lock();
            let is_open = |number: u64| {
                let mut rows = manifest.segments.iter().filter(|(row, _)| *row == number);
                rows.any(|(_, state)| matches!(state, SegmentState::Open { .. }))
            };
            segments.into_iter().filter(|segment| is_open(segment.number)).collect()
        };
        for segment in unsealed {
            self.seal(segment)?;
            done.push(format!("sealed segment {} with {} bytes", segment.number, segment.bytes));
        }
        Ok(done)
    }

    /// Makes sure a segment with its blocks on disk waits for its turn, if the disk has room.
    pub fn prepare_spare(&self) -> Result<(), StoreError> {
        if self.spare.lock().is_some() || !self.has_room_to_prepare()? {
            return Ok(());
        }
        let filled = self.fill_spare_file().map_err(self.io("preparing", manifest::SPARE))?;
        let Some(file) = filled else { return Ok(()) };
        // Numbers follow the order of use, so the file gets its own only now that it can be used, and
        // the writer cannot get one in between.
        let mut manifest = self.manifest.lock();
        // Taken for good, also if the rest fails: the file may be there under this number.
        let number = manifest.take_number();
        let mut next = manifest.clone();
        let salt = self.options.entropy.next_u64();
        let name = segment::file_name(number);
        let fs = &self.options.fs;
        fs.rename(&self.path(manifest::SPARE), &self.path(&name)).map_err(self.io("naming", &name))?;
        fs.sync_dir(&self.options.dir).map_err(self.io("syncing the directory of", &name))?;
        next.segments.push((number, SegmentState::Open { salt }));
        next.write(&**fs, &self.options.dir)?;
        *manifest = next;
        *self.spare.lock() = Some(Spare { number, salt, file, filled: true });
        Ok(())
    }

    /// A new file of the size of a segment whose blocks are on disk; `None` when the store closes.
    fn fill_spare_file(&self) -> io::Result<Option<Arc<dyn File>>> {
        let path = self.path(manifest::SPARE);
        match self.options.fs.remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let file = self.options.fs.create(&path)?;
        let zeroes = vec![0; usize::try_from(FILL_SLICE_BYTES).expect("half a MiB")];
        let mut filled = 0;
        while filled < self.options.segment_bytes {
            if self.closing.load(Ordering::Relaxed) {
                self.options.fs.remove(&path)?;
                return Ok(None);
            }
            let slice = FILL_SLICE_BYTES.min(self.options.segment_bytes - filled);
            file.write_at(&zeroes[..usize::try_from(slice).expect("half a MiB")], filled)?;
            file.sync_data()?;
            filled += slice;
            if self.options.leisurely && self.is_active_half_empty() {
                thread::sleep(FILL_PAUSE);
            }
        }
        Ok(Some(file))
    }

    /// Whether there is time until the next segment is needed.
    fn is_active_half_empty(&self) -> bool {
        self.segments.read().last().is_none_or(|active| active.bytes < self.options.segment_bytes / 2)
    }

    fn has_room_to_prepare(&self) -> Result<bool, StoreError> {
        Ok(self.free_bytes()? > self.options.reserve_bytes.saturating_add(2 * self.options.segment_bytes))
    }

    fn has_room_to_keep(&self) -> Result<bool, StoreError> {
        Ok(self.free_bytes()? >= self.options.reserve_bytes.max(KEEP_BYTES_MIN))
    }

    fn free_bytes(&self) -> Result<u64, StoreError> {
        self.options.fs.free_bytes(&self.options.dir).map_err(self.io("asking for free space in", ""))
    }

    /// Takes what an opening had no room to clear out of the manifest, and then away.
    fn remove_leftovers(&self) -> Result<(), StoreError> {
        let leftovers = self.leftovers.lock().clone();
        if leftovers.is_empty() {
            return Ok(());
        }
        self.change_manifest(|_| {})?;
        for name in &leftovers {
            self.remove_file(name)?;
        }
        self.leftovers.lock().clear();
        Ok(())
    }

    /// Writes the side files that opening had no room for.
    fn add_missing_sides(&self) -> Result<Vec<String>, StoreError> {
        let sealed: Vec<u64> = self.sealed_segments().iter().map(|segment| segment.number).collect();
        let recent: Vec<u64> = self.hashed.read().recent.keys().copied().collect();
        let mut done = Vec::new();
        for number in recent.into_iter().filter(|number| sealed.contains(number)) {
            let side = self.side_from_recent(number)?;
            self.change_manifest(|manifest| add_side_row(&mut manifest.sides, row(&side)))?;
            self.add_side(number, side);
            done.push(format!("wrote the side file of segment {number}, which there was no room for"));
        }
        Ok(done)
    }

    /// Has entries of a segment looked up in its side file from now on.
    fn add_side(&self, segment: u64, side: Arc<SideFile>) {
        self.change_hashed(|view| {
            view.recent.remove(&segment);
            view.sides.push(side);
            view.sides.sort_by_key(|side| side.first_segment);
        });
    }

    /// Cuts what was prepared and not used, and moves the segment's hashed entries to a side file.
    fn seal(&self, segment: Segment) -> Result<(), StoreError> {
        let name = segment::file_name(segment.number);
        let file = self.segment_file(segment.number)?;
        if file.len().map_err(self.io("measuring", &name))? > segment.bytes {
            file.set_len(segment.bytes).map_err(self.io("cutting", &name))?;
            file.sync_data().map_err(self.io("syncing", &name))?;
        }
        let Segment { number, base, salt, bytes, .. } = segment;
        let side = self.side_from_recent(number)?;
        self.change_manifest(|manifest| {
            for (other, state) in &mut manifest.segments {
                if *other == number {
                    *state = SegmentState::Sealed { base, bytes, salt };
                }
            }
            add_side_row(&mut manifest.sides, row(&side));
        })?;
        self.add_side(number, side);
        Ok(())
    }

    /// Writes the entries gathered for a complete segment as a side file.
    ///
    /// A segment without entries gets an empty one, which says that there is nothing to look for.
    pub(crate) fn side_from_recent(&self, segment: u64) -> Result<Arc<SideFile>, StoreError> {
        let recent = self.hashed.read().recent.get(&segment).cloned().unwrap_or_default();
        let sorted: BTreeMap<HashedName, HashedEntry> =
            recent.read().iter().map(|(name, entry)| (*name, entry.clone())).collect();
        let count = sorted.len();
        self.write_side((segment, segment), count, sorted.into_iter().map(Ok))
    }

    fn write_side(
        &self,
        segments: (u64, u64),
        count_hint: usize,
        sorted: impl Iterator<Item = Result<(HashedName, HashedEntry), StoreError>>,
    ) -> Result<Arc<SideFile>, StoreError> {
        let number = self.manifest.lock().take_number();
        let name = side::file_name(number);
        let written = self.write_side_file(number, &name, segments, count_hint, sorted);
        if written.is_err() {
            // Nothing lists it, and the next attempt has another name.
            let _ = self.options.fs.remove(&self.path(&name));
        }
        written
    }

    fn write_side_file(
        &self,
        number: u64,
        name: &str,
        segments: (u64, u64),
        count_hint: usize,
        sorted: impl Iterator<Item = Result<(HashedName, HashedEntry), StoreError>>,
    ) -> Result<Arc<SideFile>, StoreError> {
        let fs = &self.options.fs;
        let is_read_only = self.read_only.load(Ordering::Relaxed);
        let file: Arc<dyn File> = match is_read_only {
            true => Arc::new(MemoryFile::default()),
            false => fs.create(&self.path(name)).map_err(self.io("creating", name))?,
        };
        let mut failed = None;
        let entries = sorted.map_while(|entry| entry.map_err(|error| failed = Some(error)).ok());
        let salt = self.options.entropy.next_u64();
        let cipher = self.sealer.as_ref().map(|sealer| sealer.of_file(FileKind::Side, number, salt));
        let identity = side::Identity { store: self.store_id, number, salt, cipher };
        side::write(&*file, &identity, segments, count_hint, entries).map_err(self.io("writing", name))?;
        if let Some(error) = failed {
            return Err(error);
        }
        if !is_read_only {
            fs.sync_dir(&self.options.dir).map_err(self.io("syncing the directory of", name))?;
        }
        let opened = self.open_side(number, file).map_err(self.io("reading back", name))?;
        opened.map(Arc::new).ok_or_else(|| self.damaged(name, 0, "it does not read back as it was written"))
    }

    /// Opens a side file of this store; `None` when it is not a whole, valid one.
    pub(crate) fn open_side(&self, number: u64, file: Arc<dyn File>) -> io::Result<Option<SideFile>> {
        SideFile::open(number, file, self.store_id, self.sealer.as_deref())
    }

    /// Rebuilds side files that turned out to be damaged, one per segment.
    pub(crate) fn repair_sides(&self) -> Result<Vec<String>, StoreError> {
        let bad = std::mem::take(&mut *self.bad_sides.lock());
        let mut done = Vec::new();
        for number in bad {
            let sides = self.hashed.read().sides.clone();
            let Some(side) = sides.iter().find(|side| side.number == number) else { continue };
            let repaired = self.sides_from_segments(side.first_segment, side.last_segment);
            if repaired.is_err() {
                self.bad_sides.lock().insert(number);
            }
            self.replace_sides(&[number], repaired?)?;
            done.push(format!("rebuilt side file {number}, which was damaged, from its segments"));
        }
        Ok(done)
    }

    /// Rebuilds the side files that are known to be damaged, or fails with the damage that was met.
    pub(crate) fn repair_noted(&self, damage: DamagedAt) -> Result<(), StoreError> {
        let _one_at_a_time = self.housekeeping.lock();
        // None is left when another reader met the same damage and had it repaired meanwhile.
        match self.repair_sides() {
            Ok(done) => {
                self.repaired.lock().extend(done);
                Ok(())
            }
            Err(_) => Err(StoreError::Damaged(damage)),
        }
    }

    /// Looks through all segments for entries that no side file has, and rebuilds the side files that lack
    /// one. Once in the life of a process: afterwards what cannot be found is not there.
    pub fn recheck_sides(&self) -> Result<(), StoreError> {
        let mut is_checked = self.sides_rechecked.lock();
        if *is_checked {
            return Ok(());
        }
        for segment in self.sealed_segments() {
            let (entries, _) = match self.gather_around(&segment) {
                // Written anew or gone since.
                Err(StoreError::Damaged(_)) => continue,
                gathered => gathered?,
            };
            let now_ms = self.options.clock.now_ms();
            for (name, _) in entries.iter().filter(|(_, entry)| !entry.expired(now_ms)) {
                if self.hashed_get(name)?.is_none() {
                    self.note_incomplete_side(segment.number);
                    break;
                }
            }
        }
        *is_checked = true;
        drop(is_checked);
        let _one_at_a_time = self.housekeeping.lock();
        let done = self.repair_sides()?;
        self.repaired.lock().extend(done);
        Ok(())
    }

    /// Notes that the side file of a segment lacks entries that the segment has: it is rebuilt next.
    pub fn note_incomplete_side(&self, segment: u64) {
        let view = Arc::clone(&self.hashed.read());
        let covers = |side: &&Arc<SideFile>| (side.first_segment..=side.last_segment).contains(&segment);
        if let Some(side) = view.sides.iter().find(covers) {
            self.bad_sides.lock().insert(side.number);
        }
    }

    /// The same for the segment that a position lies in.
    pub fn note_incomplete_side_at(&self, position: u64) {
        if let Some(segment) = self.segment_of(position) {
            self.note_incomplete_side(segment.number);
        }
    }

    fn sides_from_segments(&self, first: u64, last: u64) -> Result<Vec<Arc<SideFile>>, StoreError> {
        let segments = self.segments().into_iter().filter(|segment| (first..=last).contains(&segment.number));
        let mut sides = Vec::new();
        for segment in segments {
            // A damaged segment has entries all the same; those of lost frames are lost with them.
            let (gathered, _) = self.gather_around(&segment)?;
            let count = gathered.len();
            sides.push(self.write_side(
                (segment.number, segment.number),
                count,
                gathered.into_iter().map(Ok),
            )?);
        }
        Ok(sides)
    }

    /// Puts new side files into the place of old ones, which are neighbours, and removes those.
    fn replace_sides(&self, old: &[u64], new: Vec<Arc<SideFile>>) -> Result<(), StoreError> {
        let is_read_only = self.read_only.load(Ordering::Relaxed);
        if !is_read_only {
            self.change_manifest(|manifest| {
                let at = manifest.sides.iter().position(|row| row.number == old[0]).unwrap_or(0);
                manifest.sides.retain(|row| !old.contains(&row.number));
                manifest.sides.splice(at..at, new.iter().map(|side| row(side)));
            })?;
        }
        self.change_hashed(|view| {
            let at = view.sides.iter().position(|side| side.number == old[0]).unwrap_or(0);
            view.sides.retain(|side| !old.contains(&side.number));
            view.sides.splice(at..at, new);
        });
        for number in old.iter().filter(|_| !is_read_only) {
            self.remove_file(&side::file_name(*number))?;
        }
        Ok(())
    }

    /// Merges one run of side files when there are too many; says so if it did.
    fn merge_side_files(&self) -> Result<Option<String>, StoreError> {
        let sides = self.hashed.read().sides.clone();
        let Some((start, end)) = run_to_merge(&sides) else { return Ok(None) };
        let old = &sides[start..end];
        let between = old[0].first_segment..old[old.len() - 1].last_segment;
        if self.hashed.read().recent.range(between).next().is_some() {
            // One file for all would cover a segment whose entries are in memory only.
            return Ok(None);
        }
        // An expired entry hides older ones of its name: it may go only when there can be none.
        let drop_expired = (start == 0).then(|| self.options.clock.now_ms());
        let is_live = |entry: &HashedEntry| drop_expired.is_none_or(|now_ms| !entry.expired(now_ms));
        let merged =
            merge(self, old).filter(|entry| entry.as_ref().map_or(true, |(_, entry)| is_live(entry)));
        let count: u64 = old.iter().map(|side| side.entries).sum();
        let segments = (old[0].first_segment, old[old.len() - 1].last_segment);
        let side = self.write_side(segments, usize::try_from(count).unwrap_or(usize::MAX), merged)?;
        let numbers: Vec<u64> = old.iter().map(|side| side.number).collect();
        self.replace_sides(&numbers, vec![side])?;
        Ok(Some(format!("merged {} side files", numbers.len())))
    }

    pub(crate) fn change_manifest(
        &self,
        change: impl FnOnce(&mut crate::manifest::Manifest),
    ) -> Result<(), StoreError> {
        let mut manifest = self.manifest.lock();
        let mut next = manifest.clone();
        change(&mut next);
        next.write(&*self.options.fs, &self.options.dir)?;
        *manifest = next;
        Ok(())
    }
}

/// Adds a side file at its place in the order of segments.
fn add_side_row(sides: &mut Vec<SideRow>, row: SideRow) {
    sides.push(row);
    sides.sort_by_key(|side| side.first_segment);
}

pub(crate) fn row(side: &SideFile) -> SideRow {
    SideRow { number: side.number, first_segment: side.first_segment, last_segment: side.last_segment }
}

/// Which neighbours to merge: four of one size class, or the two oldest when there are too many.
fn run_to_merge(sides: &[Arc<SideFile>]) -> Option<(usize, usize)> {
    let classes: Vec<u32> =
        sides.iter().map(|side| (side.last_segment - side.first_segment + 1).ilog2() / 2).collect();
    let same_class = classes.windows(MERGE_FILES).rposition(|run| run.iter().all(|class| *class == run[0]));
    match same_class {
        Some(start) => Some((start, start + MERGE_FILES)),
        None if sides.len() > SIDE_FILES_MAX => Some((0, 2)),
        None => None,
    }
}

/// The entries of several side files in the order of names; of equal names the newest file's.
fn merge<'a>(
    log: &'a Log,
    sides: &'a [Arc<SideFile>],
) -> impl Iterator<Item = Result<(HashedName, HashedEntry), StoreError>> + 'a {
    let mut scans: Vec<_> =
        sides.iter().map(|side| side.scan().map(|entry| log.note_bad(side, entry)).peekable()).collect();
    std::iter::from_fn(move || {
        let mut smallest: Option<HashedName> = None;
        for scan in &mut scans {
            match scan.peek() {
                Some(Ok((name, _))) if smallest.is_none_or(|least| *name < least) => smallest = Some(*name),
                Some(Err(error)) => return Some(Err(error.clone())),
                Some(Ok(_)) | None => {}
            }
        }
        let name = smallest?;
        let mut newest = None;
        for scan in &mut scans {
            newest = scan.next_if(|next| matches!(next, Ok((other, _)) if *other == name)).or(newest);
        }
        newest
    })
}
