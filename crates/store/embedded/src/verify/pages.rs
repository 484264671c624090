//! Verifying the pages of the index file against the marks that are kept of them.
//!
//! A page that is not what its mark says is not damage yet: a crash leaves pages of a commit that never
//! was. Only redb knows which pages count, so when there are such pages it is asked to walk over all it
//! needs, on a copy that throws away what it writes. If it needs none of them, nothing is wrong.

use std::io;

use cairn_log::{Findings, Watch};
use cairn_seam::StoreError;

use super::Subject;
use super::scratch;
use crate::backend::SeamBackend;
use crate::guard::{GROUP_PAGES, PAGE, PAGE_LEN, is_unwritten};
use crate::index::{self, Index};
use crate::shared::Shared;

/// More suspects than this are not looked into one by one: the index is beyond doubt.
const SUSPECTS_MAX: usize = 10_000;

/// Pages that are looked at while the applier stands still.
const SLICE_PAGES: u64 = 64;

/// What a slice of pages looks like.
#[derive(Default)]
struct SliceCheck {
    /// Pages with a mark.
    checked: u64,
    /// Pages that do not match theirs.
    suspects: Vec<u64>,
    /// Offsets in the file of marks that are not those in use.
    wrong_marks: Vec<u64>,
}

impl Subject<'_> {
    pub(super) fn check_pages(
        &mut self,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let before = findings.count();
        self.index_pages += self.shared.check_index_pages(findings, watch)?;
        self.is_index_bad |= findings.count() > before;
        Ok(())
    }
}

impl Shared {
    /// Verifies every page of the index in use; returns how many there are.
    pub(crate) fn check_index_pages(
        &self,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<u64, StoreError> {
        let index = self.index();
        let backend = &index.pages;
        watch.begin("reading the index", index.bytes())?;
        let (mut suspects, mut pages) = (Vec::new(), 0);
        let mut first = 0;
        while first < backend.pages() {
            let checked = {
                // Between two slices the applier gets its turn.
                let _index_stays_as_it_is = self.applying.lock();
                backend.check_slice(first)
            };
            match checked {
                Ok(check) => {
                    pages += check.checked;
                    for offset in check.wrong_marks {
                        findings.add(index::FILE, offset, "the checksum or seal of a page was changed");
                    }
                    let room = SUSPECTS_MAX.saturating_sub(suspects.len());
                    suspects.extend(check.suspects.into_iter().take(room));
                }
                Err(error) => {
                    let at = backend.layout.place_of(first);
                    findings.add(index::FILE, at, format!("it cannot be read: {error}"));
                }
            }
            first += SLICE_PAGES;
            watch.advance(SLICE_PAGES * PAGE)?;
        }
        self.inspect(&index, suspects, findings);
        if self.place.alarm.is_stopped() { Err(StoreError::Stopped) } else { Ok(pages) }
    }

    /// Looks at redb's own header, and whether redb needs any of the suspects.
    fn inspect(&self, index: &Index, mut suspects: Vec<u64>, findings: &mut Findings) {
        let _index_stays_as_it_is = self.applying.lock();
        // Some may have been written since, and some are known to be nobody's.
        suspects
            .retain(|page| index.pages.is_suspect(*page).unwrap_or(true) && !index.pages.is_cleared(*page));
        match index.pages.stored_front() {
            Ok(None | Some((_, None))) => {}
            Ok(Some((_, Some(offset)))) => {
                findings.add(index::FILE, offset, "the header is not the one that was written last");
                return;
            }
            Err(error) => {
                findings.add(index::FILE, 0, format!("it cannot be read: {error}"));
                return;
            }
        }
        let inspected = scratch::inspect(&index.pages, index.store_id, &suspects, &self.place.alarm);
        if self.place.alarm.is_stopped() {
            return;
        }
        if inspected.needs_suspects {
            for page in suspects {
                let detail = format!("page {page} does not match its checksum or seal");
                findings.add(index::FILE, index.pages.layout.place_of(page), detail);
            }
            return;
        }
        let wrong = match inspected.applied {
            Ok(applied) if applied == index.durable() => {
                suspects.iter().for_each(|page| index.pages.clear(*page));
                return;
            }
            // A commit that failed may be on disk all the same.
            Ok(_) if self.check_poison().is_err() => return,
            // One that was built around damage has no position, so that the next opening builds another.
            Err(_) if self.is_read_only() => return,
            Ok(_) => "the header leads to another state than the one that was written last".into(),
            Err(why) => why,
        };
        findings.add(index::FILE, index.pages.layout.place_of(0), wrong);
    }
}

impl SeamBackend {
    /// Looks at the pages from `first` on, and at the marks of a whole group with the first of its pages.
    fn check_slice(&self, first: u64) -> io::Result<SliceCheck> {
        let mut check = SliceCheck::default();
        if first.is_multiple_of(GROUP_PAGES) {
            let (group, table_pages) = (first / GROUP_PAGES, self.layout.table_pages());
            for table in group * table_pages..(group + 1) * table_pages {
                self.check_table(table, &mut check)?;
            }
        }
        let last = self.pages().min(first + SLICE_PAGES);
        let len = usize::try_from(last.saturating_sub(first)).map_err(io::Error::other)? * PAGE_LEN;
        let mut bytes = vec![0; len];
        self.file.read_at(&mut bytes, self.layout.place_of(first))?;
        let marks = self.marks.read();
        for (page, bytes) in (first..).zip(bytes.chunks_exact_mut(PAGE_LEN)) {
            let Some(mark) = marks.get(self.mark_of(page)?) else { break };
            check.checked += u64::from(!is_unwritten(mark));
            if !self.is_fine(page, bytes, mark) {
                check.suspects.push(page);
            }
        }
        Ok(check)
    }

