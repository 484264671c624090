//! Python.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Nodes, Shape};
use crate::walk::{Declaration, Inside, Next, Walk};

pub(crate) const NODES: Nodes = &[
    (Shape::Comment, &["comment"]),
    (Shape::Text, &["string"]),
    (Shape::Import, &["import_statement", "import_from_statement", "future_import_statement"]),
    (Shape::Function, &["function_definition"]),
    (Shape::Type, &["class_definition", "type_alias_statement"]),
    (Shape::Value, &["assignment"]),
    (Shape::Inner, &["lambda"]),
];

/// Classes whose subclasses are types without behaviour of their own.
const SHAPES: [&str; 3] = ["Protocol", "TypedDict", "NamedTuple"];
/// Classes whose subclasses are enumerations.
const ENUMS: [&str; 6] = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"];

pub(crate) fn enter<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>, shape: Shape) -> Next {
    match shape {
        Shape::Import => {
            import(walk, node);
            Next::Past
        }
        Shape::Function => {
            let is_method = walk.around().is_some_and(SymbolKind::is_type);
            let kind = if is_method { SymbolKind::Method } else { SymbolKind::Function };
            let name = walk.name(node);
            declare(walk, node, name, kind, false, Inside::Local)
        }
        Shape::Type if node.kind() == "type_alias_statement" => {
            let name = walk.field(node, "left").unwrap_or_default();
            let name = name.split('[').next().unwrap_or_default().trim();
            declare(walk, node, name, SymbolKind::TypeAlias, false, Inside::Local)
        }
        Shape::Type => class(walk, node),
        Shape::Value => assignment(walk, node),
        Shape::Comment
        | Shape::Text
        | Shape::Signature
        | Shape::Module
        | Shape::Members
        | Shape::Macro
        | Shape::Export
        | Shape::Statement
        | Shape::Inner
        | Shape::Mark => Next::Into,
    }
}

fn declare<'t>(
    walk: &mut Walk<'_, 't>,
    node: Node<'t>,
    name: &str,
    kind: SymbolKind,
    is_test: bool,
    inside: Inside,
) -> Next {
    let decorated = walk.ancestor(0).filter(|above| above.kind() == "decorated_definition");
    let span = decorated.unwrap_or(node);
    let is_public = !name.starts_with('_');
    walk.declare(Declaration { name, kind, is_public, is_test, span, owner: None, inside })
}

fn class<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    let bases = walk.field(node, "superclasses").unwrap_or_default();
    let bases = bases.trim_matches(['(', ')']).split(',');
    let mut bases = bases.map(|base| {
        let base = base.split('[').next().unwrap_or_default().trim();
        base.rsplit('.').next().unwrap_or_default()
    });
    let (mut kind, mut is_test) = (SymbolKind::Class, false);
    for base in bases.by_ref() {
        if ENUMS.contains(&base) {
            kind = SymbolKind::Enum;
        } else if SHAPES.contains(&base) {
            kind = SymbolKind::Interface;
        }
        is_test |= matches!(base, "TestCase" | "IsolatedAsyncioTestCase");
    }
    let name = walk.name(node);
    declare(walk, node, name, kind, is_test, Inside::Members)
}

/// A variable of the module. Those of classes are their own.
fn assignment<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    let left = node.child_by_field_name("left").filter(|left| left.kind() == "identifier");
    let Some(name) = left.map(|left| walk.text(left)).filter(|_| walk.is_at_top()) else {
        return Next::Into;
    };
    if name == "__all__" {
        if let Some(list) = node.child_by_field_name("right") {
            walk.found.exports_are_listed = matches!(list.kind(), "list" | "tuple");
            for item in list.named_children(&mut list.walk()).filter(|item| item.kind() == "string") {
                let name = walk.text(item).trim_matches(['"', '\'']).to_owned();
                walk.found.exported.insert(name);
            }
        }
        return Next::Past;
    }
    let is_constant = name.chars().all(|c| c.is_uppercase() || c.is_numeric() || c == '_');
    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Variable };
    let is_function = node.child_by_field_name("right").is_some_and(|right| right.kind() == "lambda");
    let kind = if is_function { SymbolKind::Function } else { kind };
    declare(walk, node, name, kind, false, Inside::Local)
}

fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if node.kind() == "future_import_statement" {
        return walk.import("__future__");
    }
    if let Some(module) = walk.field(node, "module_name") {
        return walk.import(module);
    }
    for name in node.children_by_field_name("name", &mut node.walk()) {
        let module = name.child_by_field_name("name").unwrap_or(name);
        walk.import(walk.text(module));
    }
}
