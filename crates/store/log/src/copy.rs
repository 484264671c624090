//! Copies of the store: which files make one up, and how much of each.
//!
//! What lies before the end of a published run never changes, so a copy needs no pause in writing: it
//! is every segment up to there, the newest image, the blob files, and a manifest that lists just these.
//! Side files are left out, because they are rebuilt from the segments; the copy of a damaged store has
//! them.
//!
//! This is the one place that knows. Whoever writes a backup asks [`Log::frozen_copy`], whoever reads
//! one asks [`CopyPlan`].

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::FileSystem;
use cairn_seam::{DamagedAt, StoreError};

use crate::blob_file;
use crate::hashed::HashedName;
use crate::keep::KeptFiles;
use crate::log::{Log, Segment};
use crate::manifest::{self, Copied, ImageRow, Manifest, SegmentState, SideRow};
use crate::seal::{self, EncryptionKey};
use crate::{image_name, segment, set_aside, side};

/// Up to where a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The last transaction that reads see.
    pub position: u64,
    /// The position behind the run that it is in.
    pub end: u64,
}

/// A file of a copy, relative to the directory of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyFile {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: CopyKind,
    /// How many of its bytes belong to the copy, from its start.
    pub bytes: u64,
}

/// What a file of a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyKind {
    /// A segment, as far as it belongs to the copy.
    Segment(Segment),
    /// The image.
    Image(ImageRow),
    /// The file of a blob.
    Blob(HashedName),
    /// A side file, in copies of damaged stores alone.
    Side,
}

/// A consistent copy that is waiting to be read. Its files stay while it lives.
#[derive(Debug)]
pub struct FrozenCopy {
    /// The text of the manifest that belongs to it.
    pub manifest: String,
    /// Its files, in the order in which [`CopyPlan::files`] expects them.
    pub files: Vec<CopyFile>,
    _kept: KeptFiles,
}

/// Whether a copy holds side files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// It does not: they are rebuilt from the segments.
    Rebuilt,
    /// It does: where a segment is damaged, they may be all that is left of its hashed entries.
    Copied,
}

/// A file as a manifest tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedFile {
    /// Its name.
    pub name: String,
    /// Its length, where the manifest knows it.
    pub bytes: Option<u64>,
}

impl Log {
    /// Which files, and how much of each, hold everything up to a published position.
    ///
    /// `None` when a newer image came in between: ask again with the position of now.
    pub fn frozen_copy(
        self: &Arc<Self>,
        to: Published,
        sides: Sides,
        kept: &KeptFiles,
    ) -> Result<Option<FrozenCopy>, StoreError> {
        let (mut copy, segments) = {
            let manifest = self.manifest.lock();
            (manifest.clone(), self.segments())
        };
        if copy.image.is_some_and(|image| image.position > to.position) {
            return Ok(None);
        }
        // One that was sealed since also covers what came after the position.
        let is_copied = |row: &SideRow| {
            let covered = segments.iter().filter(|segment| segment.number <= row.last_segment);
            sides == Sides::Copied && covered.map(Segment::end).max().is_some_and(|end| end <= to.end)
        };
        copy.sides.retain(is_copied);
        let mut files = Vec::new();
        copy.segments.clear();
        for segment in segments.into_iter().filter(|segment| segment.base < to.end) {
            let Segment { number, base, salt, bytes, packed } = segment;
            let bytes = bytes.min(to.end - base);
            let name = segment::file_name(number);
            let stored = if packed > 0 { self.measured(&name)? } else { bytes };
            if packed > 0 {
                copy.copied.packed.push((number, stored));
            }
            copy.segments.push((number, SegmentState::Sealed { base, bytes, salt }));
            let kind = CopyKind::Segment(Segment { bytes, ..segment });
            files.push(CopyFile { name, kind, bytes: stored });
        }
        if let Some(image) = copy.image {
            let name = image_name(image.number);
            let bytes = self.measured(&name)?;
            files.push(CopyFile { name, kind: CopyKind::Image(image), bytes });
        }
        for blob in self.blob_files()? {
            let name = blob_file::path_of(&blob);
            let bytes = self.measured(&name)?;
            copy.copied.blobs.push((blob, bytes));
            files.push(CopyFile { name, kind: CopyKind::Blob(blob), bytes });
        }
        for row in &copy.sides {
            let name = side::file_name(row.number);
            let bytes = self.measured(&name)?;
            files.push(CopyFile { name, kind: CopyKind::Side, bytes });
        }
        Ok(Some(FrozenCopy { manifest: copy.to_text(), files, _kept: kept.clone() }))
    }

