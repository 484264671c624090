//! The way through a syntax tree: every node once, in order, without recursion.

use tree_sitter::{Node, Tree, TreeCursor};

use crate::directive::{self, Comment};
use crate::grammar::{Grammar, Marks, Shape};
use crate::limits::{
    SOURCE_DEPTH_MAX, SOURCE_IMPORTS_MAX, SOURCE_NODES_MAX, SOURCE_SYMBOLS_MAX, SYMBOL_NAME_BYTES_MAX,
};
use crate::resolve::{Draft, Found};
use crate::{Language, Symbol, SymbolKind, Symbols};

/// The walk through one tree, and what it found so far.
pub(crate) struct Walk<'s, 't> {
    language: Language,
    grammar: &'static Grammar,
    source: &'s str,
    tree: &'t Tree,
    /// Lines of the file.
    lines: u32,
    /// Whether comments inside of functions can matter.
    has_directives: bool,
    /// Nodes above the current one.
    pub(crate) above: Vec<Node<'t>>,
    scopes: Vec<Scope>,
    /// Marks of the next node at a depth.
    marked: Option<(usize, Marks)>,
    /// Marks of the current node.
    pub(crate) marks: Marks,
    pub(crate) found: Found,
}

/// The part of a file that declarations belong to.
struct Scope {
    /// Depth of its node.
    depth: usize,
    /// Index of its symbol.
    symbol: Option<usize>,
    /// The kind of its symbol, or of the type that it adds members to.
    kind: Option<SymbolKind>,
    /// The qualified name of what it declares, without that of its members.
    path: String,
    /// The type that it adds members to, if that is no symbol around it.
    owner: Option<String>,
    /// Whether its declarations are symbols.
    inside: Inside,
    is_test: bool,
    /// Whether members are public by themselves.
    has_public_members: bool,
}

/// What is inside of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    /// Its members are symbols.
    Members,
    /// Its members are symbols, and public unless they say otherwise.
    PublicMembers,
    /// Its declarations are its own.
    Local,
}

/// The way on from a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// To its children.
    Into,
    /// Past its children.
    Past,
    /// To its children, which are no symbols.
    Local,
}

/// A declaration.
pub(crate) struct Declaration<'a, 't> {
    pub(crate) name: &'a str,
    pub(crate) kind: SymbolKind,
    /// Whether it is public itself; the things around it decide, too.
    pub(crate) is_public: bool,
    pub(crate) is_test: bool,
    /// The node with everything that belongs to it.
    pub(crate) span: Node<'t>,
    /// The type that it is a member of, if that is not around it.
    pub(crate) owner: Option<&'a str>,
    pub(crate) inside: Inside,
}

/// Comments, imports and attributes between a comment and the symbol that it belongs to.
const SKIPPED_MAX: usize = 1_000;

impl<'s, 't> Walk<'s, 't> {
    pub(crate) fn new(
        language: Language,
        grammar: &'static Grammar,
        source: &'s str,
        tree: &'t Tree,
    ) -> Self {
        let file = Scope {
            depth: 0,
            symbol: None,
            kind: None,
            path: String::new(),
            owner: None,
            inside: Inside::Members,
            is_test: false,
            has_public_members: false,
        };
        Walk {
            language,
            grammar,
            source,
            tree,
            lines: u32::try_from(source.split('\n').count()).unwrap_or(u32::MAX),
            has_directives: directive::may_have_any(source),
            above: Vec::new(),
            scopes: vec![file],
            marked: None,
            marks: Marks::default(),
            found: Found::default(),
        }
    }

    /// Visits all nodes.
    pub(crate) fn run(mut self) -> Symbols {
        let root = self.tree.root_node();
        self.found.has_errors = root.has_error();
        let mut cursor = root.walk();
        let mut is_moved = cursor.goto_first_child();
        if is_moved {
            self.above.push(root);
        }
        let mut nodes = 0;
        while is_moved {
            nodes += 1;
            if nodes > SOURCE_NODES_MAX {
                self.found.is_truncated = true;
                break;
            }
            let node = cursor.node();
            while self.scopes.len() > 1 && self.scope().depth >= self.above.len() {
                self.scopes.pop();
            }
            let next = if node.is_named() { self.visit(node, &cursor) } else { Next::Past };
            is_moved = self.advance(&mut cursor, node, next);
        }
        self.found.finish(self.language)
    }

