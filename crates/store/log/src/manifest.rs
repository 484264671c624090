//! The manifest: one checksummed text file that says which files make up the store.
//!
//! ```text
//! cairn manifest 1
//! store 9f…                     id of the store, 32 hex digits
//! hashkey 07…                   secret of hashed names, 64 hex digits, or 120 when wrapped
//! root 1 5c…                    only if sealed: first file number, wrapped root key of 120 hex digits
//! next 12                       the next unused file number
//! segment 1 sealed 0 67108864 5577   number, state, base, bytes, salt
//! segment 3 open 8811           number, state, salt
//! side 4 1 1                    number, first segment, last segment
//! image 9 67108800              number, position
//! thinned 67108800 4096         only if history was thinned out: records up to here, events up to there
//! crc 1a2b3c4d
//! ```
//!
//! It is replaced by rename; files of ours that it does not list are removed when the store opens.

use std::io;
use std::path::{Path, PathBuf};

use cairn_base::from_hex;
use cairn_base::fs::FileSystem;
use cairn_seam::{DamagedAt, StoreError};

use crate::hashed::{HashKey, HashedName};
use crate::seal::{RootRow, SealedRows, Wrapped};

/// The newest format this code reads and the one it writes.
pub const FORMAT: u32 = 1;
pub(crate) const NAME: &str = "MANIFEST";
pub(crate) const TEMPORARY: &str = "MANIFEST.new";
/// Half a million segments fit; a longer file is not ours.
pub(crate) const BYTES_MAX: u64 = 64 << 20;
/// A segment that is being prepared and has no number yet.
pub(crate) const SPARE: &str = "spare.new";

/// A segment as the manifest knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SegmentState {
    /// Prepared or being written; its own header says more.
    Open { salt: u64 },
    /// Complete.
    Sealed { base: u64, bytes: u64, salt: u64 },
}

/// Which segments a side file covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SideRow {
    pub(crate) number: u64,
    pub(crate) first_segment: u64,
    pub(crate) last_segment: u64,
}

/// A sorted dump of all keys at one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageRow {
    /// Number in its file name.
    pub number: u64,
    /// Everything up to this position is in it.
    pub position: u64,
}

/// How much of history the log does not hold any more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Thinned {
    /// Transactions up to this position lack records: the image has those that still count.
    pub records_to: u64,
    /// Events up to this position are gone.
    pub events_to: u64,
}

/// Files of a copy whose lengths do not follow from the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Copied {
    /// Number and length of each segment that frames were taken out of.
    pub(crate) packed: Vec<(u64, u64)>,
    /// Name and length of each blob file.
    pub(crate) blobs: Vec<(HashedName, u64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) store: [u8; 16],
    /// Of a sealed store only known once its rows were opened.
    pub(crate) hash_key: HashKey,
    pub(crate) sealed: Option<SealedRows>,
    pub(crate) next: u64,
    /// In the order of numbers.
    pub(crate) segments: Vec<(u64, SegmentState)>,
    /// In the order of segments, oldest first.
    pub(crate) sides: Vec<SideRow>,
    pub(crate) image: Option<ImageRow>,
    pub(crate) thinned: Thinned,
    /// In the manifest of a backup alone; a store does not need it.
    pub(crate) copied: Copied,
}

