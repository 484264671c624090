//! Go.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Nodes, Shape};
use crate::walk::{Declaration, Inside, Next, Walk};

pub(crate) const NODES: Nodes = &[
    (Shape::Comment, &["comment"]),
    (Shape::Import, &["import_declaration"]),
    (Shape::Function, &["function_declaration", "method_declaration"]),
    (Shape::Type, &["type_spec", "type_alias"]),
    (Shape::Value, &["const_spec", "var_spec"]),
    (Shape::Inner, &["func_literal"]),
];

/// Beginnings of the names of test functions, and of what they take.
const TESTS: [(&str, &str); 4] =
    [("Test", "*testing."), ("Benchmark", "*testing.B"), ("Fuzz", "*testing.F"), ("Example", "()")];

pub(crate) fn enter<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>, shape: Shape) -> Next {
    match shape {
        Shape::Import => {
            import(walk, node);
            Next::Past
        }
        Shape::Function => function(walk, node),
        Shape::Type => {
            let kind = match node.child_by_field_name("type").map(|of| of.kind()) {
                Some("struct_type") => SymbolKind::Struct,
                Some("interface_type") => SymbolKind::Interface,
                Some(_) | None => SymbolKind::TypeAlias,
            };
            let name = walk.name(node);
            declare(walk, node, name, kind)
        }
        Shape::Value => values(walk, node),
        Shape::Comment
        | Shape::Signature
        | Shape::Module
        | Shape::Members
        | Shape::Macro
        | Shape::Export
        | Shape::Statement
        | Shape::Text
        | Shape::Inner
        | Shape::Mark => Next::Into,
    }
}

fn declare<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>, name: &str, kind: SymbolKind) -> Next {
    let above = walk.ancestor(0).filter(|above| above.kind().ends_with("_declaration"));
    let span = above.filter(|above| above.named_child_count() == 1).unwrap_or(node);
    walk.declare(Declaration {
        name,
        kind,
        is_public: is_upper(name),
        is_test: false,
        span,
        owner: None,
        inside: Inside::Local,
    })
}

fn is_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn function<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    let name = walk.name(node);
    let owner = walk.field(node, "receiver").map(receiver);
    let parameters = walk.field(node, "parameters").unwrap_or_default();
    let is_test = owner.is_none()
        && TESTS.iter().any(|(prefix, takes)| {
            let rest = name.strip_prefix(prefix);
            let is_named = rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase));
            is_named && parameters.contains(takes)
        });
    walk.declare(Declaration {
        name,
        kind: if owner.is_some() { SymbolKind::Method } else { SymbolKind::Function },
        is_public: is_upper(name) && owner.is_none_or(is_upper),
        is_test,
        span: node,
        owner,
        inside: Inside::Local,
    })
}

/// The type of a receiver: `(s *Server[T])` is one of `Server`.
fn receiver(text: &str) -> &str {
    let text = text.trim_start_matches('(').split('[').next().unwrap_or_default();
    let text = text.trim_end_matches([')', ' ', ',']);
    text.rsplit([' ', '\t', '*', '(']).next().unwrap_or_default()
}

/// Declares the names of a specification; `a, b = 1, 2` has two.
fn values<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    let kind = if node.kind() == "const_spec" { SymbolKind::Constant } else { SymbolKind::Variable };
    let names: Vec<&str> = node
        .children_by_field_name("name", &mut node.walk())
        .filter(|child| child.kind() == "identifier")
        .map(|child| walk.text(child))
        .filter(|name| *name != "_")
        .collect();
    let mut next = Next::Past;
    for name in names {
        next = declare(walk, node, name, kind);
    }
    next
}

fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    for child in node.named_children(&mut node.walk()) {
        match child.kind() {
            "import_spec" => import_spec(walk, child),
            "import_spec_list" => {
                child.named_children(&mut child.walk()).for_each(|spec| import_spec(walk, spec));
            }
            _ => {}
        }
    }
}

fn import_spec(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(path) = walk.field(node, "path") {
        walk.import(path.trim_matches(['"', '`']));
    }
}

#[cfg(test)]
mod tests {
    use super::receiver;

    #[test]
    fn a_receiver_names_a_type() {
        for (text, name) in [
            ("(s *Server)", "Server"),
            ("(s Server)", "Server"),
            ("(*Server)", "Server"),
            ("(Server)", "Server"),
            ("(s *Server[K, V])", "Server"),
            ("( s  * Server )", "Server"),
            ("()", ""),
        ] {
            assert_eq!(receiver(text), name, "{text}");
        }
    }
}