    /// Remembers that nothing refers to a page, as long as it has its mark.
    fn clear(&self, page: u64) {
        if let Some(mark) = self.checksum_of_mark(page) {
            self.cleared.lock().insert(page, mark);
        }
    }

    fn is_cleared(&self, page: u64) -> bool {
        let mark = self.checksum_of_mark(page);
        mark.is_some() && self.cleared.lock().get(&page).copied() == mark
    }

    fn checksum_of_mark(&self, page: u64) -> Option<u32> {
        self.marks.read().get(self.mark_of(page).ok()?).map(crc32c::crc32c)
    }

    /// Compares a page of marks in the file with the marks in use.
    fn check_table(&self, table: u64, check: &mut SliceCheck) -> io::Result<()> {
        // What is not in the file yet is of a commit under way.
        if self.unsynced.lock().tables.contains(&table) {
            return Ok(());
        }
        let place = self.layout.place_of_table(table);
        let mut stored = [0; PAGE_LEN];
        self.file.read_at(&mut stored, place)?;
        let start = usize::try_from(table).map_err(io::Error::other)? * PAGE_LEN;
        let marks = self.marks.read();
        let marks = marks.get(start..).unwrap_or_default();
        let pairs =
            stored.chunks_exact(self.layout.mark_bytes).zip(marks.chunks_exact(self.layout.mark_bytes));
        for (at, (stored, mark)) in pairs.enumerate() {
            if stored != mark {
                check.wrong_marks.push(place + (at * self.layout.mark_bytes) as u64);
            }
        }
        Ok(())
    }

    fn is_suspect(&self, page: u64) -> io::Result<bool> {
        let marks = self.marks.read();
        let Some(mark) = marks.get(self.mark_of(page)?) else { return Ok(false) };
        let mut bytes = [0; PAGE_LEN];
        self.file.read_at(&mut bytes, self.layout.place_of(page))?;
        Ok(!self.is_fine(page, &mut bytes, mark))
    }

    /// Whether a page is what its mark says. Page 0 is redb's own header, which has no mark.
    fn is_fine(&self, page: u64, bytes: &mut [u8], mark: &[u8]) -> bool {
        page == 0 || self.guard.is_as_marked(page, bytes, mark)
    }
}
