//! Symbols that staged changes touch.

use std::collections::HashSet;

use cairn_symbols::{Directive, Symbol, SymbolKind, Symbols};

use crate::git::Hunk;

/// A changed symbol that has to be linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) name: String,
    pub(super) kind: SymbolKind,
    pub(super) line: u32,
    /// Its own name and those of the symbols that it is a part of, as titles of symbols may be: qualified, and bare.
    pub(super) names: Vec<String>,
    /// Requirements that comments of it, or of what it is a part of, name.
    pub(super) directives: Vec<String>,
}

/// Returns the symbols that hunks touch and that have to be linked, in their order.
///
/// A change belongs to the innermost symbol around it; where that is not exported, to the one that it is a part of. Types
/// without behaviour, modules and tests need no link. Of symbols with the same name, such as overloads, the first counts.
pub(super) fn changed(symbols: &Symbols, hunks: &[Hunk]) -> Vec<Changed> {
    let lines = Lines::of(hunks);
    let list = &symbols.symbols;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
    for (index, symbol) in list.iter().enumerate() {
        symbol.parent.iter().for_each(|parent| children[*parent].push(index));
    }
    let mut touched = vec![false; list.len()];
    for (index, symbol) in list.iter().enumerate() {
        let parts = children[index].iter().map(|child| (list[*child].line, list[*child].end_line));
        if lines.own((symbol.line, symbol.end_line), parts) {
            let exported = ancestors(list, index).find(|at| list[*at].is_exported && needs_link(&list[*at]));
            exported.into_iter().for_each(|at| touched[at] = true);
        }
    }
    let mut names = HashSet::new();
    let touched = list.iter().enumerate().filter(|(index, _)| touched[*index]);
    touched
        .filter(|(_, symbol)| names.insert(symbol.qualified_name.as_str()))
        .map(|(index, symbol)| of(symbols, index, symbol))
        .collect()
}

fn of(symbols: &Symbols, index: usize, symbol: &Symbol) -> Changed {
    let list = &symbols.symbols;
    let above: Vec<usize> = ancestors(list, index).collect();
    let is_bare_alone = list.iter().filter(|other| other.name == symbol.name).count() == 1;
    let mut names: Vec<String> = above.iter().map(|at| list[*at].qualified_name.clone()).collect();
    names.extend(is_bare_alone.then(|| symbol.name.clone()));
    // Members of a type that is elsewhere in the file: `impl` blocks, receivers.
    names.extend(symbol.qualified_name.rsplit_once('.').map(|(owner, _)| owner.to_owned()));
    let belongs = |directive: &&Directive| {
        directive.symbol.is_some_and(|at| above.contains(&at) || names.contains(&list[at].qualified_name))
    };
    let mut directives: Vec<String> = symbols
        .directives
        .iter()
        .filter(belongs)
        .flat_map(|directive| directive.requirements.clone())
        .collect();
    directives.sort_unstable();
    directives.dedup();
    Changed { name: symbol.qualified_name.clone(), kind: symbol.kind, line: symbol.line, names, directives }
}

/// A symbol, and those that it is a part of, from the inside out.
fn ancestors(list: &[Symbol], index: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(index), |at| list[*at].parent)
}

fn needs_link(symbol: &Symbol) -> bool {
    let is_of_kind = match symbol.kind {
        SymbolKind::Function
        | SymbolKind::Class
        | SymbolKind::Method
        | SymbolKind::Macro
        | SymbolKind::Enum
        | SymbolKind::Constant
        | SymbolKind::Variable => true,
        SymbolKind::Interface
        | SymbolKind::Trait
        | SymbolKind::TypeAlias
        | SymbolKind::Struct
        | SymbolKind::Module => false,
    };
    is_of_kind && !symbol.is_test
}

/// Changed lines, and places between two lines where something is gone; sorted, without overlaps.
struct Lines {
    lines: Vec<(u32, u32)>,
    gaps: Vec<u32>,
}

impl Lines {
    fn of(hunks: &[Hunk]) -> Lines {
        let mut lines = Lines { lines: Vec::new(), gaps: Vec::new() };
        for Hunk { start, lines: count } in hunks {
            match count {
                0 => lines.gaps.push(*start),
                count => lines.lines.push((*start, start.saturating_add(count - 1))),
            }
        }
        lines.lines.sort_unstable();
        lines.gaps.sort_unstable();
        lines
    }

