//! What the shell does with commands, whoever types them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use cairn_kip::limits;
use cairn_kip::tree::Command;
use cairn_wire::kip::KipResponse;

use super::backslash::{self, Backslash};
use super::door::Door;
use super::fault::{self, Place};
use super::gather::{Gather, Gathered};
use super::{keys, next_page, schema};
use crate::command;
use crate::command::answer::json;
use crate::command::kip::run::{refuse_error, request};
use crate::command::kip::source::Source;
use crate::command::kip::{How, text};
use crate::failure::Failure;
use crate::terminal::Look;

/// Files that read files, one inside of the other.
const FILES_DEEP_MAX: usize = 8;

/// Whether there is more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    GoOn,
    Leave,
}

/// What holds from one command to the next.
pub(super) struct Session {
    door: Door,
    how: How,
    as_json: bool,
    is_timed: bool,
    /// The command that gives the next page of the last answer.
    next: Option<String>,
    /// Keys of attributes and metadata that were seen in answers.
    keys: BTreeSet<String>,
    /// Whether types and predicates may be others than before.
    is_schema_changed: bool,
    /// Files that are read just now.
    files: usize,
}

impl Session {
    pub(super) fn new(door: Door, how: How, as_json: bool, is_timed: bool) -> Self {
        let (next, keys) = (None, BTreeSet::new());
        Session { door, how, as_json, is_timed, next, keys, is_schema_changed: true, files: 0 }
    }

    /// Does what was typed: a command of KIP, or one of the shell.
    pub(super) fn perform(&mut self, typed: &str, place: &Place) -> Result<Then, Failure> {
        if !typed.trim_start().starts_with('\\') {
            return self.execute(typed, place).map(|()| Then::GoOn);
        }
        match backslash::parse(typed)? {
            Backslash::Explain(command) => self.execute(&format!("EXPLAIN {command}"), place)?,
            Backslash::Analyze(command) => self.execute(&format!("EXPLAIN ANALYZE {command}"), place)?,
            Backslash::Json(on) => self.as_json = on,
            Backslash::Timing(on) => self.is_timed = on,
            Backslash::Space(name) => {
                self.how.space = Some(name);
                (self.next, self.is_schema_changed) = (None, true);
            }
            Backslash::Schema => self.show_schema()?,
            Backslash::Next => self.show_next(place)?,
            Backslash::Include(file) => return self.include(&file),
            Backslash::Help => command::print(&backslash::help())?,
            Backslash::Quit => return Ok(Then::Leave),
        }
        Ok(Then::GoOn)
    }

    /// Does the commands of a script, until one fails or says to leave.
    pub(super) fn perform_all(&mut self, input: impl BufRead, name: &str) -> Result<Then, Failure> {
        let mut input = input;
        let mut gather = Gather::default();
        loop {
            let line = next_line(&mut input, name, gather.bytes())?;
            let is_end = line.is_none();
            let done = match line {
                Some(line) => gather.push(&line),
                None => gather.finish(),
            };
            if let Some(Gathered { text, line }) = done
                && self.perform(&text, &Place { name, line })? == Then::Leave
            {
                return Ok(Then::Leave);
            }
            if is_end {
                return Ok(Then::GoOn);
            }
        }
    }

    /// The space that commands work in.
    pub(super) fn space(&self) -> Option<&str> {
        self.how.space.as_deref()
    }

    /// What can be completed, if it may be other than when this was asked last.
    pub(super) fn vocabulary_if_changed(&mut self) -> Option<schema::Vocabulary> {
        if !std::mem::take(&mut self.is_schema_changed) {
            return None;
        }
        // Completing is a help: without it, the rest works.
        let mut known = schema::vocabulary(&self.door, self.space()).unwrap_or_default();
        known.keys = self.keys.iter().cloned().collect();
        Some(known)
    }

