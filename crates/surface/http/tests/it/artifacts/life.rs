//! Deleting, lineage, verifying.

use cairn_access::identity::sign;
use cairn_base::{CanonicalObject, Value, to_iso_utc};

use super::kit::{ANONYMOUS, World, details, id};

fn path(number: u8) -> String {
    format!("/kcp/v1/artifacts/{}", id(number))
}

#[tokio::test]
async fn an_artifact_is_deleted_once() {
    let world = World::new().await;
    world.published(1, &[]).await;
    assert_eq!(world.delete(&world.bob, &path(1), b"").await.error(), (403, "FORBIDDEN".into()));
    assert_eq!(world.delete(&world.eve, &path(1), b"").await.error(), (404, "NOT_FOUND".into()));
    assert_eq!(world.delete(ANONYMOUS, &path(1), b"").await.error(), (401, "UNAUTHORIZED".into()));
    for bad in ["[]", "{", r#"{"reasons":"x"}"#, r#"{"reason":7}"#] {
        assert_eq!(
            world.delete(&world.ada, &path(1), bad.as_bytes()).await.error(),
            (400, "INVALID_PAYLOAD".into()),
            "{bad}"
        );
    }
    let deleted = world.delete(&world.ada, &path(1), br#"{"reason":"outdated"}"#).await;
    assert_eq!((deleted.status, &deleted.json()["id"]), (200, &id(1).into()));
    assert_eq!(deleted.json()["deleted_at"], "2023-11-14T22:13:20.000Z");
    assert_eq!(world.delete(&world.ada, &path(1), b"").await.error(), (404, "NOT_FOUND".into()));
    for rest in ["", "/content", "/lineage"] {
        assert_eq!(world.get(&world.ada, &format!("{}{rest}", path(1))).await.error().0, 404, "{rest}");
    }
    let again = world.post(&world.ada, "/kcp/v1/artifacts", &world.signed(1, &[])).await;
    assert_eq!(again.error(), (409, "DUPLICATE_ID".into()));
    world.published(2, &[]).await;
    assert_eq!(world.delete(&world.admin, &path(2), b"").await.status, 200, "administrators may");
}

#[tokio::test]
async fn a_tombstone_may_be_signed_by_the_author() {
    let world = World::new().await;
    world.published(1, &[]).await;
    let tombstone = |id: &str| {
        let mut object = CanonicalObject::parse(b"{}").expect("JSON");
        let now = to_iso_utc(world.server.gate.engine().clock().now_ms());
        for (field, text) in [("id", id), ("version", "1"), ("deleted_at", &now), ("by", "ada")] {
            object.set(field, &Value::String(text.to_owned())).expect("short");
        }
        let signature = sign(&object, &world.key).signature;
        object.set("signature", &Value::String(signature.to_string())).expect("short");
        object.to_json(|_| true).into_bytes()
    };
    let other = world.delete(&world.ada, &path(1), &tombstone(&id(2))).await;
    assert_eq!(other.error(), (400, "INVALID_PAYLOAD".into()));
    assert_eq!(world.delete(&world.ada, &path(1), &tombstone(&id(1))).await.status, 200);
}

#[tokio::test]
async fn lineage_is_shown_as_far_as_the_caller_may_see() {
    let world = World::new().await;
    let from = |parents: &[u8]| {
        let parents: Vec<_> = parents.iter().map(|parent| format!("\"{}\"", id(*parent))).collect();
        format!(
            r#"{{"query":"q","data_sources":["s3://x"],"agent":"a","parent_reports":[{}]}}"#,
            parents.join(",")
        )
    };
    world.published(1, &[("visibility", "\"private\"")]).await;
    world.published(2, &[("lineage", &from(&[1, 9])), ("visibility", "\"public\"")]).await;
    world.published(3, &[("lineage", &from(&[2]))]).await;
    let lineage = world.json(&world.ada, &format!("{}/lineage", path(2))).await;
    assert_eq!(lineage["artifact_id"], id(2));
    assert_eq!(
        (&lineage["ancestors"].as_array().map(Vec::len), &lineage["descendants"][0]),
        (&Some(2), &id(3).into())
    );
    let items = lineage["lineage"].as_array().expect("a list");
    let of = |list: &[serde_json::Value], number: u8| {
        list.iter().find(|item| item["id"] == id(number)).expect("it is there").clone()
    };
    assert_eq!(
        (&of(items, 1)["title"], &of(items, 1)["derived_from"]),
        (&"Report 1".into(), &serde_json::Value::Null)
    );
    assert_eq!((&of(items, 9)["missing"], &of(items, 2)["derived_from"]), (&true.into(), &id(1).into()));
    assert_eq!(lineage["edges"][0]["attested"], true);
    let of_bob = world.json(&world.bob, &format!("{}/lineage?direction=up", path(3))).await;
    let items = of_bob["lineage"].as_array().expect("a list");
    assert_eq!((&of(items, 1)["redacted"], of(items, 1).get("title")), (&true.into(), None));
    let of_anyone = world.json(ANONYMOUS, &format!("{}/lineage", path(2))).await;
    assert_eq!(of(of_anyone["lineage"].as_array().expect("a list"), 1)["missing"], true);
    let near = world.json(&world.ada, &format!("{}/lineage?depth=1&direction=up", path(3))).await;
    assert_eq!((&near["truncated"], near["lineage"].as_array().map(Vec::len)), (&true.into(), Some(2)));

    let children = world.json(&world.ada, &format!("{}/derivatives?limit=5", path(2))).await;
    assert_eq!((&children["derivatives"][0]["id"], &children["truncated"]), (&id(3).into(), &false.into()));
    assert_eq!(world.json(&world.ada, &path(2)).await["_cairn"]["citations"], 1);

    for (format, media_type, text) in [
        ("dot", "text/vnd.graphviz; charset=utf-8", "digraph"),
        ("mermaid", "text/vnd.mermaid; charset=utf-8", "flowchart"),
        ("prov", "application/json", "wasDerivedFrom"),
        ("openlineage", "application/x-ndjson", "COMPLETE"),
    ] {
        let answer = world.get(&world.ada, &format!("{}/lineage?format={format}", path(2))).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(media_type)));
        assert!(answer.body.contains(text), "{format}: {}", answer.body);
    }
    for (query, parameter) in [
        ("format=xml", "format"),
        ("depth=1001", "depth"),
        ("direction=left", "direction"),
        ("limit=0", "limit"),
    ] {
        let refused = world.get(&world.ada, &format!("{}/lineage?{query}", path(2))).await;
        assert_eq!((refused.error().0, &details(&refused)["parameter"]), (400, &parameter.into()), "{query}");
    }
    let looped =
        world.post(&world.ada, "/kcp/v1/artifacts", &world.signed(9, &[("lineage", &from(&[3]))])).await;
    assert_eq!(looped.error().0, 400, "{looped:?}");
}

