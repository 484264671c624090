//! Reading the files of a repository: which are read, by two threads, and merged in the order of their paths.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cairn_symbols::Language;

use crate::input::Request;
use crate::limits::{
    AUTOPILOT_BATCH_FILES, AUTOPILOT_BYTES_READ_MAX, AUTOPILOT_FILES_READ_MAX, AUTOPILOT_MANIFEST_BYTES_MAX,
    AUTOPILOT_MARKDOWN_BYTES_MAX, AUTOPILOT_SOURCE_BYTES_MAX,
};
use crate::output::ScanWarning;
use crate::provider::language::folder_of;
use crate::provider::manifest::Manifest;
use crate::provider::typed::TypedEntity;
use crate::provider::{Findings, markdown, symbols, typed};
use crate::tree::{DocumentKind, ListedFile, Skipped, Tree};

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Typed(DocumentKind),
    Markdown,
    Manifest(Manifest),
    Source(Language),
}

impl Task {
    /// The task of a file that is no typed document.
    pub(crate) fn of(path: &str) -> Option<Self> {
        if let Some(manifest) = Manifest::of(path) {
            return Some(Task::Manifest(manifest));
        }
        let lower = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        if lower.as_deref().is_some_and(|ending| matches!(ending, "md" | "markdown")) {
            return Some(Task::Markdown);
        }
        Language::of_path(path).map(Task::Source)
    }

    /// Bytes of the file that are read; 0 if its name says enough.
    fn bytes_max(self) -> usize {
        match self {
            Task::Typed(kind) => typed::bytes_max(kind),
            Task::Markdown => AUTOPILOT_MARKDOWN_BYTES_MAX,
            Task::Manifest(manifest) if manifest.is_read() => AUTOPILOT_MANIFEST_BYTES_MAX,
            Task::Manifest(_) => 0,
            Task::Source(_) => AUTOPILOT_SOURCE_BYTES_MAX,
        }
    }
}

/// Files and bytes that may still be read, and what was.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) is_spent: bool,
}

impl Budget {
    /// Whether a file of this length may be read. It counts if it may.
    fn take(&mut self, bytes: u64) -> bool {
        if self.files >= AUTOPILOT_FILES_READ_MAX as u64 || self.bytes + bytes > AUTOPILOT_BYTES_READ_MAX {
            self.is_spent = true;
            return false;
        }
        self.files += 1;
        self.bytes += bytes;
        true
    }
}

/// Calls `work` on each item by two threads, and returns the results in the order of the items.
fn in_pairs<T: Sync, R: Send>(items: &[T], work: &(dyn Fn(&T) -> R + Sync)) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        // Without a second thread, this one does everything.
        let other = thread::Builder::new().name("autopilot".to_owned()).spawn_scoped(scope, run).ok();
        let mut done = run();
        match other.map(thread::ScopedJoinHandle::join) {
            Some(Ok(more)) => done.extend(more),
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => {}
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Examines files in batches, and hands over the findings of each in the order of the files. Memory holds the texts of
/// two files and the findings of one batch.
fn examine_all<R: Send>(
    files: &[(ListedFile, Task)],
    work: &(dyn Fn(&(ListedFile, Task)) -> R + Sync),
    merge: &mut dyn FnMut(R),
) {
    for batch in files.chunks(AUTOPILOT_BATCH_FILES) {
        in_pairs(batch, work).into_iter().for_each(&mut *merge);
    }
}

/// Chooses the files that are read. Those that are too long, and those beyond the budget, are left out.
fn chosen(
    files: impl Iterator<Item = (ListedFile, Task)>,
    budget: &mut Budget,
    warnings: &mut dyn FnMut(ScanWarning),
) -> Vec<(ListedFile, Task)> {
    let mut chosen = Vec::new();
    for (file, task) in files {
        let bytes_max = task.bytes_max();
        if bytes_max == 0 {
            chosen.push((file, task));
        } else if file.bytes > bytes_max as u64 {
            let message = format!("{} bytes are more than the {bytes_max} that are read", file.bytes);
            warnings(ScanWarning { path: file.path, reason: Skipped::TooLarge, message });
        } else if budget.take(file.bytes) {
            chosen.push((file, task));
        }
    }
    chosen
}

/// Puts files into the order in which they take from the budget: manifests and files in the roots that come first, then
/// the first file of each folder, the second of each, and so on, so that one folder does not use up all of it.
fn fairly(
    files: impl Iterator<Item = (ListedFile, Task)>,
    is_first: &dyn Fn(&str) -> bool,
) -> impl Iterator<Item = (ListedFile, Task)> {
    let mut in_folder: HashMap<String, usize> = HashMap::new();
    let mut ranked: Vec<(usize, (ListedFile, Task))> = Vec::new();
    for (file, task) in files {
        let rank = if matches!(task, Task::Manifest(_)) || is_first(&file.path) {
            0
        } else {
            let before = in_folder.entry(folder_of(&file.path).to_owned()).or_default();
            *before += 1;
            *before
        };
        ranked.push((rank, (file, task)));
    }
    // Stable: within a rank the order of the paths stays.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, file)| file)
}

/// Reads typed documents. Files that are none of them after all are handed to `others`.
pub(crate) fn typed_documents(
    tree: &dyn Tree,
    files: &[ListedFile],
    budget: &mut Budget,
    merge: &mut dyn FnMut(Findings, Vec<TypedEntity>),
) -> BTreeSet<String> {
    let tasks = files.iter().filter_map(|file| Some((file.clone(), Task::Typed(file.document?))));
    let mut warnings = Vec::new();
    let chosen = chosen(tasks, budget, &mut |warning| warnings.push(warning));
    merge(Findings { warnings, ..Findings::default() }, Vec::new());
    let mut others = BTreeSet::new();
    let work = |(file, task): &(ListedFile, Task)| {
        let mut findings = Findings::default();
        let Task::Typed(kind) = *task else { return (findings, Vec::new(), None) };
        match tree.read(&file.path, task.bytes_max()) {
            Ok(bytes) => {
                findings.bytes = Some(bytes.len() as u64);
                let (entities, is_document) = typed::examine(kind, &file.path, &bytes, &mut findings);
                (findings, entities, (!is_document).then(|| file.path.clone()))
            }
            Err(reason) => {
                findings.warn(&file.path, reason, reason.message());
                (findings, Vec::new(), None)
            }
        }
    };
    examine_all(&chosen, &work, &mut |(findings, entities, other)| {
        others.extend(other);
        merge(findings, entities);
    });
    others
}

/// Facts that the examination of each file needs.
pub(crate) struct Scene<'a> {
    pub(crate) request: &'a Request,
    /// Tests of the KB and of typed documents.
    pub(crate) test_ids: &'a HashSet<String>,
    /// The folder of requirements, if it is not the default.
    pub(crate) requirements_dir: Option<&'a str>,
}

