//! Damaged blocks: whatever becomes of the files of an index, an answer is right or a typed error.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

use cairn_base::{Entropy, Position, SeededEntropy};
use cairn_search::SearchError;
use cairn_search::document::{Change, Partition};
use cairn_search::found::Found;
use cairn_search::index::SearchIndex;
use proptest::prelude::*;

use crate::kit::{Kept, ids, note, partition, request};

/// Damage comes in units of what disks and file systems write.
const PAGE: usize = 4 << 10;
/// Catches hangs and nothing else.
const WATCHDOG: Duration = Duration::from_secs(300);
const QUERIES: &[&str] =
    &["kero", "kero lumi", "+kero -lumi", "\"kero lumi\"", "text:sato", "ke*", "name:rivo", "mabe tova"];

type Files = BTreeMap<String, Vec<u8>>;
/// Ids and the bits of their scores.
type Answer = Vec<(u64, u64)>;
type Changes = Vec<(Partition, Change)>;

/// An index at rest, what it was made from, and what it answers.
struct Corpus {
    kept: Kept,
    /// Changes by position, the first one at 1.
    history: Vec<Changes>,
    files: Files,
    /// The same folder some commits before.
    older: Files,
    answers: Vec<Answer>,
    /// One more change, and what is answered after it.
    next: Changes,
    next_answers: Vec<Answer>,
}

fn word(random: &SeededEntropy) -> String {
    const SYLLABLES: [&str; 12] = ["ke", "ro", "lu", "mi", "sa", "to", "ri", "vo", "ma", "be", "to", "va"];
    // Few words are frequent, most are rare.
    let many = random.next_u64().is_multiple_of(3);
    let syllables = if many { 4 } else { 2 };
    let pick = |_| SYLLABLES[usize::try_from(random.next_u64() % 12).expect("few")];
    (0..syllables).map(pick).collect()
}

fn document(random: &SeededEntropy, id: u64) -> cairn_search::document::Document {
    let words = |count: u64| (0..count).map(|_| word(random)).collect::<Vec<_>>().join(" ");
    let phrase = if id.is_multiple_of(7) { "kero lumi " } else { "" };
    note(id, &words(2), &format!("{phrase}{}", words(8 + random.next_u64() % 12)))
}

/// New documents from `first` on, and changes of old ones.
fn changes(random: &SeededEntropy, first: u64, documents: u64) -> Changes {
    let some = || (0..documents / 10).map(|_| random.next_u64() % (first + documents)).collect::<Vec<_>>();
    let added = (first..first + documents).map(|id| Change::Add(document(random, id)));
    let replaced = some().into_iter().map(|id| Change::Replace(document(random, id)));
    let removed = some().into_iter().map(|id| Change::Remove(id.to_be_bytes().to_vec()));
    added.chain(replaced).chain(removed).map(|change| (partition(1), change)).collect()
}

impl Corpus {
    fn new(seed: u64, commits: u64, documents: u64, kept: Kept) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let random = SeededEntropy::new(seed);
        let index = kept.open(folder.path()).expect("an index");
        let mut history = Vec::new();
        let mut older = Files::new();
        for commit in 0..commits {
            history.push(changes(&random, commit * documents, documents));
            index
                .apply(history.last().expect("it is there"), Position::from_stored(commit + 1))
                .expect("taken");
            index.flush().expect("it is written");
            if commit == commits / 2 {
                older = read_files(folder.path());
            }
        }
        let next = changes(&random, commits * documents, documents / 4);
        index.close(WATCHDOG).expect("it is written");
        drop(index);
        let files = read_files(folder.path());
        let index = kept.open(folder.path()).expect("it opens again");
        let ask = |index: &SearchIndex| {
            QUERIES.iter().map(|text| answer(index, text).expect("it answers")).collect()
        };
        let answers: Vec<Answer> = ask(&index);
        assert!(answers.iter().all(|answer| !answer.is_empty()), "every query finds something: {answers:?}");
        index.apply(&next, Position::from_stored(commits + 1)).expect("taken");
        let next_answers = ask(&index);
        Corpus { kept, history, files, older, answers, next, next_answers }
    }
}

fn read_files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let named = |entry: fs::DirEntry| (entry.file_name().into_string().expect("a name"), entry.path());
    entries.map(named).map(|(name, path)| (name, fs::read(path).expect("it can be read"))).collect()
}

fn answer(index: &SearchIndex, text: &str) -> Result<Answer, SearchError> {
    let found: Found = index.search(&request(text, 50))?;
    Ok(ids(&found).into_iter().zip(found.hits.iter().map(|hit| hit.score.to_bits())).collect())
}

/// What becomes of a file. Numbers are taken modulo what there is.
#[derive(Debug, Clone)]
enum Damage {
    Swap(usize, usize),
    Duplicate { from: usize, to: usize },
    Zero(usize),
    Cut { at: usize, more: usize },
    Foreign { file: usize, from: usize, to: usize },
    Older(usize),
}

fn damages() -> impl Strategy<Value = Damage> {
    let page = 0..1_000_usize;
    prop_oneof![
        3 => (page.clone(), page.clone()).prop_map(|(one, other)| Damage::Swap(one, other)),
        2 => (page.clone(), page.clone()).prop_map(|(from, to)| Damage::Duplicate { from, to }),
        2 => page.clone().prop_map(Damage::Zero),
        1 => (page.clone(), 0..PAGE).prop_map(|(at, more)| Damage::Cut { at, more }),
        2 => (page.clone(), page.clone(), page.clone())
            .prop_map(|(file, from, to)| Damage::Foreign { file, from, to }),
        1 => page.prop_map(Damage::Older),
    ]
}

