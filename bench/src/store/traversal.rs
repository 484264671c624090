//! Three hops over edges, through the seam and on bare redb with the same edges.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use cairn_base::{Position, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_seam::{KeyRange, Keyspace, Store, StoreError, Visit};
use redb::{Database, ReadableDatabase, TableDefinition};

use super::Setting;
use crate::figure::{Figure, Report, Target, Unit, mib};
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::median;

const TENANT: TenantId = TenantId(7);
const EDGES: Keyspace = Keyspace::new(903, "bench-edges");
const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("edges");
const DEGREE: u64 = 10;
const HOPS: usize = 3;
/// Edges in one transaction.
const BATCH: usize = 1000;
/// Edges in one commit of bare redb: about what the applier moves at once.
const REDB_BATCH: usize = 200_000;

type Edge = [u8; 20];

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "traversal")?;
    let nodes = setting.pick(100_000, 5_000);
    // Nothing moves into the index but when told to, so that the overlay stays full.
    let options = EmbeddedOptions { background: Background::Manual, ..EmbeddedOptions::default() };
    let cache_bytes = options.cache_bytes;
    let store = EmbeddedStore::open(&dir.path().join("store"), options)?;
    let bare = Bare(Database::builder().set_cache_size(cache_bytes).create(dir.path().join("bare.redb"))?);

    let mut random = Random::new(3);
    let mut edges = Vec::new();
    for from in 0..nodes {
        edges.extend((0..DEGREE).map(|_| edge(from, random.below(nodes))));
    }
    write(&store, &edges)?;
    store.apply_now()?;
    bare.write(&edges)?;
    let sizes = format!(
        "index {:.0} MiB, bare {:.0} MiB",
        mib(store.stats().files.unwrap_or_default().index_bytes),
        bare_mib(dir.path())?
    );
    let race = Race { setting, store: &store, bare: &bare, nodes };
    race.run("everything applied", 0.7, &sizes, report)?;

    // About 28 MiB by the overlay's own count.
    let more: Vec<Edge> =
        (0..setting.pick(236_000, 12_000)).map(|_| edge(random.below(nodes), random.below(nodes))).collect();
    write(&store, &more)?;
    bare.write(&more)?;
    let overlay = format!("overlay {:.0} MiB", mib(store.stats().files.unwrap_or_default().unapplied_bytes));
    race.run("full overlay", 0.5, &overlay, report)?;
    store.close()?;
    Ok(())
}

fn bare_mib(dir: &Path) -> Result<f64> {
    Ok(mib(std::fs::metadata(dir.join("bare.redb"))?.len()))
}

struct Race<'a> {
    setting: &'a Setting,
    store: &'a EmbeddedStore,
    bare: &'a Bare,
    nodes: u64,
}

impl Race<'_> {
    fn run(&self, state: &str, share: f64, beside: &str, report: &mut Report) -> Result<()> {
        let mut random = Random::new(4);
        for _ in 0..100 {
            let from = random.below(self.nodes);
            let (seam, bare) = (three_hops(&*self.seam()?, from)?, three_hops(&*self.bare()?, from)?);
            if seam != bare {
                report.wrong(format!("{state}: from node {from} the seam finds other nodes than bare redb"));
            }
        }
        let (mut seams, mut bares) = (Vec::new(), Vec::new());
        for round in 0..self.setting.pick(5, 1) {
            bares.push(self.rate(round, &|| self.bare())?);
            seams.push(self.rate(round, &|| self.seam())?);
        }
        let (seam, bare) = (median(seams), median(bares));
        report.add(
            Figure::new(format!("share of bare redb, {state}"), seam / bare, Unit::Ratio)
                .target(Target::AtLeast(share))
                .beside(format!("{seam:.0} against {bare:.0} traversals/s; {beside}")),
        );
        Ok(())
    }

    fn seam(&self) -> Result<Box<dyn Frontier>> {
        Ok(Box::new(Seam(self.store.snapshot(Position::START)?)))
    }

    fn bare(&self) -> Result<Box<dyn Frontier>> {
        Ok(Box::new(BareView(self.bare.0.begin_read()?.open_table(TABLE)?)))
    }

    fn rate(&self, round: u64, view: &dyn Fn() -> Result<Box<dyn Frontier>>) -> Result<f64> {
        let lasting = Duration::from_millis(self.setting.pick(2000, 300));
        let mut random = Random::new(round);
        let (start, mut count, mut found) = (Instant::now(), 0u32, 0);
        while start.elapsed() < lasting {
            found += three_hops(&*view()?, random.below(self.nodes))?.len();
            count += 1;
        }
        ensure!(found > count as usize, "the edges lead nowhere");
        Ok(f64::from(count) / start.elapsed().as_secs_f64())
    }
}

