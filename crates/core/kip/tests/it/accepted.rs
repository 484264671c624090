//! What is a command, and what it says.

use cairn_kip::parse;

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
