//! The search index may be lost at any time: lists and searches are the same afterwards.

use std::fs;

use cairn_access::{Principal, Role, Roles};
use cairn_artifacts::ArtifactId;
use cairn_base::fs::SimulatedFs;
use cairn_base::{ManualClock, TenantId};
use cairn_engine::{ArtifactDeletion, ArtifactQuestion, Engine, SearchHome, SearchMode};

use super::kit::{ADA_SEED, World, id, identity, publish, register_people, signed_body};
use super::power;
use crate::search::until;
use crate::support::NOW_MS;

/// Publishes artifacts of every tier, some of them shared with another tenant, and deletes some.
fn populate(engine: &Engine, clock: &ManualClock, ada: &Principal) {
    for number in 1..=24 {
        let tier = ["\"public\"", "\"org\"", "\"team\"", "\"private\""][usize::from(number % 4)];
        let mut more = vec![("visibility", tier), ("team", "\"core\""), ("tags", "[\"bird\"]")];
        if number % 6 == 5 {
            more.push(("acl", "{\"allowed_tenants\":[\"beta\"]}"));
        }
        put(engine, ada, number, &more);
        clock.advance(std::time::Duration::from_millis(10));
    }
    for number in [4, 5, 9] {
        let write = engine.delete_artifact(ada, id(number), &ArtifactDeletion::default());
        engine.commit(write.unwrap()).unwrap();
    }
}

fn put(engine: &Engine, ada: &Principal, number: u8, more: &[(&str, &str)]) {
    let content = format!("content number {number} about kingfishers");
    let now_ms = engine.clock().now_ms();
    let body = signed_body(&identity(ADA_SEED), number, now_ms, content.as_bytes(), more);
    assert!(publish(engine, ada, &body).unwrap().is_new);
}

/// Publishes something that everybody may read.
fn put_public(engine: &Engine, ada: &Principal, number: u8) {
    put(engine, ada, number, &[("visibility", "\"public\""), ("tags", "[\"bird\"]")]);
}

fn callers(acme: TenantId, beta: TenantId) -> [Principal; 4] {
    let reader = Roles::NONE.with(Role::Reader);
    [
        power::ada(acme),
        Principal::new("bob", acme, reader).known_as("acme", vec!["core".into()]),
        Principal::new("eve", beta, reader).known_as("beta", Vec::new()),
        Principal::anonymous(),
    ]
}

/// Lists and searches of all callers, and their totals.
fn answers(engine: &Engine, callers: &[Principal]) -> Vec<(Vec<ArtifactId>, u64)> {
    let questions = [
        ArtifactQuestion { limit: 100, ..ArtifactQuestion::default() },
        ArtifactQuestion { limit: 5, offset: 3, tags: vec!["bird".into()], ..ArtifactQuestion::default() },
        ArtifactQuestion { limit: 100, text: Some("kingfisher".into()), ..ArtifactQuestion::default() },
        ArtifactQuestion { limit: 100, text: Some("report 7".into()), ..ArtifactQuestion::default() },
    ];
    let mut answers = Vec::new();
    for caller in callers {
        for question in &questions {
            let mut list = None;
            until("the index answers", || {
                list = engine.artifact_list(caller, question).ok();
                list.as_ref().is_some_and(|list| !list.behind && !list.rebuilding)
            });
            let list = list.unwrap();
            let mut ids: Vec<_> = list.items.iter().map(|item| item.artifact.id).collect();
            if question.text.is_some() {
                // Scores of the same words depend on how the index is divided.
                ids.sort_unstable();
            }
            answers.push((ids, list.total));
        }
    }
    answers
}

#[test]
fn a_rebuilt_index_shows_everybody_the_same() {
    let world = World::new();
    let (engine, ada, callers) = (&world.engine, world.ada(), callers(world.acme, world.beta));
    populate(engine, &world.clock, &ada);
    let before = answers(engine, &callers);
    assert!(before.iter().all(|(ids, _)| !ids.is_empty()), "{before:?}");
    engine.search_rebuild(&world.owner, &mut |_| true).unwrap();
    assert_eq!(answers(engine, &callers), before);
    // And it follows what comes later.
    put_public(engine, &ada, 50);
    let after = answers(engine, &callers);
    assert!(after.iter().zip(&before).all(|((_, after), (_, before))| after == &(before + 1)), "{after:?}");
}

#[test]
fn a_torn_index_is_rebuilt_and_catches_up() {
    let (fs, folder) = (SimulatedFs::new(1), tempfile::tempdir().unwrap());
    let open = |search: bool| {
        let folder = Some(folder.path().to_owned());
        let home = SearchHome { folder, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
        let mode = if search { SearchMode::Kept(home) } else { SearchMode::Off };
        power::open_in(&fs, "data", 1, mode).1
    };
    let engine = open(true);
    let (acme, beta) = register_people(&engine);
    let (ada, callers) = (power::ada(acme), callers(acme, beta));
    populate(&engine, &ManualClock::new(NOW_MS), &ada);
    let mut expected = answers(&engine, &callers);
    engine.close().unwrap();
    drop(engine);
    let files = || {
        let mut files = Vec::new();
        for place in ["a", "b"] {
            let Ok(entries) = fs::read_dir(folder.path().join(place)) else { continue };
            files.extend(entries.map(|entry| entry.unwrap().path()));
        }
        files.sort();
        files
    };
    let count = files().len();
    assert!(count > 4, "{:?}", files());
    for at in 0..count {
        let Some(file) = files().get(at).cloned() else { continue };
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        // Something is published while nobody follows.
        let engine = open(false);
        put_public(&engine, &ada, 100 + u8::try_from(at).unwrap());
        engine.close().unwrap();
        drop(engine);
        let engine = open(true);
        let found = answers(&engine, &callers);
        for ((_, found), (_, before)) in found.iter().zip(&expected) {
            assert_eq!(*found, before + 1, "after {} was torn", file.display());
        }
        expected = found;
        engine.close().unwrap();
        drop(engine);
    }
}
