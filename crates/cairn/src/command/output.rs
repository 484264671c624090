//! Files, or standard output, that long answers are written to.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::failure::Failure;

/// Where it goes.
pub(super) struct Out {
    name: String,
    /// Standard output without one.
    file: Option<File>,
    /// Nobody reads standard output any more.
    pub(super) is_unread: bool,
}

impl Out {
    pub(super) fn open(path: &Path, goes_on: bool) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if path == Path::new("-") {
            return Ok(Out { name, file: None, is_unread: false });
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let opened =
            if goes_on { options.create(true).open(path) } else { options.create_new(true).open(path) };
        let mut file = opened.map_err(|error| {
            if error.kind() == ErrorKind::AlreadyExists {
                return Failure::usage(format!("{name} is there already")).hint("name another file");
            }
            Failure::io(format!("write {name}"), &error)
        })?;
        if goes_on {
            cut_half_a_line(&mut file).map_err(|error| Failure::io(format!("continue {name}"), &error))?;
        }
        Ok(Out { name, file: Some(file), is_unread: false })
    }

    /// Writes whole lines; says whether anybody wants more.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        let Some(file) = &mut self.file else {
            let is_read = crate::command::try_print(bytes)?;
            self.is_unread = !is_read;
            return Ok(is_read);
        };
        file.write_all(bytes).map_err(|error| Failure::io(format!("write {}", self.name), &error))?;
        Ok(true)
    }

    /// Removes a file that was begun: half of it would be taken for all of it.
    pub(super) fn discard(self) {
        if self.file.is_some() {
            // What went wrong before says more.
            let _ = std::fs::remove_file(&self.name);
        }
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        let Some(file) = self.file else { return Ok(()) };
        file.sync_all().map_err(|error| Failure::io(format!("write {}", self.name), &error))
    }
}

/// What a killed export left behind the end of its last line goes; more is written behind that.
fn cut_half_a_line(file: &mut File) -> std::io::Result<()> {
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut block = vec![0; 64 << 10];
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let part = &mut block[..usize::try_from(end - start).unwrap_or(0)];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(part)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            end = start + at as u64 + 1;
            break;
        }
        end = start;
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end)).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_goes_and_whole_lines_stay() {
        for (before, after) in [("", ""), ("a\n", "a\n"), ("a\nbc", "a\n"), ("abc", ""), ("a\n\nb", "a\n\n")]
        {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(before.as_bytes()).expect("written");
            cut_half_a_line(&mut file).expect("cut");
            file.write_all(b"!").expect("written");
            file.seek(SeekFrom::Start(0)).expect("back");
            let mut text = String::new();
            file.read_to_string(&mut text).expect("read");
            assert_eq!(text, format!("{after}!"), "{before:?}");
        }
    }
}
