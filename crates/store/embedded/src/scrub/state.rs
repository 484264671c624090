//! The state file: how far the pass is, and what came of the last one.
//!
//! ```text
//! cairn scrub 1
//! last <started ms> <finished ms> <bytes> <files>
//! last-found segment 1
//! last-repaired side 2
//! pass <started ms> <bytes> <files>
//! found side 2
//! repaired side 2
//! after segment 12
//! damage segment-0000000003.log 4096 not a valid frame
//! crc 0123abcd
//! ```
//!
//! It is replaced without a sync: after a power cut it is an older one or none, and a pass begins earlier
//! than it would have to.

use std::io;
use std::path::Path;

use cairn_base::fs::FileSystem;
use cairn_seam::{Finding, ScrubKind, ScrubPass, ScrubTally};

use super::item::Item;

/// The state of background verification.
pub(crate) const STATE: &str = "scrub.state";
/// The next one while it is written.
pub(crate) const STATE_NEW: &str = "scrub.new";
const FIRST_LINE: &str = "cairn scrub 1";
/// More than any state has.
const BYTES_MAX: u64 = 64 << 10;

/// What is remembered over restarts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// The last pass that was finished.
    pub(crate) last: Option<ScrubPass>,
    /// The pass under way, and the last item that it verified.
    pub(crate) current: Option<(ScrubPass, Option<Item>)>,
    /// Damage that was still there, at most as much as is listed.
    pub(crate) damage: Vec<Finding>,
}

impl State {
    /// Reads the state of a directory; an empty one if there is none that can be read.
    pub(crate) fn read(fs: &dyn FileSystem, dir: &Path) -> Self {
        let read = || -> io::Result<Vec<u8>> {
            let file = fs.open_to_read(&dir.join(STATE))?;
            let len = file.len()?.min(BYTES_MAX);
            let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
            file.read_at(&mut bytes, 0)?;
            Ok(bytes)
        };
        let text = read().ok().and_then(|bytes| String::from_utf8(bytes).ok());
        text.and_then(|text| State::parse(&text)).unwrap_or_default()
    }

    /// Replaces the state of a directory.
    pub(crate) fn write(&self, fs: &dyn FileSystem, dir: &Path) -> io::Result<()> {
        let new = dir.join(STATE_NEW);
        if fs.open_to_read(&new).is_ok() {
            fs.remove(&new)?;
        }
        fs.create(&new)?.write_at(self.to_text().as_bytes(), 0)?;
        fs.rename(&new, &dir.join(STATE))
    }

    fn to_text(&self) -> String {
        let mut lines = vec![FIRST_LINE.to_owned()];
        if let Some(last) = &self.last {
            let finished = last.finished_at_ms.unwrap_or(last.started_at_ms);
            lines.push(format!("last {} {finished} {} {}", last.started_at_ms, last.bytes, last.files));
            put_tally(&mut lines, "last-found", &last.found);
            put_tally(&mut lines, "last-repaired", &last.repaired);
        }
        if let Some((pass, after)) = &self.current {
            lines.push(format!("pass {} {} {}", pass.started_at_ms, pass.bytes, pass.files));
            put_tally(&mut lines, "found", &pass.found);
            put_tally(&mut lines, "repaired", &pass.repaired);
            lines.extend(after.map(|item| format!("after {}", item.to_text())));
        }
        for Finding { file, offset, detail, .. } in &self.damage {
            lines.push(format!("damage {file} {offset} {}", detail.replace('\n', " ")));
        }
        let body = lines.join("\n") + "\n";
        let crc = crc32c::crc32c(body.as_bytes());
        body + &format!("crc {crc:08x}\n")
    }

