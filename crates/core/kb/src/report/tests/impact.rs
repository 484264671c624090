//! Impact: both ways, over every relationship type, with the way to each entity.

use super::{branch, input, parameter};
use crate::limits::{IMPACT_ENTITIES_MAX, IMPACT_IDS_MAX, IMPACT_PATHS_MAX};
use crate::report::impact;
use crate::tools::{ImpactInput, ImpactOutput, ImpactSide, StatusOutput};
use crate::{Branch, Dependent, Edge, EntityType, NodeKey, Relation};

const KB: &str = "
    req R-1 title=one status=open source=docs/a.md#R-1
    req R-2 title=two status=open
    scenario SC title=s status=active
    test T title=t status=passing source=tests/a.rs::t
    symbol S title=run status=active source_file=src/run.rs
    fact F title=f status=active
    adr A title=a status=accepted
    R-2 depends_on R-1
    R-1 specified_by SC
    SC verified_by T
    S implements R-2
    S covered_by T
    R-1 requires_property F
    S constrained_by A";

fn run(kb: &Branch, json: &str) -> ImpactOutput {
    impact(kb, &input::<ImpactInput>(json), StatusOutput::default()).unwrap()
}

/// Rows as `distance type id: path`.
fn lines(side: &ImpactSide) -> Vec<String> {
    let rows = side.rows.iter().map(|row| {
        let path = row.path.iter().map(|step| format!("{} {} {}", step.from, step.relation, step.to));
        let path: Vec<String> = path.collect();
        let suspect = if row.suspect { " suspect" } else { "" };
        format!("{} {} {}{suspect}: {}", row.distance, row.kind, row.id, path.join(", "))
    });
    rows.collect()
}

