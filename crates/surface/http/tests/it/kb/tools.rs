//! Each tool, by its address and by the client.

use cairn_kb::tools::{
    AcceptInput, CheckInput, CoverageInput, DeleteInput, FindGapsInput, GraphInput, ImpactInput, MatrixInput,
    ModelRequirementInput, QueryInput, ResultsInput, SearchInput, SemanticAdvisorInput, SuggestPredicatesInput, SuspectInput,
};
use serde_json::json;

use super::{client, requirement, scenario, tool, with_main};
use crate::client::{get, send};
use crate::server::Server;

#[tokio::test]
async fn tools_answer_at_their_addresses() {
    let server = with_main().await;
    let found = tool(&server, "query", json!({"type": "req"})).await;
    assert_eq!((&found["count"], &found["entities"][0]["id"]), (&json!(1), &json!("REQ-1")), "{found}");
    let found = tool(&server, "search", json!({"query": "sessions"})).await;
    assert_eq!(found["results"][0]["entity"]["id"], "REQ-1", "{found}");
    let status = tool(&server, "status", json!({})).await;
    assert_eq!((&status["entities"], &status["relationships"]), (&json!(2), &json!(1)), "{status}");
    let gaps =
        tool(&server, "find_gaps", json!({"type": "req", "missingRelationships": ["verified_by"]})).await;
    assert_eq!(gaps["count"], 1, "{gaps}");
    let coverage = tool(&server, "coverage", json!({"by": "req"})).await;
    assert_eq!(coverage["summary"]["missingTest"], 1, "{coverage}");
    let graph = tool(&server, "graph", json!({"seedIds": ["SCEN-1"], "direction": "incoming"})).await;
    assert_eq!(graph["edges"], json!([{"type": "specified_by", "from": "REQ-1", "to": "SCEN-1"}]), "{graph}");
    let report = tool(&server, "check", json!({"rules": ["must-priority-coverage"]})).await;
    assert_eq!(report["violations"][0]["entityId"], "REQ-1", "{report}");
    let matrix = tool(&server, "matrix", json!({"priorities": ["must"]})).await;
    assert_eq!(matrix["rows"][0]["scenarios"]["items"][0]["id"], "SCEN-1", "{matrix}");
    assert_eq!(matrix["rows"][0]["gaps"], json!(["missing_test", "missing_symbol"]), "{matrix}");
    let impact = tool(&server, "impact", json!({"ids": ["SCEN-1"]})).await;
    assert_eq!(
        (&impact["dependents"]["count"], &impact["dependencies"]["count"]),
        (&json!(0), &json!(1)),
        "{impact}"
    );
    let change = json!({"type": "scenario", "id": "SCEN-1", "properties": {"title": "Another one"}});
    tool(&server, "upsert", change).await;
    let suspect = tool(&server, "suspect", json!({})).await;
    assert_eq!(
        (&suspect["count"], &suspect["links"][0]["changed"]),
        (&json!(1), &json!("target")),
        "{suspect}"
    );
    let accepted = tool(&server, "accept", json!({"ids": ["REQ-1"]})).await;
    assert_eq!((&accepted["accepted"], &accepted["remaining"]), (&json!(1), &json!(0)), "{accepted}");
    assert_eq!(tool(&server, "suspect", json!({})).await["count"], 0);
    let same = json!({"type": "req", "id": "REQ-2", "properties": {"title": "New", "status": "open"}});
    let valid = tool(&server, "validate_upsert", same.clone()).await;
    assert_eq!(
        valid["normalizedPreview"]["id"],
        if valid["valid"] == true { json!("REQ-2") } else { json!(null) }
    );
    assert_eq!(tool(&server, "status", json!({})).await["entities"], 2, "a dry run stores nothing");
    let deleted = tool(&server, "delete", json!({"ids": ["REQ-1", "SCEN-1", "REQ-9"]})).await;
    assert_eq!((&deleted["deleted"], &deleted["skipped"]), (&json!(2), &json!(["REQ-9"])), "{deleted}");
}

#[tokio::test]
async fn prose_becomes_payloads_that_are_accepted() {
    let server = with_main().await;
    let sentence = json!({"text": "Audit logs must be retained for 90 days.", "source": "docs/logs.md"});
    let model = tool(&server, "model_requirement", sentence.clone()).await;
    assert_eq!((&model["isStrict"], &model["schemaVersionStatus"]), (&json!(true), &json!(null)), "{model}");
    let plan = model["applyPlan"].as_array().expect("a plan");
    assert_eq!(plan.len(), 3, "{model}");
    for again in [0, 1] {
        for row in plan {
            let stored = tool(&server, "upsert", row.clone()).await;
            assert_eq!(stored["updated"], again, "{stored}");
        }
    }
    let advice = tool(&server, "semantic_advisor", json!({"text": sentence["text"]})).await;
    assert_eq!(advice["receipt"]["candidate_lane"], "strict_property", "{advice}");
    let refused = send(
        server.addr,
        "POST /v1/kb/shop/main/model_requirement",
        "content-type: application/json\r\n",
        br#"{"text": "Logs must be kept", "subjectKey": "log"}"#,
    )
    .await;
    assert_eq!(refused.error(), (422, "KbInvalidArgument".to_owned()));
}