    /// Moves on to the next node in the order of the text. Returns false at the end.
    fn advance(&mut self, cursor: &mut TreeCursor<'t>, node: Node<'t>, next: Next) -> bool {
        if next != Next::Past && cursor.goto_first_child() {
            if self.above.len() < SOURCE_DEPTH_MAX {
                self.above.push(node);
                return true;
            }
            self.found.is_truncated = true;
            cursor.goto_parent();
        }
        while !cursor.goto_next_sibling() {
            self.above.pop();
            if self.above.is_empty() || !cursor.goto_parent() {
                return false;
            }
        }
        true
    }

    fn visit(&mut self, node: Node<'t>, cursor: &TreeCursor<'t>) -> Next {
        let shape = self.grammar.shape(node);
        let depth = self.above.len();
        match shape {
            Some(Shape::Comment) => {
                self.comment(node, Some(cursor));
                return Next::Past;
            }
            Some(Shape::Text) => {
                let is_alone = self.ancestor(0).is_some_and(|above| above.kind() == "expression_statement");
                if is_alone {
                    self.comment(node, None);
                }
                return Next::Past;
            }
            Some(Shape::Mark) => {
                let marks = (self.grammar.mark)(self, node);
                let before = self.marked.filter(|(at, _)| *at == depth).map(|(_, marks)| marks);
                self.marked = Some((depth, marks.and(before.unwrap_or_default())));
                return Next::Past;
            }
            Some(_) | None => {}
        }
        let marked = self.marked.take_if(|(at, _)| *at >= depth);
        self.marks = marked.filter(|(at, _)| *at == depth).map(|(_, marks)| marks).unwrap_or_default();
        let is_local = self.scope().inside == Inside::Local;
        let next = match shape {
            None => Next::Into,
            Some(_) if is_local => Next::Into,
            Some(Shape::Inner) => Next::Local,
            Some(shape) => (self.grammar.enter)(self, node, shape),
        };
        match next {
            // Nothing but comments can be of interest there.
            Next::Into if is_local && !self.has_directives => Next::Past,
            Next::Local if !self.has_directives => Next::Past,
            Next::Local => {
                self.open(Inside::Local, None, None, None);
                Next::Into
            }
            Next::Into | Next::Past => next,
        }
    }

    /// Adds a symbol, and opens its scope. A symbol beyond a limit is left out with everything inside of it.
    pub(crate) fn declare(&mut self, declaration: Declaration<'_, 't>) -> Next {
        let Declaration { name, kind, is_public, is_test, span, owner, inside } = declaration;
        if name.is_empty() {
            return Next::Past;
        }
        let scope = self.scope();
        let joined = |parts: &[&str]| {
            let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
            parts.join(".")
        };
        let owner = owner.or(scope.owner.as_deref()).unwrap_or_default();
        let bytes = scope.path.len() + owner.len() + name.len() + 2;
        if bytes > SYMBOL_NAME_BYTES_MAX || self.found.drafts.len() >= SOURCE_SYMBOLS_MAX {
            self.found.is_truncated = true;
            return Next::Past;
        }
        let qualified_name = joined(&[&scope.path, owner, name]);
        let owner = (!owner.is_empty()).then(|| joined(&[&scope.path, owner]));
        let (start, end) = (span.start_position(), span.end_position());
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        let symbol = Symbol {
            name: name.to_owned(),
            qualified_name,
            kind,
            is_exported: is_public || self.marks.is_exported,
            is_test: is_test || self.marks.is_test || scope.is_test,
            line: number(start.row),
            column: number(start.column),
            // What is parsed behind the file is no part of it.
            end_line: number(end.row).min(self.lines),
            end_column: number(end.column),
            parent: scope.symbol,
        };
        // Around a syntax error a declaration may begin before one that was found earlier.
        let first = self.found.drafts.last().map_or(0, |draft| draft.bytes.start);
        let bytes = span.start_byte().max(first)..span.end_byte();
        let index = self.found.drafts.len();
        self.found.drafts.push(Draft { symbol, owner, bytes });
        if inside == Inside::Local && !self.has_directives {
            return Next::Past;
        }
        self.open(inside, Some(index), Some(kind), None);
        Next::Into
    }

