//! What is done to a store, and which records that hits.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cairn_base::Position;

use super::build::{DIR, World};

const BLOCK: usize = 4096;

/// How a file is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Flip,
    Zero,
    Swap,
    Duplicate,
    /// With a block of another file.
    Substitute,
    /// With what stood there before.
    Stale,
    Truncate,
    Remove,
}

const WAYS: [Way; 8] = [
    Way::Flip,
    Way::Zero,
    Way::Swap,
    Way::Duplicate,
    Way::Substitute,
    Way::Stale,
    Way::Truncate,
    Way::Remove,
];

/// A file, and what it is to be.
pub(crate) struct Harm {
    path: PathBuf,
    way: Way,
    before: Vec<u8>,
    /// `None` when the file goes.
    after: Option<Vec<u8>>,
}

impl std::fmt::Debug for Harm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let changed = self.changed();
        write!(f, "{:?} {} at {changed:?} of {}", self.way, self.path.display(), self.before.len())
    }
}

impl Harm {
    /// Chooses a kind of file, one of them, and a way to change it that changes something.
    pub(super) fn choose(world: &World) -> Self {
        let files = world.files();
        let kinds = ["segment-", "segment-", "side-", "side-", "image-", "index.redb", ".blob", "MANIFEST"];
        loop {
            let kind = kinds[usize::try_from(world.below(kinds.len() as u64)).unwrap()];
            let named = |path: &&PathBuf| path.to_string_lossy().contains(kind);
            let there: Vec<&PathBuf> = files.keys().filter(named).collect();
            if there.is_empty() {
                continue;
            }
            let path = there[usize::try_from(world.below(there.len() as u64)).unwrap()].clone();
            let way = WAYS[usize::try_from(world.below(WAYS.len() as u64)).unwrap()];
            let before = files[&path].clone();
            let other = &files[*there.last().unwrap()];
            if before.is_empty() {
                continue;
            }
            let after = change(world, way, &before, other, world.before.get(&path));
            if after.as_ref() != Some(&before) {
                return Harm { path, way, before, after };
            }
        }
    }

    pub(super) fn inflict(&self, world: &World) {
        match &self.after {
            Some(after) => world.fs.write_raw(&self.path, after),
            None => assert!(world.fs.remove_raw(&self.path)),
        }
    }

    pub(super) fn is_manifest(&self) -> bool {
        self.path.ends_with("MANIFEST")
    }

    pub(super) fn is_removal(&self) -> bool {
        self.after.is_none()
    }

    /// From the first to the last byte that is not what it was.
    fn changed(&self) -> Range<usize> {
        let Some(after) = &self.after else { return 0..self.before.len() };
        let len = self.before.len();
        let differs = |at: &usize| after.get(*at) != Some(&self.before[*at]);
        let first = (0..len).find(differs).unwrap_or(len);
        let last = (0..len).rev().find(differs).map_or(first, |last| last + 1);
        first..last
    }

    /// Which bytes are not what they were, block by block: two swapped blocks leave the rest alone.
    fn touches(&self, range: Range<usize>) -> bool {
        match &self.after {
            None => true,
            Some(after) => {
                let range = range.start.min(self.before.len())..range.end.min(self.before.len());
                range.clone().any(|at| after.get(at) != Some(&self.before[at]))
            }
        }
    }

    /// Which records and blobs had bytes there.
    pub(super) fn hit(&self, world: &World) -> Hit {
        let name = self.path.file_name().unwrap().to_string_lossy().into_owned();
        let mut hit = Hit::default();
        if name.ends_with(".blob") {
            hit.files = true;
        }
        if !name.starts_with("segment-") {
            return hit;
        }
        let frames = frames(&self.before);
        let last = frames.iter().filter(|frame| frame.kind != COMMIT).map(|frame| frame.position).max();
        for frame in frames.iter().filter(|frame| self.touches(frame.bytes.clone())) {
            match frame.kind {
                COMMIT | GAP => {}
                _ => drop(hit.frames.insert(frame.position)),
            }
            // Whether the end of the log was torn or damaged cannot be told.
            hit.frames.extend(last.filter(|_| Some(frame.bytes.end) == frames.last().map(|f| f.bytes.end)));
        }
        hit.last = last.filter(|_| self.is_newest(world));
        if hit.last.is_some()
            && frames.last().is_some_and(|frame| self.touches(frame.bytes.start..usize::MAX))
        {
            hit.frames.extend(hit.last);
        }
        if self.touches(0..64) && world.files()[&PathBuf::from(DIR).join("MANIFEST")].is_empty() {
            hit.frames.extend(frames.iter().map(|frame| frame.position));
        }
        hit
    }

