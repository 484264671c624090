//! Lists and searches.

use serde_json::Value;

use super::kit::{ANONYMOUS, World, details, id};

async fn world() -> World {
    let world = World::new().await;
    world.published(1, &[("tags", r#"["a","b"]"#), ("team", "\"core\""), ("summary", "\"Short\"")]).await;
    world.published(2, &[("tags", r#"["a"]"#), ("visibility", "\"public\""), ("format", "\"text\"")]).await;
    world.published(3, &[("visibility", "\"private\"")]).await;
    world
}

fn ids(list: &Value) -> Vec<String> {
    let results = list["results"].as_array().expect("a list");
    let mut ids: Vec<_> = results.iter().map(|item| item["id"].as_str().expect("an id").to_owned()).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn every_parameter_filters() {
    let world = world().await;
    for (query, expected) in [
        ("", &[1, 2, 3][..]),
        ("q=kingfishers", &[1, 2, 3]),
        ("q=%22number+2%22", &[2]),
        ("tags=a", &[1, 2]),
        ("tags=a,b", &[1]),
        ("tags=b,a,", &[1]),
        ("tags=c", &[]),
        ("team=core", &[1]),
        ("author=ada", &[1, 2, 3]),
        ("author=bob", &[]),
        ("format=text", &[2]),
        ("visibility=private", &[3]),
        ("tenant_id=acme", &[1, 2, 3]),
        ("tenant_id=nowhere", &[]),
        ("from=2023-11-14", &[1, 2, 3]),
        ("from=2023-11-15", &[]),
        ("to=2023-11-14", &[]),
        ("to=2023-11-15", &[1, 2, 3]),
        ("from=2023-11-14T22:13:20Z&to=2023-11-14T22:13:20.001Z", &[1, 2, 3]),
        ("to=2023-11-14T22:13:20Z", &[]),
        ("from=2023-11-14T23:13:20+01:00", &[1, 2, 3]),
        ("q=kingfishers&tags=a&visibility=public", &[2]),
        ("sort=most_read", &[1, 2, 3]),
        ("sort=most_cited", &[1, 2, 3]),
        ("q=kingfishers&sort=newest", &[1, 2, 3]),
    ] {
        let list = world.json(&world.ada, &format!("/kcp/v1/artifacts?{query}")).await;
        let expected: Vec<_> = expected.iter().map(|number| id(*number)).collect();
        assert_eq!((ids(&list), &list["total"]), (expected.clone(), &expected.len().into()), "{query}");
        let has_whole = !query.contains("q=");
        assert_eq!(
            list["artifacts"].as_array().map(Vec::len),
            has_whole.then_some(expected.len()),
            "{query}"
        );
    }
    let page = world.json(&world.ada, "/kcp/v1/artifacts?limit=1&offset=1").await;
    assert_eq!((ids(&page).len(), &page["total"]), (1, &3.into()));
}

#[tokio::test]
async fn callers_find_what_they_may_read() {
    let world = world().await;
    for (who, expected) in
        [(&*world.bob, &[1, 2][..]), (&world.admin, &[1, 2]), (&world.eve, &[2]), (ANONYMOUS, &[2])]
    {
        for query in ["", "?q=kingfishers", "?sort=most_cited"] {
            let list = world.json(who, &format!("/kcp/v1/artifacts{query}")).await;
            let expected: Vec<_> = expected.iter().map(|number| id(*number)).collect();
            assert_eq!((ids(&list), &list["total"]), (expected.clone(), &expected.len().into()), "{query}");
        }
        assert_eq!(world.json(who, "/kcp/v1/health").await["artifacts"], expected.len());
    }
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let world = World::new().await;
    for (query, parameter) in [
        ("Q=x", "Q"),
        ("from=yesterday", "from"),
        ("from=2026-13-01", "from"),
        ("from=2026-01-01T00:00:00", "from"),
        ("to=7", "to"),
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=-1", "limit"),
        ("offset=x", "offset"),
        ("offset=10001", "offset"),
        ("visibility=all", "visibility"),
        ("sort=best", "sort"),
        ("tags=a&tags=b", "tags"),
    ] {
        let refused = world.get(&world.ada, &format!("/kcp/v1/artifacts?{query}")).await;
        let expected = (400, "INVALID_PAYLOAD".into());
        assert_eq!(
            (refused.error(), &details(&refused)["parameter"]),
            (expected, &parameter.into()),
            "{query}"
        );
    }
    let long = world.get(&world.ada, &format!("/kcp/v1/artifacts?q={}", "long+".repeat(2_000))).await;
    assert_eq!((long.error(), &details(&long)["parameter"]), ((413, "TOO_LARGE".into()), &"q".into()));
    let many = vec!["a"; 65].join(",");
    assert_eq!(world.get(&world.ada, &format!("/kcp/v1/artifacts?tags={many}")).await.error().0, 400);
}
