//! A group is made while the one before it is being synced.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use cairn_base::fs::{File, FileSystem, Locked, SimulatedFs};
use cairn_base::{Position, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Aborted, Blob, HashedKeyspace, Keyspace, Store, StoreError};
use parking_lot::{Condvar, Mutex};

use crate::kit::{DIR, open_simulated, small_options};

const TENANT: TenantId = TenantId(3);
const RECORDS: Keyspace = Keyspace::new(31, "records");
const SEEN: HashedKeyspace = HashedKeyspace::new(32, "seen");
const KEY: &[u8] = &[0, 0, 0, 3, 1];
const OTHER: &[u8] = &[0, 0, 0, 3, 2];
/// Long enough for anything that can happen to have happened.
const PATIENCE: Duration = Duration::from_secs(300);

/// Stops syncs of some files until told what becomes of them.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    holds: bool,
    waits: bool,
    fails: bool,
}

impl Gate {
    fn hold(&self) {
        self.state.lock().holds = true;
    }

    fn wait_for_sync(&self) {
        let mut state = self.state.lock();
        while !state.waits {
            assert!(!self.changed.wait_for(&mut state, PATIENCE).timed_out(), "nobody syncs");
        }
    }

    fn let_go(&self, fails: bool) {
        *self.state.lock() = GateState { fails, ..GateState::default() };
        self.changed.notify_all();
    }

    fn pass(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        while state.holds {
            state.waits = true;
            self.changed.notify_all();
            self.changed.wait(&mut state);
        }
        if state.fails { Err(io::Error::other("the disk is gone")) } else { Ok(()) }
    }
}

#[derive(Debug)]
struct GatedFs {
    disk: SimulatedFs,
    gate: Arc<Gate>,
    /// How names of the files begin whose syncs are stopped.
    stops: &'static str,
}

#[derive(Debug)]
struct GatedFile {
    file: Arc<dyn File>,
    gate: Option<Arc<Gate>>,
}

impl GatedFs {
    fn gated(&self, path: &Path, file: Arc<dyn File>) -> Arc<dyn File> {
        let name = path.file_name().unwrap().to_str().unwrap();
        Arc::new(GatedFile { file, gate: name.starts_with(self.stops).then(|| Arc::clone(&self.gate)) })
    }
}