    /// The length of a file; 0 when it is not there, which is found out when it is read.
    fn measured(&self, name: &str) -> Result<u64, StoreError> {
        match self.options.fs.open_to_read(&self.path(name)).and_then(|file| file.len()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            measured => measured.map_err(self.io("measuring", name)),
        }
    }
}

/// What a manifest that came from elsewhere asks for.
#[derive(Debug)]
pub struct CopyPlan {
    manifest: Manifest,
}

impl CopyPlan {
    /// The name of the manifest itself.
    pub const MANIFEST: &str = manifest::NAME;
    /// The folder in the directory of a store.
    pub const FOLDER: &str = blob_file::DIR;
    /// The longest manifest that is read.
    pub const MANIFEST_BYTES_MAX: u64 = manifest::BYTES_MAX;

    /// Reads the text of a manifest that stands at `offset` of `file`.
    ///
    /// Fails with [`StoreError::Damaged`] when it is none of [`Log::frozen_copy`].
    pub fn parse(text: Vec<u8>, sides: Sides, file: &Path, offset: u64) -> Result<Self, StoreError> {
        let damaged = |detail: &str| {
            StoreError::Damaged(DamagedAt { file: file.to_owned(), offset, detail: detail.into() })
        };
        let manifest = Manifest::decode(text, file, &damaged)?;
        if !is_of_a_copy(&manifest, sides) {
            return Err(damaged("the manifest is not that of a copy"));
        }
        Ok(CopyPlan { manifest })
    }

    /// Whether a key opens the store, or none is needed.
    pub fn check_key(&self, key: Option<&EncryptionKey>, dir: &Path) -> Result<(), StoreError> {
        seal::check(&self.manifest, key, dir)
    }

    /// Every file there has to be, in order. The names are made here, of numbers alone.
    pub fn files(&self) -> Vec<ExpectedFile> {
        files_of(&self.manifest)
    }

    /// Writes the manifest, which makes a store of a directory that holds all the files.
    pub fn write_manifest(&self, fs: &dyn FileSystem, dir: &Path) -> Result<(), StoreError> {
        // A store finds out by itself.
        Manifest { copied: Copied::default(), ..self.manifest.clone() }.write(fs, dir)
    }

    /// Whether a file or folder in the directory of a store has a name that only the store gives.
    pub fn is_part(name: &str) -> bool {
        name == manifest::NAME
            || name == Self::FOLDER
            || manifest::is_store_file(name)
            || set_aside::is_set_aside(name)
    }

    /// The same for files in [`CopyPlan::FOLDER`].
    pub fn is_part_of_folder(name: &str) -> bool {
        name.ends_with(blob_file::END) || name.ends_with(blob_file::UPLOAD_END)
    }

    /// The folder that some of the files are in, if any is.
    pub fn folder(&self) -> Option<&'static str> {
        (!self.manifest.copied.blobs.is_empty()).then_some(blob_file::DIR)
    }

    /// Takes the manifest out of a directory, and what was left of writing it.
    pub fn remove_manifest(fs: &dyn FileSystem, dir: &Path) {
        for name in [manifest::NAME, manifest::TEMPORARY] {
            // Most likely it is not there.
            let _ = fs.remove(&dir.join(name));
        }
    }
}

