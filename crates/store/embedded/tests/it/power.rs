//! Power cuts on the simulated disk: every acknowledged commit is there, nothing is half there, and
//! opening never fails. A failing seed is printed; `replay(open, seed, cut)` brings it back.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use cairn_base::fs::{Fault, SimulatedFs};
use cairn_base::{Entropy, SeededEntropy};
use cairn_embedded::EmbeddedStore;
use cairn_seam::{Store, StoreError};

use crate::kit::{open_sealed, open_simulated};
use crate::workload::Workload;

/// Seeds of the random test; the simulator of a release build takes more through the environment.
const SEEDS: u64 = 1_500;
const ROUNDS: u64 = 3;

/// What goes wrong, and when.
#[derive(Debug, Clone, Copy)]
enum Trouble {
    PowerCut,
    Kill,
    Fault(Fault),
}

/// Opens the store on a disk, in the open or sealed.
type Open = fn(&SimulatedFs, u64) -> Result<EmbeddedStore, StoreError>;

/// One life of a store: opened, worked on until something fails or enough was done.
fn live(
    open: Open,
    fs: &SimulatedFs,
    workload: &mut Workload,
    random: &SeededEntropy,
) -> Result<(), StoreError> {
    let store = Arc::new(open(fs, random.next_u64())?);
    for _ in 0..12 {
        workload.commit_some(&store)?;
        match random.next_u64() % 8 {
            0 | 1 => drop(store.upkeep()?),
            2 => store.apply_now()?,
            3 => drop(store.write_image()?),
            _ => {}
        }
    }
    if random.next_u64().is_multiple_of(2) {
        store.close()?;
    }
    Ok(())
}

/// Lives a store through several troubles, each after a given number of operations, and checks it.
fn replay(open: Open, seed: u64, troubles: &[(u64, Trouble)]) {
    let fs = SimulatedFs::new(seed);
    let random = SeededEntropy::new(seed);
    let mut workload = Workload::new(seed);
    for (after, trouble) in troubles {
        let at = fs.operations() + after;
        match trouble {
            Trouble::PowerCut => fs.cut_power_at(at),
            Trouble::Kill => {}
            Trouble::Fault(fault) => fs.inject(at, *fault),
        }
        // Whether it failed is not the question; what is there afterwards is.
        let _ = live(open, &fs, &mut workload, &random);
        match trouble {
            Trouble::PowerCut => fs.power_cycle(),
            Trouble::Kill => fs.process_kill(),
            // A fault, then the process ends, then the power: nothing that was only in memory counts.
            Trouble::Fault(_) => {
                fs.process_kill();
                if random.next_u64().is_multiple_of(2) {
                    fs.power_cycle();
                }
            }
        }
        // A fault that had not happened yet may hit an opening; then the next one must work.
        let store = open(&fs, seed).or_else(|error| {
            let injected = error.to_string().contains("injected fault") || error.is_full();
            if injected { open(&fs, seed) } else { Err(error) }
        });
        let store = store.expect("a store opens after any trouble");
        // Rebuilding would hide an index that cannot take a power cut; only its making may be cut short.
        let rebuilt = store.open_report().rebuilt.as_deref();
        assert!(rebuilt.is_none_or(|why| !why.contains("damaged")), "the index was rebuilt: {rebuilt:?}");
        workload.check(&store);
        drop(store);
        // What was read after the restart is promised from then on.
        if random.next_u64().is_multiple_of(2) {
            fs.power_cycle();
            let store = open(&fs, seed).or_else(|_| open(&fs, seed));
            workload.check(&store.expect("a store opens after a second power cut"));
        }
    }
}

fn naming_the_seed(open: Open, seed: u64, troubles: &[(u64, Trouble)]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| replay(open, seed, troubles))) {
        let is_sealed = std::ptr::fn_addr_eq(open, open_sealed as Open);
        let name = if is_sealed { "open_sealed" } else { "open_simulated" };
        eprintln!("replay({name}, {seed}, &{troubles:?}) brings this back");
        resume_unwind(panic);
    }
}

