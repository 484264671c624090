//! What is a command, and what it says.

use cairn_kip::tree::{
    Clause, Column, Command, Comparison, Condition, Function, Predicate, PropositionMatch, Term, TextTest,
};
use cairn_kip::{Span, parse};

use crate::kit::EXAMPLES;

/// Both texts say the same.
fn same(left: &str, right: &str) {
    let tree = |text: &str| parse(text).unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    assert_eq!(tree(left), tree(right));
}

#[test]
fn every_example_of_the_reference_is_a_command() {
    for text in EXAMPLES {
        if let Err(error) = parse(text) {
            panic!("{text}\n{error:?}");
        }
    }
}

#[test]
fn extensions() {
    for text in [
        "EXPLAIN FIND(?x) WHERE { ?x {type: \"Drug\"} }",
        "EXPLAIN ANALYZE FIND(?x) WHERE { ?x {type: \"Drug\"} } LIMIT 3",
        "UPSERT { CONCEPT { {type: \"T\", name: \"N\"} EXPECT VERSION 3 SET ATTRIBUTES {a: 1} } }",
        "UPSERT { PROPOSITION { (?a, \"p\", ?b) EXPECT VERSION :version } }",
        "FIND(?x, ?y) WHERE { (?x, ?p, ?y) } ORDER BY ?x.name DESC, COUNT(?y), ?y.attributes.a.b.c",
        "FIND(?x) WHERE { (?x, :predicate, ?y) (?x, :predicate{1,2}, ?y) (?x, :a | \"b\", ?y) }",
        "UPSERT { CONCEPT { {type: :t, name: :n} SET PROPOSITIONS { (:p, ?x {id: :id}) } } }",
    ] {
        if let Err(error) = parse(text) {
            panic!("{text}\n{error:?}");
        }
    }
}

#[test]
fn what_may_be_written_in_two_ways_means_the_same() {
    let upsert = |inside: &str| format!("UPSERT {{ CONCEPT {{ {inside} }} }}");
    let base = upsert(
        "{type: \"T\", name: \"N\"} SET ATTRIBUTES {a: [1, 2], b: {c: 3}} SET PROPOSITIONS {(\"p\", ?x) (\"q\", ?y)}",
    );
    for other in [
        "{\"type\": \"T\", \"name\": \"N\",} SET ATTRIBUTES {\"a\": [1, 2,], \"b\": {\"c\": 3,},} SET PROPOSITIONS {(\"p\", ?x), (\"q\", ?y),}",
        "{name:\"N\",type:\"T\"}SET PROPOSITIONS{(\"p\",?x)(\"q\",?y)}SET ATTRIBUTES{a:[1,2],b:{c:3}}",
        "{name: \"\\u004e\", type: \"T\"} // comment\n SET ATTRIBUTES {a: [1.0, 2e0], b: {c: 3}} SET PROPOSITIONS {(\"p\", ?x) (\"q\", ?y)}",
    ] {
        same(&base, &upsert(other));
    }
    let find = |rest: &str| format!("FIND(?x) WHERE {{ ?x {rest} }}");
    same(&find("{name::name}"), &find("{name: :name}"));
    same(&find("{type: \"T\", name: null}"), &find("{type: \"T\"}"));
    let filter = |condition: &str| find(&format!("{{id: \"C:1\"}} FILTER({condition})"));
    same(
        &filter("?x.name == 1 || ?x.name == 2 && !?x.name == 3"),
        &filter("(?x.name == 1) || ((?x.name == 2) && !(?x.name == 3))"),
    );
    same(&filter("IN(?x.name, [1, 2,])"), &filter("IN(?x.name,[1,2])"));
    same("FIND(?x) WHERE {?x{id:\"C:1\"}} ORDER BY ?x ASC", "FIND(?x) WHERE {?x{id:\"C:1\"}} ORDER BY ?x");
    same(
        "DELETE METADATA {\"a\",} FROM ?x WHERE {?x{id:\"C:1\"}}",
        "DELETE METADATA{\"a\"}FROM ?x WHERE {?x{id:\"C:1\"}}",
    );
}

#[test]
fn minified_values_are_no_parameters() {
    let text =
        r#"UPSERT{CONCEPT{{type:"T",name:"N"}SET ATTRIBUTES{"a":true,"b":false,c:null,d:-1,"e":"x",f::g}}}"#;
    let spaced = r#"UPSERT { CONCEPT { {type: "T", name: "N"} SET ATTRIBUTES { a: true, b: false, c: null, d: -1, e: "x", f: :g } } }"#;
    same(text, spaced);
}

#[test]
fn keywords_may_be_keys() {
    same(
        r#"UPSERT { CONCEPT { {type: "T", name: "N"} SET ATTRIBUTES { FROM: 1, null: 2, SET: 3, true: 4 } } }"#,
        r#"UPSERT { CONCEPT { {type: "T", name: "N"} SET ATTRIBUTES { "FROM": 1, "null": 2, "SET": 3, "true": 4 } } }"#,
    );
    let find = "FIND(?FIND.attributes.WHERE) WHERE { ?FIND {type: \"LIMIT\"} }";
    parse(find).expect(find);
}

