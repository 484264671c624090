//! The index: documents on disk, documents that are not there yet, and what is counted about them.
//!
//! Changes come in with the position up to which they are complete, and are found at once: they are kept
//! in a generation in memory until [`SearchIndex::flush`] writes it to disk. Every commit on disk says up
//! to which position it holds everything, so after a crash whoever feeds the index goes on from there.

pub(crate) mod disk;
mod files;
pub(crate) mod generation;
pub(crate) mod key;
mod newest;
mod payload;
pub(crate) mod prepared;
pub(crate) mod schema;
mod search;
pub(crate) mod segment;
pub(crate) mod statistics;
pub(crate) mod tail;
mod view;
mod widen;

use std::collections::HashSet;
use std::fmt;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use cairn_base::{Position, step_back};
use parking_lot::{Mutex, RwLock};
use tantivy::schema::Term;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument};

use self::disk::DiskSegment;
pub use self::files::FileCheck;
use self::generation::{DocumentNumber, Generation};
use self::payload::Payload;
use self::prepared::{Prepared, prepare};
use self::schema::Schema;
use self::statistics::Statistics;
use self::tail::Layer;
use self::view::View;
use crate::SearchError;
use crate::directory::{IndexFileError, IndexFolder, ROOTS};
use crate::document::{Change, Collection, Document, Partition};

/// How often files are verified again when one is gone.
const VERIFY_TRIES: u32 = 3;

/// How an index is kept.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whose documents these are. An index of another store is refused.
    pub store: String,
    /// Every collection.
    pub collections: Vec<&'static Collection>,
    /// Memory for writing segments.
    pub writer_bytes: usize,
}

/// What is in an index, for people and dashboards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexFigures {
    /// Documents that can be found.
    pub documents: u64,
    /// Segments on disk.
    pub segments: usize,
    /// Documents that are not on disk yet.
    pub tail_documents: usize,
    /// Memory that they take, and what says that older ones are gone; zero if everything is on disk.
    pub tail_bytes: usize,
    /// Everything up to here is in it.
    pub position: Position,
    /// Everything up to here is on disk.
    pub written: Position,
}

/// Documents of all memories of a node. Every method takes `&self`.
pub struct SearchIndex {
    schema: Schema,
    settings: Settings,
    folder: IndexFolder,
    reader: IndexReader,
    /// `None` once it is closed.
    writer: Mutex<Option<IndexWriter>>,
    /// Held by whoever feeds the index: changes come one after the other.
    feeding: Mutex<()>,
    view: RwLock<View>,
}

impl SearchIndex {
    /// Opens the index in a folder, or makes one there.
    ///
    /// Fails with [`SearchError::Damaged`] on anything that is not an index of this store in this
    /// version: whoever calls clears the folder and feeds a new one.
    pub fn open(folder: IndexFolder, settings: Settings) -> Result<Self, SearchError> {
        let schema = Schema::new();
        let directory = folder.directory();
        let exists = Index::exists(&*directory).map_err(|error| SearchError::Damaged(error.to_string()))?;
        let index = if exists {
            Index::open(directory)?
        } else {
            Index::create(directory, schema.schema.clone(), tantivy::IndexSettings::default())?
        };
        if index.schema() != schema.schema {
            return Err(SearchError::Damaged("it was written by another version".into()));
        }
        Schema::register(&index);
        let payload = Payload::parse(index.load_metas()?.payload.as_deref(), &settings.store)?;
        let writer = writer_that_steps_back(&index, settings.writer_bytes)?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let view = View {
            disk: Vec::new(),
            frozen: None,
            growing: Layer::default(),
            position: payload.position(),
            written: payload.position(),
            statistics: Statistics::from_rows(payload.partitions),
        };
        let opened = SearchIndex {
            schema,
            settings,
            folder,
            reader,
            writer: Mutex::new(Some(writer)),
            feeding: Mutex::default(),
            view: RwLock::new(view),
        };
        let disk = opened.segments()?;
        opened.view.write().disk = disk;
        Ok(opened)
    }

    /// The first damage that was met since it was opened, by a search or by work in the background.
    ///
    /// Answers given since then may lack something: they are not to be used, and the index has to be
    /// rebuilt.
    pub fn damage(&self) -> Option<&IndexFileError> {
        self.folder.damage()
    }

    /// Reads every block of every file on disk and returns the damage, in the order of the files.
    pub fn damaged_files(&self) -> Result<Vec<IndexFileError>, SearchError> {
        let mut tries = 0;
        let mut damaged = loop {
            // A merge that ends meanwhile removes files.
            match self.verify_files() {
                Err(_) if tries < VERIFY_TRIES => tries += 1,
                verified => break verified?,
            }
        };
        damaged.sort_by(|one, other| one.file().cmp(other.file()));
        Ok(damaged)
    }