    /// From now on types and predicates are looked up anew.
    pub(super) fn forget_schema(&mut self) {
        self.is_schema_changed = true;
    }

    /// Lets the memory go.
    pub(super) fn close(self) -> Result<(), Failure> {
        self.door.close()
    }

    fn execute(&mut self, typed: &str, place: &Place) -> Result<(), Failure> {
        let source = Source::given(typed.trim_end().to_owned());
        let command =
            cairn_kip::parse(&source.text).map_err(|error| fault::failure(&source.text, place, error))?;
        let function = if self.how.readonly { "execute_kip_readonly" } else { "execute_kip" };
        let started = Instant::now();
        let answer = self.door.ask(function, &request(&source, &self.how, self.as_json))?;
        let took = started.elapsed();
        if matches!(command, Command::Upsert(_) | Command::Delete(_)) {
            self.is_schema_changed = true;
        }
        if self.as_json {
            command::print(&json(&answer))?;
        }
        if let Some(error) = fault::told(&answer, &source.text) {
            return Err(fault::failure(&source.text, place, error));
        }
        refuse_error(&answer)?;
        self.remember(&command, &answer);
        if self.as_json {
            return Ok(());
        }
        let look = Look::of_stdout();
        let shown = text::answer(&command, &source.text, &answer, "\\next", look);
        command::print(&(shown + &self.time(took, look)))
    }

    /// What later commands and completions need of an answer.
    fn remember(&mut self, command: &Command, answer: &KipResponse) {
        self.next = answer.next_cursor.as_deref().and_then(|cursor| next_page::after(command, cursor));
        if keys::collect(answer.result(), &mut self.keys) {
            self.is_schema_changed = true;
        }
    }

    fn time(&self, took: Duration, look: Look) -> String {
        match self.is_timed {
            true => look.dim(&format!("{:.3} ms", took.as_secs_f64() * 1000.0)) + "\n",
            false => String::new(),
        }
    }

    fn show_next(&mut self, place: &Place) -> Result<(), Failure> {
        match self.next.clone() {
            Some(command) => self.execute(&command, place),
            None => Err(Failure::new("there is no next page").hint("the last answer was the whole one")),
        }
    }

    fn show_schema(&self) -> Result<(), Failure> {
        let found = schema::sizes(&self.door, self.space())?;
        let shown = match self.as_json {
            true => json(&found),
            false => found.to_text(Look::of_stdout()),
        };
        command::print(&shown)
    }

    fn include(&mut self, path: &Path) -> Result<Then, Failure> {
        if self.files >= FILES_DEEP_MAX {
            return Err(Failure::new(format!("{FILES_DEEP_MAX} files read each other already"))
                .hint("\\i reads a file that reads itself"));
        }
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| Failure::io(format_args!("read {name}"), &error))?;
        self.files += 1;
        let done = self.perform_all(BufReader::new(file), &name);
        self.files -= 1;
        // A file that says to leave leaves the file.
        done.map(|_| Then::GoOn)
    }
}

/// The next line without its end, unless it makes a command longer than any.
fn next_line(input: &mut impl BufRead, name: &str, held: usize) -> Result<Option<String>, Failure> {
    let room = limits::KIP_CAPSULE_BYTES_MAX.saturating_sub(held) as u64;
    let mut line = Vec::new();
    input
        .take(room + 1)
        .read_until(b'\n', &mut line)
        .map_err(|error| Failure::io(format_args!("read {name}"), &error))?;
    if line.len() as u64 > room {
        let most = limits::KIP_CAPSULE_BYTES_MAX;
        return Err(Failure::new(format!(
            "a command in {name} has more than {most} bytes, which is the most"
        ))
        .hint("cut it into several"));
    }
    let is_end = line.is_empty();
    let line = String::from_utf8(line).map_err(|_| Failure::new(format!("{name} is no UTF-8")))?;
    Ok((!is_end).then(|| line.trim_end_matches(['\n', '\r']).to_owned()))
}
