//! Places in the text of a command.

use std::hash::{Hash, Hasher};
use std::ops::Range;

/// A part of a text, in bytes.
///
/// All spans are equal: where something was written does not change what it says, and trees are compared
/// by what they say.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}

impl Span {
    /// The part of a text between two bytes.
    pub fn new(start: usize, end: usize) -> Self {
        let place = |byte| u32::try_from(byte).unwrap_or(u32::MAX);
        Span { start: place(start), end: place(end) }
    }

    /// As a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// From the beginning of one to the end of another.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl Hash for Span {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Something and where it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Spanned<T> {
    /// What was written.
    pub node: T,
    /// Where.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Something at a place.
    pub fn new(node: T, span: Span) -> Self {
        Spanned { node, span }
    }
}
