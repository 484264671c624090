//! The outcome of reading a document.

use std::collections::BTreeSet;

use cairn_kb::tools::UpsertInput;

use crate::entity::cut;
use crate::limits::DOCUMENT_PROBLEMS_MAX;
use crate::problem::{Problem, ProblemClass};

/// A document that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// Its path.
    pub path: String,
    /// Its entities, in their order. `source` is always set.
    pub entities: Vec<DocumentEntity>,
    /// Everything that is wrong with it, in the order of lines.
    pub problems: Vec<Problem>,
    /// Whether it is a document of a KB: a Markdown file without front matter is none, which is no problem.
    pub is_document: bool,
    /// Why a file that does not begin with front matter cannot be read: in another encoding it may be a document.
    pub refusal: Option<Problem>,
    /// Keys that are not read, sorted; the first of them if there are many.
    pub ignored: Vec<String>,
}

/// An entity of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentEntity {
    /// Line of its first field, from 1.
    pub line: u32,
    /// The entity and its relationships.
    pub input: UpsertInput,
    /// Lines of its relationships, in their order.
    pub link_lines: Vec<u32>,
}

impl Document {
    /// Returns whether something of it was not read, so that it may have entities that are not listed.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }
}

/// Problems of one document, at most as many as are listed, and the keys that are not read.
pub(crate) struct Problems {
    path: String,
    errors: Listed,
    warnings: Listed,
    ignored: BTreeSet<String>,
}

/// The first problems of a kind, and the number of all.
#[derive(Default)]
struct Listed {
    list: Vec<Problem>,
    count: usize,
}

impl Problems {
    pub(crate) fn of(path: &str) -> Self {
        let (errors, warnings) = (Listed::default(), Listed::default());
        Problems { path: path.to_owned(), errors, warnings, ignored: BTreeSet::new() }
    }

    pub(crate) fn add(
        &mut self,
        line: impl Into<Option<u32>>,
        class: ProblemClass,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        let listed = if class.is_error() { &mut self.errors } else { &mut self.warnings };
        listed.count += 1;
        if listed.list.len() < DOCUMENT_PROBLEMS_MAX {
            let (line, message, hint) = (line.into(), message.into(), hint.into());
            listed.list.push(Problem { path: self.path.clone(), line, class, message, hint });
        }
    }

    /// Notes a key that is not read.
    pub(crate) fn ignore(&mut self, key: &str) {
        if self.ignored.len() < DOCUMENT_PROBLEMS_MAX {
            self.ignored.insert(cut(key));
        }
    }

    /// The document, with its problems in the order of lines. Where there are too many, errors go before warnings.
    pub(crate) fn document(self, entities: Vec<DocumentEntity>, is_document: bool) -> Document {
        let Problems { path, errors, mut warnings, ignored } = self;
        let has_more_errors = errors.count > errors.list.len();
        let count = errors.count + warnings.count;
        warnings.list.truncate(DOCUMENT_PROBLEMS_MAX - errors.list.len());
        let mut problems = errors.list;
        problems.append(&mut warnings.list);
        problems.sort_by_key(|problem| problem.line);
        let more = count - problems.len();
        if more > 0 {
            let (class, what) = match has_more_errors {
                true => (ProblemClass::More, "problems"),
                false => (ProblemClass::MoreWarnings, "warnings"),
            };
            let message = format!("{more} more {what} are not listed");
            problems.push(Problem { path: path.clone(), line: None, class, message, hint: None });
        }
        Document {
            path,
            entities,
            problems,
            is_document,
            refusal: None,
            ignored: ignored.into_iter().collect(),
        }
    }
}
