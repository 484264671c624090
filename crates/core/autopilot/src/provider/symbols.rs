//! Symbols of source files.
//!
//! A symbol becomes a candidate only if storing it adds no violation of `kb_check`: a comment says which requirement it
//! implements, the requirement is in the KB or in a typed document, and the source of a test that verifies the
//! requirement names the symbol. Everything else is a source signal with advice: a symbol without these links would
//! violate symbol-traceability or symbol-coverage the moment it is stored.

use std::collections::{BTreeSet, HashSet};

use cairn_base::Clock;
use cairn_kb::SymbolRole;
use cairn_symbols::{Language, Role, Symbol, Symbols, is_test_path, parse};

use super::topology::TestFile;
use super::{Findings, signal};
use crate::limits::{AUTOPILOT_FILE_FINDINGS_MAX, AUTOPILOT_SIGNAL_SYMBOLS_MAX};
use crate::signal::{SignalKind, SignalSymbol};
use crate::tree::Skipped;

/// What the links of symbols need to know of one file.
#[derive(Debug, Default)]
pub(crate) struct FileSymbols {
    pub(crate) path: String,
    /// Symbols with a directive.
    pub(crate) directed: Vec<Directed>,
    /// Tests of the KB that the file names.
    pub(crate) names_tests: BTreeSet<String>,
}

/// A symbol, and the requirements that a comment says it implements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Directed {
    pub(crate) path: String,
    /// Its name, with the names of what it is a member of.
    pub(crate) name: String,
    pub(crate) role: SymbolRole,
    /// Line of the symbol.
    pub(crate) line: u32,
    /// Line of the comment.
    pub(crate) comment_line: u32,
    pub(crate) requirements: Vec<String>,
}

impl Directed {
    /// The last part of the name, which is what a test names.
    pub(crate) fn short_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// Adds the symbols of a source file. `test_ids` are the tests of the KB and of typed documents.
pub(crate) fn examine(
    language: Language,
    path: &str,
    text: &str,
    clock: &dyn Clock,
    test_ids: &HashSet<String>,
    findings: &mut Findings,
) {
    let parsed = match parse(language, text, clock) {
        Ok(parsed) => parsed,
        Err(error) => {
            findings.warn(path, Skipped::Malformed, error.to_string());
            return;
        }
    };
    findings.is_truncated |= parsed.is_truncated;
    let framework = parsed.test_framework.map(cairn_symbols::TestFramework::text);
    let is_test = is_test_path(path);
    if is_test || framework.is_some() {
        findings.test = Some(TestFile { path: path.to_owned(), framework });
    }
    let mut file = FileSymbols { path: path.to_owned(), ..FileSymbols::default() };
    if is_test || framework.is_some() {
        file.names_tests = words(text).filter(|word| test_ids.contains(*word)).map(str::to_owned).collect();
    }
    let mut taken = BTreeSet::new();
    for directive in &parsed.directives {
        let Some((index, symbol)) = directive.symbol.and_then(|at| Some((at, parsed.symbols.get(at)?)))
        else {
            continue;
        };
        if file.directed.len() >= AUTOPILOT_FILE_FINDINGS_MAX {
            findings.is_truncated = true;
            break;
        }
        if is_of_test(&parsed, symbol) || is_test {
            continue;
        }
        taken.insert(index);
        file.directed.push(Directed {
            path: path.to_owned(),
            name: symbol.qualified_name.clone(),
            role: role(symbol.role()),
            line: symbol.line,
            comment_line: directive.line,
            requirements: directive.requirements.clone(),
        });
    }
    if !is_test {
        exported(path, &parsed, &taken, findings);
    }
    if !file.directed.is_empty() || !file.names_tests.is_empty() {
        findings.symbols = Some(file);
    }
}

/// Adds the signal of exported symbols without a directive.
fn exported(path: &str, parsed: &Symbols, taken: &BTreeSet<usize>, findings: &mut Findings) {
    let is_open = |(index, symbol): &(usize, &Symbol)| {
        symbol.is_exported
            && symbol.role() == Role::Behavioral
            && !taken.contains(index)
            && !is_of_test(parsed, symbol)
    };
    let open: Vec<_> = parsed.symbols.iter().enumerate().filter(is_open).map(|(_, symbol)| symbol).collect();
    let Some(first) = open.first() else { return };
    let plural = if open.len() == 1 { "symbol" } else { "symbols" };
    let title = format!("{} exported behavioural {plural} in {path}", open.len());
    let mut found = signal(SignalKind::ExportedSymbols, path, Some(first.line), title);
    let listed = open.iter().take(AUTOPILOT_SIGNAL_SYMBOLS_MAX).map(|symbol| SignalSymbol {
        name: symbol.qualified_name.clone(),
        symbol_role: role(symbol.role()),
        source_file: path.to_owned(),
        source_line: symbol.line,
    });
    found.symbols = listed.collect();
    findings.signals.push(found);
}

/// Whether a symbol is a test, or a part of one. Parents come first, so the chain ends.
fn is_of_test(parsed: &Symbols, symbol: &Symbol) -> bool {
    let mut next = Some(symbol);
    let mut steps = parsed.symbols.len();
    while let Some(symbol) = next.filter(|_| steps > 0) {
        if symbol.is_test {
            return true;
        }
        steps -= 1;
        next = symbol.parent.and_then(|parent| parsed.symbols.get(parent));
    }
    false
}

fn role(role: Role) -> SymbolRole {
    SymbolRole::parse(role.text()).unwrap_or(SymbolRole::Unknown)
}

/// The words of a source text as ids of entities are written: letters, digits, `_`, `-` and `.`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    text.split(move |letter| !is_word(letter))
        .map(|word| word.trim_matches(['-', '.']))
        .filter(|word| !word.is_empty())
}

