//! File trees of turns.

use cairn_base::ContentHash;

use super::{append, context, json, refused, turn};
use crate::client::{get, request, send};
use crate::server::Server;

/// A tree object with entries of a name, a kind, a mode and a content.
fn tree(entries: &[(&str, u8, u16, &[u8])]) -> Vec<u8> {
    let mut out = vec![0x90 | u8::try_from(entries.len()).expect("few")];
    for (name, kind, mode, content) in entries {
        out.extend([0x85, 1, 0xd9, u8::try_from(name.len()).expect("short")]);
        out.extend(name.as_bytes());
        out.extend([2, *kind, 3, 0xcd]);
        out.extend(mode.to_be_bytes());
        out.extend([4, 0xce]);
        let size = if *kind == 1 { 0 } else { u32::try_from(content.len()).expect("short") };
        out.extend(size.to_be_bytes());
        out.extend([5, 0xc4, 32]);
        out.extend(ContentHash::of(content).as_bytes());
    }
    out
}

/// A turn 1 with a tree, and a turn 2 that inherits it.
async fn with_tree() -> (Server, String) {
    let server = Server::start().await;
    let page = b"<script>alert(1)</script>";
    let folder = tree(&[("a b.txt", 0, 0o644, b"spaces"), ("\u{e4}.html", 0, 0o600, page)]);
    let root =
        tree(&[("dir", 1, 0o755, &folder), ("link", 2, 0o777, b"dir/a b.txt"), ("run.sh", 0, 0o755, b"#!")]);
    for blob in [&b"spaces"[..], page, b"dir/a b.txt", b"#!", &folder, &root] {
        assert_eq!(send(server.addr, "POST /v1/blobs", "", blob).await.status, 201);
    }
    context(server.addr).await;
    let hash = ContentHash::of(&root).to_string();
    let appended = append(server.addr, "1", &format!("type_id=t&fs_root_hash={hash}"), "", b"\xc0").await;
    assert_eq!(appended.status, 201, "{appended:?}");
    turn(server.addr, "1", b"\xc0").await;
    (server, hash)
}

#[tokio::test]
async fn folders_are_listed() {
    let (server, root) = with_tree().await;
    let listed = json(server.addr, "/v1/turns/1/fs").await;
    insta::assert_snapshot!("folder", format!("{listed:#}"));
    let inherited = json(server.addr, "/v1/turns/2/fs?path=dir").await;
    assert_eq!(
        (inherited["turn_id"].as_str(), inherited["fs_root_hash"].as_str()),
        (Some("2"), Some(&*root))
    );
    let names: Vec<_> =
        inherited["entries"].as_array().expect("a list").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["a b.txt", "\u{e4}.html"]);
    for path in ["?path=./dir/.", "?path=/dir/", "/dir", "/./dir"] {
        assert_eq!(
            json(server.addr, &format!("/v1/turns/1/fs{path}")).await["entries"],
            inherited["entries"]
        );
    }
    let page = json(server.addr, "/v1/contexts/1/turns").await;
    assert_eq!(page["turns"][0]["fs_root_hash"], *root, "its own tree");
    assert!(page["turns"][1]["fs_root_hash"].is_null(), "what it inherits is not said");
    assert_eq!(json(server.addr, "/v1/turns/1").await["fs_root_hash"], *root);
}

#[tokio::test]
async fn files_are_served_as_what_they_are() {
    let (server, _) = with_tree().await;
    let addr = server.addr;
    let file = get(addr, "/v1/turns/2/fs/dir/a%20b.txt").await;
    assert_eq!((file.status, file.body.as_str()), (200, "spaces"));
    assert_eq!(file.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(file.header("x-fs-mode"), Some("644"));
    assert_eq!(file.header("x-fs-hash"), Some(&*ContentHash::of(b"spaces").to_string()));
    assert_eq!(file.header("cache-control"), Some("private, no-cache"));

    let page = get(addr, "/v1/turns/1/fs/dir/%C3%A4.html").await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(page.header("content-security-policy").is_some_and(|policy| policy.contains("sandbox")));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));

    let link = get(addr, "/v1/turns/1/fs/link").await;
    assert_eq!((link.body.as_str(), link.header("x-fs-mode")), ("dir/a b.txt", Some("777")), "not followed");
    let etag = file.header("etag").expect("it has one");
    let known =
        request(addr, "GET /v1/turns/1/fs/dir/a%20b.txt", &format!("if-none-match: {etag}\r\n")).await;
    assert_eq!((known.status, known.header("x-fs-mode")), (304, Some("644")));
    let part = request(addr, "GET /v1/turns/1/fs/dir/a%20b.txt", "range: bytes=1-2\r\n").await;
    assert_eq!((part.status, part.body.as_str()), (206, "pa"));
    insta::assert_snapshot!("file", format!("{:#}", json(addr, "/v1/turns/1/fs/run.sh?format=json").await));
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let (server, _) = with_tree().await;
    let addr = server.addr;
    for path in [
        "/nothing",
        "/dir/nothing",
        "/dir/../run.sh",
        "/%2e%2e/run.sh",
        "/link/a",
        "?path=nothing",
        "?path=run.sh/x",
    ] {
        // A client may resolve the dots itself; the server is asked for them as they are.
        refused(addr, &format!("/v1/turns/1/fs{path}"), (404, "NotFound")).await;
    }
    refused(addr, "/v1/turns/1/fs?path=run.sh", (422, "InvalidRequest")).await;
    refused(addr, "/v1/turns/1/fs/run.sh?format=xml", (422, "InvalidRequest")).await;
    refused(addr, "/v1/turns/9/fs", (404, "NotFound")).await;
    refused(addr, "/v1/turns/x/fs/a", (422, "InvalidRequest")).await;
    refused(addr, "/v1/turns/1/fs/%FF", (422, "InvalidRequest")).await;
    context(addr).await;
    let alone = turn(addr, "2", b"\xc0").await;
    refused(addr, &format!("/v1/turns/{alone}/fs"), (404, "NotFound")).await;

    let no_tree =
        append(addr, "2", &format!("type_id=t&fs_root_hash={}", ContentHash::of(b"#!")), "", b"\xc0").await;
    let number = no_tree.json()["turn_id"].as_str().expect("a number").to_owned();
    refused(addr, &format!("/v1/turns/{number}/fs"), (422, "InvalidRequest")).await;
}