impl FileSystem for GatedFs {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        Ok(self.gated(path, self.disk.create(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        Ok(self.gated(path, self.disk.open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.disk.list(dir)
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.disk.create_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.disk.sync_dir(dir)
    }

    fn free_bytes(&self, dir: &Path) -> io::Result<u64> {
        self.disk.free_bytes(dir)
    }

    fn lock(&self, path: &Path, holder: &str) -> io::Result<Locked> {
        self.disk.lock(path, holder)
    }
}

impl File for GatedFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_at(buf, offset)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_at(data, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.gate.as_ref().map_or(Ok(()), |gate| gate.pass())?;
        self.file.sync_data()
    }
}

fn open(disk: &SimulatedFs) -> (Arc<EmbeddedStore>, Arc<Gate>) {
    open_stopping(disk, "segment-")
}

fn open_stopping(disk: &SimulatedFs, stops: &'static str) -> (Arc<EmbeddedStore>, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
    let fs = Arc::new(GatedFs { disk: disk.clone(), gate: Arc::clone(&gate), stops });
    let options = EmbeddedOptions {
        background: Background::Threads,
        // Large enough that the segment is never changed in these tests.
        segment_bytes: 1 << 20,
        ..small_options(fs, 1)
    };
    (Arc::new(EmbeddedStore::open(Path::new(DIR), options).unwrap()), gate)
}

fn blob() -> Blob {
    Blob::new(vec![7; 3000]).unwrap()
}

/// Starts the group that the gate stops.
fn write_first(store: &Arc<EmbeddedStore>) -> thread::JoinHandle<Result<Position, StoreError>> {
    let store = Arc::clone(store);
    thread::spawn(move || {
        store.write(
            TENANT,
            Box::new(|tx| {
                tx.put(RECORDS, KEY, b"first").map_err(|_| Aborted)?;
                tx.hashed_put(SEEN, b"name", b"first", None).map_err(|_| Aborted)?;
                tx.put_blob(&blob()).map_err(|_| Aborted)
            }),
        )
    })
}

fn value(store: &EmbeddedStore, key: &[u8]) -> Option<Vec<u8>> {
    let mut found = None;
    let snapshot = store.snapshot(Position::START).unwrap();
    snapshot.multi_get(RECORDS, &[key], &mut |_, value| found = value.map(<[u8]>::to_vec)).unwrap();
    found
}

fn hashed(store: &EmbeddedStore) -> Option<Vec<u8>> {
    let mut found = None;
    let snapshot = store.snapshot(Position::START).unwrap();
    snapshot.hashed_get(SEEN, TENANT, &[b"name"], &mut |_, value| found = value.map(<[u8]>::to_vec)).unwrap();
    found
}

#[test]
fn the_next_group_sees_what_readers_do_not_see_yet() {
    let disk = SimulatedFs::new(1);
    let (store, gate) = open(&disk);
    gate.hold();
    let first = write_first(&store);
    gate.wait_for_sync();
    let (told, saw) = mpsc::channel();
    let second = {
        let store = Arc::clone(&store);
        thread::spawn(move || store.write(TENANT, Box::new(move |tx| look(tx, &told).map_err(|_| Aborted))))
    };
    assert_eq!(saw.recv_timeout(PATIENCE).unwrap(), Some(b"first".to_vec()), "the key");
    assert_eq!(saw.recv_timeout(PATIENCE).unwrap(), Some(b"first".to_vec()), "the hashed entry");
    assert_eq!((value(&store, KEY), hashed(&store)), (None, None), "it is not on disk");
    assert!(!first.is_finished() && !second.is_finished());
    gate.let_go(false);
    let (first, second) = (first.join().unwrap().unwrap(), second.join().unwrap().unwrap());
    assert!(first < second);
    assert_eq!(saw.recv_timeout(PATIENCE).unwrap(), blob().bytes().map(<[u8]>::to_vec), "the blob");
    assert_eq!(
        (value(&store, KEY), value(&store, OTHER)),
        (Some(b"first".to_vec()), Some(b"second".to_vec()))
    );
    assert_eq!(hashed(&store), Some(b"first".to_vec()));
}

/// Reads what the first group wrote, tells it, and writes something itself.
fn look(tx: &mut dyn cairn_seam::WriteTx, told: &Sender<Option<Vec<u8>>>) -> Result<(), StoreError> {
    let tell = |value: Option<&[u8]>| told.send(value.map(<[u8]>::to_vec)).unwrap();
    tx.multi_get(RECORDS, &[KEY], &mut |_, value| tell(value))?;
    tx.hashed_get(SEEN, TENANT, &[b"name"], &mut |_, value| tell(value))?;
    tx.blobs(TENANT, &[blob().hash()], &mut |_, value| tell(value))?;
    tx.put(RECORDS, OTHER, b"second")
}

type Kind = fn(&mut dyn cairn_seam::WriteTx) -> Result<(), Aborted>;

#[test]
fn what_was_made_on_top_of_a_group_that_failed_is_refused() {
    let disk = SimulatedFs::new(1);
    let (store, gate) = open(&disk);
    gate.hold();
    let first = write_first(&store);
    gate.wait_for_sync();
    let (told, ran) = mpsc::channel();
    let kinds: [Kind; 3] = [
        |tx| tx.put(RECORDS, OTHER, b"second").map_err(|_| Aborted),
        |_reads_only| Ok(()),
        // It may have decided so because of what the first group wrote.
        |_gives_up| Err(Aborted),
    ];
    let others: Vec<_> = kinds
        .into_iter()
        .map(|kind| {
            let (store, told) = (Arc::clone(&store), told.clone());
            thread::spawn(move || {
                let body = move |tx: &mut dyn cairn_seam::WriteTx| {
                    told.send(()).unwrap();
                    kind(tx)
                };
                store.write(TENANT, Box::new(body))
            })
        })
        .collect();
    // The first of them leads; the others may wait for it in the queue.
    ran.recv_timeout(PATIENCE).unwrap();
    assert!(others.iter().all(|other| !other.is_finished()), "nobody hears before the first group's sync");
    gate.let_go(true);
    let first = first.join().unwrap();
    assert!(matches!(first, Err(StoreError::OutcomeUnknown { .. })), "{first:?}");
    for other in others {
        let outcome = other.join().unwrap();
        assert!(matches!(outcome, Err(StoreError::Poisoned { .. })), "{outcome:?}");
    }
    assert_eq!((value(&store, KEY), value(&store, OTHER)), (None, None));
    drop(store);
    disk.process_kill();
    let store = open_simulated(&disk, 2).unwrap();
    assert_eq!(value(&store, OTHER), None, "it was refused");
}

#[test]
fn an_upload_that_waits_for_the_disk_holds_up_no_commit() {
    let disk = SimulatedFs::new(1);
    let (store, gate) = open_stopping(&disk, "upload-");
    gate.hold();
    let uploading = {
        let store = Arc::clone(&store);
        thread::spawn(move || {
            let mut upload = store.upload(TENANT)?;
            upload.write(&vec![7; 3 << 20])?;
            upload.finish()
        })
    };
    gate.wait_for_sync();
    let (tell, told) = mpsc::channel();
    let committing = {
        let store = Arc::clone(&store);
        thread::spawn(move || {
            for value in 0..20_u8 {
                let body = move |tx: &mut dyn cairn_seam::WriteTx| {
                    tx.put(RECORDS, KEY, &[value]).map_err(|_| Aborted)
                };
                tell.send(store.write(TENANT, Box::new(body))).unwrap();
            }
        })
    };
    let outcomes: Vec<_> = (0..20).map(|_| told.recv_timeout(PATIENCE)).collect();
    gate.let_go(false);
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(Ok(_)))), "{outcomes:?}");
    committing.join().unwrap();
    assert_eq!(uploading.join().unwrap().unwrap().len(), 3 << 20);
}
