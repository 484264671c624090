//! TypeScript and JavaScript.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Nodes, Shape};
use crate::walk::{Declaration, Inside, Next, Walk};

pub(crate) const NODES: Nodes = &[
    (Shape::Comment, &["comment", "html_comment"]),
    (Shape::Import, &["import_statement"]),
    (Shape::Export, &["export_statement"]),
    (Shape::Function, &["function_declaration", "generator_function_declaration", "method_definition"]),
    (Shape::Signature, &["function_signature", "abstract_method_signature", "method_signature"]),
    (
        Shape::Type,
        &[
            "class_declaration",
            "abstract_class_declaration",
            "class",
            "interface_declaration",
            "type_alias_declaration",
            "enum_declaration",
        ],
    ),
    (Shape::Module, &["internal_module", "module"]),
    (Shape::Value, &["variable_declarator", "public_field_definition"]),
    (Shape::Statement, &["expression_statement"]),
    (Shape::Inner, &["arrow_function", "function_expression", "generator_function", "object"]),
];

/// Functions of test frameworks that stand at the top of a test file.
const TEST_CALLS: [&str; 7] = ["describe", "it", "test", "suite", "context", "specify", "fdescribe"];

pub(crate) fn enter<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>, shape: Shape) -> Next {
    match shape {
        Shape::Import => {
            let clause = || named(node, "import_require_clause");
            let source =
                node.child_by_field_name("source").or_else(|| clause()?.child_by_field_name("source"));
            if let Some(source) = source {
                walk.import(unquoted(walk.text(source)));
            }
            Next::Past
        }
        Shape::Export => export(walk, node),
        Shape::Function | Shape::Signature => function(walk, node),
        Shape::Type => declared_type(walk, node),
        Shape::Module => {
            let name = unquoted(walk.name(node));
            declare(walk, node, name, SymbolKind::Module, Inside::Members)
        }
        Shape::Value if node.kind() == "public_field_definition" => field(walk, node),
        Shape::Value => variable(walk, node),
        Shape::Statement => statement(walk, node),
        Shape::Comment | Shape::Members | Shape::Macro | Shape::Text | Shape::Inner | Shape::Mark => {
            Next::Into
        }
    }
}

/// Declares something that may be inside of an `export` statement, or be a member of a class.
fn declare<'t>(
    walk: &mut Walk<'_, 't>,
    node: Node<'t>,
    name: &str,
    kind: SymbolKind,
    inside: Inside,
) -> Next {
    let (span, is_exported) = wrapped(walk, node);
    let is_public = is_exported || walk.has_public_members();
    walk.declare(Declaration { name, kind, is_public, is_test: false, span, owner: None, inside })
}

/// The outermost node that is there for this declaration alone, and whether it exports it.
fn wrapped<'t>(walk: &Walk<'_, 't>, node: Node<'t>) -> (Node<'t>, bool) {
    let (mut span, mut is_alone) = (node, true);
    for levels in 0.. {
        let Some(above) = walk.ancestor(levels) else { break };
        match above.kind() {
            "export_statement" => return (if is_alone { above } else { span }, true),
            "lexical_declaration" | "variable_declaration" => is_alone &= above.named_child_count() == 1,
            "ambient_declaration" | "expression_statement" => {}
            _ => break,
        }
        if is_alone {
            span = above;
        }
    }
    (span, false)
}

fn function<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    let name = unquoted(walk.name(node));
    let is_member =
        matches!(node.kind(), "method_definition" | "abstract_method_signature" | "method_signature");
    if !is_member {
        return declare(walk, node, name, SymbolKind::Function, Inside::Local);
    }
    let is_of_class = walk.ancestor(0).is_some_and(|above| above.kind() == "class_body");
    if is_of_class && name != "constructor" { method(walk, node, name) } else { Next::Local }
}

fn method<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>, name: &str) -> Next {
    let access = named(node, "accessibility_modifier").map(|access| walk.text(access));
    let is_private = matches!(access, Some("private" | "protected")) || name.starts_with('#');
    walk.declare(Declaration {
        name,
        kind: SymbolKind::Method,
        is_public: !is_private,
        is_test: false,
        span: node,
        owner: None,
        inside: Inside::Local,
    })
}

fn declared_type<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    let (kind, inside) = match node.kind() {
        "interface_declaration" => (SymbolKind::Interface, Inside::Local),
        "type_alias_declaration" => (SymbolKind::TypeAlias, Inside::Local),
        "enum_declaration" => (SymbolKind::Enum, Inside::Local),
        _ => (SymbolKind::Class, Inside::Members),
    };
    let is_expression = node.kind() == "class";
    match walk.name(node) {
        // A class that is a value: its variable or its export declares it.
        _ if is_expression && !is_default_export(walk) => {
            let is_named = walk
                .ancestor(0)
                .is_some_and(|above| matches!(above.kind(), "variable_declarator" | "assignment_expression"));
            if is_named && walk.around() == Some(SymbolKind::Class) { Next::Into } else { Next::Local }
        }
        "" => declare(walk, node, "default", kind, inside),
        name => declare(walk, node, name, kind, inside),
    }
}

fn is_default_export(walk: &Walk<'_, '_>) -> bool {
    walk.ancestor(0).is_some_and(|above| above.kind() == "export_statement")
}

