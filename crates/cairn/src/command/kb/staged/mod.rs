//! `cairn kb check --staged`: the changes that the next commit of git makes.

mod changed;
mod documents;
mod findings;
mod links;

use std::collections::BTreeSet;
use std::sync::Arc;

use cairn_base::SystemClock;
use cairn_documents::Document;
use cairn_documents::limits::{MARKDOWN_BYTES_MAX, SYMBOLS_BYTES_MAX};
use cairn_kb::sync::{SyncReport, SyncedFiles};
use cairn_kb::tools::SymbolLinksInput;
use cairn_symbols::limits::SOURCE_BYTES_MAX;
use cairn_symbols::{Language, is_test_path, parse};
use cairn_worktree::Lanes;

use self::changed::{Changed, changed};
use self::documents::Overlay;
pub(super) use self::findings::Findings;
use self::findings::{FileProblem, Unlinked};
use super::Call;
use super::sync::{Finding, compare, feed, is_known};
use super::tree::Tree;
use crate::command::print;
use crate::failure::Failure;
use crate::git::{Blob, Git, Hunk, Staged, StagedChanges};
use crate::limits::KB_STAGED_GONE_MAX;
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

/// Examines the staged changes against the KB as it is with the staged documents. Each changed symbol needs `min_links`
/// requirements.
pub(super) fn findings(tree: &Tree, min_links: u32) -> Result<Findings, Failure> {
    let config = tree.config()?;
    let lanes = Lanes::of(&config.paths)?;
    let git = Git::of(&tree.workspace);
    let mut staged = git.staged(&pathspecs(&lanes))?;
    let mut findings = Findings { min_links, skipped_paths: staged.skipped_paths, ..Findings::default() };
    let (mut sources, documents) = read(&git, &staged.files, &lanes, &mut findings)?;
    let _waiting = progress::waiting("checking the staged changes");
    staged.gone.retain(|(path, _)| lanes.lane(path).is_some());
    let before = before(&git, &staged, &lanes)?;
    let mut synced = SyncedFiles::default();
    if !documents.is_empty() || !staged.gone.is_empty() {
        synced = tree.ask(Needs::Store, async |client| client.kb_files(&tree.id, tree.branch()).await)?;
    }
    let removed = staged.gone.iter().map(|(path, _)| path.clone()).collect();
    let (mut overlay, refused) = Overlay::of(documents, removed, before, &synced.files);
    findings.documents.extend(refused);
    if min_links > 0 {
        add_users(&git, overlay.gone(), &lanes, &mut sources)?;
    } else {
        sources.clear();
    }
    findings.symbols = sources.iter().map(|source| source.changed.len()).sum();
    if findings.symbols == 0 && overlay.is_empty() {
        return Ok(findings);
    }
    let files: Vec<String> = sources.iter().map(|source| source.path.clone()).collect();
    let changed = || sources.iter().flat_map(|source| &source.changed);
    let named: BTreeSet<&String> =
        changed().flat_map(|changed| &changed.directives).chain(overlay.targets()).collect();
    let input = SymbolLinksInput { files: files.clone(), requirements: named.into_iter().cloned().collect() };
    let (known, report) = tree.ask(Needs::Store, async |client| {
        let known = client.kb_symbol_links(&tree.id, tree.branch(), &input).await?;
        if overlay.is_empty() {
            return Ok((known, SyncReport::default()));
        }
        let (header, files) = overlay.sync();
        let report = client.kb_sync(&tree.id, tree.branch(), feed(header, files), &mut |_| {}).await?;
        Ok((known, report))
    })?;
    if known.truncated {
        let reason = "the KB has more symbols of the staged files than are read".to_owned();
        findings.unread.push(FileProblem { path: ".".to_owned(), reason });
    }
    overlay.keep(&report);
    let (symbols, requirements) = overlay.apply(known, &files);
    let rows = links::by_file(&symbols);
    for source in &sources {
        for changed in &source.changed {
            let links = links::of(changed, &source.path, &rows, &requirements);
            findings.unlinked.extend(links.unlinked(changed, &source.path, min_links));
        }
    }
    // A merge takes documents from the other side as they are.
    let is_taken = |path: &str| staged.files.iter().any(|file| file.path == path && file.hunks.is_empty());
    let problems = report.problems.into_iter().filter(|problem| !is_taken(&problem.path)).map(Finding::from);
    let before = findings.documents.len();
    findings.documents.extend(problems);
    let is_unknown = findings.unlinked.iter().any(|unlinked| !unlinked.unknown_requirements.is_empty());
    if is_unknown || findings.documents.len() > before {
        findings.stale = is_stale(tree, &overlay)?;
    }
    findings.documents.sort();
    Ok(findings)
}

/// Whether the KB lacks something of documents that are not staged.
fn is_stale(tree: &Tree, overlay: &Overlay) -> Result<bool, Failure> {
    let show = progress::counter();
    let compared = tree.reach(Needs::Store, async |client| {
        let synced = Arc::new(client.kb_files(&tree.id, tree.branch()).await?);
        let knows = |files: &_, path: &str, hash: &str| is_known(files, path, hash, |_| true);
        Ok(compare(&tree.workspace, &synced, knows, &show).await)
    })??;
    let files = [&compared.added, &compared.changed];
    let paths = files.into_iter().flatten().map(|file| &file.path).chain(&compared.removed);
    Ok(paths.into_iter().any(|path| !overlay.has(path)))
}

