//! Problems of documents, from the file system, the parser and the KB.

use cairn_documents::Problem;
use cairn_kb::sync::SyncProblem;
use serde::Serialize;

use crate::command::answer::text;

/// A problem of a document, or a remark about one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::command::kb) struct Finding {
    /// Path of the file or folder.
    pub(in crate::command::kb) path: String,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    /// Whether something was not stored; the others are warnings.
    pub(in crate::command::kb) is_error: bool,
    /// The class of the problem, a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) class: Option<String>,
    /// The entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entity: Option<String>,
    /// What is wrong.
    pub(super) message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
}

impl Finding {
    /// `path:line: message`, and the hint on a line of its own.
    pub(in crate::command::kb) fn to_text(&self) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let mark = if self.is_error { "" } else { "warning: " };
        let entity = self.entity.as_deref().map(|id| format!("{}: ", text(id))).unwrap_or_default();
        let hint = self.hint.as_deref().map(|hint| format!("    {}\n", text(hint))).unwrap_or_default();
        format!("{}{line}: {mark}{entity}{}\n{hint}", text(&self.path), text(&self.message))
    }
}

impl From<Problem> for Finding {
    fn from(problem: Problem) -> Self {
        let is_error = problem.is_error();
        let Problem { path, line, class, message, hint } = problem;
        let message = format!("{class}: {message}");
        let class = serde_json::to_value(class).ok().and_then(|class| class.as_str().map(str::to_owned));
        Finding { path, line, is_error, class, entity: None, message, hint }
    }
}

impl From<SyncProblem> for Finding {
    fn from(problem: SyncProblem) -> Self {
        let SyncProblem { path, line, entity, message, hint } = problem;
        Finding { path, line, is_error: true, class: None, entity, message, hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_begins_with_its_place() {
        let mut finding = Finding {
            path: "a\u{1b}.md".into(),
            line: Some(3),
            is_error: true,
            class: None,
            entity: Some("REQ-1".into()),
            message: "bad".into(),
            hint: Some("do better".into()),
        };
        assert_eq!(finding.to_text(), "a\\u{1b}.md:3: REQ-1: bad\n    do better\n");
        finding = Finding { line: None, is_error: false, entity: None, hint: None, ..finding };
        assert_eq!(finding.to_text(), "a\\u{1b}.md: warning: bad\n");
    }
}
