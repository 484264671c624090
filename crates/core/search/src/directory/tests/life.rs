//! An index lives in a folder: made, written, searched, merged, cleaned up, opened again.

use tantivy::collector::Count;
use tantivy::indexer::NoMergePolicy;
use tantivy::query::TermQuery;
use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, Schema, TEXT};
use tantivy::{Index, IndexSettings, IndexWriter, ReloadPolicy, Term, doc};

use super::super::{DirectoryError, IndexFileError, index_file_error, open_directory};
use super::*;

const WORD: &str = "qxvzkwjhypfgubtd";

struct Fields {
    id: Field,
    body: Field,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let id = builder.add_text_field("id", STRING | STORED);
    let body = builder.add_text_field("body", TEXT | STORED);
    (builder.build(), Fields { id, body })
}

fn create(dir: &Path, protection: &Protection) -> Index {
    Index::create(
        open_directory(dir, protection.clone()).unwrap().directory(),
        schema().0,
        IndexSettings::default(),
    )
    .unwrap()
}

fn reopen(dir: &Path, protection: &Protection) -> Index {
    Index::open(open_directory(dir, protection.clone()).unwrap().directory()).unwrap()
}

fn writer(index: &Index) -> IndexWriter {
    let writer = index.writer_with_num_threads(1, 15_000_000).unwrap();
    writer.set_merge_policy(Box::new(NoMergePolicy));
    writer
}

fn add(writer: &mut IndexWriter, numbers: std::ops::Range<u32>, payload: &str) {
    let Fields { id, body } = schema().1;
    for number in numbers {
        let text = format!("{WORD} and word{} of {number}", number % 10);
        writer.add_document(doc!(id => format!("id{number}"), body => text)).unwrap();
    }
    let mut commit = writer.prepare_commit().unwrap();
    commit.set_payload(payload);
    commit.commit().unwrap();
}

fn count(index: &Index, word: &str) -> usize {
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().unwrap();
    let query = TermQuery::new(
        Term::from_field_text(schema().1.body, word),
        IndexRecordOption::WithFreqsAndPositions,
    );
    reader.searcher().search(&query, &Count).unwrap()
}

fn live_once(dir: &Path, protection: &Protection) {
    let index = create(dir, protection);
    let mut first = writer(&index);
    assert!(index.writer_with_num_threads::<tantivy::TantivyDocument>(1, 15_000_000).is_err(), "one writer");
    add(&mut first, 0..3_000, "1");
    add(&mut first, 3_000..3_100, "2");
    assert_eq!((count(&index, WORD), count(&index, "word7")), (3_100, 310));
    drop((first, index));

    let index = reopen(dir, protection);
    assert_eq!(index.load_metas().unwrap().payload.as_deref(), Some("2"));
    assert_eq!((count(&index, WORD), count(&index, "nothing")), (3_100, 0));
    let held: tantivy::IndexReader =
        index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().unwrap();
    let before = held.searcher();
    let mut second = writer(&index);
    for number in 0..10 {
        second.delete_term(Term::from_field_text(schema().1.id, &format!("id{number}")));
    }
    add(&mut second, 3_100..3_110, "3");
    assert_eq!(count(&index, "word7"), 310);

    let segments = index.searchable_segment_ids().unwrap();
    assert!(segments.len() > 1);
    let files_before = files(dir).len();
    second.merge(&segments).wait().unwrap();
    second.garbage_collect_files().wait().unwrap();
    assert!(files(dir).len() < files_before, "nothing was removed");
    assert_eq!(index.searchable_segment_ids().unwrap().len(), 1);
    assert_eq!((count(&index, WORD), count(&index, "word7")), (3_100, 310));
    // Whoever searches since before sees what there was, files or no files.
    let body = Term::from_field_text(schema().1.body, WORD);
    let query = TermQuery::new(body, IndexRecordOption::Basic);
    assert_eq!(before.search(&query, &Count).unwrap(), 3_100);
    let stored: tantivy::TantivyDocument = before.doc(tantivy::DocAddress::new(0, 5)).unwrap();
    assert!(stored.get_first(schema().1.body).is_some());
    assert_eq!(index.validate_checksum().unwrap().len(), 0);
    drop(second);

    let index = reopen(dir, protection);
    assert_eq!((count(&index, WORD), count(&index, "word7")), (3_100, 310));
}

fn has_word(dir: &Path) -> bool {
    files(dir).iter().any(|path| {
        let stored = fs::read(path).unwrap();
        path.to_string_lossy().contains(WORD)
            || stored.windows(WORD.len()).any(|window| window == WORD.as_bytes())
    })
}

#[test]
fn a_sealed_index_lives_and_no_file_holds_a_word_of_it() {
    let dir = tempfile::tempdir().unwrap();
    live_once(dir.path(), &Protection::Sealed(seal(1)));
    assert!(!has_word(dir.path()));
    for path in files(dir.path()) {
        let stored = fs::read(&path).unwrap();
        assert!(stored.is_empty() || stored.starts_with(b"CAIRNDER"), "{} is open", path.display());
    }
}

