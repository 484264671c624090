//! The manifest: one checksummed text file that says which files make up the store.
//!
//! ```text
//! cairn manifest 1
//! store 9f…                     id of the store, 32 hex digits
//! hashkey 07…                   secret of hashed names, 64 hex digits
//! next 12                       the next unused file number
//! segment 1 sealed 0 67108864 5577   number, state, base, bytes, salt
//! segment 3 open 8811           number, state, salt
//! side 4 1 1                    number, first segment, last segment
//! image 9 67108800              number, position
//! crc 1a2b3c4d
//! ```
//!
//! It is replaced by rename; files of ours that it does not list are removed when the store opens.

use std::io;
use std::path::{Path, PathBuf};

use cairn_base::fs::FileSystem;
use cairn_seam::{DamagedAt, StoreError};

use crate::hashed::HashKey;

/// The newest format this code reads and the one it writes.
pub const FORMAT: u32 = 1;
pub(crate) const NAME: &str = "MANIFEST";
const TEMPORARY: &str = "MANIFEST.new";
/// Half a million segments fit; a longer file is not ours.
const BYTES_MAX: u64 = 64 << 20;
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) store: [u8; 16],
    pub(crate) hash_key: HashKey,
    pub(crate) next: u64,
    /// In the order of numbers.
    pub(crate) segments: Vec<(u64, SegmentState)>,
    /// In the order of segments, oldest first.
    pub(crate) sides: Vec<SideRow>,
    pub(crate) image: Option<ImageRow>,
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
        let text = String::from_utf8(bytes).map_err(|_| damaged("the manifest is not text"))?;
        check_format(&text, dir).ok_or_else(|| damaged("the manifest has no known first line"))??;
        let (body, crc) = text.rsplit_once("crc ").ok_or_else(|| damaged("the manifest has no checksum"))?;
        if crc.trim_end() != format!("{:08x}", crc32c::crc32c(body.as_bytes())) {
            return Err(damaged("the manifest's checksum is wrong"));
        }
        parse(body).ok_or_else(|| damaged("the manifest has a line that makes no sense")).map(Some)
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

    fn to_text(&self) -> String {
        use std::fmt::Write as _;
        let mut text = format!("cairn manifest {FORMAT}\n");
        let mut line = |row: std::fmt::Arguments<'_>| writeln!(text, "{row}").expect("a string takes all");
        line(format_args!("store {}", hex(&self.store)));
        line(format_args!("hashkey {}", hex(&self.hash_key.0)));
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
        let crc = crc32c::crc32c(text.as_bytes());
        text + &format!("crc {crc:08x}\n")
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
    let mut manifest = Manifest {
        store: [0; 16],
        hash_key: HashKey([0; 32]),
        next: 0,
        segments: Vec::new(),
        sides: Vec::new(),
        image: None,
    };
    for line in body.lines().skip(1) {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["store", id] => manifest.store = unhex(id)?,
            ["hashkey", key] => manifest.hash_key = HashKey(unhex(key)?),
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
            _ => return None,
        }
    }
    Some(manifest)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::fs::SimulatedFs;

    fn sample() -> Manifest {
        Manifest {
            store: [7; 16],
            hash_key: HashKey([9; 32]),
            next: 12,
            segments: vec![
                (1, SegmentState::Sealed { base: 0, bytes: 4096, salt: u64::MAX }),
                (3, SegmentState::Open { salt: 5 }),
            ],
            sides: vec![SideRow { number: 4, first_segment: 1, last_segment: 1 }],
            image: Some(ImageRow { number: 9, position: 64 }),
        }
    }

    #[test]
    fn reads_back_what_was_written_and_replaces_it() {
        let fs = SimulatedFs::new(1);
        let dir = Path::new("d");
        fs.create_dir(dir).unwrap();
        assert_eq!(Manifest::read(&fs, dir).unwrap(), None);
        sample().write(&fs, dir).unwrap();
        let second = Manifest { next: 13, image: None, ..sample() };
        second.write(&fs, dir).unwrap();
        assert_eq!(Manifest::read(&fs, dir).unwrap(), Some(second));
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
