//! Keeping bytes that are cut off the log, so that somebody can look at them later.

use std::io;

use cairn_base::fs::{File, is_full};
use cairn_seam::StoreError;

use crate::log::Log;
use crate::segment;

const COPY_BYTES: u64 = 1 << 20;
/// Torn tails hold nothing that was promised: only the newest are kept.
const TORN_FILES_MAX: usize = 4;

/// Which part of a segment goes.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) segment: u64,
    /// Offset of the first byte that goes.
    pub(crate) end: u64,
    /// Offset behind the last byte that is worth keeping.
    pub(crate) used_to: u64,
}

/// Copies the end of a segment to a file of its own, syncs it, and cuts the segment.
///
/// Says what became of it; `None` when there was nothing to copy. A torn tail holds nothing that was
/// promised: on a full disk it is cut without a copy.
pub(crate) fn tail(log: &Log, file: &dyn File, cut: &Cut) -> Result<Option<String>, StoreError> {
    let name = segment::file_name(cut.segment);
    let copy = (cut.used_to > cut.end).then(|| format!("torn-{:010}-{}.bin", cut.segment, cut.end));
    let mut outcome = None;
    if let Some(copy) = copy {
        outcome = match copy_range(log, file, &copy, cut) {
            Err(error) if is_full(&error) => {
                // What there is of a copy takes room that somebody needs.
                let _ = log.options.fs.remove(&log.path(&copy));
                Some("not kept, because the disk is full".to_owned())
            }
            copied => {
                copied.map_err(log.io("setting aside", &copy))?;
                Some(format!("kept as {copy}"))
            }
        };
        drop_old(log).map_err(log.io("clearing old files beside", &copy))?;
    }
    file.set_len(cut.end).map_err(log.io("cutting", &name))?;
    file.sync_data().map_err(log.io("syncing", &name))?;
    Ok(outcome)
}

fn copy_range(log: &Log, from: &dyn File, name: &str, cut: &Cut) -> io::Result<()> {
    let fs = &log.options.fs;
    let path = log.path(name);
    match fs.remove(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let to = fs.create(&path)?;
    let mut at = cut.end;
    while at < cut.used_to {
        let mut bytes = vec![0; usize::try_from((cut.used_to - at).min(COPY_BYTES)).expect("one MiB")];
        from.read_at(&mut bytes, at)?;
        to.write_at(&bytes, at - cut.end)?;
        at += bytes.len() as u64;
    }
    to.sync_data()?;
    fs.sync_dir(&log.options.dir)
}

fn drop_old(log: &Log) -> io::Result<()> {
    let fs = &log.options.fs;
    let mut torn = fs.list(&log.options.dir)?;
    torn.retain(|name| name.starts_with("torn-"));
    let surplus = torn.len().saturating_sub(TORN_FILES_MAX);
    torn.iter().take(surplus).try_for_each(|name| fs.remove(&log.path(name)))
}

impl Log {
    /// How many files were set aside and are still there.
    pub fn set_aside_files(&self) -> Result<u64, StoreError> {
        let names = self.options.fs.list(&self.options.dir).map_err(self.io("listing", ""))?;
        Ok(names.iter().filter(|name| is_set_aside(name)).count() as u64)
    }
}

/// Whether a file holds bytes that were cut off the log.
pub(crate) fn is_set_aside(name: &str) -> bool {
    name.starts_with("torn-") || name.starts_with("lost-")
}
