//! kill -9 again and again: everything acknowledged is there, and nothing is half there.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use cairn_base::{ContentHash, Position};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{KeyRange, Keyspace, Snapshot, Store, Visit};

use super::Setting;
use super::record::{IN_ORDER, Name, Record, SCATTERED, TENANT};
use super::writer::Writer;
use crate::figure::{Figure, Report, Target, Unit};
use crate::random::Random;
use crate::scratch::Scratch;

const PRODUCERS: u32 = 8;
/// Records checked with one snapshot, which must not get old.
const PAGE: usize = 2000;

/// The last record acknowledged to each producer of each run.
type Acknowledged = BTreeMap<(u32, u32), u64>;
/// Keys with their values.
type Page = [(Vec<u8>, Vec<u8>)];

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "kill")?;
    let rounds = setting.pick(200, 5);
    let mut random = Random::new(8);
    let mut all = Acknowledged::new();
    let (mut checked, mut torn, mut tally) = (0, 0, Tally::default());
    for round in 0..rounds {
        let acknowledged = write_and_kill(dir.path(), round, &mut random)?;
        let store = EmbeddedStore::open(dir.path(), EmbeddedOptions::default())?;
        torn += u32::from(store.open_report().torn.is_some());
        checked += acknowledged.values().map(|last| last + 1).sum::<u64>();
        tally.add(check(&store, round..round + 1, &acknowledged)?);
        all.extend(acknowledged);
        // Every other time the next writer finds what a crash leaves, twice over.
        if round % 2 == 0 {
            store.close()?;
        }
    }
    let store = EmbeddedStore::open(dir.path(), EmbeddedOptions::default())?;
    let whole = check(&store, 0..rounds, &all)?;
    let scattered = count(&store, SCATTERED)?;
    store.close()?;
    if scattered != whole.found {
        report.wrong(format!("{} records have their first key and {scattered} their second", whole.found));
    }
    tally.add(whole);
    for (what, number) in [("lost", tally.lost), ("half there", tally.half)] {
        if number > 0 {
            report.wrong(format!("{number} records {what}"));
        }
        report.add(Figure::new(what, number as f64, Unit::Count).target(Target::AtMost(0.0)));
    }
    report.add(Figure::new("acknowledged writes checked", checked as f64, Unit::Count));
    report.add(Figure::new("rounds", rounds.into(), Unit::Count).beside(format!("{torn} with a torn tail")));
    Ok(())
}

fn write_and_kill(dir: &Path, round: u32, random: &mut Random) -> Result<Acknowledged> {
    let writer = Writer::start(dir, round, PRODUCERS)?;
    // Every eighth is killed while it is still opening.
    if round % 8 != 7 {
        writer.wait_until_writing()?;
    }
    thread::sleep(Duration::from_micros(random.below(400_000)));
    let mut last = Acknowledged::new();
    for (producer, count) in writer.kill()? {
        let newest = last.entry((round, producer)).or_insert(count);
        *newest = count.max(*newest);
    }
    Ok(last)
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    found: u64,
    lost: u64,
    half: u64,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.found += other.found;
        self.lost += other.lost;
        self.half += other.half;
    }
}

/// Checks every record of some runs, and that all acknowledged ones are among them.
fn check(store: &EmbeddedStore, runs: std::ops::Range<u32>, acknowledged: &Acknowledged) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut seen: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for run in runs {
        for_each_page(store, IN_ORDER, &Name::run_prefix(run), &mut |snapshot, page| {
            tally.found += page.len() as u64;
            for (key, _) in page {
                if let Some(Name { run, producer, .. }) = Name::from_in_order(key) {
                    *seen.entry((run, producer)).or_default() += 1;
                }
            }
            tally.half += half_there(snapshot, page)?;
            Ok(())
        })?;
    }
    for (producer, last) in acknowledged {
        let found = seen.get(producer).copied().unwrap_or(0);
        // A producer waits for each record, so there are no gaps: so many must be there, and one more
        // may have made it without word of it.
        tally.lost += (last + 1).saturating_sub(found);
        tally.half += found.saturating_sub(last + 2);
    }
    Ok(tally)
}

/// How many records have a first key but not the rest.
fn half_there(snapshot: &dyn Snapshot, page: &Page) -> Result<u64> {
    let made: Vec<Option<Record>> =
        page.iter().map(|(key, _)| Name::from_in_order(key).map(Name::record)).collect();
    let records: Vec<&Record> = made.iter().flatten().collect();
    let mut right = vec![true; records.len()];
    for (at, (_, value)) in page.iter().enumerate() {
        right[at] &= records.get(at).is_some_and(|record| value.as_slice() == record.value);
    }
    let keys: Vec<&[u8]> = records.iter().map(|record| record.scattered.as_slice()).collect();
    snapshot.multi_get(SCATTERED, &keys, &mut |at, value| {
        right[at] &= value == Some(records[at].value.as_slice());
    })?;
    let hashes: Vec<ContentHash> = records.iter().map(|record| record.blob.hash()).collect();
    snapshot.blobs(TENANT, &hashes, &mut |at, bytes| right[at] &= bytes == records[at].blob.bytes())?;
    Ok(right.iter().filter(|right| !**right).count() as u64)
}

fn count(store: &EmbeddedStore, keyspace: Keyspace) -> Result<u64> {
    let mut found = 0;
    for_each_page(store, keyspace, &TENANT.0.to_be_bytes(), &mut |_, page| {
        found += page.len() as u64;
        Ok(())
    })?;
    Ok(found)
}

/// Walks a prefix page by page, each with a snapshot of its own.
fn for_each_page(
    store: &EmbeddedStore,
    keyspace: Keyspace,
    prefix: &[u8],
    visit: &mut dyn FnMut(&dyn Snapshot, &Page) -> Result<()>,
) -> Result<()> {
    let mut range = KeyRange::prefix(prefix).limit(PAGE);
    loop {
        let snapshot = store.snapshot(Position::START)?;
        let mut page = Vec::new();
        snapshot.multi_scan(keyspace, std::slice::from_ref(&range), &mut |_, key, value| {
            page.push((key.to_vec(), value.to_vec()));
            Visit::Continue
        })?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        range.low = std::ops::Bound::Excluded(last.clone());
        visit(&*snapshot, &page)?;
    }
}
