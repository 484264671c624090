//! Rot: stores whose blocks are changed under their feet, and a model that knows what may be lost.
//!
//! Every transaction writes one record, which names one blob, one hashed entry and one event. So it is
//! known which bytes of which file hold which record, and what a change of these bytes may cost. Used by
//! the tests beside it and by the benchmark `trust`, which takes more seeds.

mod build;
mod check;
mod harm;

use cairn_embedded::OpenReport;

use build::World;
use harm::Harm;

/// What came of one or more rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Stores that were damaged.
    pub(crate) rounds: u64,
    /// Those that could not be written to before the loss was accepted.
    pub(crate) read_only: u64,
    /// Those that could not be opened at all: their manifest was damaged.
    pub(crate) refused: u64,
    /// Records and blobs whose bytes were hit and that are lost, as was said.
    pub(crate) lost: u64,
    /// Reads that agreed with the model.
    pub(crate) right: u64,
}

/// Builds a store, damages one file of it, and checks it through everything that may follow. Panics with
/// the seed where an answer is wrong or something is lost that was not hit.
pub(crate) fn round(seed: u64, tally: &mut Tally) {
    let mut world = World::build(seed);
    let harm = Harm::choose(&world);
    let what = format!("seed {seed}, {:?}, {harm:?}", world.kind);
    harm.inflict(&world);
    tally.rounds += 1;
    let hit = harm.hit(&world);
    let opened = match world.open(false) {
        Ok(store) => store,
        Err(error) if harm.is_manifest() => {
            assert!(error.to_string().contains("MANIFEST"), "{what}: {error}");
            tally.refused += 1;
            return;
        }
        Err(error) => panic!("{what}: {error}"),
    };
    let report: OpenReport = opened.open_report().clone();
    world.check(&opened, &hit, &format!("{what}: opened"), tally);
    let store = if report.read_only.is_some() {
        tally.read_only += 1;
        // Whether a segment that is not there was ever used is not known.
        assert!(!hit.is_empty() || harm.is_removal(), "{what}: nothing was hit, and yet {report:?}");
        assert!(world.append(&opened).is_err(), "{what}: nothing may be written");
        drop(opened);
        world.check(&world.open(false).unwrap(), &hit, &format!("{what}: opened again"), tally);
        world.accept_loss(&hit, &what)
    } else {
        opened
    };
    world.live_on(store, &hit, &what, tally);
}
