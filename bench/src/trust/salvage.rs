//! Salvage of a store with damaged places: how fast, and whether it lists what was damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cairn_access::{Action, Principal, Resource};
use cairn_base::{ContextId, SystemClock, SystemEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_engine::{Act, Engine, EngineConfig, Prepared, Traces, rebuild_after_loss};
use cairn_seam::{Blob, Store};
use cairn_turns::{Append, DeclaredType};
use parking_lot::{Condvar, Mutex};

use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;

const TENANT: TenantId = TenantId::LOCAL;
const PAYLOAD_BYTES: usize = 8 << 10;
const PLACES: u64 = 20;
const CONTEXTS: u64 = 100;
/// Appends that are under way at once.
const IN_FLIGHT_MAX: usize = 2048;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "salvage")?;
    let whole = dir.path().join("whole");
    let turns = setting.pick((1 << 30) / PAYLOAD_BYTES as u64, 4000);
    let by_position = populate(&whole, turns)?;
    for has_index in [true, false] {
        let damaged = dir.path().join("damaged");
        copy_dir(&whole, &damaged)?;
        if !has_index {
            fs::remove_file(damaged.join("index.redb"))?;
        }
        let expected = damage(&damaged, &by_position, has_index)?;
        let to = dir.path().join("salvaged");
        let began = Instant::now();
        let options = EmbeddedOptions::default();
        let mut traces = Traces::default();
        let salvaged = cairn_embedded::salvage(&damaged, &to, options.clone(), &mut traces, &mut |_| true)?;
        let store = EmbeddedStore::open(&to, options)?;
        let rebuilt = rebuild_after_loss(&store, &traces, &salvaged, &SystemClock, &mut |_| true)?;
        store.close()?;
        let seconds = began.elapsed().as_secs_f64();
        let listed: BTreeSet<(String, String)> =
            rebuilt.lost.iter().map(|item| (item.kind.to_owned(), item.id.clone())).collect();
        if listed != expected {
            report.wrong(format!(
                "listed as lost and not damaged: {:?}; damaged and not listed: {:?}",
                listed.difference(&expected).collect::<Vec<_>>(),
                expected.difference(&listed).collect::<Vec<_>>(),
            ));
        }
        let name = if has_index { "with its index" } else { "without its index" };
        let rate = salvaged.bytes as f64 / seconds / 1e6;
        report.add(
            Figure::new(
                format!("salvage of a store with {PLACES} damaged places, {name}"),
                rate,
                Unit::MegabytesPerSecond,
            )
            .target(Target::AtLeast(100.0))
            .beside(format!(
                "{:.1} s for {:.0} MB of log, {} listed as lost",
                seconds,
                salvaged.bytes as f64 / 1e6,
                rebuilt.lost.len()
            )),
        );
        fs::remove_dir_all(&damaged)?;
        fs::remove_dir_all(&to)?;
    }
    Ok(())
}

/// Makes a store of turns with payloads that do not compress; the turn of each transaction.
fn populate(dir: &Path, turns: u64) -> Result<BTreeMap<u64, u64>> {
    let store = Arc::new(EmbeddedStore::open(dir, EmbeddedOptions::default())?);
    let engine = Engine::open(
        store as Arc<dyn Store>,
        Arc::new(SystemClock),
        Arc::new(SystemEntropy),
        EngineConfig::default(),
    )?;
    let owner = Principal::local_owner();
    let act = || Act::new(Action::TurnsWrite, Resource::tenant(TENANT));
    for _ in 0..CONTEXTS {
        engine.transact(&owner, act(), |tx, scope| Ok(cairn_turns::create(tx, scope, None, 1)?))?;
    }
    let state = Arc::new((Mutex::new((0_usize, BTreeMap::new(), None)), Condvar::new()));
    for number in 0..turns {
        let payload = Blob::new(Random::new(number).bytes(PAYLOAD_BYTES))?;
        let request = Append {
            context: ContextId(1 + number % CONTEXTS),
            parent: None,
            expected_head: None,
            declared: DeclaredType { id: "com.example.Note".into(), version: 1 },
            encoding: 0,
            compression: 0,
            payload,
            payload_bytes: u32::try_from(PAYLOAD_BYTES)?,
            tree: None,
            key: None,
            remember_ms: 0,
            now_ms: number,
            strict: false,
        };
        {
            let mut at = state.0.lock();
            state.1.wait_while(&mut at, |(in_flight, ..)| *in_flight >= IN_FLIGHT_MAX);
            at.0 += 1;
        }
        let done_state = Arc::clone(&state);
        let append = move |tx: &mut dyn cairn_seam::WriteTx, scope: &cairn_access::Scope| {
            Ok(cairn_turns::append(tx, scope, &request)?)
        };
        engine.submit(Prepared::new(&owner, act(), append), move |done| {
            let mut at = done_state.0.lock();
            at.0 -= 1;
            match done {
                Ok(done) => drop(at.1.insert(done.position.to_stored(), done.value.turn.id.0)),
                Err(error) => at.2 = Some(error.to_string()),
            }
            done_state.1.notify_all();
        });
    }
    let mut at = state.0.lock();
    state.1.wait_while(&mut at, |(in_flight, ..)| *in_flight > 0);
    ensure!(at.2.is_none(), "an append failed: {:?}", at.2);
    let by_position = std::mem::take(&mut at.1);
    drop(at);
    engine.close()?;
    Ok(by_position)
}

/// Flips a byte in so many frames; says what of them is lost.
fn damage(
    dir: &Path,
    by_position: &BTreeMap<u64, u64>,
    has_index: bool,
) -> Result<BTreeSet<(String, String)>> {
    let mut segments: Vec<PathBuf> =
        fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    segments.retain(|path| path.extension().is_some_and(|end| end == "log"));
    segments.sort();
    let mut random = Random::new(7);
    let mut expected = BTreeSet::new();
    for place in 0..PLACES {
        let path = &segments[usize::try_from(place % segments.len() as u64)?];
        let mut bytes = fs::read(path)?;
        let frames = frames_of(&bytes, by_position);
        let Some(&(at, len, kind)) = frames.get(usize::try_from(random.below(frames.len().max(1) as u64))?)
        else {
            continue;
        };
        let offset = at + 24 + usize::try_from(random.below(len as u64))?;
        let position = u64::from_le_bytes(bytes[at + 8..at + 16].try_into()?);
        let hash = blake3_hex(&bytes[at + 24..at + 56]);
        bytes[offset] ^= 4;
        fs::write(path, &bytes)?;
        if kind == 2 {
            expected.insert(("blob".to_owned(), hash));
        } else if !has_index {
            let turn = by_position.get(&position).context("a transaction of a turn")?;
            expected.insert(("turn".to_owned(), turn.to_string()));
        }
    }
    // A turn that is lost needs no payload.
    Ok(expected)
}

/// Blobs and transactions of turns in a segment: offset, bytes of the body, kind.
fn frames_of(bytes: &[u8], by_position: &BTreeMap<u64, u64>) -> Vec<(usize, usize, u8)> {
    let mut frames = Vec::new();
    let mut at = 64;
    while let Some(header) = bytes.get(at..at + 24).filter(|header| header[16] != 0) {
        let len = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
        let position = header[8..].first_chunk().map_or(0, |position| u64::from_le_bytes(*position));
        if header[16] == 2 || by_position.contains_key(&position) {
            frames.push((at, len, header[16]));
        }
        at += (24 + len).next_multiple_of(8);
    }
    frames
}

fn blake3_hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn copy_dir(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
