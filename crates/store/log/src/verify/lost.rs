//! Ranges of a segment that cannot be read, and what was in them as far as that can be told.

use std::ops::Range;

use cairn_base::fs::File;
use cairn_seam::{Missing, MissingList};

use crate::frame::{self, FrameKind};
use crate::log::Segment;
use crate::segment;

/// Collects the ranges of one segment, in order.
pub(super) struct Lost<'a> {
    name: &'a str,
    segment: Segment,
    list: MissingList,
}

impl<'a> Lost<'a> {
    pub(super) fn new(name: &'a str, segment: Segment) -> Self {
        Lost { name, segment, list: MissingList::default() }
    }

    /// The header of the segment is wrong.
    pub(super) fn header(&mut self) {
        let bytes = segment::HEADER_BYTES as u64;
        let base = self.segment.base;
        self.add(0..bytes, base..base + bytes, Some((0, 0)), "the header of the segment");
    }

    /// A frame with a valid checksum does not make sense, or does not open.
    pub(super) fn frame(&mut self, bytes: Range<u64>, position: u64, kind: FrameKind) {
        let positions = position..position + (bytes.end - bytes.start);
        self.add(bytes, positions, by_kind(kind), "a frame that makes no sense");
    }

    /// There is no valid frame in this range.
    pub(super) fn range(&mut self, file: &dyn File, bytes: Range<u64>, positions: Range<u64>) {
        let counts = claimed(file, &bytes, positions.start);
        self.add(bytes, positions, counts, "no valid frame");
    }

    /// Nothing can be read from here on.
    pub(super) fn rest(&mut self, bytes: Range<u64>, position: u64) {
        let positions = position..self.segment.end().max(position);
        self.add(bytes, positions, None, "the file ends early or cannot be read");
    }

    pub(super) fn finish(self) -> MissingList {
        self.list
    }

    fn add(&mut self, bytes: Range<u64>, positions: Range<u64>, counts: Option<(u64, u64)>, detail: &str) {
        let (transactions, blobs) = counts.unzip();
        let last = self.list.places.last_mut().filter(|_| self.list.left_out == 0);
        if let Some(last) = last.filter(|last| last.bytes.end >= bytes.start) {
            let sum = |one: Option<u64>, other: Option<u64>| Some(one? + other?);
            last.bytes.end = bytes.end.max(last.bytes.end);
            last.positions = last.positions.as_ref().map(|at| at.start..positions.end.max(at.end));
            last.transactions = sum(last.transactions, transactions);
            last.blobs = sum(last.blobs, blobs);
            return;
        }
        let (file, detail) = (self.name.to_owned(), detail.to_owned());
        self.list.add(Missing { file, bytes, positions: Some(positions), transactions, blobs, detail });
    }
}

/// How many transactions and blobs are lost with a frame; unknown for those that hold others together.
fn by_kind(kind: FrameKind) -> Option<(u64, u64)> {
    match kind {
        FrameKind::Transaction => Some((1, 0)),
        FrameKind::Blob => Some((0, 1)),
        FrameKind::Commit | FrameKind::Gap => None,
    }
}

/// Counts the transactions and blobs that the headers in a bad range claim, if they fill it exactly.
fn claimed(file: &dyn File, bytes: &Range<u64>, position: u64) -> Option<(u64, u64)> {
    let (mut at, mut position, mut counts) = (bytes.start, position, (0, 0));
    while at < bytes.end {
        let mut header = [0; frame::HEADER_BYTES];
        file.read_at(&mut header, at).ok()?;
        let stored = frame::claimed_stored_bytes(&header, position)? as u64;
        let (transactions, blobs) = by_kind(FrameKind::from_byte(header[16])?)?;
        counts = (counts.0 + transactions, counts.1 + blobs);
        at += stored;
        position += stored;
    }
    (at == bytes.end).then_some(counts)
}
