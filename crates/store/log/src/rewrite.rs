//! Writing complete segments anew, without frames or parts of them that are not needed any more.
//!
//! Everything that stays keeps its position: a gap frame stands where something was taken out, and a
//! table behind the last frame leads from positions to offsets ([`pack`](crate::pack)). The new file has
//! a salt of its own, so that in a sealed store no two bodies have one key and one nonce. It takes the old
//! one's name: a crash leaves one or the other, and both are whole. Its header is what tells them apart;
//! the manifest hears of the new salt afterwards.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use cairn_base::fs::File;
use cairn_base::{ContentHash, TenantId};
use cairn_seam::StoreError;

use crate::blob_frame::BlobFrame;
use crate::frame::{self, Frame, FrameKind};
use crate::log::{Log, Segment};
use crate::manifest::SegmentState;
use crate::pack;
use crate::runs::{Run, RunReader, Step};
use crate::seal::Sealer;
use crate::segment::{self, SegmentHeader};

const WRITE_BYTES: usize = 1 << 20;
/// Bytes written between two syncs: the log's own syncs never wait for more of ours.
const SYNC_EVERY_BYTES: u64 = 4 << 20;
/// How long the disk is left to others after each of those.
const PAUSE: Duration = Duration::from_millis(40);

/// A blob as it stands in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobInSegment {
    /// Whose it is.
    pub tenant: TenantId,
    /// Its name.
    pub hash: ContentHash,
    /// Position of its frame.
    pub position: u64,
    /// Bytes its frame takes.
    pub stored_bytes: u64,
}

impl BlobInSegment {
    /// The blob of a frame, if it is one.
    pub fn of(frame: &Frame<'_>) -> Option<Self> {
        let blob = BlobFrame::decode(frame.body).filter(|_| frame.kind == FrameKind::Blob)?;
        let stored_bytes = frame.stored_bytes() as u64;
        Some(BlobInSegment { tenant: frame.tenant, hash: blob.hash, position: frame.position, stored_bytes })
    }
}

/// What becomes of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is.
    Stays,
    /// It is taken out.
    Goes,
    /// It stays with this body, which is no longer than the one it has.
    Shrinks(Vec<u8>),
}