    fn verify_files(&self) -> Result<Vec<IndexFileError>, SearchError> {
        let mut damaged = Vec::new();
        for root in ROOTS {
            damaged.extend(self.folder.verify(root.as_ref())?);
        }
        if !damaged.is_empty() {
            return Ok(damaged);
        }
        let index = self.reader.searcher().index().clone();
        let existing = index.directory().list_managed_files();
        for name in index.load_metas()?.list_segment_files() {
            match self.folder.verify(&name) {
                // A segment does not have every file that it could have.
                Err(error) if error.kind() == ErrorKind::NotFound && !existing.contains(&name) => {}
                verified => damaged.extend(verified?),
            }
        }
        Ok(damaged)
    }

    /// Everything up to here is in it.
    pub fn position(&self) -> Position {
        self.view.read().position
    }

    /// What is in it.
    pub fn figures(&self) -> IndexFigures {
        let view = self.view.read();
        let frozen = view.frozen.as_ref().map(|layer| &*layer.generation);
        let growing = &*view.growing.generation;
        IndexFigures {
            documents: view.statistics.documents(),
            segments: view.disk.len(),
            tail_documents: growing.len() + frozen.map_or(0, Generation::len),
            tail_bytes: growing.bytes() + frozen.map_or(0, Generation::bytes),
            position: view.position,
            written: view.written,
        }
    }

    /// Takes changes, in their order, after which everything up to `position` is in it. Says how many
    /// documents had texts that could not be taken apart: those are found by everything but their texts.
    ///
    /// They are found as soon as this returns, and on disk after the next [`flush`](SearchIndex::flush).
    /// After a failure none of the new documents is there, and the same changes can be taken again.
    pub fn apply(&self, changes: &[(Partition, Change)], position: Position) -> Result<usize, SearchError> {
        let _feeding = self.feeding.lock();
        let numbers: Vec<_> = {
            let mut view = self.view.write();
            changes.iter().map(|(partition, _)| view.statistics.number(*partition)).collect()
        };
        // Taking documents apart is most of the work: nobody waits for it.
        let mut unreadable = 0;
        let mut prepared = Vec::with_capacity(changes.len());
        for ((partition, change), number) in changes.iter().zip(&numbers) {
            prepared.push(match change {
                Change::Add(document) | Change::Replace(document) => {
                    let collection = self.collection(*partition)?;
                    let (prepared, is_whole) =
                        prepare_whatever(document, |document| prepare(document, collection, *number));
                    unreadable += usize::from(!is_whole);
                    Some(prepared)
                }
                Change::Remove(_) => None,
            });
        }
        let mut view = self.view.write();
        // What can fail comes first, and does no harm when it comes again.
        for ((_, change), number) in changes.iter().zip(&numbers) {
            if let Some(id) = replaced(change) {
                view.bury_on_disk(*number, id)?;
            }
        }
        for (((_, change), number), prepared) in changes.iter().zip(numbers).zip(prepared) {
            if let Some(id) = replaced(change) {
                view.bury_in_memory(number, id);
                view.growing.generation.supersede(number, id);
            }
            if let Some(prepared) = prepared {
                view.growing.generation.add(&prepared);
                if let Some(counts) = view.statistics.counts_mut(number) {
                    counts.add(prepared.counted);
                }
            }
        }
        view.position = view.position.max(position);
        Ok(unreadable)
    }

