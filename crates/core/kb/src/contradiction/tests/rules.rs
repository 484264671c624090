//! Rows of claims that just conflict and that just do not.

use super::{conflicts, conflicts_by, fields};

/// Checks the reasons of the conflicts among claims, each of a requirement of its own.
fn check(rows: &[(&[&str], &[&str])]) {
    for (claims, expected) in rows {
        let found = conflicts(claims);
        let reasons: Vec<&str> = found.list.iter().map(|conflict| conflict.reason.as_str()).collect();
        assert_eq!(reasons, *expected, "{claims:?}");
        assert!(!found.cut);
    }
}

/// Checks whether two claims conflict, in both orders.
fn pairs(rows: &[(&str, &str, bool)]) {
    for (a, b, expected) in rows {
        for pair in [[*a, *b], [*b, *a]] {
            let found = conflicts(&pair).list;
            assert_eq!(!found.is_empty(), *expected, "{pair:?}: {found:?}");
        }
    }
}

#[test]
fn numbers_conflict_exactly_where_no_value_is_left() {
    pairs(&[
        ("eq int:5", "gte int:10", true),
        ("eq int:10", "gte int:10", false),
        ("eq number:0", "gt number:0", true),
        ("eq number:0", "gte number:0", false),
        ("gt int:4", "lt int:5", true),
        ("gt int:4", "lt int:6", false),
        ("gt int:4", "lt number:5", false),
        ("gt number:4", "lt number:5", false),
        ("gt number:4", "lt number:4.0000001", false),
        ("gte int:18446744073709551615", "lte int:18446744073709551614", true),
        ("gt int:18446744073709551615", "gte int:18446744073709551615", false),
        ("gt number:9007199254740992.0", "lt int:9007199254740993", false),
        ("neq int:5", "neq int:6", false),
        ("eq int:1", "eq string:1", false),
        ("eq bool:true", "eq string:true", false),
        ("neq bool:true", "neq bool:false", true),
        ("neq bool:true", "eq bool:false", false),
        ("lt string:a", "gt string:b", false),
    ]);
}

#[test]
fn prohibitions_are_negations_and_never_conflict_with_each_other() {
    pairs(&[
        ("forbid gte int:5", "gte int:5", true),
        ("forbid gte int:5", "gt int:3", false),
        ("forbid gte int:5", "gt int:4", true),
        ("forbid gte int:5", "gt number:4", false),
        ("forbid eq int:5", "eq int:5", true),
        ("forbid eq int:5", "eq int:6", false),
        ("forbid neq string:a", "eq string:b", true),
        ("forbid neq string:a", "eq string:a", false),
        ("forbid eq string:a", "forbid eq string:b", false),
        ("forbid neq string:a", "forbid neq string:b", false),
        ("forbid lt int:5", "forbid gt int:3", false),
        ("forbid eq bool:true", "forbid eq bool:false", false),
        ("forbid eq bool:true", "eq bool:true", true),
    ]);
    check(&[
        (&["forbid lt int:4", "forbid gt int:4", "forbid eq int:4"], &[]),
        (&["forbid lt int:4", "forbid gt int:4", "forbid eq int:4", "gte int:3"], &[]),
        (
            &["forbid lt int:4", "forbid gt int:4", "neq int:4"],
            &["Polarity conflict on s.p: forbid lt 4 vs forbid gt 4 vs require neq 4"],
        ),
    ]);
}

#[test]
fn units_are_compared_whole_and_convert_by_fixed_ratios_only() {
    pairs(&[
        ("eq int:5 unit=req/s", "eq int:6 unit=req/s", true),
        ("eq int:5 unit=req/s", "eq int:6 unit=ops/s", false),
        ("eq int:5 unit=s", "eq int:6", false),
        ("eq int:5 unit=", "eq int:6", true),
        ("eq int:1 unit=s", "eq int:1000 unit=ms", false),
        ("eq int:1 unit=s", "eq int:1001 unit=ms", true),
        ("eq number:0.1 unit=seconds", "eq int:100 unit=ms", false),
        ("eq number:1.1 unit=h", "eq int:66 unit=min", false),
        ("lte int:2 unit=weeks", "gte int:14 unit=days", false),
        ("lt int:2 unit=weeks", "gte int:14 unit=days", true),
        ("eq int:1 unit=µs", "eq int:1 unit=us", false),
        ("lte int:1 unit=MiB", "gte int:1048576 unit=B", false),
        ("lte int:1 unit=MB", "gt int:1000000 unit=bytes", true),
        ("eq int:1 unit=percent", "eq int:100 unit=bp", false),
        ("eq int:1 unit=%", "eq int:101 unit=bp", true),
        ("eq int:1 unit=m", "eq int:2 unit=min", false),
        ("eq int:1 unit=M", "eq int:2 unit=m", false),
        ("eq int:1 unit=kb", "eq int:2 unit=kB", false),
        ("eq int:1 unit=month", "eq int:1 unit=day", false),
        ("eq int:1 unit=year", "eq int:1 unit=month", false),
        ("eq int:1 unit=year", "eq int:2 unit=year", true),
        ("eq int:1 unit=s", "eq int:2 unit=B", false),
        ("eq string:a unit=x", "eq string:b", false),
        // Integers of one unit; the same moments are not integers of another one.
        ("gt int:1 unit=s", "lt int:2 unit=sec", true),
        ("gt int:1 unit=s", "lt int:2000 unit=ms", false),
        ("gt int:1000 unit=ms", "lt int:1001 unit=ms", true),
    ]);
}

