//! Branches come, are compared, and go; their names survive the address.

use cairn_http::{Client, ClientError};
use cairn_kb::tools::QueryInput;
use serde_json::json;

use super::{client, put, requirement, tool, upsert, with_main};
use crate::client::{get, request};
use crate::server::Server;

#[tokio::test]
async fn a_branch_is_created_once() {
    let server = Server::start().await;
    let first = put(&server, "/v1/kb/shop/main").await;
    assert_eq!(first["report"]["created"], true, "{first}");
    let second = put(&server, "/v1/kb/shop/main").await;
    assert_eq!(second["report"]["created"], false, "{second}");
    assert_eq!(first["report"]["branch"], second["report"]["branch"]);
    let listed = get(server.addr, "/v1/kb/shop").await.json();
    assert_eq!(listed, json!({"branches": [first["report"]["branch"]], "hasMore": false}));
}

#[tokio::test]
async fn a_copy_has_everything_and_goes_its_own_way() {
    let server = with_main().await;
    let copy = put(&server, "/v1/kb/shop/feature%2Flogin?from=main").await;
    assert_eq!(copy["report"]["branch"]["copiedFrom"], "main", "{copy}");
    let path = "/v1/kb/shop/diff?from=main&to=feature%2Flogin";
    let none = get(server.addr, path).await.json();
    assert_eq!(
        (&none["added"], &none["changed"], &none["linksRemoved"]),
        (&json!([]), &json!([]), &json!([]))
    );
    let mut client = client(&server).await;
    let changed = upsert(json!({"type": "req", "id": "REQ-1", "properties": {"status": "deprecated"}}));
    client.kb_upsert("shop", "feature/login", &changed).await.expect("stored");
    let mut added = requirement();
    added.id = "REQ-2".to_owned();
    added.relationships[0].from = "REQ-2".to_owned();
    client.kb_upsert("shop", "feature/login", &added).await.expect("stored");
    let diff = client.kb_diff("shop", "main", "feature/login").await.expect("a difference");
    assert_eq!(diff.added.iter().map(|entity| entity.text("id")).collect::<Vec<_>>(), ["REQ-2"]);
    assert_eq!(
        (diff.changed[0].from.text("status"), diff.changed[0].to.text("status")),
        ("open", "deprecated")
    );
    assert_eq!((diff.links_added.len(), diff.removed.len(), diff.truncated), (1, 0, false));
    let back = client.kb_diff("shop", "feature/login", "main").await.expect("a difference");
    assert_eq!((back.removed, back.links_removed), (vec!["REQ-2".to_owned()], diff.links_added));
    assert_eq!(tool(&server, "status", json!({})).await["entities"], 2, "main stays as it was");
}

#[tokio::test]
async fn names_of_branches_survive_the_address() {
    let server = Server::start().await;
    let mut client = client(&server).await;
    let names = [
        "feature/login",
        "a+b",
        "50%",
        "%2F",
        "grün/ß",
        "#1?x=2&y",
        "query",
        "diff",
        "entities",
        "main/upsert",
    ];
    for name in names {
        let ensured = client.kb_ensure("shop", name, None, &mut |_| {}).await.expect(name);
        assert_eq!((ensured.branch.branch.as_str(), ensured.created), (name, true));
        assert_eq!(client.kb_status("shop", name).await.expect(name).branch, name);
        let found = client.kb_query("shop", name, &QueryInput::default()).await.expect(name);
        assert_eq!(found.count, 0, "{name}");
        let missing = client.kb_entity("shop", name, "REQ-1").await;
        assert!(code_is(&missing, "KbNoEntity"), "{name}: {missing:?}");
    }
    let listed = client.kb_branches(Some("shop")).await.expect("a list");
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    assert_eq!(listed.branches.iter().map(|branch| branch.branch.as_str()).collect::<Vec<_>>(), sorted);
    for name in names {
        assert!(client.kb_delete_branch("shop", name).await.expect(name).deleted, "{name}");
        assert!(!client.kb_delete_branch("shop", name).await.expect(name).deleted, "{name}");
    }
    assert!(client.kb_branches(None).await.expect("a list").branches.is_empty());
}

fn code_is<T>(outcome: &Result<T, ClientError>, name: &str) -> bool {
    matches!(outcome, Err(ClientError::Refused { code: Some(code), .. }) if code.name() == name)
}

/// Its address is that of the comparison, for GET alone.
#[tokio::test]
async fn a_branch_may_be_named_diff() {
    let server = Server::start().await;
    put(&server, "/v1/kb/shop/diff").await;
    let compared = get(server.addr, "/v1/kb/shop/diff").await;
    assert_eq!(compared.json()["error"]["details"]["parameter"], "from", "{compared:?}");
    assert_eq!(get(server.addr, "/v1/kb/shop/%64iff").await.json()["branch"], "diff");
    assert_eq!(get(server.addr, "/v1/kb/shop/diff?from=diff&to=diff").await.status, 200);
    let gone = request(server.addr, "DELETE /v1/kb/shop/diff", "").await;
    assert_eq!(gone.json(), json!({"deleted": true}));
}

/// A workspace may be called like anything that is near.
#[tokio::test]
async fn workspaces_may_be_named_like_routes() {
    let server = Server::start().await;
    for workspace in ["skills", "sparql", "kb-skills", "diff", "kb"] {
        put(&server, &format!("/v1/kb/{workspace}/main")).await;
        let status = get(server.addr, &format!("/v1/kb/{workspace}/main")).await;
        assert_eq!(status.json()["workspace"], workspace, "{status:?}");
    }
    let listed = get(server.addr, "/v1/kb").await.json();
    assert_eq!(listed["branches"].as_array().map(Vec::len), Some(5), "{listed}");
}

#[tokio::test]
async fn a_copy_tells_how_far_it_is() {
    let server = with_main().await;
    let mut client: Client = client(&server).await;
    let mut stages = Vec::new();
    let mut hear = |stage: cairn_seam::Stage<'_>| stages.push(stage.done);
    let copy = client.kb_ensure("shop", "copy", Some("main"), &mut hear).await.expect("copied");
    assert!(copy.created && !stages.is_empty(), "{copy:?} {stages:?}");
    let from_nowhere =
        client.kb_ensure("shop", "empty", Some("nowhere"), &mut |_| {}).await.expect("created");
    assert_eq!((from_nowhere.created, from_nowhere.branch.copied_from), (true, None));
}