impl Manifest {
    pub(crate) fn take_number(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// Reads the manifest of a directory; `None` when there is none.
    pub(crate) fn read(fs: &dyn FileSystem, dir: &Path) -> Result<Option<Self>, StoreError> {
        let path = dir.join(NAME);
        let file = match fs.open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(format!("opening {}", path.display()), error)),
        };
        let failed = |error| StoreError::io(format!("reading {}", path.display()), error);
        let len = file.len().map_err(failed)?;
        let damaged = |detail: &str| {
            StoreError::Damaged(DamagedAt { file: path.clone(), offset: 0, detail: detail.into() })
        };
        if len > BYTES_MAX {
            return Err(damaged("the manifest is too large"));
        }
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        file.read_at(&mut bytes, 0).map_err(failed)?;
        Self::decode(bytes, dir, &damaged).map(Some)
    }

    /// Reads the bytes of a manifest, which belong to `whose`.
    pub(crate) fn decode(
        bytes: Vec<u8>,
        whose: &Path,
        damaged: &dyn Fn(&str) -> StoreError,
    ) -> Result<Self, StoreError> {
        let text = String::from_utf8(bytes).map_err(|_| damaged("the manifest is not text"))?;
        check_format(&text, whose).ok_or_else(|| damaged("the manifest has no known first line"))??;
        let (body, crc) = text.rsplit_once("crc ").ok_or_else(|| damaged("the manifest has no checksum"))?;
        if crc.trim_end() != format!("{:08x}", crc32c::crc32c(body.as_bytes())) {
            return Err(damaged("the manifest's checksum is wrong"));
        }
        parse(body).ok_or_else(|| damaged("the manifest has a line that makes no sense"))
    }

    /// Replaces the manifest of a directory.
    pub(crate) fn write(&self, fs: &dyn FileSystem, dir: &Path) -> Result<(), StoreError> {
        self.replace(fs, dir)
            .map_err(|error| StoreError::io(format!("writing the manifest in {}", dir.display()), error))
    }

    fn replace(&self, fs: &dyn FileSystem, dir: &Path) -> io::Result<()> {
        let temporary = dir.join(TEMPORARY);
        match fs.remove(&temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let file = fs.create(&temporary)?;
        file.write_at(self.to_text().as_bytes(), 0)?;
        file.sync_data()?;
        fs.rename(&temporary, &dir.join(NAME))?;
        fs.sync_dir(dir)
    }

    pub(crate) fn to_text(&self) -> String {
        use std::fmt::Write as _;
        let mut text = format!("cairn manifest {FORMAT}\n");
        let mut line = |row: std::fmt::Arguments<'_>| writeln!(text, "{row}").expect("a string takes all");
        line(format_args!("store {}", hex(&self.store)));
        match &self.sealed {
            None => line(format_args!("hashkey {}", hex(&self.hash_key.0))),
            Some(rows) => {
                line(format_args!("hashkey {}", hex(&rows.hash_key.0)));
                for root in &rows.roots {
                    line(format_args!("root {} {}", root.from, hex(&root.wrapped.0)));
                }
            }
        }
        line(format_args!("next {}", self.next));
        for (number, state) in &self.segments {
            match state {
                SegmentState::Open { salt } => line(format_args!("segment {number} open {salt}")),
                SegmentState::Sealed { base, bytes, salt } => {
                    line(format_args!("segment {number} sealed {base} {bytes} {salt}"));
                }
            }
        }
        for side in &self.sides {
            line(format_args!("side {} {} {}", side.number, side.first_segment, side.last_segment));
        }
        if let Some(image) = self.image {
            line(format_args!("image {} {}", image.number, image.position));
        }
        if self.thinned != Thinned::default() {
            line(format_args!("thinned {} {}", self.thinned.records_to, self.thinned.events_to));
        }
        for (number, bytes) in &self.copied.packed {
            line(format_args!("packed {number} {bytes}"));
        }
        for (name, bytes) in &self.copied.blobs {
            line(format_args!("blob {} {bytes}", name.to_hex()));
        }
        let crc = crc32c::crc32c(text.as_bytes());
        text + &format!("crc {crc:08x}\n")
    }

    /// Whether the image holds what the log does not: without it, records would be missing.
    fn has_what_was_thinned_out(&self) -> bool {
        let Thinned { records_to, events_to } = self.thinned;
        let imaged_to = self.image.map_or(0, |image| image.position);
        events_to <= records_to && records_to <= imaged_to
    }

    /// The names of every file that belongs to the store, the manifest's own included.
    pub(crate) fn file_names(&self) -> Vec<String> {
        let segments = self.segments.iter().map(|(number, _)| crate::segment::file_name(*number));
        let sides = self.sides.iter().map(|side| crate::side::file_name(side.number));
        let image = self.image.iter().map(|image| image_name(image.number));
        segments.chain(sides).chain(image).chain([NAME.to_owned()]).collect()
    }
}

/// The file name of an image.
pub fn image_name(number: u64) -> String {
    format!("image-{number:010}.img")
}