#[tokio::test]
async fn artifacts_are_verified() {
    let world = World::new().await;
    world.published(1, &[("visibility", "\"public\"")]).await;
    let verify = |who: String, body: String| {
        let world = &world;
        async move { world.post(&who, "/kcp/v1/verify", body.as_bytes()).await }
    };
    let read = world.json(ANONYMOUS, &path(1)).await;
    let whole = read.to_string();
    let question = |hash: &str| {
        format!(r#"{{"id":"{}","content_hash":"{hash}","signature":{}}}"#, id(1), read["signature"])
    };
    let good = verify(String::new(), question(read["content_hash"].as_str().expect("a hash"))).await;
    assert_eq!((good.status, &good.json()["valid"]), (200, &true.into()), "{good:?}");
    assert_eq!((&good.json()["attested_by"], &good.json()["user_id"]), (&"author".into(), &"ada".into()));
    let bad = verify(String::new(), question("00")).await;
    assert_eq!((bad.status, &bad.json()["valid"]), (400, &false.into()));
    assert!(bad.json()["reason"].as_str().is_some_and(|reason| reason.contains("content_hash")), "{bad:?}");
    // As it was served: what this node adds is not signed.
    let good = verify(world.bob.clone(), whole.clone()).await;
    assert_eq!(
        (good.status, &good.json()["public_key"]),
        (200, &world.key.public_key().to_string().into()),
        "{good:?}"
    );
    let changed = verify(world.bob.clone(), whole.replace("Report 1", "Report 7")).await;
    assert_eq!((changed.status, &changed.json()["valid"]), (400, &false.into()), "{changed:?}");
    let missing = verify(world.bob.clone(), format!(r#"{{"id":"{}"}}"#, id(7))).await;
    assert_eq!(missing.error(), (404, "NOT_FOUND".into()));
    for (body, field) in [("{}", "id"), (r#"{"id":"x"}"#, "id"), (r#"{"id":7}"#, "id")] {
        let refused = verify(world.bob.clone(), body.into()).await;
        assert_eq!((refused.error().0, &details(&refused)["field"]), (400, &field.into()), "{body}");
    }
    assert_eq!(verify(world.bob.clone(), "[".into()).await.error(), (400, "INVALID_PAYLOAD".into()));
}

#[tokio::test]
async fn administrators_list_ids_and_nothing_else() {
    let world = World::new().await;
    for number in 1..=3 {
        world.published(number, &[("visibility", "\"private\"")]).await;
    }
    world.delete(&world.ada, &path(2), b"").await;
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = world.json(&world.admin, &format!("/v1/artifacts/ids?limit=2{cursor}")).await;
        found.extend(
            page["ids"].as_array().expect("a list").iter().map(|id| id.as_str().expect("an id").to_owned()),
        );
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    found.sort();
    assert_eq!(found, [id(1), id(2), id(3)]);
    assert_eq!(world.get(&world.admin, &path(1)).await.error(), (403, "FORBIDDEN".into()));
    assert_eq!(
        world.get(&world.admin, &format!("{}/content", path(1))).await.error(),
        (403, "FORBIDDEN".into())
    );
    assert_eq!(world.get(&world.bob, "/v1/artifacts/ids").await.error(), (403, "Forbidden".into()));
    let bad = world.get(&world.admin, "/v1/artifacts/ids?cursor=x").await;
    assert_eq!(
        (bad.error(), &details(&bad)["parameter"]),
        ((422, "InvalidRequest".into()), &"cursor".into())
    );
}
