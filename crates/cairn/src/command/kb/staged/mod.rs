//! `cairn kb check --staged`: the changes that the next commit of git makes.

mod changed;
mod documents;
mod findings;
mod links;

use std::collections::BTreeSet;

use cairn_base::SystemClock;
use cairn_kb::tools::SymbolLinksInput;
use cairn_symbols::limits::SOURCE_BYTES_MAX;
use cairn_symbols::{Language, is_test_path, parse};
use cairn_worktree::Lanes;

use self::changed::{Changed, changed};
pub(super) use self::findings::Findings;
use self::findings::{FileProblem, Unlinked};
use super::Call;
use super::tree::Tree;
use crate::command::print;
use crate::failure::Failure;
use crate::git::{Blob, Git, Staged};
use crate::progress;
use crate::reach::Needs;

/// Checks the staged changes.
pub(super) fn check(call: &Call<'_>, min_links: u32) -> Result<(), Failure> {
    let findings =
        call.tree().and_then(|tree| findings(&tree, min_links)).map_err(Failure::beside_a_verdict)?;
    if call.as_json {
        print(&crate::command::answer::json(&findings)).map_err(Failure::beside_a_verdict)?;
        return findings.verdict(&mut |_| {});
    }
    print(&findings.text()).map_err(Failure::beside_a_verdict)?;
    findings.verdict(&mut |_| {})
}

/// A source file with its changed symbols.
struct Source {
    path: String,
    changed: Vec<Changed>,
}

/// Examines the staged changes. Each changed symbol needs `min_links` requirements.
pub(super) fn findings(tree: &Tree, min_links: u32) -> Result<Findings, Failure> {
    let config = tree.config()?;
    let lanes = Lanes::of(&config.paths)?;
    let git = Git::at(tree.root());
    let (staged, not_utf8) = git.staged(&pathspecs(&lanes))?;
    let mut findings = Findings { min_links, skipped_paths: not_utf8, ..Findings::default() };
    let sources = read(&git, &staged, &lanes, &mut findings)?;
    let files: Vec<String> = sources.iter().map(|source| source.path.clone()).collect();
    findings.symbols = sources.iter().map(|source| source.changed.len()).sum();
    let named: BTreeSet<&String> =
        sources.iter().flat_map(|source| &source.changed).flat_map(|changed| &changed.directives).collect();
    if findings.symbols == 0 || min_links == 0 {
        return Ok(findings);
    }
    let input = SymbolLinksInput { files, requirements: named.into_iter().cloned().collect() };
    let _waiting = progress::waiting("checking the staged changes");
    let known =
        tree.ask(Needs::Store, async |client| client.kb_symbol_links(&tree.id, tree.branch(), &input).await)?;
    let rows = links::by_file(&known);
    for source in &sources {
        for changed in &source.changed {
            let links = links::of(changed, &source.path, &rows, &known.requirements);
            findings.unlinked.extend(links.unlinked(changed, &source.path, min_links));
        }
    }
    Ok(findings)
}

/// Source files of known languages, and everything that may be a document.
fn pathspecs(lanes: &Lanes) -> Vec<String> {
    let mut pathspecs: Vec<String> =
        Language::EXTENSIONS.iter().map(|(extension, _)| format!(":(glob)**/*.{extension}")).collect();
    match lanes.below() {
        below if below.is_empty() => {
            pathspecs.extend([".md", ".yaml", ".yml"].map(|end| format!(":(glob)**/*{end}")))
        }
        below => pathspecs.extend(below.into_iter().map(|path| format!(":(literal){path}"))),
    }
    pathspecs
}

/// Reads the staged contents: symbols of source files, problems of documents.
fn read(
    git: &Git,
    staged: &[Staged],
    lanes: &Lanes,
    findings: &mut Findings,
) -> Result<Vec<Source>, Failure> {
    let wanted: Vec<&Staged> = staged
        .iter()
        .filter(|file| {
            let is_source = Language::of_path(&file.path).is_some() && !is_test_path(&file.path);
            is_source || lanes.lane(&file.path).is_some()
        })
        .collect();
    findings.files = wanted.len();
    let names: Vec<&str> = wanted.iter().map(|file| file.blob.as_str()).collect();
    let mut sources = Vec::new();
    git.blobs(&names, SOURCE_BYTES_MAX, |at, blob| {
        let file = wanted[at];
        let mut unread = |reason: &str| {
            findings.unread.push(FileProblem { path: file.path.clone(), reason: reason.to_owned() });
        };
        let bytes = match blob {
            Blob::Bytes(bytes) => bytes,
            Blob::TooLong => return unread("it is too long"),
            Blob::Missing => return unread("git has no content of it"),
        };
        if let Some(lane) = lanes.lane(&file.path) {
            findings.documents.extend(documents::problems(&file.path, &bytes, lane));
            return;
        }
        let Some(language) = Language::of_path(&file.path) else { return };
        let Ok(source) = String::from_utf8(bytes) else { return unread("it is not UTF-8 text") };
        match parse(language, &source, &SystemClock) {
            Ok(symbols) => {
                sources.push(Source { path: file.path.clone(), changed: changed(&symbols, &file.hunks) })
            }
            Err(error) => unread(&error.to_string()),
        }
    })?;
    Ok(sources)
}