#[tokio::test]
async fn predicate_schemas_of_the_branch_are_suggested_beside_the_built_in_ones() {
    let server = with_main().await;
    let text = json!({"text": "Visitors wear a zebra badge in the laboratory.", "minScore": 0.1});
    let before = tool(&server, "suggest_predicates", text.clone()).await;
    assert_eq!(before["recommendedAction"], "record_ontology_gap", "{before}");
    let schema = json!({"type": "fact", "id": "FACT-SCHEMA-BADGE", "properties": {
        "title": "badge_rule(person, room)", "status": "active", "fact_kind": "predicate_schema",
        "predicate_name": "badge_rule", "predicate_arity": 2, "argument_names": ["person", "room"],
        "argument_types": ["entity", "entity"], "aliases": ["badge"], "tags": ["zebra"]
    }});
    tool(&server, "upsert", schema).await;
    let after = tool(&server, "suggest_predicates", text.clone()).await;
    assert_eq!(after["candidates"][0]["schema"]["id"], "FACT-SCHEMA-BADGE", "{after}");
    let mut without = text;
    without["includeExistingSchemas"] = json!(false);
    assert_eq!(tool(&server, "suggest_predicates", without).await["candidates"], json!([]));
}

#[tokio::test]
async fn no_body_stands_for_an_empty_object() {
    let server = with_main().await;
    for name in ["query", "status", "find_gaps", "coverage", "check", "matrix", "suspect"] {
        let request = format!("POST /v1/kb/shop/main/{name}");
        let bare = send(server.addr, &request, "", b"").await;
        let object = send(server.addr, &request, "content-type: application/json\r\n", b"{}").await;
        assert_eq!((bare.status, &bare.body), (200, &object.body), "{name}: {bare:?}");
    }
    for (name, field) in [
        ("search", "query"),
        ("graph", "seedIds"),
        ("suggest_predicates", "text"),
        ("upsert", "type"),
        ("delete", "ids"),
    ] {
        let bare = send(server.addr, &format!("POST /v1/kb/shop/main/{name}"), "", b"").await;
        assert_eq!(bare.status, 422, "{name}: {bare:?}");
        assert!(bare.body.contains(&format!("missing field `{field}`")), "{name}: {bare:?}");
    }
}

#[tokio::test]
async fn status_and_entities_are_plain_reads() {
    let server = with_main().await;
    let status = get(server.addr, "/v1/kb/shop/main").await;
    assert_eq!(status.json(), tool(&server, "status", json!({})).await);
    let entity = get(server.addr, "/v1/kb/shop/main/entities/REQ-1").await;
    assert_eq!((entity.status, entity.json()["priority"].clone()), (200, json!("must")), "{entity:?}");
    let missing = get(server.addr, "/v1/kb/shop/main/entities/REQ%2F9").await;
    assert_eq!(missing.error(), (404, "KbNoEntity".to_owned()));
    assert_eq!(missing.json()["error"]["details"]["ids"], json!(["REQ/9"]));
}

