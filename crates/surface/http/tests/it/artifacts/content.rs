//! Content: read by id and by hash, and uploaded.

use super::kit::{World, content, details, id, sha256};
use crate::client::{exchange, request, send};

async fn made(world: &World, body: &str) -> String {
    let made = world.post(&world.ada, "/kcp/v1/artifacts", body.as_bytes()).await;
    assert_eq!(made.status, 201, "{made:?}");
    made.json()["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn content_has_ranges_and_tags() {
    let world = World::new().await;
    world.published(1, &[]).await;
    let (text, sha) = (content(1), sha256(content(1).as_bytes()));
    for path in [format!("/kcp/v1/artifacts/{}/content", id(1)), format!("/kcp/v1/content/{sha}")] {
        let get = |extra: &str| {
            let (line, extra) = (format!("GET {path}"), format!("{}{extra}", world.ada));
            async move { request(world.server.addr, &line, &extra).await }
        };
        let whole = get("").await;
        assert_eq!((whole.status, &*whole.body), (200, &*text));
        assert_eq!(whole.header("etag"), Some(&*format!("\"{sha}\"")));
        assert_eq!(whole.header("content-type"), Some("text/markdown; charset=utf-8"));
        assert_eq!(whole.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(whole.header("cache-control"), Some("private, no-cache"));
        assert!(whole.header("content-security-policy").is_some_and(|csp| csp.starts_with("sandbox;")));
        assert!(whole.header("content-disposition").is_some_and(|value| value.starts_with("inline; ")));
        let part = get("range: bytes=8-13\r\n").await;
        assert_eq!((part.status, &*part.body), (206, &text[8..14]));
        assert_eq!(part.header("content-range"), Some(&*format!("bytes 8-13/{}", text.len())));
        let known = get(&format!("if-none-match: \"{sha}\"\r\n")).await;
        assert_eq!((known.status, &*known.body), (304, ""));
        let beyond = get("range: bytes=999-\r\n").await;
        assert_eq!(beyond.error(), (416, "INVALID_PAYLOAD".into()));
        assert_eq!(beyond.header("content-range"), Some(&*format!("bytes */{}", text.len())));
        let base64 = world.json(&world.ada, &format!("{path}?encoding=base64")).await;
        assert_eq!(base64["content"], cairn_base::Base64(text.as_bytes()).to_string());
        assert_eq!(world.get(&world.ada, &format!("{path}?encoding=hex")).await.error().0, 400);
    }
    assert_eq!(world.get(&world.ada, "/kcp/v1/content/xyz").await.error(), (400, "INVALID_PAYLOAD".into()));
    let nowhere = format!("/kcp/v1/content/{}", sha256(b"nowhere"));
    assert_eq!(world.get(&world.ada, &nowhere).await.error(), (404, "NOT_FOUND".into()));
}

#[tokio::test]
async fn a_page_is_a_file_and_runs_nowhere() {
    let world = World::new().await;
    for (format, media_type, place) in [
        ("html", "text/html; charset=utf-8", "attachment"),
        ("svg", "image/svg+xml", "attachment"),
        ("x-unknown", "application/octet-stream", "attachment"),
        ("json", "application/json", "inline"),
        ("png", "image/png", "inline"),
        ("csv", "text/csv; charset=utf-8", "inline"),
        ("text", "text/plain; charset=utf-8", "inline"),
        ("pdf", "application/pdf", "inline"),
    ] {
        let body = format!(r#"{{"title":"x\"; filename=evil","content":"<script>","format":"{format}"}}"#);
        let id = made(&world, &body).await;
        let answer = world.get(&world.ada, &format!("/kcp/v1/artifacts/{id}/content")).await;
        assert_eq!(answer.header("content-type"), Some(media_type), "{format}");
        let disposition = answer.header("content-disposition").expect("a name");
        assert!(disposition.starts_with(&format!("{place}; filename=\"{id}.")), "{disposition}");
        let policy = answer.header("content-security-policy");
        assert_eq!(policy, Some("sandbox; default-src 'none'; frame-ancestors 'none'"));
    }
}

#[tokio::test]
async fn content_that_is_elsewhere_is_said_to_be() {
    let world = World::new().await;
    let url = "https://example.com/report.pdf";
    let hash = sha256(b"not here");
    let id = made(&world, &format!(r#"{{"title":"x","content_hash":"{hash}","content_url":"{url}"}}"#)).await;
    let answer = world.get(&world.ada, &format!("/kcp/v1/artifacts/{id}/content")).await;
    assert_eq!(answer.error(), (404, "CONTENT_ELSEWHERE".into()));
    assert_eq!(details(&answer)["content_url"], url);
    assert_eq!(
        world.json(&world.ada, &format!("/kcp/v1/artifacts/{id}")).await["_cairn"]["has_content"],
        false
    );
}

#[tokio::test]
async fn content_is_uploaded_before_its_artifact() {
    let world = World::new().await;
    let bytes = vec![7; 3 << 20];
    let (path, hash) = (format!("/kcp/v1/content/{}", sha256(&bytes)), sha256(&bytes));
    let wrong = world.put(&world.ada, &path, b"something else").await;
    assert_eq!(wrong.error(), (400, "HASH_MISMATCH".into()));
    let refused = world
        .post(
            &world.ada,
            "/kcp/v1/artifacts",
            format!(r#"{{"title":"x","content_hash":"{hash}"}}"#).as_bytes(),
        )
        .await;
    assert_eq!(
        (refused.status, &details(&refused)["field"]),
        (400, &"content_hash".into()),
        "it was not kept"
    );
    let stored = world.put(&world.ada, &path, &bytes).await;
    assert_eq!((stored.status, &stored.json()["content_hash"]), (201, &hash.as_str().into()));
    assert_eq!((&stored.json()["bytes"], &stored.json()["was_new"]), (&bytes.len().into(), &true.into()));
    assert_eq!(world.put(&world.ada, &path, &bytes).await.status, 200);
    let id = made(&world, &format!(r#"{{"title":"x","content_hash":"{hash}"}}"#)).await;
    let read = world.get(&world.ada, &format!("/kcp/v1/artifacts/{id}/content")).await;
    assert!(read.bytes == bytes, "{} bytes", read.bytes.len());
    let too_long = world.get(&world.ada, &format!("/kcp/v1/artifacts/{id}/content?encoding=base64")).await;
    assert_eq!(too_long.status, 200, "up to 8 MiB");
    // Who may not publish may not upload.
    assert_eq!(world.put(&world.bob, &path, &bytes).await.error(), (403, "FORBIDDEN".into()));
    assert_eq!(world.put("", &path, &bytes).await.error(), (401, "UNAUTHORIZED".into()));
}

#[tokio::test]
async fn an_upload_is_limited() {
    let world = World::new().await;
    let path = format!("/kcp/v1/content/{}", sha256(b"1"));
    let head = format!(
        "PUT {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{}content-length: 1073741825\r\n\r\n",
        world.server.addr, world.ada
    );
    assert_eq!(exchange(world.server.addr, &head).await.error(), (413, "TOO_LARGE".into()));
    let chunked = format!(
        "PUT {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{}transfer-encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n",
        world.server.addr, world.ada
    );
    assert_eq!(exchange(world.server.addr, &chunked).await.status, 201);
    let unnamed = send(world.server.addr, "PUT /kcp/v1/content/1", &world.ada, b"1").await;
    assert_eq!((unnamed.error().0, &details(&unnamed)["parameter"]), (400, &"sha256".into()));
}