#[test]
fn a_plain_index_lives_the_same_and_its_words_are_found() {
    let dir = tempfile::tempdir().unwrap();
    live_once(dir.path(), &checked());
    assert!(has_word(dir.path()));
}

#[test]
fn an_index_goes_on_after_the_key_was_changed() {
    let dir = tempfile::tempdir().unwrap();
    let keys = Keys::new(1);
    let index = create(dir.path(), &Protection::Sealed(keys.seal()));
    add(&mut writer(&index), 0..100, "1");
    let roots = |dir: &Path| -> std::collections::HashSet<Vec<u8>> {
        let stored = files(dir).into_iter().map(|path| fs::read(path).unwrap());
        stored.filter(|stored| !stored.is_empty()).map(|stored| stored[12..28].to_vec()).collect()
    };
    assert_eq!(roots(dir.path()).len(), 1);
    drop(index);

    let keys = keys.rotate();
    let index = reopen(dir.path(), &Protection::Sealed(keys.seal()));
    assert_eq!(count(&index, WORD), 100);
    add(&mut writer(&index), 100..200, "2");
    assert_eq!(count(&index, WORD), 200);
    assert_eq!(roots(dir.path()).len(), 2, "new files have the new root");
    assert_eq!(count(&reopen(dir.path(), &Protection::Sealed(keys.seal())), WORD), 200);
}

#[test]
fn what_this_store_cannot_read_is_told_apart() {
    let [sealed_dir, plain_dir] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let with = |number| Protection::Sealed(seal(number));
    for (dir, protection) in [(&sealed_dir, with(1)), (&plain_dir, checked())] {
        add(&mut writer(&create(dir.path(), &protection)), 0..10, "1");
    }
    let refused = |dir: &Path, protection| open_directory(dir, protection).map(drop).unwrap_err();
    let error = refused(sealed_dir.path(), with(2));
    assert!(matches!(error, DirectoryError::File(IndexFileError::AnotherKey { .. })), "{error}");
    let error = refused(sealed_dir.path(), checked());
    assert!(matches!(error, DirectoryError::Sealed { .. }), "{error}");
    let error = refused(plain_dir.path(), with(1));
    assert!(matches!(error, DirectoryError::File(IndexFileError::NotSealed { .. })), "{error}");

    // The same from below, as it comes out of the engine of the index.
    let error = Index::open(fresh(sealed_dir.path(), &with(2))).map(drop).unwrap_err();
    assert!(matches!(index_file_error(&error), Some(IndexFileError::AnotherKey { .. })), "{error}");
    for (dir, protection, at, offset) in [(&sealed_dir, with(1), 60, 44), (&plain_dir, checked(), 20, 0)] {
        let meta = dir.path().join("meta.json");
        let mut stored = fs::read(&meta).unwrap();
        stored[at] ^= 1;
        fs::write(&meta, stored).unwrap();
        let error = Index::open(fresh(dir.path(), &protection)).map(drop).unwrap_err();
        let damaged = IndexFileError::Damaged { file: "meta.json".into(), block: 0, offset };
        assert_eq!(index_file_error(&error), Some(&damaged), "{error}");
        let error = refused(dir.path(), protection);
        assert!(matches!(&error, DirectoryError::File(error) if *error == damaged), "{error}");
    }
}

#[test]
fn an_index_of_an_earlier_version_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::create_in_dir(dir.path(), schema().0).unwrap();
    add(&mut writer(&index), 0..10, "1");
    drop(index);
    let error = open_directory(dir.path(), checked()).map(drop).unwrap_err();
    let expected = IndexFileError::NoChecksums { file: "meta.json".into() };
    assert!(matches!(&error, DirectoryError::File(error) if *error == expected), "{error}");
}

#[test]
fn a_merge_that_meets_damage_fails_and_takes_nothing_along() {
    for protection in both() {
        let dir = tempfile::tempdir().unwrap();
        let folder = open_directory(dir.path(), protection).unwrap();
        let index = Index::create(folder.directory(), schema().0, IndexSettings::default()).unwrap();
        let mut writer = writer(&index);
        add(&mut writer, 0..3_000, "1");
        add(&mut writer, 3_000..3_100, "2");
        // No search reads what is stored.
        let stored =
            files(dir.path()).into_iter().filter(|path| path.extension().is_some_and(|end| end == "store"));
        let largest = stored.max_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
        let file = fs::OpenOptions::new().write(true).open(largest).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, b"damage", 100).unwrap();

        assert_eq!((count(&index, WORD), folder.damage()), (3_100, None));
        let segments = index.searchable_segment_ids().unwrap();
        assert!(writer.merge(&segments).wait().is_err());
        assert!(folder.damage().is_some());
        writer.delete_term(Term::from_field_text(schema().1.id, "id7"));
        add(&mut writer, 3_100..3_110, "3");
        writer.garbage_collect_files().wait().unwrap();
        assert_eq!(count(&index, WORD), 3_109);
        writer.wait_merging_threads().unwrap();
    }
}
