//! Requirements that a changed symbol implements.

use std::collections::{BTreeMap, BTreeSet};

use cairn_kb::tools::SymbolLinks;

use super::Unlinked;
use super::changed::Changed;

/// Symbols of the KB by source file.
pub(super) type ByFile<'a> = BTreeMap<&'a str, Vec<&'a SymbolLinks>>;

/// What a symbol is linked to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Links {
    requirements: BTreeSet<String>,
    /// Ids of comments that are no requirements.
    unknown: Vec<String>,
    is_test: bool,
}

pub(super) fn by_file(symbols: &[SymbolLinks]) -> ByFile<'_> {
    let mut rows = ByFile::new();
    for row in symbols {
        rows.entry(&row.source_file).or_default().push(row);
    }
    rows
}

/// Finds the links of a changed symbol: of symbols of the KB that have its name, or are about the whole file, and those of
/// its comments.
pub(super) fn of(changed: &Changed, file: &str, rows: &ByFile<'_>, requirements: &[String]) -> Links {
    let mut links = Links::default();
    for row in rows.get(file).into_iter().flatten() {
        let title = row.title.replace("::", ".");
        let is_whole_file = row.granularity_reason.is_some();
        if is_whole_file || changed.names.contains(&title) {
            links.requirements.extend(row.implements.iter().cloned());
            links.is_test |= row.is_test && !is_whole_file;
        }
    }
    for id in &changed.directives {
        if requirements.binary_search(id).is_ok() {
            links.requirements.insert(id.clone());
        } else {
            links.unknown.push(id.clone());
        }
    }
    links
}

impl Links {
    /// The finding, if there are too few links.
    pub(super) fn unlinked(self, changed: &Changed, path: &str, min_links: u32) -> Option<Unlinked> {
        let links = u32::try_from(self.requirements.len()).unwrap_or(u32::MAX);
        (links < min_links && !self.is_test).then(|| Unlinked {
            path: path.to_owned(),
            line: changed.line,
            name: changed.name.clone(),
            kind: changed.kind.text(),
            links,
            unknown_requirements: self.unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use cairn_symbols::SymbolKind;

    use super::*;

    fn row(title: &str, implements: &[&str], reason: Option<&str>, is_test: bool) -> SymbolLinks {
        SymbolLinks {
            id: title.to_owned(),
            title: title.to_owned(),
            source_file: "a.ts".to_owned(),
            implements: implements.iter().map(|id| (*id).to_owned()).collect(),
            is_test,
            granularity_reason: reason.map(str::to_owned),
        }
    }

    fn check(rows: &[SymbolLinks], directives: &[&str], min_links: u32, expected: Option<(u32, &[&str])>) {
        let changed = Changed {
            name: "A.run".to_owned(),
            kind: SymbolKind::Method,
            line: 3,
            names: vec!["A.run".to_owned(), "A".to_owned(), "run".to_owned()],
            directives: directives.iter().map(|id| (*id).to_owned()).collect(),
        };
        let requirements = ["REQ-1".to_owned(), "REQ-2".to_owned()];
        let links = of(&changed, "a.ts", &by_file(rows), &requirements);
        let found = links.unlinked(&changed, "a.ts", min_links);
        let found = found.map(|found| (found.links, found.unknown_requirements));
        let expected =
            expected.map(|(links, unknown)| (links, unknown.iter().map(|id| (*id).to_owned()).collect()));
        assert_eq!(found, expected, "{rows:?} {directives:?}");
    }

    #[test]
    fn links_of_the_kb_and_of_comments_count_once() {
        check(&[], &[], 1, Some((0, &[])));
        check(&[row("run", &["REQ-1"], None, false)], &[], 1, None);
        check(&[row("A::run", &["REQ-1"], None, false)], &["REQ-1"], 2, Some((1, &[])));
        check(&[row("A", &["REQ-1"], None, false)], &["REQ-2"], 2, None);
        check(&[row("B", &["REQ-1"], None, false)], &[], 1, Some((0, &[])));
        check(&[row("a.ts", &["REQ-1"], None, false)], &[], 1, Some((0, &[])));
        check(&[row("a.ts", &["REQ-1"], Some("legacy-link"), false)], &[], 1, None);
        check(&[], &["REQ-1", "REQ-9"], 2, Some((1, &["REQ-9"])));
        check(&[row("run", &[], None, true)], &[], 1, None);
    }
}
