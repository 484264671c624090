//! The suite of KIP, through the engine itself.

use cairn_base::Value;
use cairn_conformance::{Door, own, run, shared};
use cairn_engine::SearchHome;
use cairn_kip::{KipRequest, response};

use crate::search::until;
use crate::support::World;

/// A fresh engine over a memory store that can search, asked by its owner.
struct Node {
    world: World,
}

impl Node {
    fn new() -> Self {
        let world = World::new();
        let home = SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
        world.engine.start_search(home).unwrap();
        until("the index is ready", || world.engine.search_status().state == "ready");
        Node { world }
    }
}

impl Door for Node {
    fn execute(&mut self, request: &Value) -> Value {
        let World { engine, owner, .. } = &self.world;
        match KipRequest::decode(request.clone()) {
            Ok(request) => engine.kip(owner, owner.tenant(), &request).unwrap().into_value(),
            Err(error) => response::failure(&error, ""),
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.world.engine.close().unwrap();
    }
}

#[test]
fn the_engine_answers_as_the_suite_says() {
    let report = run(&own().unwrap(), Node::new);
    assert!(report.mismatches.is_empty(), "{report}");
}

#[test]
fn the_engine_answers_as_the_suite_that_was_handed_to_us_says() {
    let Some(groups) = shared().unwrap() else { return };
    let report = run(&groups, Node::new);
    assert!(report.mismatches.is_empty(), "{report}");
}
