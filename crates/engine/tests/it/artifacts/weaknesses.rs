//! Weaknesses that are known of another implementation of the protocol, each refused here.

use cairn_access::{Principal, Role};
use cairn_engine::ArtifactQuestion;

use super::kit::{World, code, id, identity};

#[test]
fn callers_without_credentials_are_nobody() {
    let world = World::new();
    world.put(1, &[("visibility", "\"private\"")]);
    world.put(2, &[("visibility", "\"public\"")]);
    let anonymous = Principal::anonymous();
    assert_eq!(code(world.engine.artifact(&anonymous, id(1))), "NOT_FOUND");
    assert!(world.engine.artifact(&anonymous, id(2)).is_ok());
    assert!(world.publish(&anonymous, &world.signed(3, &[])).is_err());
}

#[test]
fn forged_authors_hashes_and_old_messages_are_refused() {
    let world = World::new();
    let ada = world.ada();
    // Signed by somebody else, also when the payload names that key.
    let eve = identity(66);
    assert_eq!(code(world.publish(&ada, &world.signed_by(&eve, 1, &[]))), "INVALID_SIGNATURE");
    let named = format!("\"{}\"", eve.public_key());
    assert_eq!(
        code(world.publish(&ada, &world.signed_by(&eve, 1, &[("public_key", &named)]))),
        "INVALID_SIGNATURE"
    );
    // An author without a registered key.
    assert_eq!(code(world.publish(&ada, &world.signed(1, &[("user_id", "\"bob\"")]))), "UNKNOWN_KEY");
    // Another tenant.
    assert_eq!(code(world.publish(&ada, &world.signed(1, &[("tenant_id", "\"beta\"")]))), "FORBIDDEN");
    // Content of another hash; a hash that is a path.
    let wrong = format!("\"{}\"", "0".repeat(64));
    assert_eq!(code(world.publish(&ada, &world.signed(1, &[("content_hash", &wrong)]))), "HASH_MISMATCH");
    let path = "\"../../../../tmp/x\"";
    assert_eq!(code(world.publish(&ada, &world.signed(1, &[("content_hash", path)]))), "INVALID_PAYLOAD");
    // Old and future messages.
    for timestamp in ["\"2020-01-01T00:00:00Z\"", "\"2099-01-01T00:00:00Z\""] {
        assert_eq!(
            code(world.publish(&ada, &world.signed(1, &[("timestamp", timestamp)]))),
            "STALE_TIMESTAMP"
        );
    }
    // A changed byte after signing.
    let body = String::from_utf8(world.signed(1, &[])).unwrap().replace("Report 1", "Report 2");
    assert_eq!(code(world.publish(&ada, body.as_bytes())), "INVALID_SIGNATURE");
    assert_eq!(world.list(&ada, ArtifactQuestion::default()).total, 0, "nothing was stored");
}

#[test]
fn a_revoked_key_signs_nothing_new_and_what_it_signed_stays() {
    let world = World::new();
    world.put(1, &[]);
    let key = cairn_access::KeyId(*world.ada_key.public_key().as_bytes());
    world.engine.revoke_key(&world.owner, world.acme, key).unwrap();
    assert_eq!(code(world.publish(&world.ada(), &world.signed(2, &[]))), "UNKNOWN_KEY");
    assert!(world.engine.verify_stored(&world.ada(), id(1), None, None).unwrap().reason.is_none());
}

#[test]
fn an_author_whose_name_is_a_key_needs_no_registration() {
    let world = World::new();
    let key = identity(5);
    let name = format!("\"{}\"", key.public_key());
    world.publish(&world.ada(), &world.signed_by(&key, 1, &[("user_id", &name)])).unwrap();
    let did = format!("\"{}\"", cairn_artifacts::did_key::did_key(&key.public_key()));
    world.publish(&world.ada(), &world.signed_by(&key, 2, &[("user_id", &did)])).unwrap();
    let other = identity(6);
    assert_eq!(
        code(world.publish(&world.ada(), &world.signed_by(&other, 3, &[("user_id", &did)]))),
        "INVALID_SIGNATURE"
    );
}

#[test]
fn the_hash_of_content_is_not_enough_to_publish_it() {
    let world = World::new();
    world.put(1, &[("visibility", "\"private\"")]);
    let bob = world.user("bob", &[Role::Writer], &[]);
    let hash = format!("{:?}", cairn_seam::Sha256::of(b"content number 1 about kingfishers"));
    let body = format!("{{\"title\":\"mine now\",\"content_hash\":\"{hash}\"}}");
    assert_eq!(code(world.publish(&bob, body.as_bytes())), "INVALID_PAYLOAD");
    // Who may read it may refer to it.
    assert!(world.publish(&world.ada(), body.as_bytes()).is_ok());
    // What is elsewhere is never fetched.
    let body =
        format!("{{\"title\":\"x\",\"content_hash\":\"{hash}\",\"content_url\":\"https://example.org/x\"}}");
    let elsewhere = world.publish(&bob, body.as_bytes()).unwrap().artifact.id;
    assert_eq!(code(world.engine.artifact_content(&bob, elsewhere)), "CONTENT_ELSEWHERE");
}

#[test]
fn uploaded_content_is_the_uploaders_to_publish() {
    let world = World::new();
    let content = b"a large report".repeat(10);
    let hash = cairn_seam::Sha256::of(&content);
    let mut upload = world.engine.begin_content(&world.ada(), hash).unwrap();
    content.chunks(7).for_each(|piece| upload.write(piece).unwrap());
    let blob = upload.finish().unwrap();
    assert!(world.engine.commit(world.engine.keep_content(&world.ada(), blob)).unwrap().value);
    let body = format!("{{\"title\":\"x\",\"content_hash\":\"{hash:?}\"}}");
    let bob = world.user("bob", &[Role::Writer], &[]);
    assert_eq!(code(world.publish(&bob, body.as_bytes())), "INVALID_PAYLOAD");
    let published = world.publish(&world.ada(), body.as_bytes()).unwrap().artifact;
    assert_eq!(published.content.map(|content| content.bytes), Some(140));
    let mut other = world.engine.begin_content(&world.ada(), hash).unwrap();
    other.write(b"something else").unwrap();
    assert_eq!(code(other.finish()), "HASH_MISMATCH");
}

#[test]
fn equal_content_of_private_and_public_artifacts_stays_apart() {
    let world = World::new();
    let same = "content number 9 about kingfishers";
    let publish = |visibility: &str| {
        let body = format!("{{\"title\":\"x\",\"visibility\":\"{visibility}\",\"content\":\"{same}\"}}");
        world.publish(&world.ada(), body.as_bytes()).unwrap().artifact.id
    };
    let (private, public, again) = (publish("private"), publish("public"), publish("private"));
    let stranger = world.stranger("eve", &[]);
    assert!(world.engine.artifact_content(&stranger, public).is_ok());
    for hidden in [private, again] {
        assert_eq!(code(world.engine.artifact_content(&stranger, hidden)), "NOT_FOUND");
        assert!(world.engine.artifact_content(&world.ada(), hidden).is_ok());
    }
    assert!(world.engine.content_by_hash(&stranger, cairn_seam::Sha256::of(same.as_bytes())).is_ok());
}