    /// Whether something between two lines is changed that is in none of the parts, which are in order.
    fn own(&self, (first, last): (u32, u32), parts: impl Iterator<Item = (u32, u32)>) -> bool {
        // The first line, and the first gap, that is in none of the parts so far. A gap has the number of the line
        // before it, so the one behind a part has the number of the part's last line.
        let (mut line, mut gap) = (first, first);
        for (start, end) in parts.chain([(last.saturating_add(1), last)]) {
            let before = start.saturating_sub(1);
            if self.has_line(line, before) || self.has_gap(gap, before.min(last.saturating_sub(1))) {
                return true;
            }
            line = line.max(end.saturating_add(1));
            gap = gap.max(end);
        }
        false
    }

    fn has_line(&self, first: u32, last: u32) -> bool {
        let next = self.lines.partition_point(|(_, end)| *end < first);
        first <= last && self.lines.get(next).is_some_and(|(start, _)| *start <= last)
    }

    fn has_gap(&self, first: u32, last: u32) -> bool {
        let next = self.gaps.partition_point(|gap| *gap < first);
        self.gaps.get(next).is_some_and(|gap| *gap <= last)
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::SystemClock;
    use cairn_symbols::{Language, parse};

    use super::*;

    const SOURCE: &str = "\
export class A {
  // implements REQ-1
  run() {
    return 1;
  }

  private own() {
    return 2;
  }
}

export interface Shape {
  x: number;
}

// implements REQ-2
export const a = 1, b = 2;
function inner() {
  return 3;
}
export function f() {
  return 4;
}
";

    fn check(language: Language, source: &str, hunks: &[(u32, u32)], expected: &[&str]) {
        let symbols = parse(language, source, &SystemClock).expect("it is short");
        let hunks: Vec<Hunk> =
            hunks.iter().map(|(start, lines)| Hunk { start: *start, lines: *lines }).collect();
        let found = changed(&symbols, &hunks);
        let found: Vec<String> =
            found.iter().map(|changed| [&*changed.name, &*changed.directives.join(",")].join(" ")).collect();
        assert_eq!(found, expected, "{hunks:?}");
    }

    #[test]
    fn a_change_belongs_to_the_innermost_exported_symbol() {
        let check =
            |hunks: &[(u32, u32)], expected: &[&str]| check(Language::TypeScript, SOURCE, hunks, expected);
        check(&[], &[]);
        check(&[(1, 1)], &["A "]);
        check(&[(4, 1)], &["A.run REQ-1"]);
        check(&[(8, 1)], &["A "]);
        check(&[(4, 1), (8, 1)], &["A ", "A.run REQ-1"]);
        check(&[(13, 1)], &[]);
        check(&[(17, 1)], &["a REQ-2", "b "]);
        check(&[(19, 1)], &[]);
        check(&[(11, 1), (15, 1)], &[]);
        check(&[(22, 1)], &["f "]);
        check(&[(1, 24)], &["A ", "A.run REQ-1", "a REQ-2", "b ", "f "]);
    }

    #[test]
    fn what_is_gone_belongs_to_what_is_around_it() {
        let check =
            |hunks: &[(u32, u32)], expected: &[&str]| check(Language::TypeScript, SOURCE, hunks, expected);
        check(&[(4, 0)], &["A.run REQ-1"]);
        check(&[(5, 0)], &["A "]);
        check(&[(6, 0)], &["A "]);
        check(&[(10, 0)], &[]);
        check(&[(0, 0)], &[]);
        check(&[(21, 0)], &["f "]);
        check(&[(23, 0)], &[]);
    }

    #[test]
    fn overloads_are_one_symbol() {
        let source = "// implements REQ-1\nexport function f(a: string): void;\n\
                      export function f(a: number): void;\nexport function f(a: any) {}\n";
        check(Language::TypeScript, source, &[(1, 9)], &["f REQ-1"]);
        check(Language::TypeScript, source, &[(4, 1)], &["f REQ-1"]);
    }

    #[test]
    fn tests_and_members_of_types_elsewhere() {
        let source = "// implements REQ-1\npub struct S;\nimpl S {\n    pub fn a() {}\n}\n#[cfg(test)]\npub mod tests {\n    pub fn b() {}\n}\n";
        check(Language::Rust, source, &[(1, 20)], &["S.a REQ-1"]);
    }
}