/// Whether a file name is one that only the store gives, so that a stray one may be removed.
pub(crate) fn is_store_file(name: &str) -> bool {
    name == TEMPORARY
        || name == SPARE
        || [("segment-", ".log"), ("side-", ".idx"), ("image-", ".img")]
            .iter()
            .any(|(start, end)| name.starts_with(start) && name.ends_with(end))
}

fn check_format(text: &str, dir: &Path) -> Option<Result<(), StoreError>> {
    let found: u32 = text.lines().next()?.strip_prefix("cairn manifest ")?.parse().ok()?;
    let newer = StoreError::NewerFormat { dir: PathBuf::from(dir), found, known: FORMAT };
    Some(if found > FORMAT { Err(newer) } else { Ok(()) })
}

fn parse(body: &str) -> Option<Manifest> {
    let mut parsed = Parsed::default();
    body.lines().skip(1).try_for_each(|line| parsed.line(line))?;
    parsed.finish().filter(Manifest::has_what_was_thinned_out)
}

/// A manifest that is being read line by line.
#[derive(Default)]
pub(crate) struct Parsed {
    manifest: Manifest,
    wrapped: Option<Wrapped>,
    roots: Vec<RootRow>,
    /// Whether there was a line with the store's id.
    pub(crate) has_store: bool,
    /// Whether there was a line with the hash key.
    pub(crate) has_hash_key: bool,
}

