//! What the branch has already, asked for page by page.

use cairn_autopilot::Existing;
use cairn_http::{Client, ClientError};
use cairn_kb::limits::{GRAPH_EDGES_MAX, GRAPH_NODES_MAX, GRAPH_SEEDS_MAX, PAGE_MAX};
use cairn_kb::tools::{Direction, GraphInput, QueryInput};
use cairn_kb::{EntityType, Relation};

/// What a branch has.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Its entities and the relationships that candidates are compared with.
    pub(crate) existing: Existing,
    /// Its snapshot; empty if it has no KB.
    pub(crate) snapshot_id: String,
}

/// Types that these relationships start at.
const STARTS: [EntityType; 4] = [EntityType::Req, EntityType::Scenario, EntityType::Test, EntityType::Adr];
/// Relationships that say what is verified, what is claimed, and what is superseded.
const RELATIONS: [Relation; 8] = [
    Relation::SpecifiedBy,
    Relation::VerifiedBy,
    Relation::Validates,
    Relation::Constrains,
    Relation::RequiresProperty,
    Relation::RequiresPredicate,
    Relation::Supersedes,
    Relation::DependsOn,
];

/// Asks for the entities of a branch and their relationships.
pub(crate) async fn existing(
    client: &mut Client,
    workspace: &str,
    branch: &str,
) -> Result<Held, ClientError> {
    let snapshot_id = client.kb_status(workspace, branch).await?.snapshot_id;
    let mut existing = Existing::default();
    let mut offset = 0;
    loop {
        let input = QueryInput { limit: Some(PAGE_MAX), offset: Some(offset), ..QueryInput::default() };
        let page = client.kb_query(workspace, branch, &input).await?;
        page.entities.iter().for_each(|entity| existing.add(entity));
        offset = offset.saturating_add(PAGE_MAX);
        if page.entities.is_empty() || u64::from(offset) >= page.count {
            break;
        }
    }
    let seeds: Vec<String> = STARTS.iter().flat_map(|kind| existing.ids(*kind)).map(str::to_owned).collect();
    for seeds in seeds.chunks(GRAPH_SEEDS_MAX) {
        let input = GraphInput {
            seed_ids: seeds.to_vec(),
            relationships: RELATIONS.to_vec(),
            direction: Direction::Outgoing,
            depth: Some(1),
            max_nodes: Some(GRAPH_NODES_MAX),
            max_edges: Some(GRAPH_EDGES_MAX),
            ..GraphInput::default()
        };
        for edge in client.kb_graph(workspace, branch, &input).await?.edges {
            existing.link(edge.relation, &edge.from, &edge.to);
        }
    }
    Ok(Held { existing, snapshot_id })
}
