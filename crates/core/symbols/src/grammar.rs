//! Grammars, and the nodes of their trees that mean something here.

use std::sync::LazyLock;

use tree_sitter::{Node, Parser};

use crate::dialect::{go, java, python, rust, script};
use crate::walk::{Next, Walk};
use crate::{Language, SymbolError};

/// A grammar, and what its nodes mean.
pub(crate) struct Grammar {
    language: tree_sitter::Language,
    /// Shapes by the number of the kind of a node.
    shapes: Box<[Option<Shape>]>,
    /// A statement that is parsed behind the file. At the end of a file tree-sitter joins all ways to go on after syntax
    /// errors in one step, which takes gigabytes where there are many; a statement leaves few of them.
    pub(crate) end: &'static str,
    /// Handles a node that has a shape other than `Comment`, `Text`, `Inner` and `Mark`.
    pub(crate) enter: Enter,
    /// Reads an attribute: marks of the declaration that follows it.
    pub(crate) mark: fn(&Walk<'_, '_>, Node<'_>) -> Marks,
}

type Enter = for<'s, 't> fn(&mut Walk<'s, 't>, Node<'t>, Shape) -> Next;

/// The meaning of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A comment.
    Comment,
    /// An import.
    Import,
    /// A function or a method.
    Function,
    /// A function without a body.
    Signature,
    /// A class or another type.
    Type,
    /// A module or a namespace.
    Module,
    /// A part of a file that adds members to a type that it names.
    Members,
    /// A constant, a variable.
    Value,
    /// A macro.
    Macro,
    /// An export of names.
    Export,
    /// An expression as a statement.
    Statement,
    /// A string; one that is a statement of its own documents something.
    Text,
    /// Something whose declarations are its own: an anonymous function.
    Inner,
    /// An attribute of the declaration that follows it.
    Mark,
}

/// Marks of a declaration by its attributes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// It is a test, or holds tests.
    pub(crate) is_test: bool,
    /// It is exported whatever its visibility.
    pub(crate) is_exported: bool,
}

impl Marks {
    pub(crate) fn and(self, other: Marks) -> Marks {
        Marks { is_test: self.is_test || other.is_test, is_exported: self.is_exported || other.is_exported }
    }
}

/// A row: nodes of one shape.
pub(crate) type Nodes = &'static [(Shape, &'static [&'static str])];

impl Grammar {
    fn new(
        language: tree_sitter::Language,
        end: &'static str,
        nodes: Nodes,
        enter: Enter,
        mark: fn(&Walk<'_, '_>, Node<'_>) -> Marks,
    ) -> Grammar {
        let mut shapes = vec![None; language.node_kind_count()];
        for (shape, names) in nodes {
            for name in *names {
                let kind = usize::from(language.id_for_node_kind(name, true));
                debug_assert!(kind != 0, "the grammar has no node {name}");
                if let Some(slot) = shapes.get_mut(kind) {
                    *slot = Some(*shape);
                }
            }
        }
        Grammar { language, shapes: shapes.into(), end, enter, mark }
    }

    /// Returns the grammar of a language. It is prepared once for the process.
    pub(crate) fn of(language: Language) -> &'static Grammar {
        static TYPESCRIPT: LazyLock<Grammar> = LazyLock::new(|| {
            let language = tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
            Grammar::new(language.into(), "\n0;\n", script::NODES, script::enter, unmarked)
        });
        static TSX: LazyLock<Grammar> = LazyLock::new(|| {
            let language = tree_sitter_typescript::LANGUAGE_TSX;
            Grammar::new(language.into(), "\n0;\n", script::NODES, script::enter, unmarked)
        });
        static PYTHON: LazyLock<Grammar> = LazyLock::new(|| {
            Grammar::new(
                tree_sitter_python::LANGUAGE.into(),
                "\npass\n",
                python::NODES,
                python::enter,
                unmarked,
            )
        });
        static RUST: LazyLock<Grammar> = LazyLock::new(|| {
            Grammar::new(tree_sitter_rust::LANGUAGE.into(), "\n;\n", rust::NODES, rust::enter, rust::mark)
        });
        static GO: LazyLock<Grammar> = LazyLock::new(|| {
            Grammar::new(tree_sitter_go::LANGUAGE.into(), "\nvar _ int\n", go::NODES, go::enter, unmarked)
        });
        static JAVA: LazyLock<Grammar> = LazyLock::new(|| {
            Grammar::new(tree_sitter_java::LANGUAGE.into(), "\n;\n", java::NODES, java::enter, unmarked)
        });
        match language {
            Language::TypeScript => &TYPESCRIPT,
            Language::Tsx | Language::JavaScript => &TSX,
            Language::Python => &PYTHON,
            Language::Rust => &RUST,
            Language::Go => &GO,
            Language::Java => &JAVA,
        }
    }

    /// Has a parser parse this language.
    pub(crate) fn prepare(&self, parser: &mut Parser, language: Language) -> Result<(), SymbolError> {
        parser.set_language(&self.language).map_err(|_| SymbolError::Grammar { language: language.text() })
    }

    /// Returns the meaning of a node.
    pub(crate) fn shape(&self, node: Node<'_>) -> Option<Shape> {
        self.shapes.get(usize::from(node.kind_id())).copied().flatten()
    }
}

fn unmarked(_: &Walk<'_, '_>, _: Node<'_>) -> Marks {
    Marks::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The debug assertion of `Grammar::new` is what fails.
    #[test]
    fn every_named_node_is_one_of_its_grammar() {
        for language in Language::ALL {
            assert!(Grammar::of(language).shapes.iter().any(Option::is_some), "{language}");
        }
    }
}
