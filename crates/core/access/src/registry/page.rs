//! Lists in pages: by name, after the last one seen.

use std::ops::Bound;

use cairn_base::{KeyBuf, prefix_end};
use cairn_seam::{KeyRange, Keyspace, Reader, Visit};

use super::RegistryError;
use crate::limits;

/// Which part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page<'a> {
    /// After which of them; the [`next`](PageOf::next) of the page before.
    pub after: Option<&'a str>,
    /// How many at the most.
    pub limit: usize,
}

impl Page<'_> {
    /// From the beginning.
    pub fn first(limit: usize) -> Self {
        Page { after: None, limit }
    }
}

/// Part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOf<T> {
    /// In the order of their names.
    pub items: Vec<T>,
    /// After which to read on, unless this ends the list.
    pub next: Option<String>,
}

/// Reads a page of what lies under `prefix`. `after` is the key of the cursor; `read` makes an item of the
/// rest of a key and of its value, `cursor` a cursor of an item.
pub(super) fn read<R: Reader + ?Sized, T>(
    reader: &R,
    keyspace: Keyspace,
    prefix: &KeyBuf,
    after: Option<KeyBuf>,
    limit: usize,
    mut read: impl FnMut(&[u8], &[u8]) -> Result<T, RegistryError>,
    cursor: impl FnOnce(&T) -> String,
) -> Result<PageOf<T>, RegistryError> {
    let limit = limit.clamp(1, limits::ACCESS_PAGE_MAX);
    let low = match after {
        Some(key) => Bound::Excluded(key.into_vec()),
        None => Bound::Included(prefix.to_vec()),
    };
    let high = prefix_end(prefix).map_or(Bound::Unbounded, Bound::Excluded);
    // One more than asked for tells whether there is more.
    let range = KeyRange::new(low, high).limit(limit + 1);
    let mut items = Vec::new();
    let mut wrong = None;
    reader.multi_scan(keyspace, &[range], &mut |_, key, value| {
        match read(&key[prefix.len()..], value) {
            Ok(item) => items.push(item),
            Err(error) => wrong = Some(error),
        }
        if wrong.is_some() { Visit::Stop } else { Visit::Continue }
    })?;
    if let Some(error) = wrong {
        return Err(error);
    }
    let more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| more).map(cursor);
    Ok(PageOf { items, next })
}

/// How many keys lie under a prefix, counted up to `max`.
pub(super) fn count<R: Reader + ?Sized>(
    reader: &R,
    keyspace: Keyspace,
    prefix: &KeyBuf,
    max: usize,
) -> Result<usize, RegistryError> {
    let mut count = 0;
    let range = KeyRange::prefix(prefix).limit(max);
    reader.multi_scan(keyspace, &[range], &mut |_, _, _| {
        count += 1;
        Visit::Continue
    })?;
    Ok(count)
}
