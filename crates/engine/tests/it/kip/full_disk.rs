//! A full disk: what is known can be deleted, and nothing is learnt.

use super::kit::Kip;

#[test]
fn deleting_works_on_a_full_disk_and_upserting_does_not() {
    let kip = Kip::new();
    kip.world.store.set_full(true);
    let upsert = r#"UPSERT { CONCEPT { {type: "Drug", name: "Tea"} } }"#;
    let refused = kip.send(&kip.world.owner, &super::kit::one(upsert));
    let refused = refused.map_or_else(|error| error.to_string(), |answer| answer.to_json());
    assert!(refused.contains("nearly full"), "{refused}");
    kip.ok(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "Aspirin"} }"#);
    let left = kip.ok(r#"FIND(?d.name) WHERE { ?d {type: "Drug"} }"#).to_json();
    assert!(left.contains("Ibuprofen") && !left.contains("Aspirin") && !left.contains("Tea"), "{left}");
}
