//! Publishing, signed and unsigned.

use cairn_access::identity::{PublicKey, verify};
use cairn_base::{CanonicalObject, to_iso_utc};

use super::kit::{ANONYMOUS, World, content, details, id, identity, sha256};

const ARTIFACTS: &str = "/kcp/v1/artifacts";

#[tokio::test]
async fn a_signed_artifact_is_served_with_exactly_the_bytes_that_were_signed() {
    let world = World::new().await;
    let body = world.signed(1, &[("tags", r#"["a","b"]"#), ("unknown", r#"{"x":[1.0,null]}"#)]);
    let answer = world.post(&world.ada, ARTIFACTS, &body).await;
    assert_eq!((answer.status, answer.header("location")), (201, Some(&*format!("{ARTIFACTS}/{}", id(1)))));
    let object = CanonicalObject::parse(&answer.bytes).expect("JSON");
    let verified = verify(&object, &world.key.public_key()).expect("it verifies as it comes");
    let about = &answer.json()["_cairn"];
    assert_eq!(about["attested_by"], "author");
    assert_eq!(about["public_key"], world.key.public_key().to_string());
    assert_eq!((&about["has_content"], &about["citations"]), (&true.into(), &0.into()));
    assert!(about["cid"].as_str().is_some_and(|cid| cid.starts_with("bafkrei")), "{about}");

    let read = world.get(&world.ada, &format!("{ARTIFACTS}/{}", id(1))).await;
    assert!(read.body.starts_with(verified.signed.strip_suffix('}').expect("an object")), "{read:?}");
    let canonical = world.get(&world.ada, &format!("{ARTIFACTS}/{}?form=canonical", id(1))).await;
    assert_eq!(canonical.body, verified.signed);
    assert_eq!(canonical.header("x-kcp-signature"), Some(&*verified.signature.to_string()));
    let key: PublicKey = canonical.header("x-kcp-public-key").expect("a key").parse().expect("a key");
    assert!(key.has_signed(&canonical.bytes, &verified.signature));
    let head =
        crate::client::request(world.server.addr, &format!("HEAD {ARTIFACTS}/{}", id(1)), &world.ada).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

#[tokio::test]
async fn the_same_bytes_again_change_nothing_and_others_are_refused() {
    let world = World::new().await;
    let body = world.signed(1, &[]);
    let first = world.post(&world.ada, ARTIFACTS, &body).await;
    let again = world.post(&world.ada, ARTIFACTS, &body).await;
    assert_eq!((again.status, &again.json()), (200, &first.json()));
    let other = world.post(&world.ada, ARTIFACTS, &world.signed(1, &[("title", "\"Other\"")])).await;
    assert_eq!(other.error(), (409, "DUPLICATE_ID".into()));
    assert_eq!(world.json(&world.ada, ARTIFACTS).await["total"], 1);
    // A colleague may send what ada signed, also if it is private.
    let private = world.signed(2, &[("visibility", "\"private\"")]);
    let sent = world.post(&world.admin, ARTIFACTS, &private).await;
    assert_eq!((sent.status, &sent.json()["user_id"]), (201, &"ada".into()));
}

#[tokio::test]
async fn the_node_signs_for_a_caller_who_does_not() {
    let world = World::new().await;
    let made = world.post(&world.ada, ARTIFACTS, r#"{"title":"Über uns","content":"hi"}"#.as_bytes()).await;
    assert_eq!(made.status, 201, "{made:?}");
    let json = made.json();
    assert_eq!((&json["user_id"], &json["tenant_id"]), (&"ada".into(), &"acme".into()));
    assert_eq!((&json["visibility"], &json["version"]), (&"private".into(), &"1".into()));
    assert_eq!(json["content_hash"], sha256(b"hi"));
    let node = identity(99).public_key();
    assert_eq!(json["public_key"], node.to_string());
    assert_eq!(
        (&json["_cairn"]["attested_by"], &json["_cairn"]["accepted_by"]),
        (&"node".into(), &node.to_string().into())
    );
    verify(&CanonicalObject::parse(&made.bytes).expect("JSON"), &node).expect("the node signed it");
    let long = format!(r#"{{"title":"x","content":"x","notes":"{}"}}"#, "n".repeat(100_000));
    let made = world.post(&world.ada, ARTIFACTS, long.as_bytes()).await;
    assert_eq!(made.status, 201, "{}", &made.body[..200]);
    verify(&CanonicalObject::parse(&made.bytes).expect("JSON"), &node).expect("the node signed it");
    for body in [
        r#"{"title":"x","content":"x","user_id":"bob"}"#,
        r#"{"title":"x","content":"x","tenant_id":"beta"}"#,
    ] {
        assert_eq!(
            world.post(&world.ada, ARTIFACTS, body.as_bytes()).await.error(),
            (403, "FORBIDDEN".into()),
            "{body}"
        );
    }
}

#[tokio::test]
async fn what_is_wrong_is_named_and_nothing_is_stored() {
    let world = World::new().await;
    for (body, field) in [
        (r#"{"content":"x"}"#, "title"),
        (r#"{"title":"","content":"x"}"#, "title"),
        (r#"{"title":7,"content":"x"}"#, "title"),
        (r#"{"title":"x","content":"x","visibility":"all"}"#, "visibility"),
        (r#"{"title":"x","content":"x","id":"7"}"#, "id"),
        (r#"{"title":"x","content":"x","tags":"a"}"#, "tags"),
        (r#"{"title":"x","content":"x","version":"2"}"#, "version"),
        (r#"{"title":"x","content":7}"#, "content"),
        (r#"{"title":"x","_content_b64":"%"}"#, "_content_b64"),
        (r#"{"title":"x"}"#, "content_hash"),
        (r#"{"title":"x","content":"x","content_hash":"00"}"#, "content_hash"),
        (r#"{"title":"x","content":"x","lineage":{"parent_reports":["x"]}}"#, "lineage"),
    ] {
        let refused = world.post(&world.ada, ARTIFACTS, body.as_bytes()).await;
        assert_eq!(
            (refused.status, &details(&refused)["field"]),
            (400, &field.into()),
            "{body}: {refused:?}"
        );
        assert!(details(&refused)["hint"].is_string(), "{refused:?}");
    }
    let version = world.post(&world.ada, ARTIFACTS, br#"{"title":"x","content":"x","version":"2"}"#).await;
    assert_eq!(version.error(), (400, "UNSUPPORTED_VERSION".into()));
    for body in ["", "[]", "{", "{}x", r#"{"title":NaN}"#, r#"{"title":"a","title":"b"}"#] {
        let refused = world.post(&world.ada, ARTIFACTS, body.as_bytes()).await;
        assert_eq!(refused.error(), (400, "INVALID_PAYLOAD".into()), "{body}");
    }
    let other = format!(r#"{{"title":"x","content":"x","content_hash":"{}"}}"#, sha256(b"y"));
    assert_eq!(
        world.post(&world.ada, ARTIFACTS, other.as_bytes()).await.error(),
        (400, "HASH_MISMATCH".into())
    );
    assert_eq!(world.json(&world.ada, ARTIFACTS).await["total"], 0);
}

#[tokio::test]
async fn signatures_are_verified() {
    let world = World::new().await;
    let forged = world.signed_by(&identity(8), 1, &[]);
    let refused = world.post(&world.ada, ARTIFACTS, &forged).await;
    assert_eq!(refused.error(), (401, "INVALID_SIGNATURE".into()));
    assert_eq!(
        (&details(&refused)["user_id"], &details(&refused)["artifact_id"]),
        (&"ada".into(), &id(1).into())
    );
    let unknown = world.signed(1, &[("user_id", "\"bob\"")]);
    let refused = world.post(&world.ada, ARTIFACTS, &unknown).await;
    assert_eq!(refused.error(), (401, "UNKNOWN_KEY".into()));
    assert_eq!(details(&refused)["user_id"], "bob");
    for off_ms in [-300_001_i64, 300_001] {
        let now = world.server.gate.engine().clock().now_ms();
        let timestamp = format!("\"{}\"", to_iso_utc(now.saturating_add_signed(off_ms)));
        let stale = world.signed(1, &[("timestamp", &timestamp)]);
        assert_eq!(world.post(&world.ada, ARTIFACTS, &stale).await.error(), (401, "STALE_TIMESTAMP".into()));
    }
    let foreign = world.post(&world.eve, ARTIFACTS, &world.signed(1, &[])).await;
    assert_eq!(foreign.error(), (403, "FORBIDDEN".into()));
    assert_eq!(
        world.post(ANONYMOUS, ARTIFACTS, &world.signed(1, &[])).await.error(),
        (401, "UNAUTHORIZED".into())
    );
    assert_eq!(
        world.post(&world.bob, ARTIFACTS, &world.signed(1, &[])).await.error(),
        (403, "FORBIDDEN".into())
    );
    assert_eq!(world.json(&world.ada, ARTIFACTS).await["total"], 0);
    // Known keys of an author are for those who may read something of theirs.
    world.published(1, &[]).await;
    let keys = world.json(&world.bob, "/kcp/v1/keys?tenant_id=acme&user_id=ada").await;
    assert_eq!(keys["keys"][0]["public_key"], world.key.public_key().to_string());
    assert_eq!(world.get(&world.eve, "/kcp/v1/keys?tenant_id=acme&user_id=ada").await.error().0, 404);
    assert_eq!(
        world.get(&world.bob, "/kcp/v1/keys?tenant_id=acme").await.error(),
        (400, "INVALID_PAYLOAD".into())
    );
}

#[tokio::test]
async fn eight_mebibytes_of_content_come_with_a_publish() {
    let world = World::new().await;
    let long = |bytes: usize| {
        let content = cairn_base::Base64(&vec![7; bytes]).to_string();
        format!(r#"{{"title":"x","_content_b64":"{content}"}}"#)
    };
    let made = world.post(&world.ada, ARTIFACTS, long(8 << 20).as_bytes()).await;
    assert_eq!((made.status, &made.json()["_cairn"]["content_bytes"]), (201, &(8 << 20).into()));
    let refused = world.post(&world.ada, ARTIFACTS, long((8 << 20) + 1).as_bytes()).await;
    assert_eq!((refused.status, &details(&refused)["field"]), (400, &"_content_b64".into()));
    let refused = world.post(&world.ada, ARTIFACTS, long(10 << 20).as_bytes()).await;
    assert_eq!(refused.error(), (413, "TOO_LARGE".into()));
}

#[tokio::test]
async fn the_old_name_of_artifacts_is_an_alias() {
    let world = World::new().await;
    let made = world.post(&world.ada, "/kcp/v1/reports", &world.signed(1, &[])).await;
    assert_eq!((made.status, made.header("location")), (201, Some(&*format!("{ARTIFACTS}/{}", id(1)))));
    for rest in ["", "/content", "/lineage", "/derivatives"] {
        let path = format!("/kcp/v1/reports/{}{rest}", id(1));
        assert_eq!(world.get(&world.ada, &path).await.status, 200, "{path}");
    }
    assert_eq!(world.json(&world.ada, "/kcp/v1/reports?q=kingfishers").await["total"], 1);
    let text = world.get(&world.ada, &format!("/kcp/v1/reports/{}/content", id(1))).await;
    assert_eq!(text.body, content(1));
    assert_eq!(world.delete(&world.ada, &format!("/kcp/v1/reports/{}", id(1)), b"").await.status, 200);
    let description = world.get(ANONYMOUS, "/openapi.json").await;
    assert!(!description.body.contains("/kcp/v1/reports"), "it is described once");
}