    /// Whether the file is the segment that was written last.
    fn is_newest(&self, world: &World) -> bool {
        let newest = world.files().into_iter().rfind(|(path, bytes)| {
            path.to_string_lossy().contains("segment-") && bytes.starts_with(b"CAIRNSEG")
        });
        newest.is_none_or(|(path, _)| Path::new(&path) <= self.path.as_path())
    }
}

/// What the changed bytes held.
#[derive(Debug, Default, Clone)]
pub(super) struct Hit {
    /// Positions of transactions and blobs.
    frames: BTreeSet<u64>,
    /// The last frame of the log, if it is in the file that was changed.
    last: Option<u64>,
    /// Whether a blob file was hit.
    files: bool,
}

impl Hit {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty() && !self.files
    }

    /// Whether the transaction at a position may be lost.
    pub(super) fn transaction(&self, position: Position) -> bool {
        self.frames.contains(&position.to_stored())
    }

    /// Whether the blob of the transaction at a position may be: its frame stands before it, behind the
    /// transaction before.
    pub(super) fn blob(&self, position: Position, before: Position) -> bool {
        self.frames.range(before.to_stored() + 1..position.to_stored()).next().is_some()
    }

    pub(super) fn blob_files(&self) -> bool {
        self.files
    }
}

const COMMIT: u8 = 3;
const GAP: u8 = 4;

struct FrameAt {
    position: u64,
    kind: u8,
    bytes: Range<usize>,
}

/// The frames of a whole segment.
fn frames(bytes: &[u8]) -> Vec<FrameAt> {
    let mut frames = Vec::new();
    let mut at = 64;
    while at + 24 <= bytes.len() && bytes[at + 16] != 0 {
        let len = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let position = u64::from_le_bytes(bytes[at + 8..at + 16].try_into().unwrap());
        let end = at + (24 + len).next_multiple_of(8);
        if end > bytes.len() {
            break;
        }
        frames.push(FrameAt { position, kind: bytes[at + 16], bytes: at..end });
        at = end;
    }
    frames
}

fn change(world: &World, way: Way, before: &[u8], other: &[u8], stale: Option<&Vec<u8>>) -> Option<Vec<u8>> {
    let mut after = before.to_vec();
    let blocks = before.len().div_ceil(BLOCK) as u64;
    let block = |number: u64, len: usize| {
        let start = usize::try_from(number).unwrap() * BLOCK;
        start.min(len)..(start + BLOCK).min(len)
    };
    let (one, two) = (world.below(blocks), world.below(blocks));
    let here = block(one, before.len());
    match way {
        Way::Flip => {
            let at = usize::try_from(world.below(before.len() as u64)).unwrap();
            after[at] ^= 1 << world.below(8);
        }
        Way::Zero => after[here].fill(0),
        Way::Swap | Way::Duplicate => {
            let there = block(two, before.len());
            let len = here.len().min(there.len());
            after[there.start..there.start + len].copy_from_slice(&before[here.start..here.start + len]);
            if way == Way::Swap {
                after[here.start..here.start + len].copy_from_slice(&before[there.start..there.start + len]);
            }
        }
        Way::Substitute | Way::Stale => {
            let from = if way == Way::Stale { stale.map_or(&[][..], Vec::as_slice) } else { other };
            let number = if way == Way::Stale { one } else { world.below(from.len().div_ceil(BLOCK) as u64) };
            let there = block(number, from.len());
            let len = here.len().min(there.len());
            after[here.start..here.start + len].copy_from_slice(&from[there.start..there.start + len]);
        }
        Way::Truncate => after.truncate(usize::try_from(world.below(before.len() as u64)).unwrap()),
        Way::Remove => return None,
    }
    Some(after)
}
