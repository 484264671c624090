//! Content: read by id and by hash, and uploaded.

use cairn_gate::{Allowance, GateConfig};
use cairn_http::HttpConfig;

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

#[tokio::test]
async fn an_upload_has_at_most_as_many_bytes_as_the_limit() {
    let config = HttpConfig { upload_bytes_max: 100_000, ..HttpConfig::default() };
    let world = World::of(config, Allowance::default(), GateConfig::default().deadline).await;
    for (bytes, expected) in [(100_000, 201), (100_001, 413)] {
        let body = vec![7; bytes];
        let path = format!("/kcp/v1/content/{}", sha256(&body));
        // Its length comes with it, or shows only when it has arrived.
        let chunked = format!(
            "PUT {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{}transfer-encoding: chunked\r\n\r\n{bytes:x}\r\n{}\r\n0\r\n\r\n",
            world.server.addr,
            world.ada,
            "\u{7}".repeat(bytes),
        );
        assert_eq!(exchange(world.server.addr, &chunked).await.status, expected, "{bytes} bytes");
        let again = world.put(&world.ada, &path, &body).await;
        assert_eq!(again.status, if expected == 201 { 200 } else { 413 }, "{again:?}");
        if expected == 413 {
            assert_eq!(
                (again.error().1, &details(&again)["bytes_max"]),
                ("TOO_LARGE".into(), &100_000.into())
            );
        }
        let payload = format!(r#"{{"title":"x","content_hash":"{}"}}"#, sha256(&body));
        let published = world.post(&world.ada, "/kcp/v1/artifacts", payload.as_bytes()).await;
        assert_eq!(published.status, if expected == 201 { 201 } else { 400 }, "{published:?}");
    }
}

#[tokio::test]
async fn only_what_is_transferred_counts_as_read_and_downloaded() {
    let world = World::new().await;
    let id = world.published(1, &[("visibility", "\"public\"")]).await;
    let (path, known) = (format!("/kcp/v1/artifacts/{id}"), format!("\"{}\"", sha256(content(1).as_bytes())));
    let content_path = format!("{path}/content");
    let by_hash = format!("/kcp/v1/content/{}", sha256(content(1).as_bytes()));
    let usage = async || {
        let list = world.json(&world.ada, "/kcp/v1/artifacts").await;
        let about = &list["results"][0];
        let about = if about["_cairn"].is_object() { &about["_cairn"] } else { about };
        (about["reads"].as_u64().expect("a number"), about["downloads"].as_u64().expect("a number"))
    };
    assert_eq!(usage().await, (0, 0));
    let ask = async |method: &str, path: &str, more: &str| {
        request(world.server.addr, &format!("{method} {path}"), &format!("{}{more}", world.ada)).await.status
    };
    for path in [&content_path, &by_hash] {
        assert_eq!(ask("HEAD", path, "").await, 200);
        assert_eq!(ask("GET", path, &format!("if-none-match: {known}\r\n")).await, 304);
        assert_eq!(ask("GET", path, "range: bytes=9999-\r\n").await, 416);
    }
    assert_eq!(ask("HEAD", &path, "").await, 200);
    assert_eq!(ask("HEAD", &format!("{content_path}?encoding=base64"), "").await, 200);
    assert_eq!(usage().await, (0, 0), "nothing was transferred");
    assert_eq!(ask("GET", &path, "").await, 200);
    assert_eq!(usage().await, (1, 0));
    for (at, more) in ["", "range: bytes=0-3\r\n"].into_iter().enumerate() {
        let status = ask("GET", &content_path, more).await;
        assert!(status == 200 || status == 206, "{status}");
        assert_eq!(usage().await, (1, at as u64 + 1));
    }
    assert_eq!(ask("GET", &format!("{content_path}?encoding=base64"), "").await, 200);
    assert_eq!(usage().await, (1, 3));
}