/// Edges that start at one of many nodes.
trait Frontier {
    /// Calls `visit` with where each of the first edges of each node leads.
    fn edges(&self, nodes: &[u64], visit: &mut dyn FnMut(u64)) -> Result<()>;
}

/// Every node that three hops reach.
fn three_hops(view: &dyn Frontier, from: u64) -> Result<HashSet<u64>> {
    let mut seen = HashSet::from([from]);
    let mut frontier = vec![from];
    for _ in 0..HOPS {
        let mut next = Vec::new();
        view.edges(&frontier, &mut |to| {
            if seen.insert(to) {
                next.push(to);
            }
        })?;
        frontier = next;
    }
    Ok(seen)
}

struct Seam(Box<dyn cairn_seam::Snapshot>);

impl Frontier for Seam {
    fn edges(&self, nodes: &[u64], visit: &mut dyn FnMut(u64)) -> Result<()> {
        let ranges: Vec<KeyRange> =
            nodes.iter().map(|node| KeyRange::prefix(&edge(*node, 0)[..12]).limit(DEGREE as usize)).collect();
        self.0.multi_scan(EDGES, &ranges, &mut |_, key, _| {
            visit(leads_to(key));
            Visit::Continue
        })?;
        Ok(())
    }
}

struct Bare(Database);

impl Bare {
    fn write(&self, edges: &[Edge]) -> Result<()> {
        for batch in edges.chunks(REDB_BATCH) {
            let mut batch = batch.to_vec();
            batch.sort_unstable();
            let transaction = self.0.begin_write()?;
            let mut table = transaction.open_table(TABLE)?;
            for edge in &batch {
                table.insert(edge.as_slice(), value(edge).as_slice())?;
            }
            drop(table);
            transaction.commit()?;
        }
        Ok(())
    }
}

struct BareView(redb::ReadOnlyTable<&'static [u8], &'static [u8]>);

impl Frontier for BareView {
    fn edges(&self, nodes: &[u64], visit: &mut dyn FnMut(u64)) -> Result<()> {
        for node in nodes {
            let (low, high) = (edge(*node, 0), edge(*node, u64::MAX));
            for entry in self.0.range(low.as_slice()..=high.as_slice())?.take(DEGREE as usize) {
                visit(leads_to(entry?.0.value()));
            }
        }
        Ok(())
    }
}

fn write(store: &EmbeddedStore, edges: &[Edge]) -> Result<()> {
    for batch in edges.chunks(BATCH) {
        let batch = batch.to_vec();
        cairn_seam::write(store, TENANT, move |tx| {
            batch.iter().try_for_each(|edge| tx.put(EDGES, edge, &value(edge)))?;
            Ok::<_, StoreError>(())
        })?;
    }
    Ok(())
}

fn edge(from: u64, to: u64) -> Edge {
    let mut key = [0; 20];
    key[..4].copy_from_slice(&TENANT.0.to_be_bytes());
    key[4..12].copy_from_slice(&from.to_be_bytes());
    key[12..].copy_from_slice(&to.to_be_bytes());
    key
}

fn leads_to(key: &[u8]) -> u64 {
    key.last_chunk().map_or(0, |to| u64::from_be_bytes(*to))
}

/// What a link's record would be found by.
fn value(edge: &Edge) -> [u8; 8] {
    let mut value = [0; 8];
    value.copy_from_slice(&edge[8..16]);
    value
}
