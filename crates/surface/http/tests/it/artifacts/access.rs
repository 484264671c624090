//! Who reaches what: anonymous callers, rate limits by address, and what is hidden.

use std::num::NonZeroU64;

use cairn_gate::{Allowance, GateConfig};

use super::kit::{ANONYMOUS, World, content, id, sha256};

fn limit(max: u64) -> Option<NonZeroU64> {
    NonZeroU64::new(max)
}

#[tokio::test]
async fn what_is_hidden_is_answered_like_what_is_missing() {
    let world = World::new().await;
    for (number, visibility) in [(1, "org"), (2, "private")] {
        world.published(number, &[("visibility", &format!("\"{visibility}\""))]).await;
    }
    for (who, hidden) in [(&*world.eve, 1), (&world.eve, 2), (ANONYMOUS, 1), (ANONYMOUS, 2)] {
        for rest in
            ["", "?form=canonical", "/content", "/content?encoding=base64", "/lineage", "/derivatives"]
        {
            let of = |number: u8| format!("/kcp/v1/artifacts/{}{rest}", id(number));
            let (found, missing) = (world.get(who, &of(hidden)).await, world.get(who, &of(9)).await);
            assert_eq!(found.error(), (404, "NOT_FOUND".into()), "{rest}");
            assert_eq!(found.body, missing.body, "{rest}");
        }
        let of = |number: u8| format!("/kcp/v1/content/{}", sha256(content(number).as_bytes()));
        assert_eq!(world.get(who, &of(hidden)).await.body, world.get(who, &of(9)).await.body);
    }
    // Inside of the tenant it is forbidden, and the content is hidden also from those who know its hash.
    assert_eq!(
        world.get(&world.bob, &format!("/kcp/v1/artifacts/{}", id(2))).await.error(),
        (403, "FORBIDDEN".into())
    );
    let hash = format!("/kcp/v1/content/{}", sha256(content(2).as_bytes()));
    assert_eq!(world.get(&world.bob, &hash).await.error().0, 404);
    assert_eq!(world.get(&world.ada, &hash).await.status, 200);
}

#[tokio::test]
async fn bad_credentials_are_refused_where_none_are_needed() {
    let world = World::new().await;
    let wrong = format!("authorization: Bearer cairn_{}\r\n", "A".repeat(48));
    for path in ["/kcp/v1/artifacts", "/kcp/v1/health", "/ipfs/x?format=raw"] {
        let refused = world.get(&wrong, path).await;
        assert_eq!(refused.error(), (401, "UNAUTHORIZED".into()), "{path}");
        assert!(refused.header("www-authenticate").is_some_and(|value| value.contains("invalid_token")));
        assert_eq!(refused.json()["error"]["details"]["cairn_code"], "TokenUnknown");
    }
    for line in ["GET /kcp/v1/events", "GET /v1/contexts", "GET /v1/artifacts/ids"] {
        let refused = crate::client::request(world.server.addr, line, ANONYMOUS).await;
        assert_eq!(refused.status, 401, "{line}");
    }
}

#[tokio::test]
async fn anonymous_callers_have_a_rate_limit_by_address() {
    let allowance = Allowance { reads_per_minute: limit(2), ..Allowance::default() };
    let world = World::with(allowance, GateConfig::default().deadline).await;
    for _ in 0..2 {
        assert_eq!(world.get(ANONYMOUS, "/kcp/v1/health").await.status, 200);
    }
    let refused = world.get(ANONYMOUS, "/kcp/v1/health").await;
    assert_eq!(refused.error(), (429, "RATE_LIMITED".into()));
    assert_eq!(refused.header("retry-after"), Some("30"));
    assert_eq!(refused.json()["error"]["details"]["cairn_code"], "TooManyRequests");
    assert_eq!(world.get(&world.bob, "/kcp/v1/health").await.status, 200, "others have their own");
    assert_eq!(world.get(ANONYMOUS, "/kcp/v1/artifacts").await.status, 200, "a search is something else");
}

#[tokio::test]
async fn the_local_owner_needs_no_credentials() {
    let server = crate::server::Server::start().await;
    server.search();
    let made = crate::client::post(server.addr, "/kcp/v1/artifacts", r#"{"title":"x","content":"x"}"#).await;
    assert_eq!((made.status, &made.json()["tenant_id"]), (201, &"local".into()));
    let list = crate::client::get(server.addr, "/kcp/v1/artifacts").await;
    assert_eq!(list.json()["total"], 1, "also what is private");
}
