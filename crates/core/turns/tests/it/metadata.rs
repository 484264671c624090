//! What first turns say, as other clients write them and beyond the limits.

use cairn_base::{ContextId, MsgpackWriter, TenantId, TurnId};
use cairn_seam::Blob;
use cairn_seam::limits;
use cairn_turns::{Append, Metadata, metadata};

use crate::kit::{Kit, conformance_payload, request, scope};

fn tagged(tag: &str) -> Vec<u8> {
    let mut to = MsgpackWriter::new();
    to.map(1);
    to.unsigned(30);
    to.map(1);
    to.unsigned(1);
    to.text(tag);
    to.into_bytes()
}

fn tag_of(kit: &Kit, context: u64) -> Option<String> {
    metadata(&*kit.snapshot(), &kit.scope, &[ContextId(context)]).unwrap().remove(0).client_tag
}

/// Uses the conformance folder when it is there.
#[test]
fn a_payload_of_another_client_is_understood() {
    let Some(payload) = conformance_payload("msgpack_conversation_item.json") else { return };
    let said = Metadata::from_payload(&payload);
    assert_eq!(
        (said.client_tag.as_deref(), said.title.as_deref()),
        (Some("fixture-tag"), Some("Fixture Title"))
    );
    assert_eq!(said.labels, ["alpha", "beta"]);
    assert_eq!(said.custom.get("env").map(String::as_str), Some("test"));
}

#[test]
fn only_msgpack_that_travels_inside_the_commit_is_read() {
    let kit = Kit::new();
    for _ in 0..4 {
        kit.create(None).unwrap();
    }
    let blob = |bytes: Vec<u8>| Blob::new(bytes).unwrap();
    let first = |context| Append { payload: blob(tagged("x")), ..request(ContextId(context), "") };
    kit.append(first(1)).unwrap();
    kit.append(Append { encoding: 2, ..first(2) }).unwrap();
    // The largest payload that is read, and one more byte, which is staged.
    for (context, bytes) in [(3, limits::BLOB_IN_COMMIT_BYTES_MAX), (4, limits::BLOB_IN_COMMIT_BYTES_MAX + 1)]
    {
        let mut payload = tagged("x");
        payload.resize(bytes, 0);
        let mut upload = kit.store.upload(kit.scope.tenant()).unwrap();
        upload.write(&payload).unwrap();
        let staged = upload.finish().unwrap();
        let payload = if context == 3 { blob(payload) } else { staged };
        kit.append(Append { payload, ..first(context) }).unwrap();
    }
    let tags = [1, 2, 3, 4].map(|context| tag_of(&kit, context));
    assert_eq!(tags, [Some("x".into()), None, Some("x".into()), None]);
}

#[test]
fn only_the_first_turn_counts_and_a_repeated_append_changes_nothing() {
    let kit = Kit::new();
    kit.create(None).unwrap();
    let blob = |tag: &str| Blob::new(tagged(tag)).unwrap();
    let append =
        |tag: &str, parent| kit.append(Append { parent, payload: blob(tag), ..request(ContextId(1), "") });
    append("first", None).unwrap();
    append("second", None).unwrap();
    assert_eq!(tag_of(&kit, 1).as_deref(), Some("first"));
    append("third", Some(TurnId(1))).unwrap();
    assert_eq!(tag_of(&kit, 1).as_deref(), Some("first"));
    append("fourth", Some(TurnId::NONE)).unwrap();
    assert_eq!(tag_of(&kit, 1).as_deref(), Some("fourth"), "a new chain");
    append("fifth", Some(TurnId(2))).unwrap();
    assert_eq!(tag_of(&kit, 1).as_deref(), Some("first"), "back on the old one");
}

#[test]
fn tenants_do_not_see_each_other() {
    let kit = Kit::new();
    kit.create(None).unwrap();
    kit.append(Append { payload: Blob::new(tagged("x")).unwrap(), ..request(ContextId(1), "") }).unwrap();
    let other = scope(TenantId(7));
    assert!(metadata(&*kit.snapshot(), &other, &[ContextId(1)]).unwrap()[0].is_empty());
}