    fn parse(text: &str) -> Option<Self> {
        let (body, crc) = text.rsplit_once("crc ")?;
        if crc != format!("{:08x}\n", crc32c::crc32c(body.as_bytes())) {
            return None;
        }
        let mut lines = body.lines();
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        let mut state = State::default();
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            state.line(&words)?;
        }
        Some(state)
    }

    fn line(&mut self, words: &[&str]) -> Option<()> {
        let number = |word: &str| word.parse::<u64>().ok();
        match *words {
            ["last", started, finished, bytes, files] => {
                let mut pass = pass(number(started)?, number(bytes)?, number(files)?);
                pass.finished_at_ms = Some(number(finished)?);
                self.last = Some(pass);
            }
            ["last-found", kind, count] => add(&mut self.last.as_mut()?.found, kind, number(count)?)?,
            ["last-repaired", kind, count] => add(&mut self.last.as_mut()?.repaired, kind, number(count)?)?,
            ["pass", started, bytes, files] => {
                self.current = Some((pass(number(started)?, number(bytes)?, number(files)?), None));
            }
            ["found", kind, count] => add(&mut self.current.as_mut()?.0.found, kind, number(count)?)?,
            ["repaired", kind, count] => add(&mut self.current.as_mut()?.0.repaired, kind, number(count)?)?,
            ["damage", file, offset, ref detail @ ..] => {
                let (file, offset, detail) = (file.to_owned(), number(offset)?, detail.join(" "));
                self.damage.push(Finding { file, offset, detail, repaired: false });
            }
            ["after", ref item @ ..] => self.current.as_mut()?.1 = Some(Item::parse(item)?),
            _ => return None,
        }
        Some(())
    }
}

fn pass(started_at_ms: u64, bytes: u64, files: u64) -> ScrubPass {
    ScrubPass { started_at_ms, bytes, files, ..ScrubPass::default() }
}

fn put_tally(lines: &mut Vec<String>, name: &str, tally: &ScrubTally) {
    let counted = tally.iter().filter(|(_, count)| *count > 0);
    lines.extend(counted.map(|(kind, count)| format!("{name} {} {count}", kind.name())));
}

fn add(tally: &mut ScrubTally, kind: &str, count: u64) -> Option<()> {
    tally.add(ScrubKind::parse(kind)?, count);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::fs::SimulatedFs;
    use cairn_log::HashedName;

    fn sample(after: Option<Item>) -> State {
        let mut last = ScrubPass { finished_at_ms: Some(9), ..pass(7, 1 << 40, 12) };
        last.found.add(ScrubKind::Blob, 2);
        last.repaired.add(ScrubKind::Side, 1);
        let mut now = pass(20, 5, 1);
        now.found.add(ScrubKind::Index, 1);
        let (file, detail) = ("blobs/0f.blob".to_owned(), "a chunk: it does not verify".to_owned());
        let damage = vec![Finding { file, offset: 64, detail, repaired: false }];
        State { last: Some(last), current: Some((now, after)), damage }
    }

    #[test]
    fn it_reads_back_and_anything_else_is_as_none() {
        let fs = SimulatedFs::new(1);
        let dir = Path::new("d");
        fs.create_dir(dir).unwrap();
        assert_eq!(State::read(&fs, dir), State::default());
        let blob = HashedName::from_hex(&"0f".repeat(16)).unwrap();
        let items =
            [Item::Manifest, Item::Image, Item::Segment(3), Item::Side(9), Item::Index, Item::Blob(blob)];
        for after in items.into_iter().map(Some).chain([None]) {
            sample(after).write(&fs, dir).unwrap();
            assert_eq!(State::read(&fs, dir), sample(after));
        }
        let whole = fs.read_all(dir.join(STATE)).unwrap();
        for at in 0..whole.len() {
            fs.flip(dir.join(STATE), at as u64);
            assert_eq!(State::read(&fs, dir), State::default(), "byte {at}");
            fs.write_raw(dir.join(STATE), &whole[..at]);
            assert_eq!(State::read(&fs, dir), State::default(), "cut at {at}");
            fs.write_raw(dir.join(STATE), &whole);
        }
    }
}