#[test]
fn sets_ignore_order_and_duplicates() {
    let set = |members: &str| format!("eq string:{members} property=allowed_values");
    pairs(&[
        (&set("a|b"), &set("b|a|b"), false),
        (&set("a|b"), &set("a|b|c"), true),
        (&set("a"), &set("a|a"), false),
        (&set("a|b"), "forbid eq string:b|a property=allowed_values", true),
        (&set("a|b"), "neq string:b|a property=allowed_values", true),
        ("eq string:a|b", "eq string:b|a", true),
    ]);
    check(&[(&[&set("a|b"), &set("a|c")], &["Set conflict on s.allowed_values: eq a|b vs eq a|c"])]);
}

#[test]
fn scopes_and_windows_gate_each_pair() {
    pairs(&[
        ("eq int:1 scope=eu/x", "eq int:2 scope=eu/x", true),
        ("eq int:1 scope=eu/x", "eq int:2 scope=us/x", false),
        ("eq int:1 scope=eu", "eq int:2", true),
        ("eq int:1 to=2024-01-31", "eq int:2 from=2024-01-31", true),
        ("eq int:1 to=2024-01-31", "eq int:2 from=2024-02-01", false),
        ("eq int:1 from=2024", "eq int:2 to=2025", true),
        ("eq int:1 from=2025 to=2024", "eq int:2", false),
    ]);
    check(&[
        // Each two meet, but not all three in one scope or at one moment.
        (&["gte int:4 scope=a", "lte int:4", "neq int:4 scope=b"], &[]),
        (
            &["gte int:4 scope=a", "lte int:4", "neq int:4 scope=a"],
            &["Value conflict on s.p: gte 4 vs lte 4 vs neq 4"],
        ),
        (&["gte int:4 to=1", "lte int:4", "neq int:4 from=2"], &[]),
    ]);
}

#[test]
fn sets_of_three_and_more_are_smallest() {
    check(&[
        (&["gte number:4", "lte number:4"], &[]),
        (
            &["gte number:4", "lte number:4", "neq number:4"],
            &["Value conflict on s.p: gte 4 vs lte 4 vs neq 4"],
        ),
        (
            &["gte int:4", "lte int:5", "neq int:4", "neq int:5"],
            &["Value conflict on s.p: gte 4 vs lte 5 vs neq 4 vs neq 5 (no integer satisfies all)"],
        ),
        (&["gte int:4", "lte int:5", "neq int:4"], &[]),
        (&["gte int:4", "lte number:5", "neq int:4", "neq int:5"], &[]),
        (
            &["gt int:3", "lt int:5", "neq int:4", "lte int:9"],
            &["Value conflict on s.p: gt 3 vs lt 5 vs neq 4 (no integer satisfies all)"],
        ),
        (
            &["gt int:3", "lt int:5", "forbid eq int:4"],
            &[
                "Polarity conflict on s.p: require gt 3 vs require lt 5 vs forbid eq 4 (no integer satisfies all)",
            ],
        ),
        // A pair inside hides the larger set.
        (&["gte int:4", "lte int:3", "neq int:4"], &["Value conflict on s.p: gte 4 vs lte 3"]),
    ]);
}

#[test]
fn reasons_name_units_and_ids_are_sorted() {
    let claims = [("REQ-B", fields("gte int:2 unit=s")), ("REQ-A", fields("lt int:1500 unit=ms"))];
    let found = conflicts_by(&claims, None).list;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].reason, "Value conflict on s.p: lt 1500 ms vs gte 2 s");
    assert_eq!(found[0].entity_id(), "REQ-A/REQ-B");
    assert_eq!(found[0].facts, ["F0".into(), "F1".into()] as [Box<str>; 2]);
}

#[test]
fn a_requirement_that_contradicts_itself_is_named_alone() {
    let claims = [("REQ-A", fields("gte int:2")), ("REQ-A", fields("lt int:2"))];
    let found = conflicts_by(&claims, None).list;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].entity_id(), "REQ-A");
}

#[test]
fn claims_have_defaults_and_facts_of_wrong_shape_make_none() {
    let mut fact = fields("eq string:a");
    (fact.operator, fact.value_type, fact.polarity) = (None, None, None);
    assert_eq!(fact.claim(), fields("eq string:a").claim());
    for (wrong, message) in [
        (fields("around int:5"), "invalid `operator`: `around`; use one of eq, neq, lt, lte, gt, gte"),
        (fields("eq int:4.5"), "invalid `value_int`: `4.5`; use an integer, or `value_number`"),
        (
            crate::FactFields::default(),
            "the fact is no property value; only facts of kind `property_value` make claims",
        ),
        (
            crate::FactFields { polarity: Some("deny".into()), ..fields("eq int:4") },
            "invalid `polarity`: `deny`; use one of require, forbid",
        ),
        (
            crate::FactFields { value_int: None, ..fields("eq int:4") },
            "missing `value_int`; add it to the fact",
        ),
    ] {
        assert_eq!(wrong.claim().unwrap_err().to_string(), message);
    }
}
