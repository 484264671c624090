//! Damaged blocks of the index: no answer lacks anything, and the index is rebuilt, whoever meets them.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use cairn_base::ContextId;
use cairn_seam::Maintenance;
use cairn_search::SearchCode;

use super::kit::{Kit, question, sorted, until, word};

/// What has one checksum.
const BLOCK: u64 = 16 << 10;
/// Magic, format, length of the content, salt, checksum.
const FOOTER: usize = 40;

/// A closed node with an index on disk, the positions of which take several blocks.
fn written() -> (Kit, ContextId) {
    let mut kit = Kit::new();
    let context = kit.context();
    for round in 0..4 {
        let words: Vec<_> = (0..9_000).map(|at| word((at * 7 + round) % 9_000)).collect();
        kit.say(context, &format!("skua cliff {}", words.join(" ")));
    }
    assert_eq!(kit.found("skua").len(), 4);
    kit.leave(true);
    (kit, context)
}

fn files(kit: &Kit, end: &str) -> Vec<PathBuf> {
    let named = |file: &PathBuf| file.to_string_lossy().ends_with(end);
    kit.index_files().into_iter().filter(named).collect()
}

/// Damages every block but the last, which is read when a file is opened. In place, as disks do.
fn spoil(path: &Path) {
    let bytes = fs::metadata(path).unwrap().len();
    assert!(bytes > 2 * BLOCK, "{} has {bytes} bytes", path.display());
    let file = OpenOptions::new().write(true).open(path).unwrap();
    for block in 0..bytes / BLOCK - 1 {
        file.write_all_at(b"damage", block * BLOCK + 100).unwrap();
    }
}

/// Asks until the answer is right. Until then there is none, or one that says that it is not complete.
fn comes_right(kit: &Kit, words: &str, expected: usize) {
    until(words, || match kit.engine.search(&kit.owner, &question(words)) {
        Ok(page) if page.rebuilding || page.behind => false,
        Ok(page) => {
            assert_eq!(sorted(&page).len(), expected, "{words}");
            true
        }
        Err(error) => {
            assert_eq!(error.code(), SearchCode::SearchNotReady, "{error}");
            false
        }
    });
}

#[test]
fn a_search_that_meets_damage_is_refused_and_the_index_is_rebuilt() {
    let (mut kit, _) = written();
    let [positions] = files(&kit, ".pos").try_into().unwrap();
    spoil(&positions);
    kit.start();
    // Nothing that it reads is damaged.
    assert_eq!(kit.found("skua").len(), 4);
    assert!(positions.exists(), "it is still the old one");
    let error = kit.engine.search(&kit.owner, &question("\"skua cliff\"")).unwrap_err();
    assert_eq!(error.code(), SearchCode::SearchNotReady);
    assert!(error.to_string().contains("is not what was written there"), "{error}");
    comes_right(&kit, "\"skua cliff\"", 4);
    until("the old one is gone", || !positions.exists());
    kit.restart();
    assert_eq!(kit.found("\"skua cliff\"").len(), 4);
    kit.leave(true);
}

/// Damages what only a merge reads, and writes so many segments that they are merged: when the node is
/// closed or, with little memory for what is not on disk, while it serves.
fn merged(tail_bytes: usize) -> (Kit, PathBuf) {
    let (mut kit, context) = written();
    kit.tail_bytes = tail_bytes;
    let [positions] = files(&kit, ".pos").try_into().unwrap();
    spoil(&positions);
    for round in 0..12 {
        kit.start();
        kit.say(context, &format!("skua number {round}"));
        comes_right(&kit, "skua", 5 + round);
        let is_written = || kit.status().tail_documents == 0;
        if tail_bytes < 16 << 20 {
            until("it is written", || is_written() || !positions.exists());
        }
        kit.leave(true);
        if !positions.exists() {
            break;
        }
    }
    (kit, positions)
}

#[test]
fn damage_that_only_a_merge_meets_means_a_new_index() {
    for tail_bytes in [1 << 10, 16 << 20] {
        let (mut kit, positions) = merged(tail_bytes);
        assert!(!positions.exists(), "nobody noticed");
        kit.start();
        comes_right(&kit, "\"skua cliff\"", 4);
        kit.leave(true);
    }
}

#[test]
fn the_doctor_names_the_block_and_repairs() {
    let (mut kit, _) = written();
    let [positions] = files(&kit, ".pos").try_into().unwrap();
    spoil(&positions);
    kit.start();
    assert_eq!(kit.found("skua").len(), 4);
    let doctor = |repair| kit.engine.maintain(&kit.owner, &Maintenance::Verify { repair }, &mut |_| true);
    let report = doctor(false).unwrap();
    let name = positions.file_name().unwrap().to_str().unwrap();
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert!(finding.file.ends_with(name) && finding.offset == 0 && !finding.repaired, "{finding:?}");
    assert!(finding.detail.contains("block 0"), "{finding:?}");
    assert!(doctor(true).unwrap().findings.iter().all(|finding| finding.repaired));
    assert!(doctor(false).unwrap().findings.is_empty());
    assert_eq!(kit.found("\"skua cliff\"").len(), 4);
    kit.leave(true);
}

#[test]
fn an_index_of_a_version_without_checksums_is_rebuilt() {
    let (mut kit, _) = written();
    for file in kit.index_files() {
        let stored = fs::read(&file).unwrap();
        if let Some(footer) = stored.len().checked_sub(FOOTER) {
            let content_bytes = u64::from_le_bytes(stored[footer + 12..footer + 20].try_into().unwrap());
            let content_bytes = usize::try_from(content_bytes).unwrap();
            fs::write(&file, &stored[..content_bytes]).unwrap();
        }
    }
    let [positions] = files(&kit, ".pos").try_into().unwrap();
    kit.start();
    comes_right(&kit, "\"skua cliff\"", 4);
    assert!(!positions.exists(), "it was used as it was");
    kit.restart();
    assert_eq!(kit.found("skua").len(), 4);
    kit.leave(true);
}

#[test]
fn an_older_list_of_files_is_no_harm() {
    for restored in ["meta.json", ".managed.json"] {
        let (mut kit, context) = written();
        let other = kit.context();
        kit.start();
        kit.say(other, "skua to be pruned");
        assert_eq!(kit.found("skua").len(), 5);
        kit.leave(true);
        let [list] = files(&kit, restored).try_into().unwrap();
        let older = fs::read(&list).unwrap();
        kit.start();
        kit.prune(&[other]);
        kit.say(context, "skua that came last");
        assert_eq!(kit.found("skua").len(), 5);
        kit.leave(true);
        fs::write(&list, older).unwrap();
        for round in 0..3 {
            kit.start();
            comes_right(&kit, "skua", 5 + round);
            kit.say(context, "skua and more");
            comes_right(&kit, "skua", 6 + round);
            kit.leave(true);
        }
    }
}
