//! Files, or standard output, that long answers are written to.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::private_file::folder_of;

/// Where it goes.
pub(super) struct Out {
    name: String,
    /// Standard output without one.
    file: Option<File>,
    /// Where it is written, and where it is when it is whole.
    part: Option<(PathBuf, PathBuf)>,
    /// Nobody reads standard output any more.
    pub(super) is_unread: bool,
}

impl Out {
    /// A file that gets its name when it is whole: half of it would be taken for all of it.
    pub(super) fn whole(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if is_standard_output(path) {
            return Ok(Out { name, file: None, part: None, is_unread: false });
        }
        if path.symlink_metadata().is_ok() {
            return Err(there_already(&name));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        let file = private().create_new(true).open(&part);
        let file = file.map_err(|error| Failure::io(format!("write {}", part.display()), &error))?;
        Ok(Out { name, file: Some(file), part: Some((part, path.to_owned())), is_unread: false })
    }

    /// A file that can be gone on with when it was cut: its last line says whether it is whole.
    pub(super) fn in_place(path: &Path, goes_on: bool) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if is_standard_output(path) {
            return Ok(Out { name, file: None, part: None, is_unread: false });
        }
        let opened =
            if goes_on { private().create(true).open(path) } else { private().create_new(true).open(path) };
        let mut file = opened.map_err(|error| {
            if error.kind() == ErrorKind::AlreadyExists {
                return there_already(&name);
            }
            Failure::io(format!("write {name}"), &error)
        })?;
        if goes_on {
            cut_half_a_line(&mut file).map_err(|error| Failure::io(format!("continue {name}"), &error))?;
        }
        Ok(Out { name, file: Some(file), part: None, is_unread: false })
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

    /// Removes what was begun.
    pub(super) fn discard(self) {
        if let Some((part, _)) = self.part {
            // What went wrong before says more.
            let _ = std::fs::remove_file(part);
        }
    }

    /// It is whole: makes it durable, and gives it its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Ok(()) };
        let failed = |error| Failure::io(format!("write {}", self.name), &error);
        let synced = file.sync_all().map_err(failed);
        let Some((part, path)) = &self.part else { return synced };
        let named = synced.and_then(|()| {
            // Somebody may have taken the name meanwhile.
            if path.symlink_metadata().is_ok() {
                return Err(there_already(&self.name));
            }
            std::fs::rename(part, path).map_err(failed)?;
            folder_of(path).and_then(|folder| folder.sync_all()).map_err(failed)
        });
        if named.is_err() {
            self.discard();
        }
        named
    }
}

fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// What is exported is for its owner alone, as the files of the store are.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
}

fn there_already(name: &str) -> Failure {
    Failure::usage(format!("{name} is there already")).hint("name another file")
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
    fn a_file_is_there_whole_or_not_at_all_and_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a folder");
        let names = || -> Vec<_> {
            let files = std::fs::read_dir(dir.path()).expect("a folder");
            files.map(|file| file.expect("a file").file_name().into_string().expect("a name")).collect()
        };
        let path = dir.path().join("graph.kip");
        let mut out = Out::whole(&path).expect("new");
        assert!(out.write(b"half\n").expect("written"));
        assert!(!path.exists(), "half of it is not there");
        let part = dir.path().join(&names()[0]);
        assert_eq!(part.metadata().expect("a part").permissions().mode() & 0o777, 0o600);
        out.discard();
        assert_eq!(names(), [""; 0]);
        let mut out = Out::whole(&path).expect("new");
        assert!(out.write(b"all\n").expect("written"));
        out.finish().expect("it is there");
        assert_eq!(names(), ["graph.kip"]);
        assert_eq!(std::fs::read(&path).expect("there"), b"all\n");
        assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o600);
        assert!(Out::whole(&path).is_err(), "nothing is overwritten");
        // Somebody else may take the name meanwhile.
        let other = dir.path().join("other.kip");
        let out = Out::whole(&other).expect("new");
        std::fs::write(&other, "theirs").expect("written");
        assert!(out.finish().is_err());
        assert_eq!(std::fs::read(&other).expect("there"), b"theirs");
        assert_eq!(names().len(), 2);
        let lines = dir.path().join("turns.ndjson");
        Out::in_place(&lines, true).expect("new").finish().expect("it is there");
        assert_eq!(lines.metadata().expect("there").permissions().mode() & 0o777, 0o600);
    }

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