fn variable<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    let value = node.child_by_field_name("value");
    if let Some(module) = value.and_then(|value| required(walk, value)) {
        walk.import(module);
    }
    let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier");
    let Some(name) = name.map(|name| walk.text(name)) else { return Next::Into };
    let code = value.and_then(code);
    let (kind, inside) = code.unwrap_or((SymbolKind::Variable, Inside::Local));
    declare(walk, node, name, kind, inside)
}

/// The kind of a value that is a function or a class.
fn code(value: Node<'_>) -> Option<(SymbolKind, Inside)> {
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => {
            Some((SymbolKind::Function, Inside::Local))
        }
        "class" => Some((SymbolKind::Class, Inside::Members)),
        _ => None,
    }
}

/// Whether a value is an object with functions in it, which nothing else declares.
fn has_functions(value: Node<'_>) -> bool {
    let is_function = |part: Node<'_>| match part.kind() {
        "method_definition" => true,
        "pair" => part.child_by_field_name("value").and_then(code).is_some(),
        _ => false,
    };
    value.kind() == "object" && value.named_children(&mut value.walk()).any(is_function)
}

/// A field of a class is a method if it holds a function.
fn field<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    let value = node.child_by_field_name("value").map(|value| value.kind());
    match value {
        Some("arrow_function" | "function_expression" | "generator_function") => {
            let name = unquoted(walk.name(node));
            method(walk, node, name)
        }
        Some(_) | None => Next::Local,
    }
}

fn export<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    if let Some(source) = node.child_by_field_name("source") {
        walk.import(unquoted(walk.text(source)));
        return Next::Past;
    }
    if let Some(clause) = named(node, "export_clause").filter(|_| walk.is_at_top()) {
        for specifier in clause.named_children(&mut clause.walk()) {
            let name = walk.name(specifier).to_owned();
            walk.found.exported.insert(name);
        }
        return Next::Past;
    }
    match node.child_by_field_name("value") {
        Some(value) if value.kind() == "identifier" => {
            let name = walk.text(value).to_owned();
            walk.found.exported.insert(name);
            Next::Past
        }
        // A class declares itself.
        Some(value) if value.kind() != "class" => declare_value(walk, node, "", value),
        Some(_) | None => Next::Into,
    }
}

/// Declares a function, a class or an object with functions that is exported as a value.
fn declare_value<'t>(walk: &mut Walk<'_, 't>, span: Node<'t>, name: &str, value: Node<'t>) -> Next {
    let by_itself = has_functions(value).then_some((SymbolKind::Variable, Inside::Local));
    let Some((kind, inside)) = code(value).or(by_itself) else { return Next::Into };
    let name = match (name, walk.name(value)) {
        ("", "") => "default",
        ("", name) | (name, _) => name,
    };
    walk.declare(Declaration { name, kind, is_public: true, is_test: false, span, owner: None, inside })
}

/// Notes exports of CommonJS, and calls of test frameworks.
fn statement<'t>(walk: &mut Walk<'_, 't>, node: Node<'t>) -> Next {
    let Some(expression) = node.named_child(0).filter(|_| walk.is_at_top()) else { return Next::Into };
    match expression.kind() {
        "call_expression" => {
            if let Some(module) = required(walk, expression) {
                walk.import(module);
            }
            let called = walk.field(expression, "function").unwrap_or_default();
            let called = called.split(['.', '(']).next().unwrap_or_default();
            walk.found.has_test_calls |= TEST_CALLS.contains(&called);
        }
        "assignment_expression" => {
            let target = walk.field(expression, "left").unwrap_or_default();
            let target = target.strip_prefix("module.").unwrap_or(target);
            let name = target.strip_prefix("exports");
            let name = name.and_then(|rest| if rest.is_empty() { Some("") } else { rest.strip_prefix('.') });
            let name = name.filter(|name| !name.contains(['.', '[']));
            if let (Some(name), Some(value)) = (name, expression.child_by_field_name("right")) {
                export_value(walk, value);
                return declare_value(walk, node, name, value);
            }
        }
        _ => {}
    }
    Next::Into
}

/// Exports the names in a value: itself, or those of an object.
fn export_value(walk: &mut Walk<'_, '_>, value: Node<'_>) {
    let mut add = |node: Node<'_>| {
        let name = walk.text(node).to_owned();
        walk.found.exported.insert(name);
    };
    match value.kind() {
        "identifier" => add(value),
        "object" => {
            for part in value.named_children(&mut value.walk()) {
                match part.kind() {
                    "shorthand_property_identifier" => add(part),
                    "pair" => {
                        let value = part.child_by_field_name("value");
                        value.filter(|value| value.kind() == "identifier").into_iter().for_each(&mut add);
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// The module of `require("module")`.
fn required<'s>(walk: &Walk<'s, '_>, call: Node<'_>) -> Option<&'s str> {
    let is_require = call.kind() == "call_expression" && walk.field(call, "function") == Some("require");
    let arguments = call.child_by_field_name("arguments").filter(|_| is_require)?;
    let module = arguments.named_child(0).filter(|module| module.kind() == "string")?;
    Some(unquoted(walk.text(module)))
}

/// The first child of a kind.
fn named<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.named_children(&mut node.walk()).find(|child| child.kind() == kind)
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}
