//! Bytes of files: what was written is read, whatever part is asked for, and nothing else ever.

use std::fs;
use std::sync::LazyLock;
use std::thread;

use proptest::prelude::*;
use tantivy::directory::FileHandle;

use super::super::checked::layout::{FOOTER_BYTES, SUM_BYTES};
use super::super::sealed::layout::{BLOCK_BYTES, HEADER_BYTES};
use super::*;

const SEALED_BLOCK: usize = BLOCK_BYTES + 16;

/// A folder with one file.
struct Case {
    dir: tempfile::TempDir,
    protection: Protection,
    content: Vec<u8>,
}

fn cases(content_bytes: usize) -> [Case; 2] {
    both().map(|protection| Case::new(protection, content_bytes))
}

impl Case {
    fn new(protection: Protection, content_bytes: usize) -> Self {
        let case = Case { dir: tempfile::tempdir().unwrap(), protection, content: noise(content_bytes) };
        write(&case.fresh(), "file", &case.content);
        case
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("file")
    }

    fn fresh(&self) -> Folder {
        fresh(self.dir.path(), &self.protection)
    }

    /// How long a file with this content is.
    fn file_bytes(&self) -> u64 {
        let blocks = self.content.len().div_ceil(BLOCK_BYTES).max(1);
        let more = match self.protection {
            Protection::Checked(_) => FOOTER_BYTES + SUM_BYTES * blocks,
            Protection::Sealed(_) => HEADER_BYTES + 16 * blocks,
        };
        (self.content.len() + more) as u64
    }

    fn handle(&self) -> Arc<dyn FileHandle> {
        self.fresh().get_file_handle(Path::new("file")).unwrap()
    }

    /// What a directory that knows nothing reads of these bytes.
    fn read_instead(&self, stored: &[u8]) -> Option<Vec<u8>> {
        fs::write(self.path(), stored).unwrap();
        let fresh = self.fresh();
        let read = read(&fresh, "file");
        // Whoever looks at everything finds the same, and what was met is remembered.
        assert_eq!(fresh.verify(Path::new("file")).is_ok(), read.is_some());
        assert_eq!(fresh.damage().is_some(), read.is_none());
        read
    }
}

#[test]
fn files_of_all_lengths_come_back() {
    for content_bytes in [0, 1, 20, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 5 * BLOCK_BYTES, 100_000] {
        for case in cases(content_bytes) {
            assert_eq!(case.handle().len(), content_bytes);
            assert!(read(&case.fresh(), "file").unwrap() == case.content, "{content_bytes}");
            assert_eq!(fs::metadata(case.path()).unwrap().len(), case.file_bytes());
        }
    }
}

#[test]
fn every_flipped_byte_is_noticed() {
    for (content_bytes, step) in [(0, 1), (20, 1), (2 * BLOCK_BYTES + 100, 97)] {
        for case in cases(content_bytes) {
            let warm = case.fresh();
            assert!(read(&warm, "file").unwrap() == case.content);
            let mut stored = fs::read(case.path()).unwrap();
            for at in (0..stored.len()).step_by(step) {
                for bit in [0, 7] {
                    stored[at] ^= 1 << bit;
                    assert_eq!(case.read_instead(&stored), None, "byte {at} of {content_bytes}");
                    let known = read(&warm, "file");
                    assert!(known.is_none_or(|known| known == case.content), "byte {at} reads as another");
                    stored[at] ^= 1 << bit;
                }
            }
            assert_eq!(case.read_instead(&stored), Some(case.content.clone()));
        }
    }
}

#[test]
fn no_length_but_its_own_is_that_of_a_file() {
    for content_bytes in [0, 20, BLOCK_BYTES, 2 * BLOCK_BYTES + 30] {
        for case in cases(content_bytes) {
            let stored = fs::read(case.path()).unwrap();
            let borders = (0..3).flat_map(|block| {
                let border = HEADER_BYTES + block * SEALED_BLOCK;
                border.saturating_sub(20)..border + 20
            });
            let ends = stored.len().saturating_sub(60)..stored.len();
            let step = if content_bytes < 100 { 1 } else { 331 };
            for bytes in (0..stored.len()).step_by(step).chain(borders).chain(ends) {
                if bytes < stored.len() {
                    assert_eq!(case.read_instead(&stored[..bytes]), None, "{bytes} of {content_bytes}");
                }
            }
            for more in [1, 4, 16, 17, FOOTER_BYTES, SEALED_BLOCK] {
                let longer = [&stored[..], &vec![0; more]].concat();
                assert_eq!(case.read_instead(&longer), None, "{more} more than {content_bytes}");
            }
        }
    }
}

