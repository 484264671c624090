//! The table of all limits, `docs/limits.md`, equals what the crates declare in their `limits.rs`.
//!
//! `cargo xtask limits` writes the table, and this check compares it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Finding;
use super::tree::Tree;
use super::value::{self, Limits};

/// The table, from the root of the repository.
pub(super) const TABLE: &str = "docs/limits.md";

const HEAD: &str = "\
# Limits

Everything that comes from outside has a limit. Each is declared in `src/limits.rs` of the crate that owns it; \
`cargo xtask limits` writes this page, and `cargo xtask tidy` fails if it is out of date. Limits described as a \
default can be [configured](configuration.md); the others are fixed.
";

/// Folders of crates in the order of the page.
const TIERS: &[&str] =
    &["crates/base", "crates/store/", "crates/core/", "crates/engine", "crates/surface/", "crates/cairn"];

/// One limit, as its crate declares it.
#[derive(Debug)]
struct Limit<'a> {
    name: &'a str,
    value: &'a str,
    sentence: String,
}

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut owners = BTreeMap::new();
    for (path, source) in sources(tree) {
        for limit in parse(source) {
            if limit.sentence.is_empty() {
                findings.push(Finding::new(path, format!("`{}` has no doc comment", limit.name)));
            }
            if let Some(other) = owners.insert(limit.name, path) {
                findings.push(Finding::new(path, format!("`{}` is declared in {other} too", limit.name)));
            }
        }
    }
    match table(tree) {
        Ok(table) if tree.files.get(TABLE) == Some(&table) => {}
        Ok(_) => findings.push(Finding::new(TABLE, "is out of date; run `cargo xtask limits`")),
        Err(finding) => findings.push(finding),
    }
    findings
}

/// The whole page, or the limit whose value cannot be computed.
pub(super) fn table(tree: &Tree) -> Result<String, Finding> {
    let values: Limits =
        sources(tree).flat_map(|(_, source)| parse(source)).map(|limit| (limit.name, limit.value)).collect();
    let mut page = HEAD.to_owned();
    for (path, source) in sources(tree) {
        let package = package(tree, path);
        write!(page, "\n## {package}\n\n| limit | value | |\n|---|---|---|\n")
            .expect("a string takes everything");
        for Limit { name, value, sentence } in parse(source) {
            let shown = value::shown(name, value, &values).ok_or_else(|| {
                Finding::new(path, format!("the value of `{name}` cannot be computed: {value}"))
            })?;
            writeln!(page, "| `{name}` | {shown} | {} |", sentence.replace('|', "\\|"))
                .expect("a string takes everything");
        }
    }
    Ok(page)
}

/// The `limits.rs` of every crate, from the lowest tier up.
fn sources(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    let mut folders: Vec<&str> = tree.crates.iter().map(|krate| krate.folder.as_str()).collect();
    let tier = |folder: &str| TIERS.iter().position(|tier| folder.starts_with(tier));
    folders.sort_by_key(|folder| (tier(folder), *folder));
    let files = folders.into_iter().map(|folder| format!("{folder}/src/limits.rs"));
    files
        .filter_map(|path| tree.files.get_key_value(&path))
        .map(|(path, text)| (path.as_str(), text.as_str()))
}

fn package<'a>(tree: &'a Tree, path: &str) -> &'a str {
    let owner = tree.crates.iter().find(|krate| path == format!("{}/src/limits.rs", krate.folder));
    owner.map_or("", |krate| &krate.name)
}

