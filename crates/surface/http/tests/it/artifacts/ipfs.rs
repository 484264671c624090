//! The gateway of IPFS.

use cairn_artifacts::cid::Cid;
use cairn_seam::Sha256;

use super::kit::{ANONYMOUS, World, content};
use crate::client::request;

#[tokio::test]
async fn public_content_is_served_by_its_cid() {
    let world = World::new().await;
    world.published(1, &[("visibility", "\"public\"")]).await;
    world.published(2, &[]).await;
    let cid = |number: u8| Cid::Raw(Sha256::of(content(number).as_bytes())).to_string();
    let path = format!("/ipfs/{}?format=raw", cid(1));
    for who in [ANONYMOUS, &world.eve] {
        let block = world.get(who, &path).await;
        assert_eq!((block.status, &*block.body), (200, &*content(1)));
        assert_eq!(block.header("content-type"), Some("application/vnd.ipld.raw"));
        assert_eq!(block.header("etag"), Some(&*format!("\"{}.raw\"", cid(1))));
        assert_eq!(block.header("cache-control"), Some("public, max-age=29030400, immutable"));
        assert_eq!(block.header("x-ipfs-path"), Some(&*format!("/ipfs/{}", cid(1))));
        assert_eq!(block.header("x-content-type-options"), Some("nosniff"));
    }
    let accepted = "accept: application/vnd.ipld.raw\r\nrange: bytes=0-6\r\n";
    let part = request(world.server.addr, &format!("GET /ipfs/{}", cid(1)), accepted).await;
    assert_eq!((part.status, &*part.body), (206, "content"));
    let head = request(world.server.addr, &format!("HEAD {path}"), "").await;
    assert_eq!(head.header("content-length"), Some(&*content(1).len().to_string()));
    // Also for its author it is a gateway to what is public.
    let org = format!("/ipfs/{}?format=raw", cid(2));
    assert_eq!(world.get(&world.ada, &org).await.error(), (404, "NOT_FOUND".into()));
    for (path, expected) in [
        (format!("/ipfs/{}", cid(1)), (400, "INVALID_PAYLOAD")),
        (format!("/ipfs/{}?format=car", cid(1)), (400, "INVALID_PAYLOAD")),
        ("/ipfs/x?format=raw".into(), (400, "INVALID_PAYLOAD")),
        ("/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG?format=raw".into(), (404, "NOT_FOUND")),
        (format!("/ipfs/{}/x?format=raw", cid(1)), (404, "NOT_FOUND")),
    ] {
        assert_eq!(world.get(ANONYMOUS, &path).await.error(), (expected.0, expected.1.into()), "{path}");
    }
}
