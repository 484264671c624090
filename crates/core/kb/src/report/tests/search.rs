//! Ranking of `kb_search`.

use super::{branch, ids, input, parameter};
use crate::report::{Ranked, SEARCH_CANDIDATES, rank, search_in_memory};
use crate::tools::SearchInput;
use crate::{Branch, NodeKey};

fn stories() -> Branch {
    branch(
        "req REQ-1 title=Log_in tags=auth source=docs/a.md priority=must owner=Ann severity=high
         req REQ-12 title=Log_in_with_a_key source=docs/b.md
         test T-1 title=Keys_are_checked source=tests/log_in.rs
         symbol login title=logIn source=src/login.rs",
    )
}

fn of(branch: &Branch, found: &Ranked) -> String {
    ids(branch, found.page.iter().map(|hit| hit.key))
}

#[test]
fn matches_have_reasons() {
    let rows = [
        ("log in", "REQ-1", "exact title match, title token coverage"),
        ("LOG  IN ", "REQ-1", "exact title match, title token coverage"),
        ("log in", "REQ-12", "title phrase match, title token coverage"),
        ("log key", "REQ-12", "title token coverage"),
        ("log off", "T-1", ""),
        ("req-1", "REQ-1", "exact ID match"),
        ("req-1", "REQ-12", "ID match"),
        ("req-13", "REQ-12", ""),
        ("ann", "REQ-1", "metadata match"),
        ("high", "REQ-1", "metadata match"),
        ("must", "REQ-1", "metadata match"),
        ("a.md", "REQ-1", "metadata match"),
        ("symbol", "login", "metadata match"),
        ("b.md", "REQ-1", ""),
        ("auth", "REQ-1", "tag match"),
        ("uth", "REQ-1", "tag match"),
        ("auths", "REQ-1", ""),
        ("login", "login", "exact title match, exact ID match, metadata match, title token coverage"),
    ];
    let branch = stories();
    for (query, id, expected) in rows {
        let input = SearchInput { query: query.into(), ..SearchInput::default() };
        let found = search_in_memory(&branch, &input).unwrap();
        let (key, _) = branch.find(id).unwrap();
        let reasons = found.page.iter().find(|hit| hit.key == key).map(|hit| hit.reasons.join(", "));
        assert_eq!(reasons.unwrap_or_default(), expected, "{query} {id}");
    }
}

#[test]
fn queries_have_bounds() {
    let query = |query: &str| SearchInput { query: query.into(), ..SearchInput::default() };
    let rows = [
        (query(""), Some("query")),
        (query(" \n\t"), Some("query")),
        (query("?"), None),
        (query(&"x".repeat(4096)), None),
        (query(&"x".repeat(4097)), Some("query")),
        (SearchInput { limit: Some(0), ..query("x") }, Some("limit")),
        (SearchInput { limit: Some(1000), ..query("x") }, None),
        (SearchInput { limit: Some(1001), ..query("x") }, Some("limit")),
        (SearchInput { offset: Some(999), ..query("x") }, None),
        (SearchInput { offset: Some(1000), ..query("x") }, Some("offset")),
    ];
    let branch = stories();
    for (input, expected) in rows {
        for found in [search_in_memory(&branch, &input), rank(&branch, &input, &[], 0)] {
            let found = found.err().map(parameter);
            assert_eq!(found, expected, "{input:?}");
        }
    }
}

#[test]
fn exact_ids_and_titles_come_first_even_if_the_index_missed_them() {
    let branch = stories();
    let (other, _) = branch.find("REQ-12").unwrap();
    let rows = [
        ("req-1", "REQ-1 REQ-12", 2),
        ("REQ-1", "REQ-1 REQ-12", 2),
        ("Login", "login REQ-12", 2),
        ("log in", "REQ-1 REQ-12", 2),
        ("log i", "REQ-12", 1),
    ];
    for (query, expected, count) in rows {
        let input = SearchInput { query: query.into(), ..SearchInput::default() };
        let found = rank(&branch, &input, &[(other, 1.0)], 1).unwrap();
        assert_eq!((of(&branch, &found).as_str(), found.count), (expected, count), "{query}");
        assert!(found.page.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "{found:?}");
    }
}

#[test]
fn scores_of_the_index_are_blended_in() {
    let branch = stories();
    let key = |id: &str| branch.find(id).unwrap().0;
    let ranked = |json: &str, candidates: &[(NodeKey, f64)], total| {
        rank(&branch, &input(json), candidates, total).unwrap()
    };
    let body = r#"{"query": "words of bodies"}"#;
    let candidates = [(key("T-1"), 0.2), (key("REQ-12"), 0.9), (key("REQ-1"), 0.2), (NodeKey(7), 1.0)];
    assert_eq!(of(&branch, &ranked(body, &candidates, 4)), "REQ-12 REQ-1 T-1");
    // The best score of an entity counts; scores that are none count nothing.
    let twice = [(key("T-1"), 0.5), (key("T-1"), 0.1), (key("REQ-1"), f64::NAN), (key("login"), 9.0)];
    let found = ranked(body, &twice, 4);
    assert_eq!(of(&branch, &found), "login T-1 REQ-1");
    assert_eq!(found.page.iter().map(|hit| hit.score).collect::<Vec<_>>(), [0.5, 0.25, 0.0]);
    // Hits of the index that are no candidates are counted.
    assert_eq!(ranked(body, &candidates, 40).count, 39);
    let of_type = r#"{"query": "words of bodies", "type": "req"}"#;
    let found = ranked(of_type, &candidates, 4);
    assert_eq!((of(&branch, &found).as_str(), found.count), ("REQ-12 REQ-1", 2));
}

#[test]
fn the_sum_of_partial_matches_is_less_than_an_exact_one() {
    let branch = branch(
        "req abc-1 title=the_abc source=abc tags=abc
         req R title=abc",
    );
    let input = SearchInput { query: "abc".into(), ..SearchInput::default() };
    let (partial, _) = branch.find("abc-1").unwrap();
    let found = rank(&branch, &input, &[(partial, 1.0)], 1).unwrap();
    assert_eq!(of(&branch, &found), "R abc-1");
}

#[test]
fn the_first_thousand_hits_are_candidates() {
    let lines: Vec<String> = (0..1100).map(|number| format!("fact F-{number:04}")).collect();
    let branch = branch(&lines.join("\n"));
    let hits: Vec<(NodeKey, f64)> = branch.by_id().map(|(key, _)| (key, 0.5)).collect();
    let all = |limit, offset| {
        let input = SearchInput {
            query: "zzz".into(),
            limit: Some(limit),
            offset: Some(offset),
            kind: None,
            request_id: None,
        };
        rank(&branch, &input, &hits, 1100).unwrap()
    };
    let whole = all(1000, 0);
    assert_eq!((whole.page.len(), whole.count, SEARCH_CANDIDATES), (1000, 1100, 1000));
    let parts: Vec<_> = (0..100).flat_map(|page| all(10, page * 10).page).collect();
    assert_eq!(parts, whole.page);
    assert_eq!((all(10, 995).page.len(), all(10, 999).page.len()), (5, 1));
}
