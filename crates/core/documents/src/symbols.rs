//! `symbols.yaml`: the code symbols of a repository.

use std::collections::BTreeSet;

use cairn_kb::EntityType;

use crate::document::{Document, DocumentEntity, Problems};
use crate::entity::{Defaults, Draft, cut};
use crate::limits::{SYMBOLS_BYTES_MAX, SYMBOLS_MAX};
use crate::markdown::add_yaml_error;
use crate::problem::ProblemClass;
use crate::text::text_of;
use crate::yaml::{Next, NodeKind, Reader, Start, YamlError, duplicate};

/// The status of a symbol whose entry gives none.
const DEFAULT_STATUS: &str = "active";

/// Reads `symbols.yaml`: a mapping whose `symbols` are a list of entities.
///
/// A missing `id` is derived from path and title, a missing `status` is `active`, a missing `source` is the path.
/// Coordinates that a program wrote are ignored. A symbol that is wrong is left out; invalid YAML leaves out all.
pub fn parse_symbols(path: &str, bytes: &[u8]) -> Document {
    let mut problems = Problems::of(path);
    let text = match text_of(bytes, SYMBOLS_BYTES_MAX) {
        Ok(text) => text,
        Err(refusal) => {
            problems.add(refusal.line, ProblemClass::Unreadable, refusal.message, refusal.hint);
            return problems.document(Vec::new(), true);
        }
    };
    let mut symbols = Symbols { path, problems, entities: Vec::new(), ids: BTreeSet::new() };
    if let Err(error) = symbols.read(&text) {
        // What comes after is unknown, and so is what is missing.
        symbols.entities.clear();
        add_yaml_error(&text, 0, error, &mut symbols.problems);
    }
    symbols.problems.document(symbols.entities, true)
}

struct Symbols<'a> {
    path: &'a str,
    problems: Problems,
    entities: Vec<DocumentEntity>,
    ids: BTreeSet<String>,
}

impl Symbols<'_> {
    fn read(&mut self, text: &str) -> Result<(), YamlError> {
        let mut reader = Reader::new(text, 0);
        let Some((start, line)) = reader.begin()? else { return Ok(()) };
        match start {
            Start::Scalar(scalar) if scalar.is_null() => {}
            Start::Scalar(_) | Start::List => return Err(no_map(line)),
            Start::Map => self.read_map(&mut reader)?,
        }
        reader.end()
    }

    fn read_map(&mut self, reader: &mut Reader<'_>) -> Result<(), YamlError> {
        let mut keys = BTreeSet::new();
        while let Next::Start(start, line) = reader.next()? {
            let NodeKind::Scalar(key) = reader.finish_value(start, line)?.kind else {
                return Err(no_map(line));
            };
            let Next::Start(start, value_line) = reader.next()? else { return Err(no_map(line)) };
            match (key.text.as_str(), start) {
                (name, _) if keys.contains(name) => return Err(duplicate(name, line)),
                ("symbols", Start::List) => self.read_list(reader)?,
                ("symbols", start) => {
                    let node = reader.finish_value(start, value_line)?;
                    if !node.is_null() {
                        return Err(no_map(value_line));
                    }
                }
                (name, start) => {
                    reader.finish_value(start, value_line)?;
                    self.problems.ignore(name);
                    let message = format!("unknown field {} was ignored", cut(name));
                    let hint = "the file has one key, `symbols`".to_owned();
                    self.problems.add(line, ProblemClass::IgnoredField, message, hint);
                }
            }
            keys.insert(key.text);
        }
        Ok(())
    }

    fn read_list(&mut self, reader: &mut Reader<'_>) -> Result<(), YamlError> {
        let mut count = 0;
        while let Next::Start(start, line) = reader.next()? {
            count += 1;
            if count > SYMBOLS_MAX {
                let message = format!("there are more than {SYMBOLS_MAX} symbols");
                return Err(YamlError::refused(line, message, "list only symbols that are linked"));
            }
            let node = reader.finish_value(start, line)?;
            let word = node.word();
            match node.kind {
                NodeKind::Map(entries) => {
                    let draft = Draft::read(entries, line, &mut self.problems);
                    self.add(draft);
                }
                NodeKind::Scalar(_) | NodeKind::List(_) => {
                    let message = format!("a symbol is {word}, not a mapping");
                    let hint = "write `- title: name`, and its other fields below".to_owned();
                    self.problems.add(line, ProblemClass::Yaml, message, hint);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, draft: Draft) {
        if let Some((text, line)) = draft.kind.as_ref().filter(|(text, _)| text != "symbol") {
            let message = format!("type is {}, not symbol", cut(text));
            let hint = "give other entities a Markdown document".to_owned();
            self.problems.add(*line, ProblemClass::InvalidField, message, hint);
            return;
        }
        let defaults = Defaults { path: self.path, status: DEFAULT_STATUS };
        let Some(entity) = draft.finish(EntityType::Symbol, &defaults, &mut self.problems) else { return };
        if !self.ids.insert(entity.input.id.clone()) {
            let message = format!("the id {} is there twice", cut(&entity.input.id));
            let hint = "give each symbol an id of its own".to_owned();
            self.problems.add(entity.line, ProblemClass::DuplicateId, message, hint);
            return;
        }
        self.entities.push(entity);
    }
}

fn no_map(line: u32) -> YamlError {
    YamlError::refused(
        line,
        "the file is not a list of symbols",
        "write `symbols:`, and below it one `- title: name` per symbol",
    )
}
