//! The contract of the seam, on a simulated disk without threads and on the real one with them.

use std::path::PathBuf;
use std::sync::Arc;

use cairn_base::fs::{FileSystem, SimulatedFs, SystemFs};
use cairn_base::{ManualClock, Position};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_seam::Store;
use cairn_seam::contract::StoreUnderTest;

use crate::kit::{DIR, key, small_options};

struct Subject {
    dir: PathBuf,
    /// The disk, if it can be filled.
    disk: Option<SimulatedFs>,
    options: EmbeddedOptions,
    clock: ManualClock,
    store: Option<Arc<EmbeddedStore>>,
    _keep: Option<tempfile::TempDir>,
}

impl Subject {
    fn new(fs: Arc<dyn FileSystem>, background: Background, temporary: Option<tempfile::TempDir>) -> Self {
        let clock = ManualClock::new(1_700_000_000_000);
        let options = EmbeddedOptions {
            clock: Arc::new(clock.clone()),
            background,
            reserve_bytes: 1,
            reserve_file_bytes: 4 << 20,
            ..small_options(fs, 1)
        };
        let dir = temporary.as_ref().map_or_else(|| DIR.into(), |dir| dir.path().join("store"));
        let mut subject = Subject { dir, disk: None, options, clock, store: None, _keep: temporary };
        subject.open();
        subject
    }

    fn simulated() -> Self {
        let disk = SimulatedFs::new(1);
        let subject = Subject::new(Arc::new(disk.clone()), Background::Manual, None);
        Subject { disk: Some(disk), ..subject }
    }

    /// Starts over with a store that has a key.
    fn seal(&mut self) {
        self.store = None;
        self.dir.push("sealed");
        self.options.key = Some(key(1));
        self.open();
    }

    fn open(&mut self) {
        self.store = Some(Arc::new(EmbeddedStore::open(&self.dir, self.options.clone()).unwrap()));
    }
}

impl StoreUnderTest for Subject {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(self.store.as_ref().unwrap()) as Arc<dyn Store>
    }

    fn clock(&self) -> ManualClock {
        self.clock.clone()
    }

    fn reopen(&mut self) -> bool {
        let store = self.store.take().unwrap();
        store.close().unwrap();
        assert_eq!(Arc::strong_count(&store), 1, "a handle is still held");
        drop(store);
        self.open();
        true
    }

    fn drop_history(&mut self) -> Option<Position> {
        None
    }

    fn set_full(&mut self, is_full: bool) -> bool {
        let Some(disk) = &self.disk else { return false };
        if is_full {
            // The reserve file is made.
            self.store().upkeep().unwrap();
            disk.leave_free(0);
        } else {
            disk.set_capacity(None);
            self.store().upkeep().unwrap();
        }
        true
    }
}

mod simulated {
    use super::*;

    fn make() -> Box<dyn StoreUnderTest> {
        Box::new(Subject::simulated())
    }

    cairn_seam::contract_tests!(make);
}

mod sealed {
    use super::*;

    fn make() -> Box<dyn StoreUnderTest> {
        let mut subject = Subject::simulated();
        subject.seal();
        Box::new(subject)
    }

    cairn_seam::contract_tests!(make);
}

mod on_disk {
    use super::*;

    fn make() -> Box<dyn StoreUnderTest> {
        let dir = tempfile::tempdir().unwrap();
        Box::new(Subject::new(Arc::new(SystemFs), Background::Threads, Some(dir)))
    }

    cairn_seam::contract_tests!(make);
}