/// Adds the symbols whose comments name an entity that no document names any more, in files that may not be staged.
fn add_users(
    git: &Git,
    gone: &BTreeSet<String>,
    lanes: &Lanes,
    sources: &mut Vec<Source>,
) -> Result<(), Failure> {
    let words: Vec<&str> = gone.iter().map(String::as_str).take(KB_STAGED_GONE_MAX).collect();
    if words.is_empty() {
        return Ok(());
    }
    let mut paths = git.staged_with_words(&words, &source_pathspecs())?;
    paths.retain(|path| is_source(path) && lanes.lane(path).is_none() && !path.contains('\n'));
    let names: Vec<String> = paths.iter().map(|path| format!(":./{path}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    git.blobs(&names, SOURCE_BYTES_MAX, |at, blob| {
        let (path, Blob::Bytes(bytes)) = (&paths[at], blob) else { return };
        let (Some(language), Ok(text)) = (Language::of_path(path), String::from_utf8(bytes)) else { return };
        let Ok(symbols) = parse(language, &text, &SystemClock) else { return };
        let mut users = changed(&symbols, &[Hunk { start: 1, lines: u32::MAX }]);
        users.retain(|user| user.directives.iter().any(|id| gone.contains(id)));
        match sources.iter_mut().find(|source| source.path == *path) {
            Some(source) => {
                users.retain(|user| source.changed.iter().all(|changed| changed.name != user.name));
                source.changed.append(&mut users);
                source.changed.sort_by_key(|changed| changed.line);
            }
            None => sources.push(Source { path: path.clone(), changed: users }),
        }
    })
}

/// Source files of known languages, and everything that may be a document.
fn pathspecs(lanes: &Lanes) -> Vec<String> {
    let mut pathspecs = source_pathspecs();
    match lanes.below() {
        below if below.is_empty() => {
            pathspecs.extend([".md", ".yaml", ".yml"].map(|end| format!(":(glob)**/*{end}")))
        }
        below => pathspecs.extend(below.into_iter().map(|path| format!(":(literal){path}"))),
    }
    pathspecs
}

fn source_pathspecs() -> Vec<String> {
    Language::EXTENSIONS.iter().map(|(extension, _)| format!(":(glob)**/*.{extension}")).collect()
}

/// Ids of the entities of documents before they were staged.
fn before(git: &Git, staged: &StagedChanges, lanes: &Lanes) -> Result<BTreeSet<String>, Failure> {
    let changed = staged.files.iter().filter_map(|file| Some((&file.path, file.before.as_ref()?)));
    let gone = staged.gone.iter().map(|(path, blob)| (path, blob));
    let files: Vec<_> =
        changed.chain(gone).filter_map(|(path, blob)| Some((path, lanes.lane(path)?, blob))).collect();
    let names: Vec<&str> = files.iter().map(|(_, _, blob)| blob.as_str()).collect();
    let mut ids = BTreeSet::new();
    git.blobs(&names, SYMBOLS_BYTES_MAX, |at, blob| {
        let ((path, lane, _), Blob::Bytes(bytes)) = (files[at], blob) else { return };
        let entities = documents::parse(path, &bytes, lane).entities;
        ids.extend(entities.into_iter().map(|entity| entity.input.id));
    })?;
    Ok(ids)
}

/// Reads the staged contents: symbols of source files, and documents with their problems.
fn read(
    git: &Git,
    staged: &[Staged],
    lanes: &Lanes,
    findings: &mut Findings,
) -> Result<(Vec<Source>, Vec<Document>), Failure> {
    let is_wanted =
        |file: &&Staged| lanes.lane(&file.path).is_some() || is_source(&file.path) && !file.hunks.is_empty();
    let wanted: Vec<&Staged> = staged.iter().filter(is_wanted).collect();
    findings.files = wanted.len();
    let names: Vec<&str> = wanted.iter().map(|file| file.blob.as_str()).collect();
    let (mut sources, mut documents) = (Vec::new(), Vec::new());
    let bytes_max = SOURCE_BYTES_MAX.max(MARKDOWN_BYTES_MAX).max(SYMBOLS_BYTES_MAX);
    git.blobs(&names, bytes_max, |at, blob| {
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
            let document = documents::parse(&file.path, &bytes, lane);
            if !file.hunks.is_empty() {
                findings.documents.extend(document.problems.iter().cloned().map(Finding::from));
            }
            documents.push(document);
            return;
        }
        let Some(language) = Language::of_path(&file.path) else { return };
        let Ok(source) = String::from_utf8(bytes) else { return unread("it is not UTF-8 text") };
        if source.contains('\0') {
            return unread("it has NUL characters, as UTF-16 has; save it as UTF-8");
        }
        match parse(language, &source, &SystemClock) {
            Ok(symbols) => {
                if symbols.is_truncated {
                    unread("it has more symbols than are read");
                }
                sources.push(Source { path: file.path.clone(), changed: changed(&symbols, &file.hunks) })
            }
            Err(error) => unread(&error.to_string()),
        }
    })?;
    Ok((sources, documents))
}

/// Whether a path is one of production code.
fn is_source(path: &str) -> bool {
    Language::of_path(path).is_some() && !is_test_path(path)
}