/// The condition of the only FILTER of a command.
fn condition(text: &str) -> Condition {
    let text = format!("FIND(?x) WHERE {{ FILTER({text}) }}");
    let Ok(Command::Find(mut find)) = parse(&text) else { panic!("{text}") };
    let Clause::Filter(condition) = find.pattern.clauses.remove(0).node else { panic!("{text}") };
    condition
}

#[test]
fn names_and_signs_mean_what_they_say() {
    for (name, expected) in [
        ("CONTAINS", TextTest::Contains),
        ("STARTS_WITH", TextTest::StartsWith),
        ("ENDS_WITH", TextTest::EndsWith),
        ("REGEX", TextTest::Regex),
    ] {
        let condition = condition(&format!("{name}(?x, \"a\")"));
        assert!(matches!(condition, Condition::Text { test, .. } if test == expected), "{condition:?}");
    }
    for (sign, expected) in [
        ("==", Comparison::Equal),
        ("!=", Comparison::NotEqual),
        ("<", Comparison::Less),
        ("<=", Comparison::LessOrEqual),
        (">", Comparison::Greater),
        (">=", Comparison::GreaterOrEqual),
    ] {
        let condition = condition(&format!("?x {sign} 1"));
        assert!(matches!(condition, Condition::Compare { sign, .. } if sign == expected), "{condition:?}");
    }
    for (name, expected) in [("IS_NULL", false), ("IS_NOT_NULL", true)] {
        let condition = condition(&format!("{name}(?x)"));
        assert!(
            matches!(condition, Condition::IsNull { negated, .. } if negated == expected),
            "{condition:?}"
        );
    }
    for (name, expected) in [
        ("COUNT", Function::Count),
        ("SUM", Function::Sum),
        ("AVG", Function::Avg),
        ("MIN", Function::Min),
        ("MAX", Function::Max),
    ] {
        let text = format!(
            "FIND({name}(DISTINCT ?x.name)) WHERE {{ ?x {{id: \"C:1\"}} }} ORDER BY {name}(?x) DESC, ?x"
        );
        let Ok(Command::Find(find)) = parse(&text) else { panic!("{text}") };
        let Column::Aggregate(aggregate) = &find.columns[0].node else { panic!("{find:?}") };
        assert_eq!((aggregate.function, aggregate.distinct), (expected, true));
        let Column::Aggregate(key) = &find.order_by[0].by.node else { panic!("{find:?}") };
        assert_eq!((key.function, key.distinct), (expected, false));
        assert!(find.order_by[0].descending && !find.order_by[1].descending);
    }
}

#[test]
fn and_binds_more_than_or_and_not_most() {
    let text = "1 == 1 && !2 == 2 || 3 == 3 && (4 == 4 || 5 == 5)";
    let Condition::Or(parts) = condition(text) else { panic!("{text}") };
    let [Condition::And(left), Condition::And(right)] = parts.as_slice() else { panic!("{parts:?}") };
    assert!(matches!(left.as_slice(), [Condition::Compare { .. }, Condition::Not(_)]), "{left:?}");
    assert!(matches!(right.as_slice(), [Condition::Compare { .. }, Condition::Or(_)]), "{right:?}");
}

#[test]
fn hops() {
    for (text, expected) in [("{2}", (2, Some(2))), ("{1,}", (1, None)), ("{0,65535}", (0, Some(65_535)))] {
        let text = format!("FIND(?x) WHERE {{ (?x, \"p\"{text}, ?y) }}");
        let Ok(Command::Find(find)) = parse(&text) else { panic!("{text}") };
        let Clause::Proposition { matcher: PropositionMatch::Triple(triple), .. } =
            &find.pattern.clauses[0].node
        else {
            panic!("{find:?}")
        };
        let Predicate::Path { least, most, .. } = triple.predicate else { panic!("{triple:?}") };
        assert_eq!((least, most), expected);
    }
}

#[test]
fn spans_are_where_things_stand() {
    let text = "FIND(?x.name) WHERE { ?l (?x, \"treats\", {name: :n})  OPTIONAL { ?x {id: \"C:1\"} } }";
    let Ok(Command::Find(find)) = parse(text) else { panic!("{text}") };
    let at = |span: Span| &text[span.range()];
    assert_eq!(at(find.columns[0].span), "?x.name");
    assert_eq!(at(find.pattern.clauses[0].span), "?l (?x, \"treats\", {name: :n})");
    assert_eq!(at(find.pattern.clauses[1].span), "OPTIONAL { ?x {id: \"C:1\"} }");
    let Clause::Proposition { variable: Some(variable), matcher } = &find.pattern.clauses[0].node else {
        panic!("{find:?}")
    };
    assert_eq!((at(variable.span), at(matcher.span())), ("?l", "(?x, \"treats\", {name: :n})"));
    let PropositionMatch::Triple(triple) = matcher else { panic!("{matcher:?}") };
    let Predicate::OneOf(names) = &triple.predicate else { panic!("{triple:?}") };
    let Term::Concept { matcher, .. } = &triple.object else { panic!("{triple:?}") };
    assert_eq!((at(names[0].span), at(matcher.span)), ("\"treats\"", "{name: :n}"));
    assert_eq!(matcher.name.as_ref().map(|name| at(name.span)), Some(":n"));
}
