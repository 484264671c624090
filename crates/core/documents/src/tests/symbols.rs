use super::shown;
use crate::limits::SYMBOLS_MAX;
use crate::parse_symbols;

#[track_caller]
fn check(text: &str, expected: &str) {
    let document = parse_symbols("docs/symbols.yaml", text.as_bytes());
    assert_eq!(shown(&document), expected.trim_matches('\n'), "{text}");
}

#[test]
fn entries_are_symbols() {
    check(
        "# Symbols\nsymbols:\n  - id: SYM-1\n    title: endSession\n    sourceFile: src/session.ts\n    sourceLine: \
         12\n    coordinatesGeneratedAt: 2026-05-01T10:00:00Z\n    symbol_role: behavioral\n    links: [REQ-2]\n  - \
         title: b\n    status: deprecated\n    relationships:\n      - type: implements\n        target: REQ-1\n",
        // The id is the first 16 digits of `printf docs/symbols.yaml:b | sha256sum`.
        r#"
3 symbol SYM-1
  source = "docs/symbols.yaml"
  sourceFile = "src/session.ts"
  status = "active"
  symbol_role = "behavioral"
  title = "endSession"
  -> relates_to REQ-2
10 symbol e62b10823e996fe7
  source = "docs/symbols.yaml"
  status = "deprecated"
  title = "b"
  -> implements REQ-1
"#,
    );
}

#[test]
fn a_wrong_symbol_costs_only_itself() {
    check(
        "version: 1\nsymbols:\n  - id: A\n    title: a\n  - x\n  - id: B\n  - id: A\n    title: b\n  - id: C\n    title: \
         c\n    type: req\n  - id: D\n    title: d\n    symbol_role: behaviour\n",
        r#"
3 symbol A
  source = "docs/symbols.yaml"
  status = "active"
  title = "a"
docs/symbols.yaml:1: ignored field: unknown field version was ignored (the file has one key, `symbols`)
docs/symbols.yaml:5: invalid YAML: a symbol is a single value, not a mapping (write `- title: name`, and its other fields below)
docs/symbols.yaml:6: missing field: title is missing (add a line like `title: Sessions end when idle`)
docs/symbols.yaml:7: duplicate id: the id A is there twice (give each symbol an id of its own)
docs/symbols.yaml:11: invalid field: type is req, not symbol (give other entities a Markdown document)
docs/symbols.yaml:14: invalid field: symbol_role: "behaviour" is not one of behavioral, structural, type-shape, config, module, unknown; did you mean "behavioral"?
"#,
    );
}

#[test]
fn an_empty_manifest_is_fine_and_another_shape_is_not() {
    check("", "");
    check("symbols:\n", "");
    check("symbols: []\n", "");
    check(
        "- id: A\n",
        "docs/symbols.yaml:1: invalid YAML: the file is not a list of symbols (write `symbols:`, and below it one `- \
         title: name` per symbol)",
    );
    check(
        "symbols:\n  A: {}\n",
        "docs/symbols.yaml:2: invalid YAML: the file is not a list of symbols (write `symbols:`, and below it one `- \
         title: name` per symbol)",
    );
}

#[test]
fn invalid_yaml_leaves_out_everything() {
    check(
        "symbols:\n  - title: a\n  - title: b: c\n",
        "docs/symbols.yaml:3: unquoted colon: title has an unquoted colon in its value (put the value in quotes: \
         title: \"b: c\")",
    );
    check(
        "symbols: []\nsymbols: []\n",
        "docs/symbols.yaml:2: invalid YAML: the key \"symbols\" is there twice (keep one of them)",
    );
}

#[test]
fn there_are_as_many_symbols_as_are_allowed() {
    let parse = |count: usize| {
        let entries: String = (0..count).map(|index| format!("  - title: f{index}\n")).collect();
        parse_symbols("s.yaml", format!("symbols:\n{entries}").as_bytes())
    };
    let most = parse(SYMBOLS_MAX);
    assert_eq!((most.entities.len(), most.problems.len()), (SYMBOLS_MAX, 0));
    let more = parse(SYMBOLS_MAX + 1);
    assert_eq!((more.entities.len(), more.problems.len()), (0, 1));
}
