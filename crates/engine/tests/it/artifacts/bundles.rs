//! Bundles through the engine.

use cairn_artifacts::bundle;
use cairn_engine::{ArtifactDeletion, ArtifactQuestion, ArtifactSelection};

use super::kit::{World, code, id, identity};

fn export(world: &World, selection: &ArtifactSelection) -> Vec<u8> {
    let mut bundle = Vec::new();
    world.engine.export_artifacts(&world.ada(), selection, &mut bundle, &mut |_| true).unwrap();
    bundle
}

#[test]
fn an_export_is_imported_by_another_node_and_a_repetition_changes_nothing() {
    let (one, two) = (World::new(), World::new());
    for number in 1..=5 {
        one.put(number, &[]);
    }
    let write = one.engine.delete_artifact(&one.ada(), id(5), &ArtifactDeletion::default()).unwrap();
    one.engine.commit(write).unwrap();
    let bytes = export(&one, &ArtifactSelection::default());
    let report = bundle::verify(&bytes[..], &mut |_| ()).unwrap();
    assert!(report.is_ok());
    assert_eq!((report.artifacts.len(), report.tombstones.len(), report.keys), (4, 1, 1));
    assert!(report.artifacts.iter().all(|verdict| verdict.has_content && verdict.key_in_bundle));
    let import = |bytes: &[u8]| two.engine.import_artifacts(&two.ada(), bytes, &mut |_| true).unwrap();
    let first = import(&bytes);
    assert_eq!((first.imported, first.known, first.quarantined), (4, 0, 0), "{first:?}");
    assert_eq!(first.refused, 1, "the deleted artifact was never here");
    let second = import(&bytes);
    assert_eq!((second.imported, second.known), (0, 4));
    assert_eq!(two.list(&two.ada(), ArtifactQuestion::default()).total, 4);
    assert!(two.engine.artifact_content(&two.ada(), id(1)).is_ok());
    // A torn tail is ignored.
    let three = World::new();
    let torn = three
        .engine
        .import_artifacts(&three.ada(), &[&bytes[..], b"torn"].concat()[..], &mut |_| true)
        .unwrap();
    assert_eq!((torn.imported, torn.torn_bytes), (4, 4));
    // Deleted here, it does not come back.
    let write = two.engine.delete_artifact(&two.ada(), id(1), &ArtifactDeletion::default()).unwrap();
    two.engine.commit(write).unwrap();
    let third = import(&bytes);
    assert_eq!((third.imported, third.known, third.refused), (0, 3, 2), "{third:?}");
}

#[test]
fn unknown_authors_are_quarantined_and_wrong_signatures_refused() {
    let one = World::new();
    // Registered there, and not here.
    let bob = identity(12);
    let user = cairn_access::registry::UserId::parse("bob").unwrap();
    one.engine
        .put_user(&one.owner, one.acme, &user, cairn_access::Roles::NONE.with(cairn_access::Role::Writer))
        .unwrap();
    one.register(one.acme, "bob", &bob);
    one.publish(&one.ada(), &one.signed_by(&bob, 1, &[("user_id", "\"bob\"")])).unwrap();
    one.put(2, &[]);
    let bytes = export(&one, &ArtifactSelection::default());
    let two = World::new();
    let report = two.engine.import_artifacts(&two.ada(), &bytes[..], &mut |_| true).unwrap();
    assert_eq!((report.imported, report.quarantined, report.refused), (1, 1, 0), "{report:?}");
    assert_eq!(code(two.engine.artifact(&two.ada(), id(1))), "NOT_FOUND");
    // When the key is registered, the same bundle brings it in.
    two.engine
        .put_user(&two.owner, two.acme, &user, cairn_access::Roles::NONE.with(cairn_access::Role::Writer))
        .unwrap();
    two.register(two.acme, "bob", &bob);
    let report = two.engine.import_artifacts(&two.ada(), &bytes[..], &mut |_| true).unwrap();
    assert_eq!((report.imported, report.known, report.quarantined), (1, 1, 0), "{report:?}");
    assert!(two.engine.artifact(&two.ada(), id(1)).is_ok());
}

#[test]
fn one_artifact_can_be_chosen_and_what_is_hidden_cannot() {
    let world = World::new();
    world.put(1, &[]);
    world.put(2, &[("tags", "[\"x\"]")]);
    let chosen = ArtifactSelection { ids: vec![id(2)], ..ArtifactSelection::default() };
    let report = bundle::verify(&export(&world, &chosen)[..], &mut |_| ()).unwrap();
    assert_eq!(report.artifacts.len(), 1);
    let filter = cairn_engine::ArtifactFilter { tags: vec!["x".into()], ..Default::default() };
    let tagged = ArtifactSelection { filter, ..ArtifactSelection::default() };
    assert_eq!(bundle::verify(&export(&world, &tagged)[..], &mut |_| ()).unwrap().artifacts.len(), 1);
    assert_eq!(code(world.engine.check_export(&world.stranger("eve", &[]), &chosen)), "NOT_FOUND");
}
