//! Responses have the fields that clients of the reference implementation know.

use std::path::Path;

use serde_json::Value;

use super::kit::{World, id};

/// A session with the reference implementation; nothing where it is not at hand.
fn session() -> Option<Value> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A working tree beside the repository may stand one folder deeper.
    let beside = here.ancestors().skip(4).take(2);
    let mut beside = beside.map(|folder| folder.join("shared/conformance/kcp/node_session.json"));
    let Some(file) = beside.find(|file| file.is_file()) else {
        println!("skipped: there is no folder shared/conformance/kcp beside the repository");
        return None;
    };
    let text = std::fs::read_to_string(file).expect("it is readable");
    Some(serde_json::from_str(&text).expect("JSON"))
}

/// Fails unless every key of an object of the reference is in ours, with a value of the same type.
fn has_shape(ours: &Value, theirs: &Value, at: &str) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for (key, value) in theirs {
                let own = ours.get(key).unwrap_or_else(|| panic!("{at} has no {key}"));
                has_shape(own, value, &format!("{at}.{key}"));
            }
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            if let (Some(own), Some(value)) = (ours.first(), theirs.first()) {
                has_shape(own, value, &format!("{at}[0]"));
            }
        }
        (_, Value::Null) | (Value::Null, _) => {}
        (ours, theirs) => {
            assert_eq!(std::mem::discriminant(ours), std::mem::discriminant(theirs), "{at}: {ours} {theirs}");
        }
    }
}

#[tokio::test]
async fn responses_have_every_field_of_the_reference() {
    let Some(session) = session() else { return };
    let world = World::new().await;
    let lineage = r#"{"query":"q","data_sources":[],"agent":"ag","parent_reports":["00000001-0000-4000-8000-000000000000"]}"#;
    world.published(1, &[("visibility", "\"public\"")]).await;
    world.published(2, &[("visibility", "\"public\""), ("lineage", lineage)]).await;
    let known = "a4494e6b-98f1-42db-89ae-cb79ddff725b";
    let ours = id(2);
    for (theirs, path) in [
        ("GET /kcp/v1/health".to_owned(), "/kcp/v1/health".to_owned()),
        ("GET /kcp/v1/artifacts".to_owned(), "/kcp/v1/artifacts".to_owned()),
        ("GET /kcp/v1/artifacts?q=body&limit=2".to_owned(), "/kcp/v1/artifacts?q=content&limit=2".to_owned()),
        (format!("GET /kcp/v1/artifacts/{known}"), format!("/kcp/v1/artifacts/{ours}")),
        (
            format!("GET /kcp/v1/artifacts/{known}/content"),
            format!("/kcp/v1/artifacts/{ours}/content?encoding=base64"),
        ),
        (
            "GET /kcp/v1/artifacts/440c93d5-0da2-4d63-aff9-5d4a8bd6d341/lineage".to_owned(),
            format!("/kcp/v1/artifacts/{ours}/lineage"),
        ),
    ] {
        let body = &session[&theirs]["body"];
        assert!(body.is_object(), "{theirs}");
        has_shape(&world.json("", &path).await, body, &path);
    }
    assert_eq!(session["GET /kcp/v1/artifacts/nope"]["status"], 404);
    assert_eq!(world.get("", "/kcp/v1/artifacts/nope").await.status, 404);
    let made = world.post(&world.ada, "/kcp/v1/artifacts", br#"{"title":"x","content":"x"}"#).await;
    has_shape(&made.json(), &session["POST /kcp/v1/artifacts"]["body"], "POST");
}
