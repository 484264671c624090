//! Commands, and where they are from.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use cairn_kip::limits;

use crate::failure::Failure;

/// The text of a command.
#[derive(Debug)]
pub(super) struct Source {
    /// What it is called in messages.
    pub(super) name: String,
    pub(super) text: String,
}

impl Source {
    /// A command of the command line.
    pub(super) fn given(text: String) -> Self {
        Source { name: "command".to_owned(), text }
    }

    /// A file, or standard input.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let is_stdin = path == Path::new("-");
        let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
        let failed = |error| Failure::io(format_args!("read {name}"), &error);
        let input: Box<dyn Read> =
            if is_stdin { Box::new(std::io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
        let mut bytes = Vec::new();
        let longest = limits::KIP_CAPSULE_BYTES_MAX as u64;
        input.take(longest + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > longest {
            return Err(Failure::new(format!("{name} has more than {longest} bytes, which is the most"))
                .hint("cut it into several files"));
        }
        let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{name} is no UTF-8")))?;
        Ok(Source { name, text })
    }
}