#[test]
fn dependents_and_dependencies_with_the_way_to_each() {
    let kb = branch(KB);
    let output = run(&kb, r#"{"ids":["R-1"]}"#);
    assert_eq!(
        lines(&output.dependents),
        [
            "1 req R-2: R-2 depends_on R-1",
            "1 scenario SC: R-1 specified_by SC",
            "2 symbol S: R-2 depends_on R-1, S implements R-2",
            "2 test T: R-1 specified_by SC, SC verified_by T",
        ]
    );
    assert_eq!(lines(&output.dependencies), ["1 fact F: R-1 requires_property F"]);
    assert_eq!((output.start_count, output.starts[0].id.as_str()), (1, "R-1"));
    let counts = format!("{:?}", output.dependents.counts);
    assert_eq!(counts, r#"{"req": 1, "scenario": 1, "symbol": 1, "test": 1}"#);
    let from_code = run(&kb, r#"{"ids":["S"],"depth":1}"#);
    assert_eq!(lines(&from_code.dependents), ["1 test T: S covered_by T"]);
    assert_eq!(
        lines(&from_code.dependencies),
        ["1 adr A: S constrained_by A", "1 req R-2: S implements R-2"]
    );
}

#[test]
fn each_relationship_type_has_a_dependent_end() {
    for relation in Relation::ALL.iter().copied() {
        let pairs = relation.pairs().map_or((EntityType::Flag, EntityType::Fact), |pairs| pairs[0]);
        let (from, to) = (pairs.0.text(), pairs.1.text());
        let kb = branch(&format!("{from} FROM title=f\n{to} TO title=t\nFROM {relation} TO"));
        let of = |id: &str| {
            let output = run(&kb, &format!("{{\"ids\":[\"{id}\"]}}"));
            (output.dependents.count, output.dependencies.count)
        };
        let (source, target) = match relation.dependent() {
            Dependent::Source => ((0, 1), (1, 0)),
            Dependent::Target => ((1, 0), (0, 1)),
            Dependent::Either => ((1, 1), (1, 1)),
        };
        assert_eq!((of("FROM"), of("TO")), (source, target), "{relation}");
    }
}

#[test]
fn paths_mean_symbols_and_sources() {
    let kb = branch(KB);
    let starts = |json: &str| {
        let output = run(&kb, json);
        let ids: Vec<String> = output.starts.into_iter().map(|start| start.id).collect();
        (ids.join(" "), output.unknown_ids.join(" "), output.unknown_paths.join(" "))
    };
    for (json, expected) in [
        (r#"{"paths":["src/run.rs"]}"#, ("S", "", "")),
        (r#"{"paths":["./docs/a.md","tests/a.rs"]}"#, ("R-1 T", "", "")),
        (r#"{"paths":["src/run"]}"#, ("", "", "src/run")),
        (r#"{"ids":["S","none","S"],"paths":["src/run.rs","x"]}"#, ("S", "none", "x")),
    ] {
        let (ids, unknown_ids, unknown_paths) = starts(json);
        assert_eq!((&*ids, &*unknown_ids, &*unknown_paths), expected, "{json}");
    }
}

#[test]
fn a_suspect_link_on_the_way_is_shown() {
    let mut kb = branch(KB);
    let edges: Vec<Edge> = kb.edges().collect();
    edges.iter().for_each(|edge| kb.note_ends(*edge, kb.present_ends(*edge)));
    let key = kb.find("R-2").unwrap().0;
    kb.put(key, super::node("req R-2 title=changed status=open"));
    assert_eq!(
        lines(
            &run(&kb, r#"{"ids":["R-1"],"relationships":["depends_on","implements","specified_by"]}"#)
                .dependents
        ),
        [
            "1 req R-2 suspect: R-2 depends_on R-1",
            "1 scenario SC: R-1 specified_by SC",
            "2 symbol S suspect: R-2 depends_on R-1, S implements R-2",
        ]
    );
}

#[test]
fn circles_end_and_limits_are_said() {
    let kb =
        branch("req A title=a\nreq B title=b\nreq C title=c\nA depends_on B\nB depends_on C\nC depends_on A");
    let output = run(&kb, r#"{"ids":["A"],"limit":1}"#);
    assert_eq!(lines(&output.dependents), ["1 req C: C depends_on A"]);
    assert_eq!((output.dependents.count, output.dependents.truncated), (2, false));
    assert_eq!(run(&kb, r#"{"ids":["A"],"depth":1}"#).dependents.count, 1);

    let mut wide = branch("req HUB title=h");
    let to = wide.find("HUB").unwrap().0;
    for at in 0..=IMPACT_ENTITIES_MAX as u64 {
        wide.put(NodeKey(at), super::node(&format!("req R-{at:06} title=r")));
        wide.link(Edge { relation: Relation::DependsOn, from: NodeKey(at), to });
    }
    let side = run(&wide, r#"{"ids":["HUB"]}"#).dependents;
    assert_eq!((side.count, side.truncated, side.rows.len()), (IMPACT_ENTITIES_MAX as u64, true, 200));
}

#[test]
fn arguments_out_of_bounds_are_refused() {
    let kb = branch(KB);
    let refused = |input: &ImpactInput| parameter(impact(&kb, input, StatusOutput::default()).unwrap_err());
    let of = |json: &str| input::<ImpactInput>(json);
    assert_eq!(refused(&of("{}")), "ids");
    assert_eq!(refused(&of(r#"{"ids":["S"],"depth":0}"#)), "depth");
    assert_eq!(refused(&of(r#"{"ids":["S"],"depth":21}"#)), "depth");
    assert_eq!(refused(&of(r#"{"ids":["S"],"limit":1001}"#)), "limit");
    assert_eq!(refused(&of(r#"{"paths":[" "]}"#)), "paths");
    let many = |ids, paths| ImpactInput {
        ids: vec!["S".into(); ids],
        paths: vec!["p".into(); paths],
        ..ImpactInput::default()
    };
    assert!(impact(&kb, &many(IMPACT_IDS_MAX, IMPACT_PATHS_MAX), StatusOutput::default()).is_ok());
    assert_eq!(refused(&many(IMPACT_IDS_MAX + 1, 0)), "ids");
    assert_eq!(refused(&many(0, IMPACT_PATHS_MAX + 1)), "paths");
}
