//! An artifact as an OpenLineage run event, for collectors such as Marquez or DataHub.
//!
//! Each artifact is one COMPLETE event of OpenLineage 2-0-2: the software that made it is the job, the artifact
//! is the output, parents and data sources are the inputs. Nothing is sent from here.

use cairn_base::{Value, from_iso, to_iso};

use crate::view::{KnownNode, LineageNode, by_id, object};

const SCHEMA: &str = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent";
const OWNERSHIP: &str = "https://openlineage.io/spec/facets/1-0-1/OwnershipDatasetFacet.json";
const DOCUMENTATION: &str = "https://openlineage.io/spec/facets/1-0-1/DocumentationDatasetFacet.json";
const ARTIFACT_FACET: &str = "urn:kcp:openlineage:artifact-facet:1";
const RUN_FACET: &str = "urn:kcp:openlineage:run-facet:1";
const PRODUCER: &str = "urn:kcp:cairn";
/// The job of an artifact that names no software.
const NO_SOFTWARE: &str = "unknown";

/// Returns one run event as JSON for each artifact of a lineage that the caller may read, sorted by id.
pub fn run_events(nodes: &[LineageNode]) -> Vec<String> {
    let sorted = by_id(nodes);
    let tenant_of = |id: &str| sorted.get(id).copied().flatten().and_then(LineageNode::known);
    let known = sorted.values().copied().flatten().filter_map(LineageNode::known);
    known
        .map(|node| {
            let parents = node.parents.iter().map(|parent| {
                let tenant = tenant_of(&parent.id).map_or(&node.tenant_id, |parent| &parent.tenant_id);
                dataset(&namespace(tenant), &parent.id)
            });
            let sources = node.data_sources.iter().map(|source| data_source(source));
            event(node, parents.chain(sources).collect())
        })
        .collect()
}

fn event(node: &KnownNode, inputs: Vec<Value>) -> String {
    let namespace = namespace(&node.tenant_id);
    let time = from_iso(&node.timestamp).and_then(to_iso).unwrap_or_else(|| node.timestamp.clone());
    let run_facet =
        facet(RUN_FACET, [("agent", &node.agent), ("query", &node.query), ("source", &node.source)]);
    let run = [("runId", text(&node.id)), ("facets", object([("kcp_run", run_facet)]))];
    let job = [("namespace", text(&namespace)), ("name", text(node.software().unwrap_or(NO_SOFTWARE)))];
    let event = object([
        ("eventType", text("COMPLETE")),
        ("eventTime", text(&time)),
        ("producer", text(PRODUCER)),
        ("schemaURL", text(SCHEMA)),
        ("run", object(run)),
        ("job", object(job)),
        ("inputs", Value::Array(inputs)),
        ("outputs", Value::Array(vec![output(node, &namespace)])),
    ]);
    event.to_json()
}

fn output(node: &KnownNode, namespace: &str) -> Value {
    let owner = object([("name", text(&format!("user:{}", node.user_id))), ("type", text("AUTHOR"))]);
    let ownership = object([
        ("_producer", text(PRODUCER)),
        ("_schemaURL", text(OWNERSHIP)),
        ("owners", Value::Array(vec![owner])),
    ]);
    let artifact = facet(
        ARTIFACT_FACET,
        [
            ("contentSha256", &node.content_sha256),
            ("format", &node.format),
            ("publicKey", &node.public_key),
            ("signature", &node.signature),
        ],
    );
    let facets = object([
        ("ownership", ownership),
        ("documentation", facet(DOCUMENTATION, [("description", &node.title)])),
        ("kcp_artifact", artifact),
    ]);
    object([("namespace", text(namespace)), ("name", text(&node.id)), ("facets", facets)])
}

fn facet<const N: usize>(schema: &str, fields: [(&str, &String); N]) -> Value {
    let base = [("_producer", text(PRODUCER)), ("_schemaURL", text(schema))];
    object(base.into_iter().chain(fields.map(|(name, value)| (name, text(value)))))
}

/// A data source: the authority of a URL is its namespace.
fn data_source(source: &str) -> Value {
    let scheme_end = source.find("://").map(|at| at + 3);
    let name_at = scheme_end.and_then(|start| source[start..].find('/').map(|at| start + at));
    match name_at.map(|at| source.split_at(at)) {
        Some((namespace, name)) if name.len() > 1 => dataset(namespace, &name[1..]),
        _ => dataset("kcp://sources", source),
    }
}

fn dataset(namespace: &str, name: &str) -> Value {
    object([("namespace", text(namespace)), ("name", text(name))])
}

fn namespace(tenant: &str) -> String {
    format!("kcp://{tenant}")
}

fn text(text: &str) -> Value {
    Value::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::{ABSENT, CHILD, HIDDEN, ROOT, lineage};

    #[test]
    fn each_readable_artifact_is_one_complete_event() {
        let events: Vec<_> = run_events(&lineage())
            .iter()
            .map(|event| Value::parse_json(event.as_bytes()).expect("JSON"))
            .collect();
        let at = |event: &Value, path: &[&str]| {
            let found = path.iter().try_fold(event, |value, key| value.get(key));
            found.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        assert_eq!(
            events.iter().map(|event| at(event, &["run", "runId"])).collect::<Vec<_>>(),
            [ROOT, CHILD]
        );
        let child = &events[1];
        for (path, expected) in [
            (&["eventType"][..], "COMPLETE"),
            (&["eventTime"], "2026-01-02T00:00:00+00:00"),
            (&["schemaURL"], SCHEMA),
            (&["job", "namespace"], "kcp://acme"),
            (&["job", "name"], "risk-agent/2"),
            (&["run", "facets", "kcp_run", "query"], "what is at risk?"),
        ] {
            assert_eq!(at(child, path), expected);
        }
        let names = |part: &str| -> Vec<(String, String)> {
            let datasets = child.get(part).and_then(Value::as_array).expect("datasets");
            datasets.iter().map(|dataset| (at(dataset, &["namespace"]), at(dataset, &["name"]))).collect()
        };
        let expected = [
            ("kcp://acme", ROOT),
            ("kcp://acme", HIDDEN),
            ("kcp://acme", ABSENT),
            ("s3://lake", "risk.csv"),
            ("kcp://sources", "crm"),
        ];
        assert_eq!(
            names("inputs"),
            expected.map(|(namespace, name)| (namespace.to_owned(), name.to_owned()))
        );
        assert_eq!(names("outputs"), [("kcp://acme".to_owned(), CHILD.to_owned())]);
        assert_eq!(at(&events[0], &["job", "name"]), NO_SOFTWARE);
    }

    #[test]
    fn data_sources_without_a_path_keep_their_name() {
        for source in ["", "crm", "https://x", "https://x/", "://", "a://"] {
            let dataset = data_source(source);
            assert_eq!(dataset.get("namespace").and_then(Value::as_str), Some("kcp://sources"), "{source}");
        }
    }
}
