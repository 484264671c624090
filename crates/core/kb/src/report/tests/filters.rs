//! Filters and pages of `kb_query` and `kb_find_gaps`.

use super::{branch, ids, input, parameter};
use crate::Branch;
use crate::report::{find_gaps, query};
use crate::tools::StatusOutput;

fn stories() -> Branch {
    branch(
        "test T-1 source=tests/login.rs tags=fast
         req REQ-2 source=docs/b.md tags=auth,web
         req REQ-1 source=docs/a.md tags=_auth_
         symbol SYM-1 source=manifest.yaml source_file=src/login.rs
         symbol SYM-2 source=src/logout.rs source_file=
         REQ-2 depends_on REQ-1
         REQ-2 verified_by T-1
         REQ-1 relates_to REQ-1
         SYM-1 implements REQ-1
         SYM-2 implements REQ-404",
    )
}

#[test]
fn a_query_combines_its_filters() {
    let rows = [
        ("{}", "REQ-1 REQ-2 SYM-1 SYM-2 T-1", 5),
        (r#"{"type": "req"}"#, "REQ-1 REQ-2", 2),
        (r#"{"type": "adr"}"#, "", 0),
        (r#"{"id": "REQ-1"}"#, "REQ-1", 1),
        (r#"{"id": "REQ-1", "type": "test"}"#, "", 0),
        (r#"{"id": "REQ-1", "sourceFile": "docs/a"}"#, "REQ-1", 1),
        (r#"{"id": "REQ-1", "sourceFile": "docs/b"}"#, "", 0),
        (r#"{"id": "REQ-1", "tags": ["web"]}"#, "", 0),
        (r#"{"id": "req-1"}"#, "", 0),
        (r#"{"tags": ["auth"]}"#, "REQ-1 REQ-2", 2),
        (r#"{"tags": [" web ", "fast"]}"#, "REQ-2 T-1", 2),
        (r#"{"tags": ["fas"]}"#, "", 0),
        (r#"{"tags": ["auth"], "sourceFile": "a.md"}"#, "REQ-1", 1),
        (r#"{"sourceFile": "login"}"#, "SYM-1 T-1", 2),
        (r#"{"sourceFile": "manifest"}"#, "", 0),
        (r#"{"sourceFile": "logout"}"#, "SYM-2", 1),
        (r#"{"limit": 2}"#, "REQ-1 REQ-2", 5),
        (r#"{"limit": 2, "offset": 1}"#, "REQ-2 SYM-1", 5),
        (r#"{"offset": 4}"#, "T-1", 5),
        (r#"{"offset": 5}"#, "", 5),
        (r#"{"offset": 4294967295, "limit": 1000}"#, "", 5),
        (r#"{"id": "REQ-1", "offset": 1}"#, "", 1),
    ];
    let branch = stories();
    for (json, expected, expected_count) in rows {
        let (keys, count) = query(&branch, &input(json)).unwrap();
        assert_eq!((ids(&branch, keys).as_str(), count), (expected, expected_count), "{json}");
    }
}

#[test]
fn filters_and_pages_have_bounds() {
    let many = |count: usize| format!("[{}]", vec!["\"x\""; count].join(","));
    let long = |bytes: usize| format!(r#"{{"sourceFile": "{}"}}"#, "x".repeat(bytes));
    let rows = [
        (r#"{"limit": 0}"#.to_owned(), Some("limit")),
        (r#"{"limit": 1}"#.to_owned(), None),
        (r#"{"limit": 1000}"#.to_owned(), None),
        (r#"{"limit": 1001}"#.to_owned(), Some("limit")),
        (r#"{"tags": ["a", " "]}"#.to_owned(), Some("tags")),
        (format!(r#"{{"tags": {}}}"#, many(64)), None),
        (format!(r#"{{"tags": {}}}"#, many(65)), Some("tags")),
        (long(4096), None),
        (long(4097), Some("sourceFile")),
    ];
    let branch = stories();
    for (json, expected) in rows {
        let of_query = query(&branch, &input(&json)).err();
        let of_gaps = find_gaps(&branch, &input(&json), StatusOutput::default()).err();
        for error in [of_query, of_gaps] {
            let found = error.map(parameter);
            assert_eq!(found, expected, "{json}");
        }
    }
}

#[test]
fn gaps_count_relationships_in_both_directions() {
    let rows = [
        ("{}", "REQ-1 REQ-2 SYM-1 SYM-2 T-1", 5),
        (r#"{"missingRelationships": ["verified_by"]}"#, "REQ-1 SYM-1 SYM-2", 3),
        (r#"{"type": "req", "missingRelationships": ["verified_by"]}"#, "REQ-1", 1),
        (r#"{"missingRelationships": ["verified_by", "depends_on"]}"#, "SYM-1 SYM-2", 2),
        (r#"{"presentRelationships": ["verified_by"]}"#, "REQ-2 T-1", 2),
        (r#"{"presentRelationships": ["verified_by", "depends_on"]}"#, "REQ-2", 1),
        (r#"{"presentRelationships": ["depends_on"], "missingRelationships": ["implements"]}"#, "REQ-2", 1),
        (r#"{"presentRelationships": ["implements"], "missingRelationships": ["implements"]}"#, "", 0),
        (r#"{"missingRelationships": ["implements"], "tags": ["fast"]}"#, "T-1", 1),
        (r#"{"missingRelationships": ["guards"], "offset": 1, "limit": 1}"#, "REQ-2", 5),
    ];
    let branch = stories();
    for (json, expected, expected_count) in rows {
        let found = find_gaps(&branch, &input(json), StatusOutput::default()).unwrap();
        let ids: Vec<&str> = found.rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!((ids.join(" ").as_str(), found.count), (expected, expected_count), "{json}");
    }
}

#[test]
fn a_gap_row_counts_every_type_and_a_loop_once() {
    let json =
        r#"{"type": "req", "missingRelationships": ["guards"], "presentRelationships": ["depends_on"]}"#;
    let meta = StatusOutput { branch: "main".into(), ..StatusOutput::default() };
    let found = find_gaps(&stories(), &input(json), meta.clone()).unwrap();
    let row = &found.rows[0];
    let counted: Vec<_> = row.relationship_counts.iter().filter(|(_, count)| **count > 0).collect();
    let one = 1;
    let expected = ["depends_on", "implements", "relates_to"].map(|name| (name.to_owned(), one));
    assert_eq!(counted, expected.iter().map(|(name, count)| (name, count)).collect::<Vec<_>>());
    assert_eq!(row.relationship_counts.len(), 16);
    assert_eq!((row.missing_relationships.len(), row.present_relationships.len()), (1, 1));
    assert_eq!((row.source.as_str(), found.meta), ("docs/a.md", meta));
}
