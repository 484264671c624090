//! The limit: a raw log that does nothing but put bytes on disk, as quickly as one can.
//!
//! One file whose blocks are on disk before the first append, one write and one fdatasync for
//! whatever queued up. A producer alone writes by itself; what queued up meanwhile goes to a committer
//! thread that stays in charge as long as there is work.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle, Thread};

use anyhow::{Context, Result};
use parking_lot::{Condvar, Mutex};

const FILE_BYTES: u64 = 256 << 20;
/// How often the committer lets others queue again before it takes a group.
const YIELDS_MAX: usize = 4;

/// A raw log with group commit.
#[derive(Debug)]
pub(crate) struct RawLog {
    shared: Arc<Shared>,
    committer: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    file: File,
    queue: Mutex<Queue>,
    handover: Condvar,
    /// Groups that are on disk.
    synced: AtomicU64,
    /// Where the next group goes, and a buffer to swap with the queue's. Whoever leads holds it.
    disk: Mutex<(u64, Vec<u8>)>,
}

#[derive(Debug, Default)]
struct Queue {
    bytes: Vec<u8>,
    waiters: Vec<Thread>,
    /// Number of the group that is being filled.
    group: u64,
    led: bool,
    handed_over: bool,
    closed: bool,
}

impl RawLog {
    /// Makes the file with all its blocks on disk.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = File::create_new(path).with_context(|| format!("creating {}", path.display()))?;
        let zeroes = vec![0; 1 << 20];
        for slice in 0..FILE_BYTES >> 20 {
            file.write_all_at(&zeroes, slice << 20)?;
        }
        file.sync_all()?;
        let shared = Arc::new(Shared {
            file,
            queue: Mutex::new(Queue { group: 1, ..Queue::default() }),
            handover: Condvar::new(),
            synced: AtomicU64::new(0),
            disk: Mutex::new((0, Vec::new())),
        });
        let committer = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.run_committer())
        };
        Ok(RawLog { shared, committer: Some(committer) })
    }

    /// Appends bytes and returns when they are on disk.
    pub(crate) fn append(&self, bytes: &[u8]) {
        let shared = &*self.shared;
        let mut queue = shared.queue.lock();
        queue.bytes.extend_from_slice(bytes);
        let group = queue.group;
        if queue.led {
            queue.waiters.push(thread::current());
            drop(queue);
            while shared.synced.load(Ordering::Acquire) < group {
                thread::park();
            }
            return;
        }
        queue.led = true;
        drop(queue);
        shared.commit_group();
        let mut queue = shared.queue.lock();
        if queue.bytes.is_empty() {
            queue.led = false;
        } else {
            queue.handed_over = true;
            drop(queue);
            shared.handover.notify_one();
        }
    }
}

impl Shared {
    fn run_committer(&self) {
        loop {
            let mut queue = self.queue.lock();
            while !queue.handed_over {
                if queue.closed {
                    return;
                }
                self.handover.wait(&mut queue);
            }
            queue.handed_over = false;
            drop(queue);
            let mut last = 0;
            while let Some(count) = self.gather(last).then(|| self.commit_group()) {
                last = count;
            }
        }
    }

    /// Lets those just woken queue again; `false`, and no lead, when nobody waits after all.
    fn gather(&self, last: usize) -> bool {
        for _ in 0..YIELDS_MAX {
            if last < 2 || self.queue.lock().waiters.len() >= last {
                break;
            }
            thread::yield_now();
        }
        let mut queue = self.queue.lock();
        queue.led = !queue.bytes.is_empty();
        queue.led
    }

    /// Writes and syncs what is queued, wakes who waited for it, and says how many they were.
    fn commit_group(&self) -> usize {
        let mut disk = self.disk.lock();
        let (offset, buffer) = &mut *disk;
        buffer.clear();
        let mut queue = self.queue.lock();
        std::mem::swap(&mut queue.bytes, buffer);
        let waiters = std::mem::take(&mut queue.waiters);
        let group = queue.group;
        queue.group += 1;
        drop(queue);
        if *offset + buffer.len() as u64 > FILE_BYTES {
            *offset = 0;
        }
        self.file.write_all_at(buffer, *offset).expect("the reference needs a disk that works");
        self.file.sync_data().expect("the reference needs a disk that works");
        *offset += buffer.len() as u64;
        drop(disk);
        self.synced.store(group, Ordering::Release);
        for waiter in &waiters {
            waiter.unpark();
        }
        waiters.len()
    }
}

impl Drop for RawLog {
    fn drop(&mut self) {
        self.shared.queue.lock().closed = true;
        self.shared.handover.notify_one();
        if let Some(committer) = self.committer.take() {
            // Its panic was printed when it happened.
            let _ = committer.join();
        }
    }
}
