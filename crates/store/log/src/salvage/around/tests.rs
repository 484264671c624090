use std::path::PathBuf;
use std::sync::Arc;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{ManualClock, SeededEntropy};
use cairn_seam::{Blob, EventKind, StoreError};

use super::*;
use crate::{
    EncryptionKey, Fate, Group, LogDir, LogOptions, Op, Progress, RecoverFrom, Recovered, Replay, segment,
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

/// A log with one segment: runs of a blob and two transactions each.
struct Sample {
    fs: SimulatedFs,
    log: Recovered,
    /// Positions of every blob and transaction.
    frames: Vec<u64>,
    runs: Vec<Range<u64>>,
}

fn sample(is_sealed: bool) -> Sample {
    let fs = SimulatedFs::new(1);
    let key = is_sealed.then(|| EncryptionKey::generate(&SeededEntropy::new(2)));
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
    let log = LogDir::open(options).unwrap().recover(RecoverFrom::default(), &mut NoReplay).unwrap();
    let mut sample = Sample { fs, log, frames: Vec::new(), runs: Vec::new() };
    for run in 0..8_u8 {
        sample.commit(run);
    }
    sample
}

fn body(kind: u8) -> Vec<u8> {
    let mut body = Vec::new();
    Op::Event { kind: EventKind(kind.into()), body: &[kind; 50] }.encode(&mut body);
    body
}

impl Sample {
    fn commit(&mut self, run: u8) {
        let mut group = self.log.plan.start_group().unwrap();
        let start = group.position();
        let blob = Blob::new(vec![run; 100]).unwrap();
        let put = |group: &mut Group| group.transaction(TENANT, &body(run));
        group.blob(TENANT, &blob, 7).unwrap();
        self.frames.extend([start, put(&mut group), put(&mut group)]);
        self.log.plan.end_group(&group);
        let written = self.log.writer.commit(group).unwrap();
        self.runs.push(start..written.end);
    }

    fn segment(&self) -> Segment {
        self.log.log.segments()[0]
    }

    fn path(&self) -> PathBuf {
        self.log.log.path(&segment::file_name(self.segment().number))
    }

    /// Flips a bit at an offset, which is the position in the first segment.
    fn flip(&self, offset: u64) {
        self.fs.corrupt(self.path(), |bytes| bytes[usize::try_from(offset).unwrap()] ^= 4);
    }

    fn cut(&self, offset: u64) {
        self.fs.corrupt(self.path(), |bytes| bytes.truncate(usize::try_from(offset).unwrap()));
    }

    /// Positions that are read, how many runs they came in, and what is said of the rest.
    fn read(&self, durable_to: u64) -> (Vec<u64>, usize, Around) {
        let segment = self.segment();
        let file = self.fs.open(&self.path()).unwrap();
        let limit = file.len().unwrap();
        let limit = if segment.packed > 0 { segment.packed } else { limit };
        let (mut found, mut runs) = (Vec::new(), 0);
        let mut visit = |run: &RunAround<'_>| {
            runs += 1;
            assert!(run.position().is_none_or(|position| position < run.end));
            found.extend(run.frames.iter().map(|frame| frame.position));
            Ok::<(), std::io::Error>(())
        };
        let sealer = self.log.log.sealer().map(|sealer| &**sealer);
        let around = read_around(&*file, &segment, limit, sealer, durable_to, &mut visit).unwrap();
        (found, runs, around)
    }

    fn without(&self, lost: &[u64]) -> Vec<u64> {
        self.frames.iter().copied().filter(|frame| !lost.contains(frame)).collect()
    }
}

#[test]
fn a_whole_segment_has_nothing_lost() {
    for is_sealed in [false, true] {
        let sample = sample(is_sealed);
        let (found, runs, around) = sample.read(0);
        assert_eq!((found, runs), (sample.frames.clone(), 8), "the commit frames prove all of them");
        let end = sample.runs[7].end;
        assert_eq!(around, Around { end, transactions: 16, blobs: 8, ..Around::default() });
    }
}

#[test]
fn a_flipped_bit_costs_the_frame_that_it_is_in() {
    for is_sealed in [false, true] {
        let whole = sample(is_sealed);
        let (frames, end) = (whole.frames.clone(), whole.runs[7].end);
        for (at, &frame) in frames.iter().enumerate() {
            let sample = sample(is_sealed);
            // In its header, then in its body.
            sample.flip(frame + if at % 2 == 0 { 9 } else { 30 });
            let (found, runs, around) = sample.read(0);
            assert_eq!(found, sample.without(&[frame]), "frame {at}");
            assert_eq!(runs, 8);
            let next = frames.get(at + 1).filter(|_| at % 3 != 2).copied();
            let lost_to = next.unwrap_or(sample.runs[at / 3].end - 40);
            assert_eq!(around.lost, [Lost { offset: frame..lost_to, position: frame..lost_to }]);
            assert_eq!((around.torn_at, around.end), (None, end));
        }
    }
}

