//! Java.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Nodes, Shape};
use crate::walk::{Declaration, Inside, Next, Walk};

pub(crate) const NODES: Nodes = &[
    (Shape::Comment, &["line_comment", "block_comment"]),
    (Shape::Import, &["import_declaration"]),
    (Shape::Function, &["method_declaration"]),
    (
        Shape::Type,
        &[
            "class_declaration",
            "record_declaration",
            "interface_declaration",
            "annotation_type_declaration",
            "enum_declaration",
        ],
    ),
    (
        Shape::Inner,
        &[
            "constructor_declaration",
            "compact_constructor_declaration",
            "field_declaration",
            "constant_declaration",
            "enum_constant",
            "static_initializer",
            "lambda_expression",
            "object_creation_expression",
            "annotation",
        ],
    ),
];

/// Annotations of test methods.
const TESTS: [&str; 5] = ["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate"];

pub(crate) fn enter<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>, shape: Shape) -> Next {
    match shape {
        Shape::Import => {
            let imported = node.named_children(&mut node.walk()).find(|child| !child.is_extra());
            if let Some(imported) = imported {
                walk.import(walk.text(imported));
            }
            Next::Past
        }
        Shape::Function => declare(walk, node, SymbolKind::Method, Inside::Local),
        Shape::Type => match node.kind() {
            "interface_declaration" => declare(walk, node, SymbolKind::Interface, Inside::PublicMembers),
            "annotation_type_declaration" => declare(walk, node, SymbolKind::Interface, Inside::Local),
            "enum_declaration" => declare(walk, node, SymbolKind::Enum, Inside::Members),
            _ => declare(walk, node, SymbolKind::Class, Inside::Members),
        },
        Shape::Comment
        | Shape::Signature
        | Shape::Module
        | Shape::Members
        | Shape::Value
        | Shape::Macro
        | Shape::Export
        | Shape::Statement
        | Shape::Text
        | Shape::Inner
        | Shape::Mark => Next::Into,
    }
}

fn declare<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>, kind: SymbolKind, inside: Inside) -> Next {
    let (mut is_public, mut is_private, mut is_test) = (false, false, false);
    let modifiers = node.named_child(0).filter(|first| first.kind() == "modifiers");
    if let Some(modifiers) = modifiers {
        for part in modifiers.children(&mut modifiers.walk()) {
            is_public |= part.kind() == "public";
            is_private |= part.kind() == "private";
            let annotation = walk.field(part, "name").unwrap_or_default();
            let annotation = annotation.rsplit('.').next().unwrap_or_default();
            is_test |= part.kind().ends_with("annotation") && TESTS.contains(&annotation);
        }
    }
    is_public |= walk.has_public_members() && !is_private;
    let name = walk.name(node);
    walk.declare(Declaration { name, kind, is_public, is_test, span: node, owner: None, inside })
}
