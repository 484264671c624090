//! Verifying the pages of the index file against the checksums that are kept of them.
//!
//! A page that does not match its checksum is not damage yet: a crash leaves pages of a commit that never
//! was. Only redb knows which pages count, so when there are such pages it is asked to walk over all it
//! needs, on a copy that throws away what it writes. If it needs none of them, nothing is wrong.

use std::io;

use cairn_log::{Findings, Watch};
use cairn_seam::StoreError;

use super::Subject;
use super::scratch;
use crate::backend::{GROUP_BYTES, GROUP_PAGES, PAGE, PAGE_LEN, SeamBackend, checksum, place_of};
use crate::index;

/// More suspects than this are not looked into one by one: the index is beyond doubt.
const SUSPECTS_MAX: usize = 10_000;

/// What one group of pages looks like.
struct GroupCheck {
    /// Pages with a checksum.
    checked: u64,
    /// Pages that do not match theirs.
    suspects: Vec<u64>,
    /// Offsets in the file of checksums that are not those in use.
    wrong_checksums: Vec<u64>,
}

impl Subject<'_> {
    pub(super) fn check_pages(
        &mut self,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let before = findings.count();
        let backend = &self.shared.index.pages;
        watch.begin("reading the index", self.shared.index.bytes())?;
        let mut suspects = Vec::new();
        let mut group = 0;
        while group * GROUP_PAGES < backend.checksums.read().len() as u64 {
            let checked = {
                // Between two groups the applier gets its turn.
                let _index_stays_as_it_is = self.shared.applying.lock();
                backend.check_group(group)
            };
            match checked {
                Ok(check) => {
                    self.index_pages += check.checked;
                    for offset in check.wrong_checksums {
                        findings.add(index::FILE, offset, "the checksum of a page was changed");
                    }
                    let room = SUSPECTS_MAX.saturating_sub(suspects.len());
                    suspects.extend(check.suspects.into_iter().take(room));
                }
                Err(error) => {
                    findings.add(index::FILE, group * GROUP_BYTES, format!("it cannot be read: {error}"));
                }
            }
            group += 1;
            watch.advance(GROUP_BYTES)?;
        }
        self.inspect(suspects, findings);
        self.is_index_bad |= findings.count() > before;
        Ok(())
    }

    /// Looks at redb's own header, and whether redb needs any of the suspects.
    fn inspect(&self, mut suspects: Vec<u64>, findings: &mut Findings) {
        let _index_stays_as_it_is = self.shared.applying.lock();
        let index = &self.shared.index;
        // Some may have been written since.
        suspects.retain(|page| index.pages.is_suspect(*page).unwrap_or(true));
        let inspected = scratch::inspect(&index.pages, index.store_id, &suspects);
        if inspected.needs_suspects {
            for page in suspects {
                let detail = format!("page {page} does not match its checksum");
                findings.add(index::FILE, place_of(page), detail);
            }
            return;
        }
        let wrong = match inspected.applied {
            Ok(applied) if applied == index.durable() => return,
            // A commit that failed may be on disk all the same.
            Ok(_) if self.shared.check_poison().is_err() => return,
            Ok(_) => "the header leads to another state than the one that was written last".into(),
            Err(why) => why,
        };
        findings.add(index::FILE, place_of(0), wrong);
    }
}

impl SeamBackend {
    fn check_group(&self, group: u64) -> io::Result<GroupCheck> {
        let first = group * GROUP_PAGES;
        let expected: Vec<u32> = {
            let all = self.checksums.read();
            let start = usize::try_from(first).map_err(io::Error::other)?;
            all[start.min(all.len())..].iter().take(GROUP_PAGES as usize).copied().collect()
        };
        let mut bytes = vec![0; (1 + expected.len()) * PAGE_LEN];
        self.file.read_at(&mut bytes, group * GROUP_BYTES)?;
        let (stored, pages) = bytes.split_at(PAGE_LEN);
        let mut check = GroupCheck { checked: 0, suspects: Vec::new(), wrong_checksums: Vec::new() };
        let is_stored = !self.unsynced.lock().groups.contains(&group);
        for (at, (word, expected)) in stored.chunks_exact(4).zip(&expected).enumerate() {
            if is_stored && word != expected.to_le_bytes() {
                check.wrong_checksums.push(group * GROUP_BYTES + 4 * at as u64);
            }
        }
        for ((page, bytes), expected) in (first..).zip(pages.chunks_exact(PAGE_LEN)).zip(&expected) {
            check.checked += u64::from(*expected != 0);
            if is_wrong(page, bytes, *expected) {
                check.suspects.push(page);
            }
        }
        Ok(check)
    }

    fn is_suspect(&self, page: u64) -> io::Result<bool> {
        let expected = usize::try_from(page).ok().and_then(|page| self.checksums.read().get(page).copied());
        let Some(expected) = expected else { return Ok(false) };
        let mut bytes = [0; PAGE_LEN];
        self.file.read_at(&mut bytes, place_of(page))?;
        Ok(is_wrong(page, &bytes, expected))
    }
}

/// Whether a page is not what its checksum says. Pages that were never written are zero, and page 0 is
/// redb's own header, of which there is no checksum.
fn is_wrong(page: u64, bytes: &[u8], expected: u32) -> bool {
    debug_assert_eq!(bytes.len() as u64, PAGE);
    match expected {
        _ if page == 0 => false,
        0 => bytes.iter().any(|byte| *byte != 0),
        expected => checksum(bytes) != expected,
    }
}
