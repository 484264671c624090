//! What depends on the whole file: exports by name, symbols of comments, the test framework.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::directive::Comment;
use crate::limits::SOURCE_DIRECTIVES_MAX;
use crate::test_framework::framework;
use crate::{Directive, Language, Symbol, Symbols};

/// Everything that a walk found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) imports: Vec<String>,
    pub(crate) comments: Vec<Comment>,
    /// Names that the file exports by a statement of their own.
    pub(crate) exported: BTreeSet<String>,
    /// Whether `exported` is all that the file exports.
    pub(crate) exports_are_listed: bool,
    /// Whether functions of a test framework are called.
    pub(crate) has_test_calls: bool,
    pub(crate) has_errors: bool,
    pub(crate) is_truncated: bool,
}

/// A symbol that is exported if the things that it belongs to are.
pub(crate) struct Draft {
    pub(crate) symbol: Symbol,
    /// The qualified name of the type that it is a member of, if that is not its parent.
    pub(crate) owner: Option<String>,
    pub(crate) bytes: Range<usize>,
}

impl Found {
    /// Whether a limit allows another comment; notes that one is left out if it does not.
    pub(crate) fn has_room_for_comments(&mut self) -> bool {
        let has_room = self.comments.len() < SOURCE_DIRECTIVES_MAX;
        self.is_truncated |= !has_room;
        has_room
    }

    pub(crate) fn finish(mut self, language: Language) -> Symbols {
        let directives = self.comments.iter().map(|comment| self.directive(comment)).collect();
        self.export();
        let (has_errors, is_truncated) = (self.has_errors, self.is_truncated);
        self.imports.sort_unstable();
        self.imports.dedup();
        let symbols: Vec<Symbol> = self.drafts.into_iter().map(|draft| draft.symbol).collect();
        let test_framework = framework(language, &symbols, &self.imports, self.has_test_calls);
        Symbols { symbols, imports: self.imports, directives, test_framework, has_errors, is_truncated }
    }

    /// Decides which symbols are exported. Parents come before their parts.
    fn export(&mut self) {
        let types = self.drafts.iter().enumerate().filter(|(_, draft)| draft.symbol.kind.is_type());
        let types: HashMap<String, usize> =
            types.map(|(index, draft)| (draft.symbol.qualified_name.clone(), index)).collect();
        for index in 0..self.drafts.len() {
            let symbol = &self.drafts[index].symbol;
            let own = if symbol.parent.is_some() || self.drafts[index].owner.is_some() {
                symbol.is_exported
            } else if self.exports_are_listed {
                self.exported.contains(&symbol.name)
            } else {
                symbol.is_exported || self.exported.contains(&symbol.name)
            };
            let above = symbol.parent.is_none_or(|parent| self.drafts[parent].symbol.is_exported);
            self.drafts[index].symbol.is_exported = own && above;
        }
        // The type may be declared behind its members.
        for index in 0..self.drafts.len() {
            let draft = &self.drafts[index];
            let owner = draft.owner.as_ref().and_then(|owner| types.get(owner));
            if owner.is_some_and(|owner| !self.drafts[*owner].symbol.is_exported) {
                self.drafts[index].symbol.is_exported = false;
            }
        }
    }

    /// Finds the symbol that a comment belongs to.
    fn directive(&self, comment: &Comment) -> Directive {
        let Comment { requirements, row, bytes, next, enclosing } = comment;
        let line = u32::try_from(*row).unwrap_or(u32::MAX).saturating_add(1);
        let starts_before = self.drafts.partition_point(|draft| draft.bytes.start < bytes.start);
        let is_inside = |draft: &Draft| draft.symbol.parent == *enclosing;
        let before = self.drafts[..starts_before].iter().rposition(|draft| {
            is_inside(draft) && draft.symbol.end_line == line && draft.bytes.end <= bytes.start
        });
        let after = next.as_ref().and_then(|next| {
            let first = self.drafts.partition_point(|draft| draft.bytes.start < next.start);
            let draft = self.drafts.get(first)?;
            (draft.bytes.start < next.end && is_inside(draft)).then_some(first)
        });
        Directive { requirements: requirements.clone(), line, symbol: before.or(after).or(*enclosing) }
    }
}