/// Decides about blob and transaction frames.
pub type Sieve<'a> = &'a mut dyn FnMut(&Frame<'_>) -> Result<Fate, StoreError>;

impl Log {
    /// Every complete segment, oldest first.
    pub fn sealed_segments(&self) -> Vec<Segment> {
        let manifest = self.manifest.lock();
        let is_sealed = |segment: &Segment| {
            let mut rows = manifest.segments.iter().filter(|(number, _)| *number == segment.number);
            rows.any(|(_, state)| matches!(state, SegmentState::Sealed { .. }))
        };
        self.segments().into_iter().filter(is_sealed).collect()
    }

    /// When a segment was started, in Unix milliseconds.
    pub fn started_at_ms(&self, number: u64) -> Result<u64, StoreError> {
        let (_, file) = self.segment_and_file(number)?;
        self.header_of(&*file, number).map(|header| header.created_ms)
    }

    /// Position of the last transaction in a complete segment; `None` when all were taken out.
    pub fn last_transaction(&self, number: u64) -> Result<Option<u64>, StoreError> {
        let (segment, file) = self.segment_and_file(number)?;
        let mut last = None;
        self.each_run(&segment, &*file, None, |run| {
            last = Some(run.position);
            Ok(())
        })?;
        Ok(last)
    }

    /// Calls `visit` with every blob and transaction of a complete segment.
    pub fn frames_of(
        &self,
        number: u64,
        visit: &mut dyn FnMut(&Frame<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (segment, file) = self.segment_and_file(number)?;
        let sealer = self.sealer.as_deref();
        self.each_run(&segment, &*file, sealer, |run| run.frames().try_for_each(|frame| visit(&frame)))
    }

    /// Writes a complete segment anew as `sieve` says; says how many bytes that saved, or `None` when
    /// the old file must stay because somebody reads it.
    pub fn rewrite(&self, number: u64, sieve: Sieve<'_>) -> Result<Option<u64>, StoreError> {
        let _one_at_a_time = self.packing.lock();
        let (segment, file) = self.segment_and_file(number)?;
        let name = format!("segment-{number:010}.pack.log");
        let path = self.path(&name);
        let written = self.write_anew(&segment, &*file, &name, sieve);
        let (new_file, rewritten) = written.inspect_err(|_| drop(self.options.fs.remove(&path)))?;
        {
            // Readers look at the segment, take its file, and look again: they never mix old and new.
            let mut segments = self.segments.write();
            if self.keeps_files() {
                // A backup reads the old file. It looked at the segments after it said so.
                drop(segments);
                self.options.fs.remove(&path).map_err(self.io("removing", &name))?;
                return Ok(None);
            }
            let final_name = segment::file_name(number);
            let renamed = self.options.fs.rename(&path, &self.path(&final_name));
            renamed.map_err(self.io("naming", &final_name))?;
            self.forget_file(number);
            self.keep_file(number, &new_file);
            for segment in segments.iter_mut().filter(|segment| segment.number == number) {
                *segment = rewritten;
            }
        }
        // Before the manifest: it must not know a salt that a power cut takes back.
        self.options.fs.sync_dir(&self.options.dir).map_err(self.io("syncing the directory of", &name))?;
        self.change_manifest(|manifest| {
            for (_, state) in manifest.segments.iter_mut().filter(|(other, _)| *other == number) {
                let Segment { base, bytes, salt, .. } = rewritten;
                *state = SegmentState::Sealed { base, bytes, salt };
            }
        })?;
        let bytes = |file: &dyn File| file.len().map_err(self.io("measuring", &name));
        Ok(Some(bytes(&*file)?.saturating_sub(bytes(&*new_file)?)))
    }

    fn write_anew(
        &self,
        segment: &Segment,
        old: &dyn File,
        name: &str,
        sieve: Sieve<'_>,
    ) -> Result<(Arc<dyn File>, Segment), StoreError> {
        let header = self.header_of(old, segment.number)?;
        let file = self.options.fs.create(&self.path(name)).map_err(self.io("creating", name))?;
        let start = segment::HEADER_BYTES as u64;
        let salt = self.options.entropy.next_u64();
        let mut out = Out {
            log: self,
            file: &*file,
            segment: Segment { salt, ..*segment },
            at: start,
            synced: 0,
            next: segment.base + start,
            buffer: Vec::new(),
            rows: Vec::new(),
        };
        self.each_run(segment, old, self.sealer.as_deref(), |run| {
            self.sift(&run, sieve, &mut out)?;
            out.flush(WRITE_BYTES).map_err(self.io("writing", name))
        })?;
        out.skip_to(segment.end());
        out.flush(0).map_err(self.io("writing", name))?;
        let packed = out.at;
        let table = pack::encode_table(&out.rows);
        let finish = || {
            file.write_at(&table, packed)?;
            file.write_at(&SegmentHeader { packed, salt, ..header }.encode(), 0)?;
            file.sync_data()
        };
        finish().map_err(self.io("writing", name))?;
        let rewritten = Segment { packed, salt, ..*segment };
        // The old file goes for it: it must read to its end.
        self.each_run(&rewritten, &*file, self.sealer.as_deref(), |_| Ok(()))?;
        Ok((file, rewritten))
    }

    /// Writes what stays of a run. It keeps a transaction, or goes as a whole.
    fn sift(&self, run: &Run<'_>, sieve: Sieve<'_>, out: &mut Out<'_>) -> Result<(), StoreError> {
        let mut staying = Vec::new();
        let mut has_transaction = false;
        for frame in run.frames() {
            let fate = sieve(&frame)?;
            has_transaction |= frame.kind == FrameKind::Transaction && fate != Fate::Goes;
            staying.push((frame, fate));
        }
        if staying.iter().all(|(_, fate)| *fate == Fate::Goes) {
            return Ok(());
        }
        let empty = Fate::Shrinks(Vec::new());
        for (frame, fate) in &staying {
            let must_stay = !has_transaction && frame.position == run.position;
            match if must_stay { &empty } else { fate } {
                Fate::Goes => {}
                Fate::Stays => out.frame(frame, frame.body),
                Fate::Shrinks(body) => out.frame(frame, body),
            }
        }
        let (position, body) = (run.commit_at, run.commit.encode());
        let commit = Frame { position, kind: FrameKind::Commit, tenant: TenantId::NODE, body: &body };
        out.frame(&commit, &body);
        Ok(())
    }

    /// Calls `visit` with every run of a complete segment. Without a sealer bodies come as they are stored.
    pub(crate) fn each_run(
        &self,
        segment: &Segment,
        file: &dyn File,
        sealer: Option<&Sealer>,
        mut visit: impl FnMut(Run<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let name = segment::file_name(segment.number);
        let limit = self.readable_to(segment, file)?;
        let mut reader = RunReader::new(file, segment, limit, sealer);
        loop {
            match reader.next().map_err(self.io("reading", &name))? {
                Step::Run(run) => visit(run)?,
                Step::End { bad_at } if bad_at < segment.frames_end() => {
                    return Err(self.damaged(&name, bad_at, "not a valid frame"));
                }
                Step::End { .. } => break,
            }
        }
        if reader.position() != segment.end() {
            return Err(self.damaged(&name, reader.offset(), "the segment ends too early"));
        }
        Ok(())
    }

    fn header_of(&self, file: &dyn File, number: u64) -> Result<SegmentHeader, StoreError> {
        let name = segment::file_name(number);
        let mut header = [0; segment::HEADER_BYTES];
        file.read_at(&mut header, 0).map_err(self.io("reading", &name))?;
        let header = SegmentHeader::decode(&header, number);
        header.ok_or_else(|| self.damaged(&name, 0, "the header is damaged"))
    }
}

/// A file that is written from front to back.
struct Out<'a> {
    log: &'a Log,
    file: &'a dyn File,
    /// What the file will be, as far as frames need to know.
    segment: Segment,
    at: u64,
    synced: u64,
    /// Position behind the last frame.
    next: u64,
    buffer: Vec<u8>,
    /// What the table will say.
    rows: Vec<(u64, u64)>,
}

impl Out<'_> {
    /// Adds a frame at its position, with another body.
    fn frame(&mut self, frame: &Frame<'_>, body: &[u8]) {
        self.skip_to(frame.position);
        let Segment { number, salt, .. } = self.segment;
        let is_sealed = matches!(frame.kind, FrameKind::Transaction | FrameKind::Blob);
        let sealer = self.log.sealer.as_ref().filter(|_| is_sealed);
        let cipher = sealer.map(|sealer| sealer.of_frames(number, salt, frame.tenant));
        let before = self.buffer.len();
        let Frame { position, kind, tenant, .. } = *frame;
        frame::encode(&mut self.buffer, salt, position, kind, tenant, &[body], cipher.as_deref());
        self.next = position + (self.buffer.len() - before) as u64;
    }

    /// Puts a gap where frames were taken out up to a position.
    fn skip_to(&mut self, position: u64) {
        if position <= self.next {
            return;
        }
        let Segment { salt, base, .. } = self.segment;
        let gap = (position - self.next).to_le_bytes();
        frame::encode(&mut self.buffer, salt, self.next, FrameKind::Gap, TenantId::NODE, &[&gap], None);
        let offset = base + self.at + self.buffer.len() as u64;
        // A gap takes bytes itself: where little was taken out, frames stand later than before.
        self.rows.push((position, position.wrapping_sub(offset)));
        self.next = position;
    }

    /// Writes what is gathered, if it is more than so many bytes.
    fn flush(&mut self, more_than: usize) -> std::io::Result<()> {
        if self.buffer.len() <= more_than {
            return Ok(());
        }
        self.file.write_at(&self.buffer, self.at)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        if self.at - self.synced >= SYNC_EVERY_BYTES {
            self.file.sync_data()?;
            self.synced = self.at;
            if self.log.options.leisurely && !self.log.closing.load(Ordering::Relaxed) {
                thread::sleep(PAUSE);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::fs::SimulatedFs;
    use cairn_base::{ManualClock, SeededEntropy};
    use cairn_seam::{Blob, EventKind};

    use super::*;
    use crate::{
        BlobAt, EncryptionKey, Findings, Group, LogDir, LogOptions, Op, Progress, RecoverFrom, Recovered,
        Replay, Watch,
    };

    const TENANT: TenantId = TenantId(3);

    struct NoReplay;

    impl Replay for NoReplay {
        fn transaction(&mut self, _: &Frame<'_>) -> Result<(), StoreError> {
            Ok(())
        }

        fn run_end(&mut self, _: u64, _: Progress) -> Result<(), StoreError> {
            Ok(())
        }
    }

    fn open(fs: &SimulatedFs, key: Option<EncryptionKey>) -> Recovered {
        let options = LogOptions {
            fs: Arc::new(fs.clone()),
            dir: "d".into(),
            clock: Arc::new(ManualClock::new(1)),
            entropy: Arc::new(SeededEntropy::new(1)),
            segment_bytes: 64 << 10,
            reserve_bytes: 0,
            key,
            leisurely: false,
        };
        LogDir::open(options).unwrap().recover(RecoverFrom::default(), &mut NoReplay).unwrap()
    }

    fn commit<T>(log: &mut Recovered, fill: impl FnOnce(&mut Group) -> T) -> T {
        let mut group = log.plan.start_group().unwrap();
        let filled = fill(&mut group);
        log.plan.end_group(&group);
        log.writer.commit(group).unwrap();
        filled
    }

    fn read(log: &Log, blob: &Blob, at: BlobAt) -> Vec<u8> {
        let BlobAt::Log { position, body_bytes } = at else { panic!("{at:?}") };
        log.read_blob(position, body_bytes, &blob.hash(), <[u8]>::to_vec).unwrap()
    }

    /// The body of a transaction with one event, of so many bytes.
    fn told(kind: u8, bytes: usize) -> Vec<u8> {
        let mut body = Vec::new();
        let event = vec![kind; bytes - 7];
        Op::Event { kind: EventKind(kind.into()), body: &event }.encode(&mut body);
        body
    }

    #[test]
    fn what_stays_is_at_its_position_in_runs_that_are_whole() {
        for sealed in [false, true] {
            let fs = SimulatedFs::new(1);
            let key = sealed.then(|| EncryptionKey::generate(&SeededEntropy::new(2)));
            let mut log = open(&fs, key);
            let blobs = [b"one", b"two"].map(|bytes| Blob::new(bytes.to_vec()).unwrap());
            let put = |group: &mut Group, blob: &Blob, body: &[u8]| {
                let at = group.blob(TENANT, blob, 7).unwrap().at;
                (at, group.transaction(TENANT, body))
            };
            commit(&mut log, |group| group.transaction(TENANT, &told(1, 40)));
            let (first, emptied) = commit(&mut log, |group| put(group, &blobs[0], &told(2, 40)));
            // Eight bytes fewer: the gap takes more than it saves.
            let shrunk = commit(&mut log, |group| group.transaction(TENANT, &told(3, 100)));
            let (second, kept) = commit(&mut log, |group| put(group, &blobs[1], &told(4, 40)));
            commit(&mut log, |group| group.transaction(TENANT, &told(5, 40)));
            log.log.seal_all().unwrap();
            let before = log.log.segments()[0];
            let mut sieve = |frame: &Frame<'_>| {
                Ok(match frame.body[1] {
                    _ if frame.kind == FrameKind::Blob => Fate::Stays,
                    1 | 2 | 5 => Fate::Goes,
                    3 => Fate::Shrinks(told(3, 92)),
                    _ => Fate::Stays,
                })
            };
            assert!(log.log.rewrite(before.number, &mut sieve).unwrap().is_some());
            let after = log.log.segments()[0];
            assert_eq!((after.base, after.bytes), (before.base, before.bytes), "positions stay");
            assert_ne!(after.salt, before.salt);
            let mut transactions = Vec::new();
            log.log
                .frames_of(after.number, &mut |frame| {
                    if frame.kind == FrameKind::Transaction {
                        transactions.push((frame.position, frame.body.to_vec()));
                    }
                    Ok(())
                })
                .unwrap();
            assert_eq!(
                transactions,
                [(emptied, Vec::new()), (shrunk, told(3, 92)), (kept, told(4, 40))],
                "sealed: {sealed}"
            );
            assert_eq!(log.log.last_transaction(after.number).unwrap(), Some(kept));
            let check = || {
                assert_eq!(read(&log.log, &blobs[0], first), b"one");
                assert_eq!(read(&log.log, &blobs[1], second), b"two");
            };
            check();
            let mut findings = Findings::default();
            let mut go_on = |_: cairn_seam::Stage<'_>| true;
            let mut watch = Watch::new(&mut go_on);
            log.log.verify_segments(&[after], &mut findings, &mut watch, &mut |_| ()).unwrap();
            assert_eq!(findings.finish().0, []);
            // Without its table the segment is as good.
            let name = log.log.path(&segment::file_name(after.number));
            fs.corrupt(name, |bytes| bytes.truncate(usize::try_from(after.packed).unwrap()));
            log.log.tables.lock().clear();
            check();
            // Nothing is left of it but a gap.
            assert!(log.log.rewrite(after.number, &mut |_| Ok(Fate::Goes)).unwrap().is_some());
            assert_eq!(log.log.last_transaction(after.number).unwrap(), None);
            let mut findings = Findings::default();
            let segments = log.log.segments();
            log.log.verify_segments(&segments, &mut findings, &mut watch, &mut |_| ()).unwrap();
            assert_eq!(findings.finish().0, []);
        }
    }
}
