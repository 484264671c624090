//! Reading a manifest that is damaged or missing.

use std::io;
use std::path::Path;

use cairn_base::fs::FileSystem;
use cairn_seam::StoreError;

use crate::manifest::{self, Manifest, Parsed};

/// A longer manifest is not tried bit by bit.
const BITS_TRIED_BYTES_MAX: usize = 64 << 10;

/// What is known of the files of a store.
#[derive(Debug, Default)]
pub(crate) struct FoundManifest {
    pub(crate) manifest: Manifest,
    /// Whether it is as it was written: then it says which files count.
    pub(crate) is_whole: bool,
    pub(crate) has_store: bool,
    pub(crate) has_hash_key: bool,
    /// What is wrong with it; empty when nothing is.
    pub(crate) detail: String,
}

/// Reads what there is of a manifest. Fails when it is of a newer format, or there but unreadable.
pub(crate) fn read(fs: &dyn FileSystem, dir: &Path) -> Result<FoundManifest, StoreError> {
    let path = dir.join(manifest::NAME);
    let failed = |error| StoreError::io(format!("reading {}", path.display()), error);
    let bytes = match fs.open_to_read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(FoundManifest {
                detail: "the manifest is missing".into(),
                ..FoundManifest::default()
            });
        }
        opened => {
            let file = super::PatientFile(opened.map_err(failed)?);
            let len = cairn_base::fs::File::len(&file).map_err(failed)?.min(manifest::BYTES_MAX);
            let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
            cairn_base::fs::File::read_at(&file, &mut bytes, 0).map_err(failed)?;
            bytes
        }
    };
    let damaged = |detail: &str| {
        StoreError::Damaged(cairn_seam::DamagedAt { file: path.clone(), offset: 0, detail: detail.into() })
    };
    match Manifest::decode(bytes.clone(), dir, &damaged) {
        Ok(manifest) => return Ok(whole(manifest, String::new())),
        // One bit may have made another number of the format.
        Err(error) => match corrected(bytes.clone(), dir) {
            Some(manifest) => {
                return Ok(whole(manifest, "a flipped bit of the manifest was set right".into()));
            }
            None if matches!(error, StoreError::NewerFormat { .. }) => return Err(error),
            None => {}
        },
    }
    Ok(line_by_line(&bytes))
}

fn whole(manifest: Manifest, detail: String) -> FoundManifest {
    FoundManifest { manifest, is_whole: true, has_store: true, has_hash_key: true, detail }
}

/// The manifest with the one bit set right that makes its checksum fit; `None` when there is none.
///
/// No two bits are taken for each other: their effects on the checksum differ.
fn corrected(mut bytes: Vec<u8>, dir: &Path) -> Option<Manifest> {
    if bytes.len() > BITS_TRIED_BYTES_MAX {
        return None;
    }
    let bad = |_: &str| StoreError::Aborted;
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        // Most bits need no look at the rest of the text.
        if is_plausible(&bytes)
            && let Ok(manifest) = Manifest::decode(bytes.clone(), dir, &bad)
        {
            return Some(manifest);
        }
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    None
}

/// Whether the checksum in the last line is that of the lines before it.
fn is_plausible(bytes: &[u8]) -> bool {
    const LINE: usize = "crc 01234567\n".len();
    let Some((body, last)) = bytes.len().checked_sub(LINE).map(|at| bytes.split_at(at)) else { return false };
    last == format!("crc {:08x}\n", crc32c::crc32c(body)).as_bytes()
}

/// Takes every line that makes sense by itself. Nothing proves them: what files say of themselves wins.
fn line_by_line(bytes: &[u8]) -> FoundManifest {
    let mut parsed = Parsed::default();
    for line in bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()) {
        // Damaged lines are what this is about.
        let _ = parsed.line(line);
    }
    let (has_store, has_hash_key) = (parsed.has_store, parsed.has_hash_key);
    let detail = "the manifest is damaged; its lines are taken as they are".to_owned();
    match parsed.finish() {
        Some(manifest) => FoundManifest { manifest, is_whole: false, has_store, has_hash_key, detail },
        None => FoundManifest { detail: "the manifest is damaged".into(), ..FoundManifest::default() },
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::fs::SimulatedFs;

    use super::*;
    use crate::hashed::HashKey;
    use crate::manifest::SegmentState;

    fn sample() -> Manifest {
        Manifest {
            store: [7; 16],
            hash_key: HashKey([9; 32]),
            next: 12,
            segments: vec![
                (1, SegmentState::Sealed { base: 0, bytes: 4096, salt: 77 }),
                (3, SegmentState::Open { salt: 5 }),
            ],
            ..Manifest::default()
        }
    }

    fn read_as(bytes: &[u8]) -> Result<FoundManifest, StoreError> {
        let fs = SimulatedFs::new(1);
        let dir = Path::new("d");
        fs.create_dir(dir).unwrap();
        fs.create(&dir.join(manifest::NAME)).unwrap().write_at(bytes, 0).unwrap();
        read(&fs, dir)
    }

    #[test]
    fn any_flipped_bit_is_set_right() {
        let text = sample().to_text().into_bytes();
        for bit in 0..text.len() * 8 {
            let mut damaged = text.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let found = read_as(&damaged).unwrap();
            assert!(found.is_whole, "bit {bit}");
            assert_eq!(found.manifest, sample(), "bit {bit}");
        }
    }

    #[test]
    fn of_a_torn_manifest_the_lines_that_are_left_count() {
        let text = sample().to_text().replace("segment 1 sealed 0", "segment 1 sea\0\0\0 0");
        let found = read_as(&text.as_bytes()[..text.len() - 6]).unwrap();
        assert!(!found.is_whole && found.has_store && found.has_hash_key);
        assert_eq!(found.manifest.segments, [(3, SegmentState::Open { salt: 5 })]);
        assert_eq!(found.manifest.store, [7; 16]);
        let found = read_as(b"").unwrap();
        assert!(!found.has_store && found.manifest.segments.is_empty());
        let newer = sample().to_text().replace("cairn manifest 1", "cairn manifest 27");
        assert!(matches!(read_as(newer.as_bytes()), Err(StoreError::NewerFormat { found: 27, .. })));
    }
}
