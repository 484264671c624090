//! Rust.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Marks, Nodes, Shape};
use crate::walk::{Declaration, Inside, Next, Walk};

pub(crate) const NODES: Nodes = &[
    (Shape::Comment, &["line_comment", "block_comment"]),
    (Shape::Mark, &["attribute_item"]),
    (Shape::Import, &["use_declaration", "extern_crate_declaration"]),
    (Shape::Function, &["function_item", "function_signature_item"]),
    (Shape::Type, &["struct_item", "union_item", "enum_item", "trait_item", "type_item"]),
    (Shape::Members, &["impl_item"]),
    (Shape::Module, &["mod_item"]),
    (Shape::Value, &["const_item", "static_item"]),
    (Shape::Macro, &["macro_definition"]),
    (Shape::Inner, &["closure_expression"]),
];

pub(crate) fn enter<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>, shape: Shape) -> Next {
    match shape {
        Shape::Import => {
            import(walk, node);
            Next::Past
        }
        Shape::Function => {
            let is_method = walk.around().is_some_and(SymbolKind::is_type);
            let kind = if is_method { SymbolKind::Method } else { SymbolKind::Function };
            declare(walk, node, kind, Inside::Local)
        }
        Shape::Type => match node.kind() {
            "trait_item" => declare(walk, node, SymbolKind::Trait, Inside::PublicMembers),
            "enum_item" => declare(walk, node, SymbolKind::Enum, Inside::Local),
            // A type of a trait is part of how the trait is implemented.
            "type_item" if walk.around().is_some_and(SymbolKind::is_type) => Next::Past,
            "type_item" => declare(walk, node, SymbolKind::TypeAlias, Inside::Local),
            _ => declare(walk, node, SymbolKind::Struct, Inside::Local),
        },
        Shape::Members => {
            let implemented = node.child_by_field_name("type").map(|of| walk.text(of)).unwrap_or_default();
            // The trait makes its members as public as the type is.
            let is_of_trait = node.child_by_field_name("trait").is_some();
            let inside = if is_of_trait { Inside::PublicMembers } else { Inside::Members };
            walk.add_to(base_name(implemented), inside)
        }
        Shape::Module if node.child_by_field_name("body").is_none() => Next::Past,
        Shape::Module => declare(walk, node, SymbolKind::Module, Inside::Members),
        Shape::Value => {
            let is_static = node.kind() == "static_item";
            let kind = if is_static { SymbolKind::Variable } else { SymbolKind::Constant };
            declare(walk, node, kind, Inside::Local)
        }
        Shape::Macro => declare(walk, node, SymbolKind::Macro, Inside::Local),
        Shape::Comment
        | Shape::Signature
        | Shape::Export
        | Shape::Statement
        | Shape::Text
        | Shape::Inner
        | Shape::Mark => Next::Into,
    }
}

fn declare<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>, kind: SymbolKind, inside: Inside) -> Next {
    let first = node.named_child(0).filter(|first| first.kind() == "visibility_modifier");
    let is_pub = first.is_some_and(|first| walk.text(first) == "pub");
    let is_public = is_pub || walk.has_public_members();
    let name = walk.name(node);
    let name = if name == "_" { "" } else { name };
    walk.declare(Declaration { name, kind, is_public, is_test: false, span: node, owner: None, inside })
}

/// The name of a type without its path, references and arguments.
fn base_name(text: &str) -> &str {
    let text = text.split('<').next().unwrap_or_default();
    let text = text.rsplit("::").next().unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.rsplit(|c| !is_name(c)).find(|part| !part.is_empty()).unwrap_or_default()
}

fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let path = walk.field(node, "argument").or_else(|| walk.field(node, "name")).unwrap_or_default();
    let path = path.split('{').next().unwrap_or_default();
    let path = path.split(" as ").next().unwrap_or_default();
    walk.import(path.trim_end_matches('*').trim_end_matches(':'));
}

/// Reads an attribute: `#[test]`, `#[tokio::test]`, `#[cfg(test)]`, `#[macro_export]`.
pub(crate) fn mark(walk: &Walk<'_, '_>, node: Node<'_>) -> Marks {
    let Some(attribute) = node.named_child(0) else { return Marks::default() };
    let path = attribute.named_child(0).map(|path| walk.text(path)).unwrap_or_default();
    let arguments = walk.field(attribute, "arguments").unwrap_or_default();
    let last = path.rsplit("::").next().unwrap_or_default();
    let is_cfg_test = path == "cfg" && matches!(arguments, "(test)" | "(any(test))" | "(all(test))");
    let is_cfg_test = is_cfg_test || (path == "cfg" && arguments.starts_with("(all(test,"));
    Marks {
        is_test: is_cfg_test || matches!(last, "test" | "rstest" | "test_case" | "proptest" | "bench"),
        is_exported: path == "macro_export",
    }
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn a_type_has_a_bare_name() {
        for (text, name) in [
            ("Session", "Session"),
            ("Session<'a, T>", "Session"),
            ("crate::a::Session<T>", "Session"),
            ("&'a mut Session", "Session"),
            ("[T]", "T"),
            ("dyn Trait + Send", "Send"),
            ("", ""),
            ("()", ""),
        ] {
            assert_eq!(base_name(text), name, "{text}");
        }
    }
}