/// Whether a text has an identifier as a whole word.
pub(crate) fn names(text: &str, identifier: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    !identifier.is_empty()
        && text.match_indices(identifier).any(|(at, _)| {
            !text[..at].ends_with(is_word) && !text[at + identifier.len()..].starts_with(is_word)
        })
}

#[cfg(test)]
mod tests {
    use cairn_base::ManualClock;

    use super::*;

    fn examined(path: &str, text: &str) -> Findings {
        let language = Language::of_path(path).expect("a language");
        let tests = HashSet::from(["TEST-1".to_owned()]);
        let mut findings = Findings::default();
        examine(language, path, text, &ManualClock::default(), &tests, &mut findings);
        findings
    }

    #[test]
    fn a_directive_belongs_to_its_symbol_and_others_are_a_signal() {
        let text = "// implements REQ-1, REQ-2\nexport function login() {}\nexport function logout() {}\nfunction own() {}\n";
        let findings = examined("src/a.ts", text);
        let directed = &findings.symbols.expect("a directive").directed;
        assert_eq!(directed.len(), 1);
        assert_eq!((directed[0].name.as_str(), directed[0].line, directed[0].comment_line), ("login", 2, 1));
        assert_eq!(directed[0].requirements, ["REQ-1", "REQ-2"]);
        let symbols: Vec<_> = findings.signals[0].symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(symbols, ["logout"]);
        assert_eq!(findings.signals[0].symbols[0].source_line, 3);
        assert!(findings.test.is_none());
    }

    #[test]
    fn a_test_file_names_tests_and_contributes_no_symbols() {
        let text =
            "import {test} from 'vitest';\n// TEST-1.\n// implements REQ-1\nexport function helper() {}\n";
        let findings = examined("src/a.test.ts", text);
        assert_eq!(findings.test.map(|test| test.framework), Some(Some("vitest")));
        let symbols = findings.symbols.expect("names");
        assert_eq!(symbols.names_tests.into_iter().collect::<Vec<_>>(), ["TEST-1"]);
        assert!(symbols.directed.is_empty() && findings.signals.is_empty());
    }

    #[test]
    fn an_identifier_is_a_whole_word() {
        for (text, expected) in
            [("login()", true), ("relogin()", false), ("login2", false), ("a.login;", true), ("", false)]
        {
            assert_eq!(names(text, "login"), expected, "{text}");
        }
        assert!(!names("x", ""));
    }
}