#[test]
fn a_run_without_its_commit_frame_is_proven_by_what_comes_later() {
    let sample = sample(false);
    let commit = |run: usize| sample.runs[run].end - 40;
    sample.flip(commit(2) + 25);
    let (found, runs, around) = sample.read(0);
    assert_eq!((found, runs), (sample.frames.clone(), 8));
    assert_eq!(around.lost.len(), 1);
    // Nothing follows the last one in this segment.
    sample.flip(commit(7) + 25);
    let last = sample.frames[21];
    let (found, runs, around) = sample.read(0);
    assert_eq!((found, runs), (sample.frames[..21].to_vec(), 7));
    assert_eq!((around.torn_at, around.end), (Some(last), sample.runs[6].end));
    assert_eq!(around.lost.len(), 1, "a torn tail is not lost");
    // Unless somebody else knows.
    let end = sample.runs[7].end;
    let (found, runs, around) = sample.read(end);
    assert_eq!((found, runs), (sample.frames.clone(), 8));
    assert_eq!((around.torn_at, around.end), (None, end));
    assert_eq!(around.lost[1].position, commit(7)..end);
    // Up to the second frame of the run.
    let (found, _, around) = sample.read(sample.frames[22]);
    assert_eq!(found, sample.frames[..22]);
    assert_eq!(around.torn_at, Some(sample.frames[22]));
}

#[test]
fn neighbouring_runs_without_commit_frames_are_kept() {
    let sample = sample(false);
    for run in [2, 3, 4] {
        sample.flip(sample.runs[run].end - 20);
    }
    let (found, runs, around) = sample.read(0);
    assert_eq!(found, sample.frames);
    assert_eq!(runs, 6, "three of them come as one");
    assert_eq!(around.lost.len(), 3);
}

#[test]
fn a_file_that_ends_early_loses_what_is_missing() {
    let sample = sample(false);
    let end = sample.runs[7].end;
    let cut = sample.frames[13] + 16;
    sample.cut(cut);
    let (found, _, around) = sample.read(end);
    assert_eq!(found, sample.frames[..13]);
    let from = sample.frames[13];
    assert_eq!(around.lost, [Lost { offset: from..cut, position: from..end }]);
    sample.cut(sample.runs[3].end);
    let (found, _, around) = sample.read(end);
    assert_eq!(found, sample.frames[..12]);
    let from = sample.runs[3].end;
    assert_eq!(around.lost, [Lost { offset: from..from, position: from..end }]);
}

#[test]
fn frames_of_packed_segments_are_found_again_at_their_positions() {
    for is_sealed in [false, true] {
        let sample = sample(is_sealed);
        sample.log.log.seal_all().unwrap();
        let gone: Vec<u64> = sample.frames.iter().copied().filter(|frame| frame % 3 == 1).collect();
        let gone = [gone, sample.frames[9..12].to_vec()].concat();
        let mut sieve =
            |frame: &Frame<'_>| Ok(if gone.contains(&frame.position) { Fate::Goes } else { Fate::Stays });
        let number = sample.segment().number;
        assert!(sample.log.log.rewrite(number, &mut sieve).unwrap().is_some());
        let end = sample.segment().end();
        let (whole, _, around) = sample.read(end);
        assert_eq!((around.lost, around.torn_at, around.end), (Vec::new(), None, end));
        let packed = sample.segment().packed;
        for offset in (64..packed).step_by(40) {
            sample.flip(offset);
            let (found, _, around) = sample.read(end);
            let [lost] = &around.lost[..] else { panic!("{:?} at {offset}", around.lost) };
            assert!(lost.offset.contains(&offset));
            let kept = |position: &u64| !lost.position.contains(position);
            assert_eq!(found, whole.iter().copied().filter(kept).collect::<Vec<_>>(), "at {offset}");
            sample.flip(offset);
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_is_outside_of_changed_bytes_is_read(
        places in proptest::collection::vec((64_u64..2600, 1_u64..90), 1..5), is_sealed: bool
    ) {
        let sample = sample(is_sealed);
        let end = sample.runs[7].end;
        let mut touched = Vec::new();
        for (at, bytes) in places {
            let (at, to) = (at.min(end - 1), (at + bytes).min(end));
            (at..to).for_each(|at| sample.flip(at));
            touched.push(at..to);
        }
        let (found, _, around) = sample.read(end);
        let starts = sample.frames.iter().copied();
        let ends = sample.frames.iter().enumerate().map(|(at, _)| {
            let next = sample.frames.get(at + 1).filter(|_| at % 3 != 2);
            next.copied().unwrap_or(sample.runs[at / 3].end - 40)
        });
        for (start, frame_end) in starts.zip(ends) {
            let is_touched = touched.iter().any(|range| range.start < frame_end && start < range.end);
            // Padding behind a body is not covered, and a place that is touched twice is as it was.
            proptest::prop_assert!(is_touched || found.contains(&start), "{start}");
            let is_lost = around.lost.iter().any(|lost| lost.position.contains(&start));
            proptest::prop_assert!(is_lost != found.contains(&start), "{start}");
        }
    }
}