fn pages(bytes: &[u8]) -> usize {
    bytes.len().div_ceil(PAGE)
}

fn page(bytes: &[u8], number: usize) -> Vec<u8> {
    let start = number % pages(bytes).max(1) * PAGE;
    bytes[start..bytes.len().min(start + PAGE)].to_vec()
}

fn put_page(bytes: &mut [u8], number: usize, page: &[u8]) {
    let start = number % pages(bytes).max(1) * PAGE;
    let room = &mut bytes[start..];
    let common = room.len().min(page.len());
    room[..common].copy_from_slice(&page[..common]);
}

/// The file at this place, damaged; nothing if it has no content.
fn damaged(corpus: &Corpus, at: usize, damage: &Damage) -> Option<(String, Vec<u8>)> {
    let (name, bytes) = corpus.files.iter().filter(|(_, bytes)| !bytes.is_empty()).nth(at)?;
    let mut bytes = bytes.clone();
    match *damage {
        Damage::Swap(one, other) => {
            let (left, right) = (page(&bytes, one), page(&bytes, other));
            put_page(&mut bytes, one, &right);
            put_page(&mut bytes, other, &left);
        }
        Damage::Duplicate { from, to } => {
            let from = page(&bytes, from);
            put_page(&mut bytes, to, &from);
        }
        Damage::Zero(at) => put_page(&mut bytes, at, &[0; PAGE]),
        Damage::Cut { at, more } => bytes.truncate(at % pages(&bytes) * PAGE + more),
        Damage::Foreign { file, from, to } => {
            let full: Vec<_> = corpus.files.values().filter(|bytes| !bytes.is_empty()).collect();
            put_page(&mut bytes, to, &page(full[file % full.len()], from));
        }
        Damage::Older(at) => match corpus.older.get(name).filter(|older| !older.is_empty()) {
            Some(older) if at % 3 == 0 => bytes.clone_from(older),
            Some(older) => put_page(&mut bytes, at, &page(older, at)),
            None => put_page(&mut bytes, at, &[0xff; PAGE]),
        },
    }
    Some((name.clone(), bytes))
}

/// Opens the index, brings it up to date and asks; then changes it, writes it and asks again.
fn live(corpus: &Corpus, folder: &Path) -> Result<(), SearchError> {
    let index = corpus.kept.open(folder)?;
    let behind = usize::try_from(index.position().to_stored()).expect("few");
    for (at, changes) in corpus.history.iter().enumerate().skip(behind) {
        index.apply(changes, Position::from_stored(at as u64 + 1))?;
    }
    ask(&index, &corpus.answers)?;
    index.apply(&corpus.next, Position::from_stored(corpus.history.len() as u64 + 1))?;
    ask(&index, &corpus.next_answers)?;
    index.flush()?;
    ask(&index, &corpus.next_answers)?;
    index.close(WATCHDOG)?;
    drop(index);
    ask(&corpus.kept.open(folder)?, &corpus.next_answers)
}

fn ask(index: &SearchIndex, expected: &[Answer]) -> Result<(), SearchError> {
    for (text, expected) in QUERIES.iter().zip(expected) {
        let answered = answer(index, text)?;
        assert_eq!(&answered, expected, "{text} is answered wrongly");
    }
    Ok(())
}

/// Runs on a thread of its own, so that a hang is seen.
fn watched(work: impl FnOnce() -> Result<(), SearchError> + Send + 'static) -> Result<(), SearchError> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(catch_unwind(AssertUnwindSafe(work))));
    told.recv_timeout(WATCHDOG).expect("it hangs").expect("it panicked")
}

fn check(corpus: &'static Corpus, at: usize, damage: &Damage) {
    let full = corpus.files.values().filter(|bytes| !bytes.is_empty()).count();
    let Some((name, bytes)) = damaged(corpus, at % full, damage) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in &corpus.files {
        fs::write(folder.path().join(name), bytes).expect("it is written");
    }
    fs::write(folder.path().join(&name), bytes).expect("it is written");
    let path = folder.path().to_owned();
    match watched(move || live(corpus, &path)) {
        Ok(()) | Err(SearchError::Damaged(_)) => {}
        Err(other) => panic!("{name}: {other}"),
    }
}

/// Several segments with deletes, and such as were merged.
fn corpora(kept: fn() -> Kept) -> Vec<Corpus> {
    vec![Corpus::new(1, 3, 400, kept()), Corpus::new(2, 9, 90, kept()), Corpus::new(3, 2, 1_500, kept())]
}

static PLAIN: LazyLock<Vec<Corpus>> = LazyLock::new(|| corpora(|| Kept::Plain));
static SEALED: LazyLock<Vec<Corpus>> = LazyLock::new(|| corpora(Kept::sealed));

#[test]
fn an_index_without_damage_answers_and_goes_on() {
    for corpus in PLAIN.iter().chain(SEALED.iter()) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, bytes) in &corpus.files {
            fs::write(folder.path().join(name), bytes).expect("it is written");
        }
        let path = folder.path().to_owned();
        watched(move || live(corpus, &path)).expect("nothing is wrong");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn a_plain_index_is_never_wrong(corpus in 0..3_usize, file in 0..1_000_usize, damage in damages()) {
        check(&PLAIN[corpus], file, &damage);
    }

    #[test]
    fn a_sealed_index_is_never_wrong(corpus in 0..3_usize, file in 0..1_000_usize, damage in damages()) {
        check(&SEALED[corpus], file, &damage);
    }
}