/// Reads the other files, each by its kind. `prose` are typed files that hold no entity.
pub(crate) fn other_files(
    tree: &dyn Tree,
    files: &[ListedFile],
    prose: &BTreeSet<String>,
    scene: &Scene<'_>,
    budget: &mut Budget,
    merge: &mut dyn FnMut(Findings),
) {
    let tasks = files.iter().filter(|file| file.document.is_none() || prose.contains(&file.path));
    let tasks = tasks.filter_map(|file| Some((file.clone(), Task::of(&file.path)?)));
    let wanted = tasks.filter(|(_, task)| *task != Task::Markdown || scene.request.include_generic_markdown);
    let mut warnings = Vec::new();
    let is_first = |path: &str| scene.request.priority_roots.hold(path);
    let mut chosen = chosen(fairly(wanted, &is_first), budget, &mut |warning| warnings.push(warning));
    chosen.sort_unstable_by(|(one, _), (other, _)| one.path.cmp(&other.path));
    merge(Findings { warnings, ..Findings::default() });
    let work = |(file, task): &(ListedFile, Task)| examine(tree, file, *task, scene);
    examine_all(&chosen, &work, merge);
}

fn examine(tree: &dyn Tree, file: &ListedFile, task: Task, scene: &Scene<'_>) -> Findings {
    let mut findings = Findings::default();
    let path = file.path.as_str();
    let bytes = match task.bytes_max() {
        0 => Ok(Vec::new()),
        bytes_max => tree.read(path, bytes_max),
    };
    let text = bytes.and_then(|bytes| {
        findings.bytes = (task.bytes_max() > 0).then_some(bytes.len() as u64);
        if bytes.contains(&0) {
            Err(Skipped::NotText)
        } else {
            String::from_utf8(bytes).map_err(|_| Skipped::NotText)
        }
    });
    let text = match text {
        Ok(text) => text,
        Err(reason) => {
            findings.warn(path, reason, reason.message());
            return findings;
        }
    };
    match task {
        Task::Markdown => {
            let context = markdown::Context {
                is_source_of_truth: scene.request.sources_of_truth.hold(path),
                requirements_dir: scene.requirements_dir,
            };
            markdown::examine(path, &text, &context, &mut findings);
        }
        Task::Manifest(manifest) => crate::provider::manifest::examine(manifest, path, &text, &mut findings),
        Task::Source(language) => {
            symbols::examine(language, path, &text, tree.clock(), scene.test_ids, &mut findings);
        }
        Task::Typed(_) => {}
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1_000).collect();
        assert_eq!(in_pairs(&items, &|item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(in_pairs(&[], &|item: &u32| *item).is_empty());
    }

    #[test]
    fn a_file_has_one_task() {
        for (path, expected) in [
            ("package.json", Some(Task::Manifest(Manifest::PackageJson))),
            ("docs/A.MD", Some(Task::Markdown)),
            ("src/a.rs", Some(Task::Source(Language::Rust))),
            ("a.png", None),
            ("md", None),
        ] {
            assert_eq!(Task::of(path), expected, "{path}");
        }
    }

    #[test]
    fn no_folder_uses_up_the_budget() {
        let paths = ["a/1.md", "a/2.md", "a/3.md", "b/1.md", "b/2.md", "c/package.json", "d/9.md", "x.md"];
        let files = paths.map(|path| {
            let file = ListedFile { path: path.to_owned(), bytes: 1, document: None };
            (file, Task::of(path).expect("a task"))
        });
        let order: Vec<String> =
            fairly(files.into_iter(), &|path| path.starts_with("d/")).map(|(file, _)| file.path).collect();
        let expected = ["c/package.json", "d/9.md", "a/1.md", "b/1.md", "x.md", "a/2.md", "b/2.md", "a/3.md"];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_budget_ends_at_its_limits() {
        let mut budget = Budget { files: AUTOPILOT_FILES_READ_MAX as u64 - 1, ..Budget::default() };
        assert!(budget.take(1) && !budget.take(1) && budget.is_spent);
        let mut budget = Budget { bytes: AUTOPILOT_BYTES_READ_MAX - 5, ..Budget::default() };
        assert!(!budget.take(6) && budget.take(5));
    }
}
