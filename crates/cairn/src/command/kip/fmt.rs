//! `cairn kip fmt`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::caret;
use super::source::Source;
use crate::command;
use crate::failure::Failure;

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn kip fmt medicine.kip           write the file anew
  cairn kip fmt --check *.kip          say which files are written otherwise
  cairn kip fmt - < draft.kip          from standard input to standard output

What a command means stays the same, comments included. A file with a mistake is left alone.";

/// Formats files in place.
pub(super) fn fmt(files: &[PathBuf], only_check: bool) -> Result<(), Failure> {
    let mut others = Vec::new();
    for file in files {
        let source = Source::read(file)?;
        let formatted =
            cairn_kip::format_text(&source.text).map_err(|error| caret::failure(&source, &error))?;
        let is_stdin = file == Path::new("-");
        if is_stdin && !only_check {
            command::print(&formatted)?;
        } else if formatted != source.text {
            if !only_check {
                replace(file, &formatted)?;
            }
            others.push(source.name);
        }
    }
    if !only_check || others.is_empty() {
        return Ok(());
    }
    command::print(&others.iter().map(|name| format!("{name}\n")).collect::<String>())?;
    let (count, s) = (others.len(), if others.len() == 1 { " is" } else { "s are" });
    Err(Failure::new(format!("{count} file{s} written otherwise")).hint("cairn kip fmt writes them anew"))
}

/// Puts new content in the place of a file, whole or not at all.
fn replace(file: &Path, content: &str) -> Result<(), Failure> {
    let failed = |error| Failure::io(format_args!("write {}", file.display()), &error);
    // Where a link leads is what is written.
    let file = &fs::canonicalize(file).map_err(failed)?;
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = file.with_file_name(name);
    let written = (|| {
        let mut new = fs::File::create_new(&beside)?;
        new.set_permissions(fs::metadata(file)?.permissions())?;
        new.write_all(content.as_bytes())?;
        new.sync_all()?;
        fs::rename(&beside, file)
    })();
    written.map_err(|error| {
        // What is left of it is of no use to anybody.
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}
