//! Streams of artifacts.

use super::kit::{World, id};
use crate::events::sse::{Block, open, refused};

fn told(block: &Block) -> String {
    format!("{} {}", block.event, block.json()["title"].as_str().unwrap_or("-"))
}

fn after(who: &str, block: &Block) -> String {
    format!("{who}last-event-id: {}\r\n", block.id.as_deref().expect("it has an id"))
}

#[tokio::test]
async fn artifacts_are_told_of_to_those_who_may_read_them() {
    let world = World::new().await;
    let addr = world.server.addr;
    let mut of_ada = open(addr, "/kcp/v1/events", &world.ada).await;
    let mut of_bob = open(addr, "/kcp/v1/events", &world.bob).await;
    let mut tagged = open(addr, "/kcp/v1/events?tags=a,b", &world.bob).await;
    let mut matching = open(addr, "/kcp/v1/events?q=second&author=ada", &world.bob).await;
    let mut of_others = open(addr, "/kcp/v1/events?author=bob", &world.bob).await;
    let mut of_eve = open(addr, "/kcp/v1/events", &world.eve).await;
    for stream in [&mut of_ada, &mut of_bob, &mut tagged, &mut matching, &mut of_others, &mut of_eve] {
        assert!(stream.head.contains("text/event-stream"), "{}", stream.head);
        assert_eq!(stream.next().await.event, "connected");
    }
    world.published(1, &[("visibility", "\"private\"")]).await;
    // Turns are told of elsewhere.
    world.post(&world.ada, "/v1/contexts", b"{}").await;
    world.published(2, &[("title", "\"Second\""), ("tags", r#"["a","b","c"]"#)]).await;
    world.published(3, &[("tags", r#"["a"]"#), ("visibility", "\"public\"")]).await;
    world.delete(&world.ada, &format!("/kcp/v1/artifacts/{}", id(2)), b"").await;
    let texts = |blocks: Vec<Block>| blocks.iter().map(told).collect::<Vec<_>>();
    let (second, third) = ("artifact_published Second", "artifact_published Report 3");
    let gone = "artifact_deleted Second";
    assert_eq!(texts(of_ada.take(4).await), ["artifact_published Report 1", second, third, gone]);
    assert_eq!(texts(of_bob.take(3).await), [second, third, gone]);
    assert_eq!(texts(tagged.take(2).await), [second, gone]);
    let last = matching.take(2).await;
    assert_eq!(texts(last.clone()), [second, gone]);
    assert!(last[1].json()["deleted_at"].is_string(), "{last:?}");
    for stream in [&mut of_others, &mut of_eve] {
        let beat = stream.next().await;
        assert_eq!(
            (beat.event.as_str(), beat.comment.as_deref()),
            ("", Some("heartbeat")),
            "nothing for them"
        );
    }
}

#[tokio::test]
async fn a_stream_goes_on_exactly_after_any_event() {
    let world = World::new().await;
    let addr = world.server.addr;
    let mut live = open(addr, "/kcp/v1/events", &world.bob).await;
    let mut all = vec![live.next().await];
    for number in 1..=4 {
        let visibility = if number == 2 { "\"private\"" } else { "\"org\"" };
        world.published(number, &[("visibility", visibility)]).await;
    }
    world.delete(&world.ada, &format!("/kcp/v1/artifacts/{}", id(1)), b"").await;
    all.extend(live.take(4).await);
    for at in 0..all.len() {
        let mut again = open(addr, "/kcp/v1/events", &after(&world.bob, &all[at])).await;
        assert_eq!(again.next().await.event, "connected");
        assert_eq!(again.take(all.len() - at - 1).await, all[at + 1..], "after {at}");
    }
    // While it was away, and then live.
    let mut again = open(addr, "/kcp/v1/events", &after(&world.bob, all.last().expect("some"))).await;
    world.published(5, &[]).await;
    assert_eq!(told(&again.take(2).await[1]), "artifact_published Report 5");
    assert!(!again.missed_sessions, "who is connected is not told here");
    world.published(6, &[]).await;
    assert_eq!(told(&again.next().await), "artifact_published Report 6");
}

#[tokio::test]
async fn wrong_requests_for_streams_are_refused() {
    let world = World::new().await;
    let invalid = (400, "INVALID_PAYLOAD".to_owned());
    for query in ["last_event_id=x", "tag=a"] {
        let path = format!("/kcp/v1/events?{query}");
        assert_eq!(refused(world.server.addr, &path, &world.bob).await, invalid, "{query}");
    }
    let long = format!("/kcp/v1/events?q={}", "long+".repeat(2_000));
    assert_eq!(refused(world.server.addr, &long, &world.bob).await, (413, "TOO_LARGE".to_owned()));
    assert_eq!(refused(world.server.addr, "/kcp/v1/events", "").await, (401, "UNAUTHORIZED".to_owned()));
}
