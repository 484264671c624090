//! The outcome of reading a document.

use cairn_kb::tools::UpsertInput;

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
}

/// An entity of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentEntity {
    /// Line of its first field, from 1.
    pub line: u32,
    /// The entity and its relationships.
    pub input: UpsertInput,
}

impl Document {
    /// Returns whether something of it was not read, so that it may have entities that are not listed.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }
}

/// Problems of one document, at most as many as are listed.
pub(crate) struct Problems {
    path: String,
    list: Vec<Problem>,
    more: usize,
}

impl Problems {
    pub(crate) fn of(path: &str) -> Self {
        Problems { path: path.to_owned(), list: Vec::new(), more: 0 }
    }

    pub(crate) fn add(
        &mut self,
        line: impl Into<Option<u32>>,
        class: ProblemClass,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        if self.list.len() >= DOCUMENT_PROBLEMS_MAX {
            self.more += 1;
            return;
        }
        let (line, message, hint) = (line.into(), message.into(), hint.into());
        self.list.push(Problem { path: self.path.clone(), line, class, message, hint });
    }

    /// The document, with its problems in the order of lines.
    pub(crate) fn document(mut self, entities: Vec<DocumentEntity>, is_document: bool) -> Document {
        self.list.sort_by_key(|problem| problem.line);
        if self.more > 0 {
            let message = format!("{} more problems are not listed", self.more);
            let path = self.path.clone();
            self.list.push(Problem { path, line: None, class: ProblemClass::More, message, hint: None });
        }
        Document { path: self.path, entities, problems: self.list, is_document }
    }
}