#[tokio::test]
async fn the_client_calls_every_tool() {
    let server = Server::start().await;
    let mut client = client(&server).await;
    client.kb_ensure("shop", "main", None, &mut |_| {}).await.expect("created");
    let scen = client.kb_upsert("shop", "main", &scenario()).await.expect("stored");
    assert_eq!((scen.created, scen.updated), (1, 0));
    assert!(client.kb_validate_upsert("shop", "main", &requirement()).await.expect("valid").valid);
    let req = client.kb_upsert("shop", "main", &requirement()).await.expect("stored");
    assert_eq!((req.created, req.relationships_created), (1, 1));
    let query = QueryInput { id: Some("REQ-1".into()), ..QueryInput::default() };
    let found = client.kb_query("shop", "main", &query).await.expect("found");
    let entity = client.kb_entity("shop", "main", "REQ-1").await.expect("found");
    assert_eq!(found.entities, [entity]);
    let search = SearchInput { query: "expire".into(), ..SearchInput::default() };
    assert_eq!(client.kb_search("shop", "main", &search).await.expect("found").count, 1);
    assert_eq!(client.kb_status("shop", "main").await.expect("a status").snapshot_id, req.snapshot_id);
    let gaps = client.kb_find_gaps("shop", "main", &FindGapsInput::default()).await.expect("gaps");
    assert_eq!(gaps.meta.entities, 2);
    let coverage = client.kb_coverage("shop", "main", &CoverageInput::default()).await.expect("coverage");
    assert_eq!(coverage.summary.total, 1);
    let graph = GraphInput { seed_ids: vec!["REQ-1".into()], ..GraphInput::default() };
    assert_eq!(client.kb_graph("shop", "main", &graph).await.expect("a graph").nodes.len(), 2);
    let report = client.kb_check("shop", "main", &CheckInput::default()).await.expect("a report");
    assert_eq!(report.snapshot_id, req.snapshot_id);
    assert!(report.count > 0 && report.violations.iter().any(|violation| !violation.fix.is_empty()));
    let text = "Guests must not delete invoices.";
    let input = ModelRequirementInput { text: Some(text.into()), ..ModelRequirementInput::default() };
    assert!(client.kb_model_requirement("shop", "main", &input).await.expect("a model").is_strict);
    let input = SuggestPredicatesInput { text: text.into(), ..SuggestPredicatesInput::default() };
    let found = client.kb_suggest_predicates("shop", "main", &input).await.expect("candidates");
    assert_eq!(found.candidates[0].predicate_name, "permission_rule");
    let input = SemanticAdvisorInput { text: text.into(), ..SemanticAdvisorInput::default() };
    let advice = client.kb_semantic_advisor("shop", "main", &input).await.expect("a receipt");
    assert_eq!(advice.receipt.suggestions.len(), 1);
    let matrix = client.kb_matrix("shop", "main", &MatrixInput::default()).await.expect("a matrix");
    assert_eq!((matrix.count, matrix.rows[0].scenarios.count), (1, 1));
    let changed = ImpactInput { ids: vec!["REQ-1".into()], ..ImpactInput::default() };
    assert_eq!(client.kb_impact("shop", "main", &changed).await.expect("an impact").dependents.count, 1);
    let suspect = client.kb_suspect("shop", "main", &SuspectInput::default()).await.expect("links");
    assert_eq!((suspect.count, suspect.known), (0, 1));
    let all = AcceptInput { all: true, ..AcceptInput::default() };
    assert_eq!(client.kb_accept("shop", "main", &all).await.expect("accepted").accepted, 0);
    let ids = DeleteInput { ids: vec!["REQ-1".into()], request_id: None };
    assert_eq!(client.kb_delete("shop", "main", &ids).await.expect("deleted").deleted, 1);
}

#[tokio::test]
async fn skills_are_read_whole_and_by_resource() {
    let server = Server::start().await;
    let list = get(server.addr, "/v1/kb-skills").await.json();
    let ids: Vec<_> =
        list["skills"].as_array().expect("a list").iter().map(|skill| skill["id"].clone()).collect();
    assert_eq!(ids, ["cairn-bootstrap", "cairn-freshness", "cairn-traceability", "cairn-usage"]);
    let skill = get(server.addr, "/v1/kb-skills/kibi-usage").await.json();
    assert_eq!(skill["metadata"]["id"], "cairn-usage", "an alias is followed");
    let plain = get(server.addr, "/v1/kb-skills/cairn-usage/resources/fact-lanes.md").await;
    assert_eq!(plain.status, 200, "{plain:?}");
    let encoded = get(server.addr, "/v1/kb-skills/cairn-usage/resources%2Ffact-lanes.md").await;
    assert_eq!(encoded.json(), plain.json());
    for (path, status) in [
        ("nothing", 404),
        ("cairn-usage/SKILL.md", 404),
        ("cairn-usage/..%2F..%2FCargo.toml", 422),
        ("cairn-usage/../../Cargo.toml", 422),
    ] {
        let refused = get(server.addr, &format!("/v1/kb-skills/{path}")).await;
        assert_eq!(refused.status, status, "{path}: {refused:?}");
    }
}

#[tokio::test]
async fn results_of_a_run_may_be_many() {
    let server = with_main().await;
    let test = json!({"type": "test", "id": "TEST-1",
        "properties": {"title": "x", "status": "pending", "source": "tests/test_x.py::test_x"}});
    tool(&server, "upsert", test).await;
    let case = |name: &str| json!({"name": name, "class": "tests.test_x", "status": "failing"});
    // More than other bodies may have.
    let others = (0..30_000).map(|at| case(&format!("test_other[{at}]")));
    let cases: Vec<_> = others.chain([case("test_x")]).collect();
    let output = tool(&server, "results", json!({"run": "ci-1", "cases": cases})).await;
    assert_eq!((&output["matched"], &output["updatedCount"]), (&json!(1), &json!(1)));
    assert_eq!((&output["unmatchedCount"], output["unmatched"].as_array().map(Vec::len)), (&json!(30_000), Some(1_000)));
    let input = ResultsInput { cases: Vec::new(), ..ResultsInput::default() };
    let output = client(&server).await.kb_import_results("shop", "main", &input).await.expect("it is imported");
    assert_eq!(output.cases, 0);
    let refused = send(server.addr, "POST /v1/kb/shop/main/results", "content-type: application/json\r\n",
        br#"{"cases":[{"name":"x","status":"passed"}]}"#).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(refused.body.contains("unknown variant `passed`"), "{refused:?}");
}