    fn collection(&self, partition: Partition) -> Result<&'static Collection, SearchError> {
        let mut collections = self.settings.collections.iter().copied();
        let found = collections.find(|collection| collection.number == partition.collection);
        found.ok_or(SearchError::NoCollection(partition.collection))
    }

    /// Writes what is not on disk yet, while searches and changes go on. Says whether there was something.
    ///
    /// After a failure searches still find everything, but nothing more is written: the index has to be
    /// opened again, and goes on from its last commit.
    pub fn flush(&self) -> Result<bool, SearchError> {
        let mut writer = self.writer.lock();
        let Some(writer) = writer.as_mut() else { return Ok(false) };
        let Some((generation, dead, payload)) = self.freeze()? else { return Ok(false) };
        for (partition, id) in generation.superseded() {
            let key = partition.document(id);
            writer.delete_term(Term::from_field_bytes(self.schema.marks, &key.bytes));
        }
        for (number, kept) in generation.documents() {
            if !dead.contains(&number) {
                writer.add_document(self.schema.document(&generation, kept))?;
            }
        }
        commit(writer, &payload)?;
        let disk = self.segments()?;
        let mut view = self.view.write();
        view.replace_disk(disk)?;
        view.written = payload.position();
        Ok(true)
    }

    /// Sets the growing generation aside.
    #[expect(clippy::type_complexity, reason = "what one flush needs, and nobody else")]
    fn freeze(&self) -> Result<Option<(Arc<Generation>, HashSet<DocumentNumber>, Payload)>, SearchError> {
        let mut view = self.view.write();
        let view = &mut *view;
        if view.frozen.is_some() {
            return Err(SearchError::Damaged("it could not be written before".into()));
        }
        // Also without documents: whoever opens it need not read again what had none.
        if view.growing.generation.is_empty() && view.position == view.written {
            return Ok(None);
        }
        let layer = std::mem::take(&mut view.growing).map(Arc::from);
        let generation = Arc::clone(&layer.generation);
        let dead = layer.dead().clone();
        view.frozen = Some(layer);
        let payload = Payload::new(&self.settings.store, view.position, &view.statistics);
        Ok(Some((generation, dead, payload)))
    }

    fn segments(&self) -> Result<Vec<DiskSegment>, SearchError> {
        self.reader.reload()?;
        let searcher = self.reader.searcher();
        searcher
            .segment_readers()
            .iter()
            .map(|reader| DiskSegment::open(reader.clone(), &self.schema))
            .collect()
    }

    /// Writes everything and stops. Later flushes do nothing.
    ///
    /// Segments that are being put together are waited for at most that long: what is not done then is
    /// done after the next opening.
    pub fn close(&self, at_most: Duration) -> Result<(), SearchError> {
        let flushed = self.flush();
        if let Some(writer) = self.writer.lock().take() {
            let (tell, told) = mpsc::channel();
            thread::Builder::new()
                .name("cairn-search-end".into())
                .spawn(move || drop(tell.send(writer.wait_merging_threads())))?;
            if let Ok(ended) = told.recv_timeout(at_most) {
                ended?;
            }
        }
        flushed.map(drop)
    }
}

/// The id whose older document counts no more.
fn replaced(change: &Change) -> Option<&[u8]> {
    match change {
        Change::Add(_) => None,
        Change::Replace(document) => Some(&document.id),
        Change::Remove(id) => Some(id),
    }
}

/// Takes a document apart; one whose texts cannot be is taken without them, or nothing that comes after it
/// would ever be found. Says whether it is whole.
fn prepare_whatever(document: &Document, prepare: impl Fn(&Document) -> Prepared) -> (Prepared, bool) {
    match catch_unwind(AssertUnwindSafe(|| prepare(document))) {
        Ok(prepared) => (prepared, true),
        Err(_) => (prepare(&Document { texts: Vec::new(), ..document.clone() }), false),
    }
}

/// Merges run on threads that are started together with the writer: nobody waits for them.
fn writer_that_steps_back(index: &Index, bytes: usize) -> Result<IndexWriter, SearchError> {
    std::thread::scope(|scope| {
        let start = || {
            step_back();
            index.writer_with_num_threads(1, bytes)
        };
        let stopped = |_| SearchError::Damaged("opening it stopped unexpectedly".into());
        Ok(scope.spawn(start).join().map_err(stopped)??)
    })
}

fn commit(writer: &mut IndexWriter<TantivyDocument>, payload: &Payload) -> Result<(), SearchError> {
    let mut prepared = writer.prepare_commit()?;
    prepared.set_payload(&payload.text()?);
    prepared.commit()?;
    Ok(())
}

impl fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchIndex").field("figures", &self.figures()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Field, Role};
    use crate::index::key::PartitionNumber;

    const NOTES: Collection = Collection {
        number: 1,
        name: "notes",
        fields: &[Field { name: "text", weight: 1.0, role: Role::Text }],
    };

    #[test]
    fn a_document_whose_texts_cannot_be_taken_apart_is_taken_without_them() {
        let document = Document { id: vec![7], texts: vec![(0, "stone".into())], ..Document::default() };
        let prepare = |document: &Document| prepare(document, &NOTES, PartitionNumber(0));
        assert_eq!(prepare_whatever(&document, prepare), (prepare(&document), true));
        let spoiled = prepare_whatever(&document, |document| {
            assert!(document.texts.is_empty(), "a text that nobody can take apart");
            prepare(document)
        });
        assert_eq!(spoiled, (prepare(&Document { texts: Vec::new(), ..document }), false));
    }
}
