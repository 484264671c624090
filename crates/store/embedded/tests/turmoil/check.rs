//! What is left after a kill, against what was said before it.

use std::fs;
use std::path::Path;

use cairn_base::fs::SystemFs;
use cairn_embedded::{EmbeddedStore, RestoreHow, restore};
use cairn_seam::{LocalStore, Maintenance, StoreError};

use super::record::{Name, Presence, WRITERS, is_there, presence};
use super::watch::{Acknowledged, Life};
use super::{Orders, unowned};

/// What is wrong, and how much was looked at.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tally {
    pub(crate) acknowledged: u64,
    pub(crate) lost: u64,
    pub(crate) half: u64,
    pub(crate) findings: u64,
    pub(crate) strays: u64,
    pub(crate) restored: u64,
    pub(crate) refused_backups: u64,
    pub(crate) bad_backups: u64,
    pub(crate) torn: u64,
    /// A word on each thing that is wrong.
    pub(crate) wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, of: fn(&mut Tally) -> &mut u64, what: impl FnOnce() -> String) {
        *of(self) += 1;
        if self.wrong.len() < 20 {
            self.wrong.push(what());
        }
    }
}

/// Opens the store, checks what the last life wrote, and with `all` also what the earlier ones did; says
/// which key it has.
pub(crate) fn check(orders: &Orders, lives: &[Life], all: bool, tally: &mut Tally) -> u64 {
    let last = lives.last().expect("there was a life");
    let (key, store) = open(orders, &last.keys);
    tally.torn += u64::from(store.open_report().torn.is_some());
    let mut large = 0;
    for life in lives {
        for (writer, acknowledged) in life.acknowledged.iter().enumerate() {
            let first = Name { life: life.number, writer, count: 0 };
            if all || life.number == last.number {
                check_writer(&store, first, *acknowledged, tally);
            }
            if first.is_large() {
                large += count_there(&store, first, *acknowledged);
            }
        }
    }
    tally.acknowledged += last.acknowledged.iter().flatten().map(|last| last + 1).sum::<u64>();
    check_files(&store, &orders.store(), large, tally);
    drop(store);
    check_backups(orders, last, tally);
    key
}

fn open(orders: &Orders, keys: &[u64]) -> (u64, EmbeddedStore) {
    for key in keys {
        match orders.open(&orders.store(), *key) {
            Ok(store) => return (*key, store),
            Err(StoreError::KeyMismatch { .. }) => {}
            Err(error) => panic!("the store does not open: {error}"),
        }
    }
    panic!("the store opens with none of the keys {keys:?}");
}

/// The last record of a writer: the last acknowledged one, or the one behind it, which may have made it
/// without word of it.
fn last_of(store: &EmbeddedStore, first: Name, acknowledged: Option<u64>) -> Option<u64> {
    let next = acknowledged.map_or(0, |last| last + 1);
    let landed = is_there(store, Name { count: next, ..first }).expect("records can be read");
    if landed { Some(next) } else { acknowledged }
}

fn check_writer(store: &EmbeddedStore, first: Name, acknowledged: Option<u64>, tally: &mut Tally) {
    let last = last_of(store, first, acknowledged);
    let end = last.map_or(0, |last| last + 1);
    for count in 0..end {
        let name = Name { count, ..first };
        let is_kept = name.is_kept(end - 1);
        match (is_there(store, name).expect("records can be read"), is_kept) {
            (false, true) => tally.add(|tally| &mut tally.lost, || format!("{name:?} is lost")),
            (true, false) => tally.add(|tally| &mut tally.half, || format!("{name:?} came back")),
            (true, true) | (false, false) => {}
        }
        match presence(store, name) {
            Presence::There => {}
            Presence::Gone if !is_kept => {}
            found @ (Presence::Gone | Presence::Never | Presence::Wrong) => {
                tally.add(|tally| &mut tally.lost, || format!("the blob of {name:?} is {found:?}"))
            }
        }
    }
    for count in end..end + 2 {
        let name = Name { count, ..first };
        let is_half = is_there(store, name).expect("records can be read");
        if is_half || presence(store, name) != Presence::Never {
            tally.add(|tally| &mut tally.half, || format!("{name:?} is half there"));
        }
    }
}

fn count_there(store: &EmbeddedStore, first: Name, acknowledged: Option<u64>) -> usize {
    let end = last_of(store, first, acknowledged).map_or(0, |last| last + 1);
    (0..end).filter(|count| presence(store, Name { count: *count, ..first }) == Presence::There).count()
}

/// The doctor's word, and files that nothing owns.
fn check_files(store: &EmbeddedStore, dir: &Path, large: usize, tally: &mut Tally) {
    let report = store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true);
    for finding in report.expect("the doctor comes to an end").findings {
        tally.add(|tally| &mut tally.findings, || format!("{finding:?}"));
    }
    for stray in unowned(&SystemFs, dir, large) {
        tally.add(|tally| &mut tally.strays, || format!("nothing owns {stray}"));
    }
}

/// Every backup that has its name restores; the last acknowledged one is there; what is unfinished is
/// refused. All of them are removed afterwards.
fn check_backups(orders: &Orders, life: &Life, tally: &mut Tally) {
    let name = |number: u64| format!("backup-{}-{number}.cairn", life.number);
    let path = |number: u64| orders.place.join(name(number));
    if let Some(last) = life.last_backup.filter(|last| !path(*last).exists()) {
        tally.add(|tally| &mut tally.lost, || format!("backup {last} is lost"));
    }
    let target = orders.place.join("restored");
    for (number, (acknowledged, key)) in &life.backups {
        let unfinished = orders.place.join(name(*number) + ".unfinished");
        for (path, is_whole) in [(path(*number), true), (unfinished, false)] {
            if !path.exists() {
                continue;
            }
            match restore(&path, &target, &orders.options(0), RestoreHow::default(), &mut |_| true) {
                Ok(_) => {
                    tally.restored += 1;
                    check_restored(orders, &target, *key, (life.number, acknowledged), tally);
                }
                Err(StoreError::Damaged(_)) if !is_whole => tally.refused_backups += 1,
                Err(error) => {
                    tally.add(|tally| &mut tally.bad_backups, || format!("{}: {error}", path.display()));
                }
            }
            let _ = fs::remove_dir_all(&target);
            fs::remove_file(&path).expect("a backup can be removed");
        }
    }
}

/// A restored store holds what was acknowledged before its backup was begun.
fn check_restored(
    orders: &Orders,
    dir: &Path,
    key: u64,
    (life, acknowledged): (u32, &Acknowledged),
    tally: &mut Tally,
) {
    let store = match orders.open(dir, key) {
        Ok(store) => store,
        Err(error) => return tally.add(|tally| &mut tally.bad_backups, || format!("restored: {error}")),
    };
    for (writer, last) in (0..WRITERS.len()).zip(acknowledged) {
        let names = (0..last.map_or(0, |last| last + 1)).map(|count| Name { life, writer, count });
        for name in names.filter(|name| name.stays()) {
            if presence(&store, name) != Presence::There {
                tally.add(|tally| &mut tally.bad_backups, || format!("{name:?} is in no backup"));
            }
        }
    }
    let report = store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true);
    for finding in report.expect("the doctor comes to an end").findings {
        tally.add(|tally| &mut tally.bad_backups, || format!("restored: {finding:?}"));
    }
}
