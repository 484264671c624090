//! A sync gives what its files say, whatever was there before.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::kit::{World, entity, file, world};
use crate::sync::{SyncFile, SyncHeader};

const PATHS: [&str; 5] = ["a.md", "b.md", "c.md", "d/a.md", "d/b.md"];
const IDS: [&str; 6] = ["R-1", "R-2", "R-3", "T-1", "T-2", "X"];
/// Relationships whose checks do not depend on the order of files.
const FREE: [&str; 5] = ["depends_on", "verified_by", "validates", "relates_to", "supersedes"];
const ALL: [&str; 6] = ["depends_on", "verified_by", "validates", "relates_to", "supersedes", "specified_by"];

fn kind_of(id: &str, turn: u8) -> &'static str {
    match (id.as_bytes()[0], turn % 4) {
        (b'R', _) => "req",
        (b'T', _) => "test",
        (_, 0) => "req",
        (_, 1) => "test",
        _ => "scenario",
    }
}

fn an_entity(relations: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let link = (0..relations.len(), 0..IDS.len()).prop_map(move |(one, to)| (relations[one], IDS[to]));
    let links = prop::collection::vec(link, 0..4);
    (0..IDS.len(), 0_u8..4, 0_u8..3, links).prop_map(|(id, turn, title, links)| {
        let id = IDS[id];
        let mut one = entity(kind_of(id, turn), id, &format!("Title {title}"), &links);
        if title == 2 {
            one["properties"]["owner"] = "ann".into();
        }
        one
    })
}

/// Some of the files, each once.
fn a_tree(relations: &'static [&'static str]) -> impl Strategy<Value = Vec<SyncFile>> {
    let entities = prop::collection::vec(an_entity(relations), 0..4);
    prop::collection::btree_map(0..PATHS.len(), entities, 0..=PATHS.len())
        .prop_map(|tree| tree.into_iter().map(|(path, entities)| file(PATHS[path], &entities)).collect())
}

/// Files that change or go, while the others stay as they are.
fn an_edit() -> impl Strategy<Value = BTreeMap<usize, Option<Vec<Value>>>> {
    let entities = prop::option::weighted(0.8, prop::collection::vec(an_entity(&FREE), 0..4));
    prop::collection::btree_map(0..PATHS.len(), entities, 1..3)
}

fn fresh(tree: &[SyncFile]) -> World {
    let mut world = world();
    world.sync(tree);
    world
}

/// Entities, and files without their counts of runs.
fn state(world: &World) -> impl PartialEq + std::fmt::Debug + use<> {
    let files: Vec<_> = world.files.iter().map(|(path, file)| (path.to_owned(), file.clone())).collect();
    (world.shown(), files)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_rebuild_equals_a_fresh_sync(before in prop::collection::vec(a_tree(&ALL), 0..4), tree in a_tree(&ALL)) {
        let mut world = world();
        for tree in &before {
            world.sync(tree);
        }
        world.rebuild(&tree);
        prop_assert_eq!(state(&world), state(&fresh(&tree)));
    }

    #[test]
    fn a_sync_equals_a_fresh_one(first in a_tree(&FREE), edits in prop::collection::vec(an_edit(), 0..6)) {
        let mut world = world();
        let mut tree: BTreeMap<String, SyncFile> =
            first.into_iter().map(|file| (file.path.clone(), file)).collect();
        let all = |tree: &BTreeMap<String, SyncFile>| tree.values().cloned().collect::<Vec<_>>();
        world.sync(&all(&tree));
        for edit in edits {
            for (path, entities) in edit {
                match entities {
                    Some(entities) => drop(tree.insert(PATHS[path].to_owned(), file(PATHS[path], &entities))),
                    None => drop(tree.remove(PATHS[path])),
                }
            }
            world.sync(&all(&tree));
            prop_assert_eq!(state(&world), state(&fresh(&all(&tree))));
        }
        // And once more: nothing changes.
        let settled = state(&world);
        let report = world.sync(&all(&tree));
        prop_assert_eq!((report.created, report.updated, report.removed), (0, 0, 0));
        prop_assert_eq!(state(&world), settled);
    }

    #[test]
    fn a_forced_sync_drops_what_tools_changed_in_documents(
        tree in a_tree(&FREE),
        edits in prop::collection::vec((0..IDS.len(), 0_u8..5), 0..6),
    ) {
        let mut world = fresh(&tree);
        for (id, title) in edits {
            if let Some((_, node)) = world.branch.find(IDS[id]) {
                let (kind, id) = (node.kind.text(), IDS[id]);
                world.put(json!({"type": kind, "id": id, "properties": {"title": format!("Title {title}")}}));
            }
        }
        world.force(&tree);
        prop_assert_eq!(state(&world), state(&fresh(&tree)));
    }

    #[test]
    fn entities_of_tools_are_untouched(
        trees in prop::collection::vec((a_tree(&ALL), any::<bool>(), any::<bool>()), 1..4),
        targets in prop::collection::vec(0..IDS.len(), 0..3),
    ) {
        let mut world = world();
        for (at, (tree, rebuild, force)) in trees.iter().enumerate() {
            let links = targets.iter().filter(|to| world.branch.find(IDS[**to]).is_some());
            let links: Vec<_> = links.map(|to| json!({"type": "relates_to", "from": "MINE", "to": IDS[*to]})).collect();
            world.put(json!({
                "type": "req", "id": "MINE", "properties": {"title": format!("M{at}"), "status": "open"},
                "relationships": links,
            }));
            let before = world.shown()["MINE"].clone();
            let header = SyncHeader { rebuild: *rebuild, force: *force, ..SyncHeader::default() };
            if *rebuild {
                world.run(header, tree);
            } else {
                world.sync_as(header, tree);
            }
            prop_assert_eq!(&world.shown()["MINE"], &before);
        }
    }
}