impl Parsed {
    /// Takes a line in; `None`, without any effect, when it makes no sense.
    pub(crate) fn line(&mut self, line: &str) -> Option<()> {
        let manifest = &mut self.manifest;
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["store", id] => {
                manifest.store = from_hex(id)?;
                self.has_store = true;
            }
            ["hashkey", key] if key.len() == 2 * Wrapped::BYTES => {
                self.wrapped = Some(Wrapped(from_hex(key)?));
                self.has_hash_key = true;
            }
            ["hashkey", key] => {
                manifest.hash_key = HashKey(from_hex(key)?);
                self.has_hash_key = true;
            }
            ["root", from, key] => {
                self.roots.push(RootRow { from: from.parse().ok()?, wrapped: Wrapped(from_hex(key)?) });
            }
            ["next", number] => manifest.next = number.parse().ok()?,
            ["segment", number, "open", salt] => {
                let state = SegmentState::Open { salt: salt.parse().ok()? };
                manifest.segments.push((number.parse().ok()?, state));
            }
            ["segment", number, "sealed", base, bytes, salt] => {
                let state = SegmentState::Sealed {
                    base: base.parse().ok()?,
                    bytes: bytes.parse().ok()?,
                    salt: salt.parse().ok()?,
                };
                manifest.segments.push((number.parse().ok()?, state));
            }
            ["side", number, first, last] => manifest.sides.push(SideRow {
                number: number.parse().ok()?,
                first_segment: first.parse().ok()?,
                last_segment: last.parse().ok()?,
            }),
            ["image", number, position] => {
                manifest.image =
                    Some(ImageRow { number: number.parse().ok()?, position: position.parse().ok()? });
            }
            ["thinned", records, events] => {
                manifest.thinned =
                    Thinned { records_to: records.parse().ok()?, events_to: events.parse().ok()? };
            }
            ["packed", number, bytes] => {
                manifest.copied.packed.push((number.parse().ok()?, bytes.parse().ok()?));
            }
            ["blob", name, bytes] => {
                manifest.copied.blobs.push((HashedName::from_hex(name)?, bytes.parse().ok()?));
            }
            _ => return None,
        }
        Some(())
    }

    /// What all lines say together; `None` when keys are missing.
    pub(crate) fn finish(self) -> Option<Manifest> {
        let Parsed { mut manifest, wrapped, roots, .. } = self;
        manifest.sealed = match wrapped {
            None if roots.is_empty() => None,
            Some(hash_key) if !roots.is_empty() && roots.is_sorted_by_key(|root| root.from) => {
                Some(SealedRows { hash_key, roots })
            }
            None | Some(_) => return None,
        };
        Some(manifest)
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Manifest {
            store: [0; 16],
            hash_key: HashKey([0; 32]),
            sealed: None,
            next: 0,
            segments: Vec::new(),
            sides: Vec::new(),
            image: None,
            thinned: Thinned::default(),
            copied: Copied::default(),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::fs::SimulatedFs;

    fn sample() -> Manifest {
        Manifest {
            store: [7; 16],
            hash_key: HashKey([9; 32]),
            sealed: None,
            next: 12,
            segments: vec![
                (1, SegmentState::Sealed { base: 0, bytes: 4096, salt: u64::MAX }),
                (3, SegmentState::Open { salt: 5 }),
            ],
            sides: vec![SideRow { number: 4, first_segment: 1, last_segment: 1 }],
            image: Some(ImageRow { number: 9, position: 64 }),
            thinned: Thinned { records_to: 64, events_to: 8 },
            copied: Copied { packed: vec![(1, 70)], blobs: vec![(HashedName::read(&[3; 16]), 99)] },
        }
    }

    #[test]
    fn reads_back_what_was_written_and_replaces_it() {
        let fs = SimulatedFs::new(1);
        let dir = Path::new("d");
        fs.create_dir(dir).unwrap();
        assert_eq!(Manifest::read(&fs, dir).unwrap(), None);
        sample().write(&fs, dir).unwrap();
        let second = Manifest { next: 13, image: None, thinned: Thinned::default(), ..sample() };
        second.write(&fs, dir).unwrap();
        assert_eq!(Manifest::read(&fs, dir).unwrap(), Some(second));
    }

    #[test]
    fn history_is_thinned_out_only_as_far_as_the_image_reaches() {
        let read = |manifest: &Manifest| parse(manifest.to_text().rsplit_once("crc ").unwrap().0);
        let thinned =
            |records_to, events_to| Manifest { thinned: Thinned { records_to, events_to }, ..sample() };
        for good in [thinned(64, 64), thinned(64, 0), thinned(0, 0)] {
            assert_eq!(read(&good), Some(good));
        }
        for bad in [thinned(65, 0), thinned(8, 9), Manifest { image: None, ..thinned(1, 0) }] {
            assert_eq!(read(&bad), None, "{}", bad.to_text());
        }
    }

    #[test]
    fn wrapped_keys_read_back_and_nothing_stands_in_the_open() {
        let fs = SimulatedFs::new(1);
        let dir = Path::new("d");
        fs.create_dir(dir).unwrap();
        let root = |from, byte| RootRow { from, wrapped: Wrapped([byte; Wrapped::BYTES]) };
        let rows = SealedRows {
            hash_key: Wrapped([5; Wrapped::BYTES]),
            roots: vec![root(1, 6), root(12, 7), root(12, 8)],
        };
        let sealed = Manifest { sealed: Some(rows), ..sample() };
        assert!(!sealed.to_text().contains(&hex(&sealed.hash_key.0)));
        sealed.write(&fs, dir).unwrap();
        let read = Manifest::read(&fs, dir).unwrap().unwrap();
        assert_eq!(read.hash_key, HashKey([0; 32]), "not known without the key");
        assert_eq!(Manifest { hash_key: sealed.hash_key, ..read }, sealed);
        let plain = sample().to_text();
        let lines = sealed.to_text();
        let root = lines.lines().find(|line| line.starts_with("root ")).unwrap();
        for bad in [plain.replace("next 12", root), lines.replace(root, "root 99 00")] {
            assert!(parse(bad.rsplit_once("crc ").unwrap().0).is_none(), "{bad}");
        }
    }

    #[test]
    fn damage_and_newer_formats_are_refused_in_words() {
        let fs = SimulatedFs::new(1);
        let dir = Path::new("d");
        fs.create_dir(dir).unwrap();
        let write = |text: &str| {
            let _ = fs.remove(&dir.join(NAME));
            let file = fs.create(&dir.join(NAME)).unwrap();
            file.write_at(text.as_bytes(), 0).unwrap();
        };
        let text = sample().to_text();
        for at in 0..text.len() - 1 {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            write(&String::from_utf8(bytes).unwrap());
            assert!(Manifest::read(&fs, dir).is_err(), "byte {at}");
        }
        write(&text.replace("cairn manifest 1", "cairn manifest 2"));
        let error = Manifest::read(&fs, dir).unwrap_err();
        assert!(matches!(error, StoreError::NewerFormat { found: 2, known: 1, .. }), "{error}");
    }
}