/// `pub const NAME: T = value;` with the doc comment above it.
fn parse(source: &str) -> impl Iterator<Item = Limit<'_>> {
    let mut sentence = Vec::new();
    source
        .split_inclusive('\n')
        .scan(0, |at, line| {
            *at += line.len();
            Some((*at - line.len(), line))
        })
        .filter_map(move |(at, line)| {
            if let Some(text) = line.strip_prefix("/// ") {
                sentence.push(text.trim_end());
                return None;
            }
            let sentence = std::mem::take(&mut sentence).join(" ");
            let rest = line.strip_prefix("pub const ").or_else(|| line.strip_prefix("pub(crate) const "))?;
            let (name, _) = rest.split_once(':')?;
            let declaration = &source[at..];
            let (_, value) = declaration[..declaration.find(';')?].split_once('=')?;
            // Links of rustdoc lead nowhere on a page.
            let sentence = sentence.replace("[`", "`").replace("`]", "`");
            Some(Limit { name, value: value.trim(), sentence })
        })
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;
    use crate::run;

    const SOURCE: &str = "//! Limits.\n\nuse cairn_base::MIB;\n\n/// Bytes of a frame,\n/// at most; see [`PAGE_MAX`].\n\
        pub const FRAME_BYTES_MAX: usize = 64 * MIB;\n/// Turns in one page.\npub const PAGE_MAX: u64 =\n    1_000;\n";

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = made_up::files(files);
        let package = |name: &str, folder: &str| made_up::package(name, folder, &[]);
        tree.crates = vec![package("cairn-b", "crates/core/b"), package("cairn-a", "crates/store/a")];
        tree
    }

    #[test]
    fn a_table_shows_name_value_and_sentence() {
        let table = table(&tree(&[("crates/store/a/src/limits.rs", SOURCE)])).unwrap();
        let rows = "\n## cairn-a\n\n| limit | value | |\n|---|---|---|\n\
            | `FRAME_BYTES_MAX` | 64 MiB | Bytes of a frame, at most; see `PAGE_MAX`. |\n\
            | `PAGE_MAX` | 1,000 | Turns in one page. |\n";
        assert_eq!(table, format!("{HEAD}{rows}"));
    }

    #[test]
    fn a_changed_limit_a_double_one_and_one_without_a_sentence_are_found() {
        let right = table(&tree(&[("crates/store/a/src/limits.rs", SOURCE)])).unwrap();
        let check = |a: &str, b: &str, expected: &[&str]| {
            let found = look(&tree(&[
                ("crates/store/a/src/limits.rs", a),
                ("crates/core/b/src/limits.rs", b),
                (TABLE, &format!("{right}\n## cairn-b\n\n| limit | value | |\n|---|---|---|\n")),
            ]));
            let found: Vec<String> = found.into_iter().map(|finding| finding.to_string()).collect();
            assert_eq!(found, expected);
        };
        check(SOURCE, "", &[]);
        let stale = "docs/limits.md: is out of date; run `cargo xtask limits`";
        check(&SOURCE.replace("64 *", "65 *"), "", &[stale]);
        let again = "/// Twice.\npub const PAGE_MAX: u64 = 1;\n";
        check(
            SOURCE,
            again,
            &[
                "crates/core/b/src/limits.rs: `PAGE_MAX` is declared in crates/store/a/src/limits.rs too",
                stale,
            ],
        );
        let bare = "pub const BARE_MAX: u64 = 1;\n";
        check(SOURCE, bare, &["crates/core/b/src/limits.rs: `BARE_MAX` has no doc comment", stale]);
        let odd = "/// Odd.\npub const ODD_MAX: u64 = most();\n";
        check(
            SOURCE,
            odd,
            &["crates/core/b/src/limits.rs: the value of `ODD_MAX` cannot be computed: most()"],
        );
    }

    #[test]
    fn the_table_of_this_repository_shows_every_limit() {
        let tree = Tree::load(&run::root()).unwrap();
        assert_eq!(look(&tree), []);
        let page = &tree.files[TABLE];
        for crate_with_limits in
            ["cairn-base", "cairn-seam", "cairn-turns", "cairn-engine", "cairn-http", "cairn"]
        {
            assert!(page.contains(&format!("\n## {crate_with_limits}\n")), "{crate_with_limits}");
        }
    }
}
