//! What a pass verifies, in its order, and which of it comes next.

use cairn_log::{HashedName, Log, image_name};
use cairn_seam::{ScrubKind, StoreError};

use crate::index;
use crate::shared::Shared;

/// One file, or what stands for one. A pass takes them in the order of this type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    Manifest,
    Image,
    Segment(u64),
    Side(u64),
    Index,
    Blob(HashedName),
}

impl Item {
    /// As it stands in the state file.
    pub(crate) fn to_text(self) -> String {
        match self {
            Item::Manifest => "manifest".into(),
            Item::Image => "image".into(),
            Item::Segment(number) => format!("segment {number}"),
            Item::Side(number) => format!("side {number}"),
            Item::Index => "index".into(),
            Item::Blob(name) => format!("blob {}", name.to_hex()),
        }
    }

    /// Undoes [`Item::to_text`].
    pub(crate) fn parse(words: &[&str]) -> Option<Self> {
        Some(match words {
            ["manifest"] => Item::Manifest,
            ["image"] => Item::Image,
            ["segment", number] => Item::Segment(number.parse().ok()?),
            ["side", number] => Item::Side(number.parse().ok()?),
            ["index"] => Item::Index,
            ["blob", name] => Item::Blob(HashedName::from_hex(name)?),
            _ => return None,
        })
    }
}

/// The kind of a file, by its name in the data directory.
pub(crate) fn kind_of(file: &str) -> ScrubKind {
    match file {
        index::FILE => ScrubKind::Index,
        _ if file.starts_with("segment-") => ScrubKind::Segment,
        _ if file.starts_with("blobs/") => ScrubKind::Blob,
        _ if file.starts_with("image-") => ScrubKind::Image,
        _ if file.starts_with("side-") => ScrubKind::Side,
        _ => ScrubKind::Manifest,
    }
}

/// Blobs that are listed at once: a listing goes through the whole folder.
const BLOBS_LISTED: usize = 4096;

/// Finds out what comes next.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    /// Blobs that were listed and not taken yet, the next one last.
    blobs: Vec<HashedName>,
}

impl Agenda {
    /// The first item behind `after` that there is now; `None` at the end of the pass.
    pub(crate) fn next(&mut self, shared: &Shared, after: Option<Item>) -> Result<Option<Item>, StoreError> {
        let is_next = |item: &Item| after.is_none_or(|after| *item > after);
        let log = &shared.log;
        let ordered = [Item::Manifest].into_iter().chain(log.image().map(|_| Item::Image));
        let mut segments: Vec<u64> = log.segments().iter().map(|segment| segment.number).collect();
        segments.sort_unstable();
        let ordered = ordered
            .chain(segments.into_iter().map(Item::Segment))
            .chain(log.side_numbers().into_iter().map(Item::Side))
            .chain([Item::Index]);
        if let Some(item) = ordered.into_iter().find(is_next) {
            return Ok(Some(item));
        }
        let last = match after {
            Some(Item::Blob(name)) => Some(name),
            _ => None,
        };
        if self.blobs.is_empty() {
            self.blobs = log.blob_files_after(last.as_ref(), BLOBS_LISTED)?;
            self.blobs.reverse();
        }
        Ok(self.blobs.pop().map(Item::Blob))
    }
}

impl Shared {
    /// The file of an item, relative to the data directory.
    pub(crate) fn file_of(&self, item: Item) -> String {
        match item {
            Item::Manifest => "MANIFEST".into(),
            Item::Image => self.log.image().map_or_else(String::new, |image| image_name(image.number)),
            Item::Segment(number) => Log::segment_name(number),
            Item::Side(number) => Log::side_name(number),
            Item::Index => index::FILE.into(),
            Item::Blob(name) => cairn_log::BlobFilesCheck::path_of(&name),
        }
    }
}
