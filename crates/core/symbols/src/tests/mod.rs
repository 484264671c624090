//! Symbols of whole files.

mod directives;
mod go;
mod hostile;
mod java;
mod python;
mod rust;
mod script;

use cairn_base::SystemClock;

use crate::{Language, SymbolError, Symbols};

fn parse(language: Language, source: &str) -> Result<Symbols, SymbolError> {
    crate::parse(language, source, &SystemClock)
}

fn parsed(language: Language, source: &str) -> Symbols {
    parse(language, source).expect("within the limits")
}

/// Symbols as lines: kind, name, `+` if exported, `T` if a test, lines.
fn lines(symbols: &Symbols) -> Vec<String> {
    let line = |symbol: &crate::Symbol| {
        let exported = if symbol.is_exported { "+" } else { "" };
        let test = if symbol.is_test { " T" } else { "" };
        let crate::Symbol { qualified_name, kind, line, end_line, .. } = symbol;
        format!("{kind} {qualified_name}{exported}{test} {line}-{end_line}")
    };
    symbols.symbols.iter().map(line).collect()
}

/// Checks the symbols of a source that has no syntax errors.
fn check(language: Language, source: &str, expected: &[&str]) {
    let found = parsed(language, source);
    assert_eq!(lines(&found), expected, "{source}");
    assert!(!found.has_errors && !found.is_truncated, "{source}");
}

fn check_imports(language: Language, source: &str, expected: &[&str]) {
    assert_eq!(parsed(language, source).imports, expected, "{source}");
}