fn files_of(manifest: &Manifest) -> Vec<ExpectedFile> {
    let segments = manifest.segments.iter().map(|(number, state)| {
        let packed = manifest.copied.packed.iter().find(|(packed, _)| packed == number);
        let bytes = match (state, packed) {
            (_, Some((_, bytes))) => Some(*bytes),
            (SegmentState::Sealed { bytes, .. }, None) => Some(*bytes),
            (SegmentState::Open { .. }, None) => None,
        };
        ExpectedFile { name: segment::file_name(*number), bytes }
    });
    let image = manifest.image.iter();
    let image = image.map(|image| ExpectedFile { name: image_name(image.number), bytes: None });
    let blobs = manifest.copied.blobs.iter();
    let blobs =
        blobs.map(|(name, bytes)| ExpectedFile { name: blob_file::path_of(name), bytes: Some(*bytes) });
    let sides = manifest.sides.iter();
    let sides = sides.map(|row| ExpectedFile { name: side::file_name(row.number), bytes: None });
    segments.chain(image).chain(blobs).chain(sides).collect()
}

/// More than any store gets to; with less, counting on cannot overflow.
const NUMBER_MAX: u64 = 1 << 40;
const POSITION_MAX: u64 = 1 << 60;

/// Whether a manifest is as [`Log::frozen_copy`] makes them: every segment sealed and named once, side
/// files only where they are copied, and no number that would be given to another file again.
fn is_of_a_copy(manifest: &Manifest, sides: Sides) -> bool {
    let segments = &manifest.segments;
    let image = manifest.image.iter().map(|image| image.number);
    let side = manifest.sides.iter().map(|row| row.number);
    let mut numbers = segments.iter().map(|(number, _)| *number).chain(image).chain(side);
    let is_sealed = |state: &SegmentState| match state {
        SegmentState::Sealed { base, bytes, .. } => {
            base.checked_add(*bytes).is_some_and(|end| end <= POSITION_MAX)
        }
        SegmentState::Open { .. } => false,
    };
    segments.iter().all(|(_, state)| is_sealed(state))
        && segments.is_sorted_by(|(one, _), (next, _)| one < next)
        && (sides == Sides::Copied || manifest.sides.is_empty())
        && manifest.sides.is_sorted_by(|one, next| one.last_segment < next.first_segment)
        && manifest.sides.iter().all(|row| row.first_segment <= row.last_segment)
        && manifest.sides.iter().map(|row| row.number).collect::<BTreeSet<_>>().len() == manifest.sides.len()
        && manifest.copied.blobs.is_sorted_by(|(one, _), (next, _)| one < next)
        && manifest.next <= NUMBER_MAX
        && numbers.all(|number| number < manifest.next)
}

#[cfg(test)]
mod tests {
    use cairn_base::fs::SimulatedFs;
    use cairn_base::{ManualClock, SeededEntropy, TenantId};

    use super::*;
    use crate::frame::Frame;
    use crate::hashed::HashKey;
    use crate::manifest::{ImageRow, SideRow, Thinned};
    use crate::{LogDir, LogOptions, Progress, RecoverFrom, Recovered, Replay};

    fn of_a_copy() -> Manifest {
        let sealed = |base| SegmentState::Sealed { base, bytes: 100, salt: 7 };
        Manifest {
            store: [1; 16],
            hash_key: HashKey([2; 32]),
            sealed: None,
            next: 6,
            segments: vec![(1, sealed(0)), (3, sealed(100))],
            sides: Vec::new(),
            image: Some(ImageRow { number: 5, position: 64 }),
            thinned: Thinned::default(),
            copied: Copied::default(),
        }
    }

    fn parse(manifest: &Manifest) -> Result<CopyPlan, StoreError> {
        CopyPlan::parse(manifest.to_text().into_bytes(), Sides::Rebuilt, Path::new("backup"), 48)
    }

