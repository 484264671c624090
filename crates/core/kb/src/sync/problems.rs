//! Problems of documents, as they are found.

use std::collections::BTreeSet;

use super::report::SyncProblem;
use crate::KbError;

/// Problems, and the paths of the files that have any.
#[derive(Debug, Default)]
pub(super) struct Problems {
    list: Vec<SyncProblem>,
    paths: BTreeSet<String>,
}

impl Problems {
    pub(super) fn add(
        &mut self,
        path: &str,
        line: u32,
        entity: Option<&str>,
        message: String,
        hint: Option<String>,
    ) {
        if !self.paths.contains(path) {
            self.paths.insert(path.to_owned());
        }
        self.list.push(SyncProblem {
            path: path.to_owned(),
            line: (line > 0).then_some(line),
            entity: entity.map(str::to_owned),
            message,
            hint,
        });
    }

    /// Adds an error of the model: each invalid field is a problem of its own.
    pub(super) fn add_error(&mut self, path: &str, line: u32, entity: &str, error: KbError) {
        if let KbError::Entity(fields) = error {
            for field in fields {
                let message = format!("{}: {}", field.field, field.message);
                self.add(path, line, Some(entity), message, field.hint);
            }
            return;
        }
        let hint = error.code().hint().to_owned();
        self.add(path, line, Some(entity), error.to_string(), Some(hint));
    }

    /// Returns whether a file has any.
    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Returns the files that have any, sorted.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// Returns them by path, line and entity.
    pub(super) fn into_sorted(mut self) -> Vec<SyncProblem> {
        self.list.sort();
        self.list.dedup();
        self.list
    }
}
