//! Erasing an artifact of a store on disk: nothing of it is left in any file.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cairn_access::{Principal, Role, Roles};
use cairn_base::ManualClock;
use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_engine::{Engine, SearchMode};
use cairn_seam::{KeepChanges, Maintenance, Store};

use super::kit::{ADA_SEED, code, id, identity, open, publish, register_people, signed_body};
use super::power::{ada, listed, options, searched};
use super::whole::{Blobs, check};
use crate::support::NOW_MS;

/// Files of the store that hold these bytes.
fn holding(fs: &SimulatedFs, wanted: &[u8]) -> Vec<String> {
    let files = ["data", "data/blobs"].into_iter().flat_map(|dir| {
        let names = fs.list(Path::new(dir)).unwrap_or_default();
        names.into_iter().map(move |name| Path::new(dir).join(name))
    });
    let holds = |path: &std::path::PathBuf| {
        let bytes = fs.read_all(path).unwrap_or_default();
        bytes.windows(wanted.len()).any(|part| part == wanted)
    };
    files.filter(holds).map(|path| path.display().to_string()).collect()
}

/// Bytes that nobody can press together.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let random = cairn_base::SeededEntropy::new(seed);
    let mut noise = Vec::new();
    while noise.len() < bytes {
        noise.extend(cairn_base::Entropy::next_u64(&random).to_le_bytes());
    }
    noise
}

fn compact(engine: &Engine, forget: Vec<String>) {
    let job = Maintenance::Compact { keep_changes: KeepChanges::All, forget };
    engine.maintain(&Principal::local_owner(), &job, &mut |_| true).unwrap();
}

#[test]
fn an_erased_artifact_is_gone_from_records_history_and_content() {
    let (fs, clock) = (SimulatedFs::new(1), ManualClock::new(NOW_MS));
    let opened = |search: SearchMode| {
        let options = EmbeddedOptions { clock: Arc::new(clock.clone()), ..options(&fs, 1) };
        let store = Arc::new(EmbeddedStore::open(Path::new("data"), options).unwrap());
        let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock, search).unwrap();
        (store, engine)
    };
    let (store, engine) = opened(searched());
    let (acme, _) = register_people(&engine);
    let ada = ada(acme);
    let key = identity(ADA_SEED);
    // Content and payload in the log, and content in a file of its own.
    let contents: Vec<_> = [(1_u8, 300_usize), (2, 300 << 10), (3, 300)]
        .into_iter()
        .map(|(number, bytes)| (number, noise(u64::from(number), bytes)))
        .collect();
    for (number, content) in &contents {
        let parent = format!("{{\"parent_reports\":[\"{}\"]}}", id(1));
        let title = format!("\"Secret of the kingfisher {number}{number}{number}\"");
        let mut more = vec![("title", title.as_str())];
        more.extend((*number > 1).then_some(("lineage", parent.as_str())));
        publish(&engine, &ada, &signed_body(&key, *number, NOW_MS, content, &more)).unwrap();
    }
    store.upkeep().unwrap();
    let title = |number: u8| format!("kingfisher {number}{number}{number}").into_bytes();
    let content = |number: u8| &contents[usize::from(number) - 1].1[..48];
    for number in 1..=3 {
        assert_ne!(holding(&fs, &title(number)), Vec::<String>::new(), "title {number}");
        assert_ne!(holding(&fs, content(number)), Vec::<String>::new(), "content {number}");
    }
    assert_eq!(listed(&engine, &ada, Some("kingfisher")).len(), 3);

    compact(&engine, vec![format!("artifact:{}", id(1)), format!("artifact:{}", id(2))]);
    // Whether content is used by something else shows a day after it was uploaded.
    clock.advance(Duration::from_secs(25 * 60 * 60));
    compact(&engine, Vec::new());
    store.upkeep().unwrap();
    engine.close().unwrap();
    drop((store, engine));
    let (store, engine) = opened(searched());
    for number in 1..=2 {
        assert_eq!(code(engine.artifact(&Principal::local_owner(), id(number))), "NOT_FOUND");
        assert_eq!(code(engine.artifact_content(&ada, id(number))), "NOT_FOUND");
        assert_eq!(holding(&fs, &title(number)), Vec::<String>::new(), "title {number}");
        assert_eq!(holding(&fs, content(number)), Vec::<String>::new(), "content {number}");
        let again = signed_body(&key, number, clock_ms(&clock), b"another", &[]);
        assert_eq!(code(publish(&engine, &ada, &again)), "DUPLICATE_ID");
    }
    assert_eq!(listed(&engine, &ada, Some("kingfisher")), [id(3)]);
    assert!(engine.artifact_content(&ada, id(3)).is_ok());
    check(&*store, &engine, Blobs::All, "after erasing");
    let admin = Principal::new("root", acme, Roles::NONE.with(Role::Admin)).known_as("acme", Vec::new());
    let trail = engine.audit_page(&admin, acme, None, 100).unwrap().lines;
    for number in 1..=2 {
        let subject = format!("erase artifact {}", id(number));
        assert!(trail.iter().any(|line| line.subject == subject), "{trail:?}");
    }
}

fn clock_ms(clock: &ManualClock) -> u64 {
    cairn_base::Clock::now_ms(clock)
}
