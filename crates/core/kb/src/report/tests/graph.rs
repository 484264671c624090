//! Rules of `kb_graph`: one row of a table per rule.

use super::{branch, input};
use crate::report::graph;
use crate::tools::StatusOutput;
use crate::{Branch, KbError};

fn chain() -> Branch {
    branch(
        "req B
         req A
         req C
         req D
         test T
         fact GONE
         A depends_on B
         B depends_on C
         C depends_on D
         A verified_by T
         T validates B
         A relates_to A",
    )
}

/// `nodes | edges | truncated | unknown seeds`, edges by the first letter of each word of their type.
fn shown(branch: &Branch, json: &str) -> String {
    let found = graph(branch, &input(json), StatusOutput::default()).unwrap();
    let nodes: Vec<&str> = found.nodes.iter().map(|node| node.id.as_str()).collect();
    let edges: Vec<String> = found
        .edges
        .iter()
        .map(|edge| format!("{}{}{}", edge.from, &edge.relation.text()[..1], edge.to))
        .collect();
    let truncated = if found.truncated { " | truncated" } else { "" };
    let unknown = found.unknown_seeds.iter().map(|seed| format!(" ?{seed}")).collect::<String>();
    format!("{} | {}{truncated}{unknown}", nodes.join(" "), edges.join(" "))
}

#[test]
fn a_traversal_goes_by_layers_and_stays_in_its_limits() {
    let rows = [
        (r#"{"seedIds": ["A"]}"#, "A B T | AdB ArA AvT"),
        (r#"{"seedIds": ["A"], "depth": 2}"#, "A B C T | AdB BdC ArA TvB AvT"),
        (r#"{"seedIds": ["A"], "depth": 5}"#, "A B C D T | AdB BdC CdD ArA TvB AvT"),
        (r#"{"seedIds": ["A"], "relationships": ["depends_on"], "depth": 2}"#, "A B C | AdB BdC"),
        (r#"{"seedIds": ["C"], "direction": "incoming"}"#, "B C | BdC"),
        (r#"{"seedIds": ["C"], "direction": "both"}"#, "B C D | BdC CdD"),
        (r#"{"seedIds": ["B"], "direction": "incoming", "depth": 2}"#, "A B T | AdB ArA TvB AvT"),
        (r#"{"seedIds": ["A"], "entityTypes": ["test"], "depth": 2}"#, "T | "),
        (r#"{"seedIds": ["A"], "entityTypes": ["req"], "depth": 1}"#, "A B | AdB ArA"),
        // Exactly full is not truncated; one fewer is.
        (r#"{"seedIds": ["A"], "maxNodes": 3}"#, "A B T | AdB ArA AvT"),
        (r#"{"seedIds": ["A"], "maxNodes": 2}"#, "A B | AdB ArA | truncated"),
        (r#"{"seedIds": ["A"], "maxEdges": 3}"#, "A B T | AdB ArA AvT"),
        (r#"{"seedIds": ["A"], "maxEdges": 2}"#, "A B | AdB ArA | truncated"),
        (r#"{"seedIds": ["A"], "maxNodes": 1}"#, "A |  | truncated"),
        (r#"{"seedIds": ["D"], "maxNodes": 1}"#, "D | "),
        (
            r#"{"seedIds": ["A"], "depth": 5, "maxNodes": 5, "maxEdges": 6}"#,
            "A B C D T | AdB BdC CdD ArA TvB AvT",
        ),
        (r#"{"seedIds": ["D", "C"], "maxNodes": 1}"#, "C |  | truncated"),
        (r#"{"seedIds": ["X", "A", "W", "A", "X"], "relationships": ["guards"]}"#, "A |  ?W ?X"),
        (r#"{"seedIds": ["X"]}"#, " |  ?X"),
    ];
    for (json, expected) in rows {
        assert_eq!(shown(&chain(), json), expected, "{json}");
    }
}

#[test]
fn relationships_without_an_end_are_left_out_and_truncate_nothing() {
    let mut damaged = chain();
    let (gone, _) = damaged.find("GONE").unwrap();
    let (d, _) = damaged.find("D").unwrap();
    damaged.link(crate::Edge { relation: crate::Relation::Constrains, from: d, to: gone });
    assert_eq!(shown(&damaged, r#"{"seedIds": ["D"]}"#), "D GONE | DcGONE");
    damaged.remove(gone);
    assert_eq!(shown(&damaged, r#"{"seedIds": ["D"], "maxNodes": 1}"#), "D | ");
}

#[test]
fn arguments_have_bounds() {
    let seeds = |count: usize| format!(r#"{{"seedIds": [{}]}}"#, vec!["\"A\""; count].join(","));
    let with = |more: &str| format!(r#"{{"seedIds": ["A"], {more}}}"#);
    let rows = [
        (seeds(0), Some("seedIds")),
        (seeds(100), None),
        (seeds(101), Some("seedIds")),
        (with(r#""depth": 0"#), Some("depth")),
        (with(r#""depth": 5"#), None),
        (with(r#""depth": 6"#), Some("depth")),
        (with(r#""maxNodes": 0"#), Some("maxNodes")),
        (with(r#""maxNodes": 10000"#), None),
        (with(r#""maxNodes": 10001"#), Some("maxNodes")),
        (with(r#""maxEdges": 0"#), Some("maxEdges")),
        (with(r#""maxEdges": 20000"#), None),
        (with(r#""maxEdges": 20001"#), Some("maxEdges")),
        (with(&format!(r#""relationships": [{}]"#, vec!["\"guards\""; 65].join(","))), Some("relationships")),
        (with(&format!(r#""entityTypes": [{}]"#, vec!["\"req\""; 65].join(","))), Some("entityTypes")),
    ];
    for (json, expected) in rows {
        let found = match graph(&chain(), &input(&json), StatusOutput::default()) {
            Err(KbError::Argument { parameter, .. }) => Some(parameter),
            Err(other) => panic!("{other}"),
            Ok(_) => None,
        };
        assert_eq!(found, expected, "{json}");
    }
}