/// How many operations one undisturbed life takes.
fn operations_of(open: Open, seed: u64) -> u64 {
    let fs = SimulatedFs::new(seed);
    live(open, &fs, &mut Workload::new(seed), &SeededEntropy::new(seed)).unwrap();
    fs.operations()
}

#[test]
fn power_cuts_at_every_operation() {
    for seed in 1..=4 {
        for cut in 0..=operations_of(open_simulated, seed) {
            naming_the_seed(open_simulated, seed, &[(cut, Trouble::PowerCut)]);
        }
    }
}

#[test]
fn power_cuts_at_every_operation_of_a_sealed_store() {
    for seed in 1..=1 {
        for cut in 0..=operations_of(open_sealed, seed) {
            naming_the_seed(open_sealed, seed, &[(cut, Trouble::PowerCut)]);
        }
    }
}

#[test]
fn troubles_of_a_sealed_store_one_after_the_other() {
    for seed in 0..60 {
        let random = SeededEntropy::new(seed ^ 0x5ea1);
        let faults = [Fault::Torn, Fault::Error].map(Trouble::Fault);
        let kinds = [Trouble::PowerCut, Trouble::Kill, faults[0], faults[1]];
        let kind = || kinds[usize::try_from(random.next_u64() % 4).unwrap()];
        let troubles: Vec<_> = (0..4).map(|_| (random.next_u64() % 300, kind())).collect();
        naming_the_seed(open_sealed, seed, &troubles);
    }
}

#[test]
fn power_cuts_at_random_operations_of_thousands_of_seeds() {
    let seeds = std::env::var("CAIRN_SIMULATOR_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(SEEDS);
    for seed in 1000..1000 + seeds {
        let random = SeededEntropy::new(!seed);
        let troubles: Vec<_> = (0..ROUNDS).map(|_| (random.next_u64() % 250, Trouble::PowerCut)).collect();
        naming_the_seed(open_simulated, seed, &troubles);
    }
}

#[test]
fn kills_leave_what_was_written() {
    for seed in 1..=100 {
        naming_the_seed(open_simulated, seed, &[(0, Trouble::Kill), (0, Trouble::Kill)]);
    }
}

#[test]
fn every_operation_failed_once() {
    for seed in 5..=6 {
        for at in 0..=operations_of(open_simulated, seed) {
            for fault in [Fault::Error, Fault::Torn, Fault::Full] {
                naming_the_seed(open_simulated, seed, &[(at, Trouble::Fault(fault))]);
            }
        }
    }
}

#[test]
fn troubles_of_all_kinds_one_after_the_other() {
    for seed in 0..300 {
        let random = SeededEntropy::new(seed ^ 0xfeed);
        let troubles: Vec<_> = (0..4)
            .map(|_| {
                let kinds = [
                    Trouble::PowerCut,
                    Trouble::Kill,
                    Trouble::Fault(Fault::Error),
                    Trouble::Fault(Fault::Torn),
                ];
                let kind = kinds[usize::try_from(random.next_u64() % 4).unwrap()];
                (random.next_u64() % 300, kind)
            })
            .collect();
        naming_the_seed(open_simulated, seed, &troubles);
    }
}

#[test]
fn a_failed_sync_stops_all_writing_until_restart() {
    for seed in 0..60 {
        let fs = SimulatedFs::new(seed);
        let store: Arc<EmbeddedStore> = Arc::new(open_simulated(&fs, seed).unwrap());
        let mut workload = Workload::new(seed);
        workload.commit_some(&store).unwrap();
        // The next group is one write and then one sync.
        fs.inject(fs.operations() + 1, Fault::Error);
        let error = workload.commit_some(&store).unwrap_err();
        assert!(matches!(error, StoreError::OutcomeUnknown { .. }), "{error}");
        for _ in 0..3 {
            let error = workload.commit_some(&store).unwrap_err();
            assert!(matches!(error, StoreError::Poisoned { .. }), "{error}");
        }
        assert!(matches!(store.health(), cairn_seam::Health::Poisoned { .. }));
        drop(store);
        fs.process_kill();
        let store = open_simulated(&fs, seed).unwrap();
        workload.check(&store);
        drop(store);
        fs.power_cycle();
        workload.check(&open_simulated(&fs, seed).unwrap());
    }
}
