//! Lineage through the engine.

use cairn_access::{Principal, Role};
use cairn_artifacts::{Direction, LineageRequest, NodeState};

use super::kit::{World, code, id};

fn parents(numbers: &[u8]) -> String {
    let ids: Vec<_> = numbers.iter().map(|number| format!("\"{}\"", id(*number))).collect();
    format!("{{\"parent_reports\":[{}]}}", ids.join(","))
}

#[test]
fn a_lineage_leads_both_ways_across_tenants_and_hides_what_is_hidden() {
    let world = World::new();
    let public = ("visibility", "\"public\"");
    world.put(1, &[public]);
    world.put(2, &[public, ("lineage", &parents(&[1, 50]))]);
    world.put(3, &[("visibility", "\"private\""), ("lineage", &parents(&[2]))]);
    let stranger = world.stranger("eve", &[]);
    let bob = world.user("bob", &[Role::Reader], &[]);
    let walk = |principal: &Principal, start: u8| {
        let request = LineageRequest { start: id(start), direction: Direction::Both, depth: 10, limit: 100 };
        let (lineage, _) = world.engine.artifact_lineage(principal, request).unwrap();
        let state = |number: u8| {
            let node = lineage.nodes.iter().find(|node| node.id == id(number));
            node.map(|node| match node.state {
                NodeState::Readable(_) => "readable",
                NodeState::Redacted => "redacted",
                NodeState::Missing => "missing",
            })
        };
        [1, 2, 3, 50].map(state)
    };
    assert_eq!(
        walk(&world.ada(), 2),
        [Some("readable"), Some("readable"), Some("readable"), Some("missing")]
    );
    assert_eq!(walk(&bob, 2), [Some("readable"), Some("readable"), Some("redacted"), Some("missing")]);
    assert_eq!(walk(&stranger, 2), [Some("readable"), Some("readable"), None, Some("missing")]);
    assert_eq!(walk(&Principal::anonymous(), 2), [Some("readable"), Some("readable"), None, Some("missing")]);
    // Citations count what the caller may read.
    let cited = |principal: &Principal| world.engine.artifact(principal, id(2)).unwrap().citations;
    assert_eq!((cited(&world.ada()), cited(&bob), cited(&stranger)), (1, 0, 0));
}

#[test]
fn a_cycle_is_refused_and_stores_nothing() {
    let world = World::new();
    world.put(1, &[("lineage", &parents(&[3]))]);
    world.put(2, &[("lineage", &parents(&[1]))]);
    let body = world.signed(3, &[("lineage", &parents(&[2]))]);
    assert_eq!(code(world.publish(&world.ada(), &body)), "INVALID_PAYLOAD");
    assert_eq!(code(world.engine.artifact(&world.ada(), id(3))), "NOT_FOUND");
    // Without the cycle the id can still be used.
    world.put(3, &[]);
    let request = LineageRequest { start: id(2), direction: Direction::Up, depth: 10, limit: 100 };
    let (lineage, _) = world.engine.artifact_lineage(&world.ada(), request).unwrap();
    assert_eq!(lineage.nodes.iter().map(|node| node.id).collect::<Vec<_>>(), [id(3), id(1), id(2)]);
}