    /// Opens a scope that adds members to a type.
    pub(crate) fn add_to(&mut self, owner: &str, inside: Inside) -> Next {
        self.open(inside, None, Some(SymbolKind::Struct), Some(owner.to_owned()));
        Next::Into
    }

    fn open(
        &mut self,
        inside: Inside,
        symbol: Option<usize>,
        kind: Option<SymbolKind>,
        owner: Option<String>,
    ) {
        let around = self.scope();
        let own = symbol.map(|index| &self.found.drafts[index].symbol);
        let scope = Scope {
            depth: self.above.len(),
            symbol: symbol.or(around.symbol),
            kind,
            path: own.map_or_else(|| around.path.clone(), |symbol| symbol.qualified_name.clone()),
            owner,
            inside,
            is_test: own.is_some_and(|symbol| symbol.is_test) || self.marks.is_test || around.is_test,
            has_public_members: inside == Inside::PublicMembers,
        };
        self.scopes.push(scope);
    }

    /// Reads the directives of a comment, or of a text that documents something.
    fn comment(&mut self, node: Node<'t>, cursor: Option<&TreeCursor<'t>>) {
        if !self.has_directives {
            return;
        }
        let text = self.text(node);
        // Such a comment is about what it stands in: the file, the module, the crate.
        let is_about_around = text.starts_with("//!") || text.starts_with("/*!");
        let cursor = cursor.filter(|_| !is_about_around);
        for (line, requirements) in directive::scan(text) {
            if !self.found.has_room_for_comments() {
                return;
            }
            let comment = Comment {
                requirements,
                row: node.start_position().row + line,
                bytes: node.byte_range(),
                next: cursor.and_then(|cursor| self.next_to(cursor)),
                enclosing: self.scope().symbol,
            };
            self.found.comments.push(comment);
        }
    }

    /// The place of the statement that follows a comment; imports, attributes and other comments are skipped.
    fn next_to(&self, cursor: &TreeCursor<'t>) -> Option<std::ops::Range<usize>> {
        let mut ahead = cursor.clone();
        for _ in 0..SKIPPED_MAX {
            if !ahead.goto_next_sibling() {
                return None;
            }
            let node = ahead.node();
            let is_skipped = match self.grammar.shape(node) {
                Some(Shape::Comment | Shape::Mark | Shape::Import) => true,
                Some(_) => false,
                // The comment before a Go package clause documents the package.
                None => !node.is_named() || matches!(node.kind(), "decorator" | "package_declaration"),
            };
            if !is_skipped {
                return Some(node.byte_range());
            }
        }
        None
    }

    fn scope(&self) -> &Scope {
        self.scopes.last().expect("the file is never left")
    }

    /// Whether declarations here belong to the file itself.
    pub(crate) fn is_at_top(&self) -> bool {
        self.scopes.len() == 1
    }

    /// The kind of what declarations here belong to.
    pub(crate) fn around(&self) -> Option<SymbolKind> {
        self.scope().kind
    }

    /// Whether members here are public by themselves.
    pub(crate) fn has_public_members(&self) -> bool {
        self.scope().has_public_members
    }

    /// The node above the current one by `levels`; 0 is its parent.
    pub(crate) fn ancestor(&self, levels: usize) -> Option<Node<'t>> {
        let at = self.above.len().checked_sub(levels + 1)?;
        self.above.get(at).copied()
    }

    /// The text of a node.
    pub(crate) fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a field of a node.
    pub(crate) fn field(&self, node: Node<'_>, name: &str) -> Option<&'s str> {
        node.child_by_field_name(name).map(|child| self.text(child))
    }

    /// The name of a declaration.
    pub(crate) fn name(&self, node: Node<'_>) -> &'s str {
        self.field(node, "name").unwrap_or_default()
    }

    /// Adds an import.
    pub(crate) fn import(&mut self, module: &str) {
        let module = module.trim();
        if module.is_empty() || module.len() > SYMBOL_NAME_BYTES_MAX {
            return;
        }
        if self.found.imports.len() < SOURCE_IMPORTS_MAX {
            self.found.imports.push(module.to_owned());
        } else {
            self.found.is_truncated = true;
        }
    }
}