    #[test]
    fn a_plan_names_every_file_in_order() {
        let files = parse(&of_a_copy()).unwrap().files();
        let names: Vec<(&str, Option<u64>)> = files.iter().map(|f| (f.name.as_str(), f.bytes)).collect();
        let expected = [
            ("segment-0000000001.log", Some(100)),
            ("segment-0000000003.log", Some(100)),
            ("image-0000000005.img", None),
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_manifest_that_no_copy_has_is_refused() {
        let mut odd = vec![of_a_copy(); 8];
        odd[0].segments[1].1 = SegmentState::Open { salt: 7 };
        odd[1].segments[1].0 = 1;
        odd[2].segments[1].1 = SegmentState::Sealed { base: u64::MAX, bytes: 1, salt: 7 };
        odd[3].sides = vec![SideRow { number: 4, first_segment: 1, last_segment: 1 }];
        odd[4].next = 5;
        odd[5].next = 3;
        odd[5].image = None;
        odd[6].next = u64::MAX;
        odd[7].segments[1].1 = SegmentState::Sealed { base: 1 << 63, bytes: 1, salt: 7 };
        for (row, manifest) in odd.iter().enumerate() {
            let error = parse(manifest).map(drop).unwrap_err();
            assert!(matches!(&error, StoreError::Damaged(at) if at.offset == 48), "row {row}: {error}");
        }
    }

    struct NoReplay;

    impl Replay for NoReplay {
        fn transaction(&mut self, _: &Frame<'_>) -> Result<(), StoreError> {
            Ok(())
        }

        fn run_end(&mut self, _: u64, _: Progress) -> Result<(), StoreError> {
            Ok(())
        }
    }

    fn open() -> Recovered {
        let options = LogOptions {
            fs: Arc::new(SimulatedFs::new(1)),
            dir: "d".into(),
            clock: Arc::new(ManualClock::new(1)),
            entropy: Arc::new(SeededEntropy::new(1)),
            segment_bytes: 1024,
            reserve_bytes: 0,
            key: None,
            leisurely: false,
        };
        LogDir::open(options).unwrap().recover(RecoverFrom::default(), &mut NoReplay).unwrap()
    }

    /// Writes one group with one transaction.
    fn commit(log: &mut Recovered) -> Published {
        let mut group = log.plan.start_group().unwrap();
        let position = group.transaction(TenantId(1), &[]);
        log.plan.end_group(&group);
        Published { position, end: log.writer.commit(group).unwrap().end }
    }

    #[test]
    fn a_copy_ends_with_its_run_whatever_came_since() {
        let mut log = open();
        let places: Vec<Published> = (0..40).map(|_| commit(&mut log)).collect();
        assert!(log.log.segments().len() > 2);
        for to in places {
            let copy = log
                .log
                .frozen_copy(to, Sides::Rebuilt, &KeptFiles::new(Arc::clone(&log.log)))
                .unwrap()
                .unwrap();
            let bytes: u64 = copy.files.iter().map(|file| file.bytes).sum();
            assert_eq!(bytes, to.end);
            let plan =
                CopyPlan::parse(copy.manifest.into_bytes(), Sides::Rebuilt, Path::new("backup"), 0).unwrap();
            let known = |file: &CopyFile| ExpectedFile { name: file.name.clone(), bytes: Some(file.bytes) };
            assert_eq!(plan.files(), copy.files.iter().map(known).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_image_that_is_newer_than_the_copy_is_no_part_of_it() {
        let mut log = open();
        let (earlier, later) = (commit(&mut log), commit(&mut log));
        let image = ImageRow { number: log.log.next_file_number(), position: later.position };
        log.log.options.fs.create(&log.log.path(&image_name(image.number))).unwrap();
        log.log.set_image(image).unwrap();
        assert!(
            log.log
                .frozen_copy(earlier, Sides::Rebuilt, &KeptFiles::new(Arc::clone(&log.log)))
                .unwrap()
                .is_none()
        );
        assert_eq!(
            log.log
                .frozen_copy(later, Sides::Rebuilt, &KeptFiles::new(Arc::clone(&log.log)))
                .unwrap()
                .unwrap()
                .files
                .len(),
            2
        );
    }
}