#[test]
fn nothing_sealed_opens_at_the_place_of_another() {
    let case = Case::new(Protection::Sealed(seal(1)), 3 * BLOCK_BYTES);
    let directory = case.fresh();
    write(&directory, "other", &noise(3 * BLOCK_BYTES));
    let stored = fs::read(case.path()).unwrap();
    let other = fs::read(case.dir.path().join("other")).unwrap();
    let block = |number: usize| {
        let start = HEADER_BYTES + number * SEALED_BLOCK;
        start..start + SEALED_BLOCK
    };

    let mut swapped = stored.clone();
    swapped.copy_within(block(1), block(0).start);
    swapped[block(1)].copy_from_slice(&stored[block(0)]);
    assert_eq!(case.read_instead(&swapped), None, "blocks in another order");

    let mut mixed = stored.clone();
    mixed[block(1)].copy_from_slice(&other[block(1)]);
    assert_eq!(case.read_instead(&mixed), None, "a block of another file");

    let without_middle = [&stored[..block(1).start], &stored[block(2)]].concat();
    assert_eq!(case.read_instead(&without_middle), None, "without a block");

    let mut ends_early = stored.clone();
    ends_early.extend_from_slice(&stored[block(2)]);
    assert_eq!(case.read_instead(&ends_early), None, "with a block after the last");

    assert!(read(&directory, "other").is_some());
    assert_eq!(case.read_instead(&other), None, "another file");
    assert!(read(&directory, "file").is_none(), "another file, to somebody who knows both");
    assert_eq!(case.read_instead(&stored), Some(case.content.clone()));
}

#[test]
fn ranges_that_are_not_there_are_refused() {
    for handle in cases(20).map(|case| case.handle()) {
        #[expect(clippy::reversed_empty_ranges, reason = "what if")]
        for range in [0..21, 21..21, 20..21, 5..4, 0..usize::MAX, usize::MAX..usize::MAX] {
            let error = handle.read_bytes(range.clone()).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{range:?}");
        }
        assert!(handle.read_bytes(20..20).unwrap().is_empty());
    }
}

const LONG: usize = 9 * BLOCK_BYTES + 1234;

/// Kept for all cases, so that some find their blocks in the cache.
static LONG_FILES: LazyLock<[(Case, Arc<dyn FileHandle>); 2]> = LazyLock::new(|| {
    cases(LONG).map(|case| {
        let handle = case.handle();
        (case, handle)
    })
});

proptest! {
    #[test]
    fn any_range_reads_as_it_was_written(start in 0..LONG, wanted in prop_oneof![0..100_usize, 0..LONG]) {
        let range = start..LONG.min(start + wanted);
        for (case, warm) in &*LONG_FILES {
            for handle in [&case.handle(), warm] {
                let found = handle.read_bytes(range.clone()).unwrap();
                prop_assert!(found.as_slice() == &case.content[range.clone()], "{range:?}");
            }
        }
    }

    #[test]
    fn pieces_of_any_length_make_the_same_file(pieces in proptest::collection::vec(0..20_000_usize, 0..8)) {
        for protection in both() {
            let dir = tempfile::tempdir().unwrap();
            let directory = fresh(dir.path(), &protection);
            let mut writer = directory.open_write(Path::new("file")).unwrap();
            let mut content = Vec::new();
            for piece in &pieces {
                writer.write_all(&noise(*piece)).unwrap();
                writer.flush().unwrap();
                content.extend(noise(*piece));
            }
            writer.terminate().unwrap();
            prop_assert!(read(&directory, "file").unwrap() == content);
        }
    }
}

#[test]
fn threads_that_read_at_once_read_the_same() {
    for case in cases(12 * BLOCK_BYTES + 5) {
        let handle = case.handle();
        thread::scope(|scope| {
            for thread in 0..4_usize {
                let (handle, content) = (&handle, &case.content);
                scope.spawn(move || {
                    for turn in 0..400_usize {
                        let start = (turn * 7919 + thread * 104_729) % content.len();
                        let end = content.len().min(start + (turn * 977) % (7 * BLOCK_BYTES));
                        let found = handle.read_bytes(start..end).unwrap();
                        assert!(found.as_slice() == &content[start..end], "{start}..{end}");
                    }
                });
            }
        });
    }
}
