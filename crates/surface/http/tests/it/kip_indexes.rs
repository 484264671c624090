//! `/v1/kip/indexes`, as programs and the client of `cairn kip index` use it.

use std::time::Duration;

use cairn_http::{Client, ClientError};
use cairn_wire::indexes::IndexJob;
use serde_json::{Value, json};

use crate::client::{Answer, get, post, request};
use crate::server::Server;

const DRUGS: &str = r#"UPSERT {
  CONCEPT ?type { {type: "$ConceptType", name: "Drug"} }
  CONCEPT ?one { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { dose: 2 } }
  CONCEPT ?other { {type: "Drug", name: "Ibuprofen"} }
}"#;

async fn with_drugs() -> Server {
    let server = Server::start().await;
    let made = post(server.addr, "/v1/kip", &json!({"command": DRUGS}).to_string()).await;
    assert!(made.json().get("result").is_some(), "{made:?}");
    server
}

async fn listed(server: &Server) -> Value {
    let answer = get(server.addr, "/v1/kip/indexes").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["indexes"].clone()
}

fn refused(answer: &Answer) -> (u16, Value, Value) {
    let error = answer.json()["error"].clone();
    (answer.status, error["code"].clone(), error["details"]["hint"].clone())
}

#[tokio::test]
async fn indexes_are_made_listed_and_dropped() {
    let server = with_drugs().await;
    let job = json!({"type": "Drug", "field": "attributes.dose"});
    let made = post(server.addr, "/v1/kip/indexes", &job.to_string()).await;
    assert_eq!((made.status, made.header("content-type")), (200, Some("application/x-ndjson")), "{made:?}");
    let index = json!({"type": "Drug", "field": "attributes.dose", "state": "ready", "entries": 2,
        "concepts": 2, "automatic": false});
    // Between the lines stand the lengths of pieces of the answer.
    let last = made.body.lines().rfind(|line| line.starts_with('{')).expect("a line");
    let last: Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(last, json!({"report": index}), "{made:?}");
    assert_eq!(listed(&server).await, json!([index]));
    let path = "DELETE /v1/kip/indexes?type=Drug&field=attributes.dose";
    assert_eq!(request(server.addr, path, "").await.status, 204);
    assert_eq!(listed(&server).await, json!([]));
    assert_eq!(refused(&request(server.addr, path, "").await).0, 404);
}

#[tokio::test]
async fn an_index_is_that_of_its_space() {
    let server = with_drugs().await;
    let made = post(server.addr, "/v1/kip", &json!({"command": DRUGS, "space": "work"}).to_string()).await;
    assert!(made.json().get("result").is_some(), "{made:?}");
    for space in ["memory", "work"] {
        let job = json!({"type": "Drug", "field": "attributes.dose", "space": space});
        assert_eq!(post(server.addr, "/v1/kip/indexes", &job.to_string()).await.status, 200);
    }
    let path = "DELETE /v1/kip/indexes?type=Drug&field=attributes.dose&space=work";
    assert_eq!(request(server.addr, path, "").await.status, 204);
    let there = get(server.addr, "/v1/kip/indexes?space=work").await.json();
    assert_eq!(there, json!({"indexes": []}));
    assert_eq!(listed(&server).await.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn what_is_wrong_has_its_status_and_a_hint() {
    let server = with_drugs().await;
    for (job, status, says) in [
        (json!({"type": "Drgu", "field": "attributes.dose"}), 422, "\"Drug\""),
        (json!({"type": "Drug", "field": "dose"}), 422, "message"),
        (json!({"type": "Drug", "field": "attributes.dose", "space": "nowhere"}), 422, "memory"),
        (json!({"type": "Drug"}), 422, ""),
    ] {
        let answer = post(server.addr, "/v1/kip/indexes", &job.to_string()).await;
        let (found, code, hint) = refused(&answer);
        assert_eq!((found, code.as_str()), (status, Some("InvalidRequest")), "{job}: {answer:?}");
        assert!(hint.as_str().is_some_and(|hint| hint.contains(says)), "{job}: {hint}");
    }
    let unsaid = request(server.addr, "DELETE /v1/kip/indexes?type=Drug", "").await;
    assert_eq!(unsaid.json()["error"]["details"]["parameter"], "field", "{unsaid:?}");
    let nowhere = get(server.addr, "/v1/kip/indexes?space=nowhere").await;
    assert_eq!(nowhere.status, 422, "{nowhere:?}");
}

#[tokio::test]
async fn the_client_of_the_program_does_the_same() {
    let server = with_drugs().await;
    let mut client = Client::over(server.local().await, Duration::from_secs(20)).await.expect("it connects");
    let job = IndexJob { space: None, kind: "Drug".to_owned(), field: "attributes.dose".to_owned() };
    let mut stages = 0;
    let made = client.create_ordered_index(&job, &mut |_| stages += 1).await.expect("it is made");
    assert_eq!((made.state.as_str(), made.entries, stages > 0), ("ready", Some(2), true));
    let page = client.kip_indexes(Some("memory")).await.expect("a list");
    assert_eq!(page.indexes, [made]);
    client.drop_ordered_index(&job).await.expect("it is dropped");
    let again = client.drop_ordered_index(&IndexJob { space: Some("memory".to_owned()), ..job }).await;
    assert!(matches!(again, Err(ClientError::Refused { .. })), "{again:?}");
    assert!(client.kip_indexes(None).await.expect("a list").indexes.is_empty());
}
