//! What is no command, and what is said about it. The snapshot is to be read like a page of documentation.

use cairn_kip::{KipCode, parse, report};

/// One mistake each.
const MISTAKES: &[(&str, &[&str])] = &[
    (
        "The command itself",
        &[
            "",
            "// nothing but a comment",
            "find(?x) WHERE { ?x {type: \"Drug\"} }",
            "FNID(?x) WHERE { ?x {type: \"Drug\"} }",
            "SELECT ?x WHERE { ?x {type: \"Drug\"} }",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } FIND(?y) WHERE { ?y {type: \"Drug\"} }",
            "DESCRIBE PRIMER;",
            "DESCRIBE PRIMER }",
            "EXPLAIN UPSERT { CONCEPT { {id: \"C:1\"} } }",
            "DESCRIBE PRIMER DOMAINS",
        ],
    ),
    (
        "Words, numbers, strings",
        &[
            "FIND(?x) WHERE { ?x {name: 'Aspirin'} }",
            "FIND(?x) WHERE { ?x {name: “Aspirin”} }",
            "FIND(?x) WHERE { ?x {name: \"Aspirin} }",
            "FIND(?x) WHERE {\n  ?x {name: \"Aspirin}\n}",
            "FIND(?x) WHERE { ?x {name: \"a\tb\"} }",
            "FIND(?x) WHERE { ?x {name: \"C:\\drugs\"} }",
            "FIND(?x) WHERE { ?x {name: \"\\ud83d alone\"} }",
            "FIND(?x) WHERE { ?x {type: Drug} }",
            "FIND(?x) WHERE { ?x {type: $ConceptType} }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.a == +1) }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.a == .5) }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.a == 1.) }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.a == 007) }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.a == 1e) }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.a == 123456789012345678901) }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.at > 2025-01-01T00:00:00Z) }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.a == TRUE) }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.a == NULL) }",
            "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.attributes.a == None) }",
            "FIND(?side-effect) WHERE { ?side-effect {type: \"Drug\"} }",
            "FIND(? x) WHERE { ?x {type: \"Drug\"} }",
            "FIND(?x) WHERE { ?x {name: : name} }",
            "FIND(?x) WHERE { ?x {name: :my-name} }",
            "FIND(?x) WHERE { ?x {name: :1st} }",
            "FIND(?x) # comment\nWHERE { ?x {type: \"Drug\"} }",
            "FIND(?x) /* comment */ WHERE { ?x {type: \"Drug\"} }",
        ],
    ),
    (
        "FIND",
        &[
            "FIND ?x WHERE { ?x {type: \"Drug\"} }",
            "FIND(drug) WHERE { ?drug {type: \"Drug\"} }",
            "FIND() WHERE { ?drug {type: \"Drug\"} }",
            "FIND(?x,) WHERE { ?x {type: \"Drug\"} }",
            "FIND(?x ?y) WHERE { (?x, \"treats\", ?y) }",
            "FIND(*) WHERE { ?x {type: \"Drug\"} }",
            "FIND(DISTINCT ?x) WHERE { ?x {type: \"Drug\"} }",
            "FIND(COUNT(*)) WHERE { ?x {type: \"Drug\"} }",
            "FIND(count(?x)) WHERE { ?x {type: \"Drug\"} }",
            "FIND(COUNTS(?x)) WHERE { ?x {type: \"Drug\"} }",
            "FIND(COLLECT(?x)) WHERE { ?x {type: \"Drug\"} }",
            "FIND(COUNT(?x) AS n) WHERE { ?x {type: \"Drug\"} }",
            "FIND(?x.risk_level) WHERE { ?x {type: \"Drug\"} }",
            "FIND(?x.nmae) WHERE { ?x {type: \"Drug\"} }",
            "FIND(?x.name.first) WHERE { ?x {type: \"Drug\"} }",
            "FIND(?x.attributes[\"risk\"]) WHERE { ?x {type: \"Drug\"} }",
            "FIND(?x.attributes.\"risk level\") WHERE { ?x {type: \"Drug\"} }",
            "FIND(?x)",
            "FIND(?x) WEHRE { ?x {type: \"Drug\"} }",
            "FIND(?x) WHERE ?x {type: \"Drug\"}",
            "FIND(?x) WHERE { }",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } LIMIT 5 ORDER BY ?x.name",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } LIMIT 5 LIMIT 6",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } LIMIT -1",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } LIMIT \"5\"",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } LIMIT 2.5",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } limit 5",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } ORDER ?x.name",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } ORDER BY name",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } ORDER BY ?x.name DESCENDING",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } GROUP BY ?x.name",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } OFFSET 10",
            "FIND(?x) WHERE { ?x {type: \"Drug\"} } CURSOR abc",
        ],
    ),
    (
        "Clauses",
        &[
            "FIND(?x) WHERE { x {type: \"Drug\"} }",
            "FIND(?x) WHERE { {type: \"Drug\"} }",
            "FIND(?x) WHERE { ?x {type: \"Drug\"}, ?y {type: \"Drug\"} }",
            "FIND(?x) WHERE { ?x }",
            "FIND(?x) WHERE { ?x.name == \"Aspirin\" }",
            "FIND(?x) WHERE { optional { ?x {type: \"Drug\"} } }",
            "FIND(?x) WHERE { FILTR(?x.name == 1) }",
            "FIND(?x) WHERE { NOT (?x, \"treats\", ?y) }",
            "FIND(?x) WHERE { ?x {type: \"Drug\" }",
            "FIND(?x)\nWHERE {\n  ?x {type: \"Drug\"\n  (?x, \"treats\", ?y)\n}",
            "FIND(?x) WHERE { ?x {type: \"Drug\" name: \"Aspirin\"} }",
            "FIND(?x) WHERE { ?x {type = \"Drug\"} }",
            "FIND(?x) WHERE { ?x {type \"Drug\"} }",
            "FIND(?x) WHERE { ?x {} }",
            "FIND(?x) WHERE { ?x {risk_level: 3} }",
            "FIND(?x) WHERE { ?x {Type: \"Drug\"} }",
            "FIND(?x) WHERE { ?x {id: \"C:1\", type: \"Drug\"} }",
            "FIND(?x) WHERE { ?x {type: \"Drug\", type: \"Herb\"} }",
            "FIND(?x) WHERE { ?x {risk-level: \"x\"} }",
            "FIND(?x) WHERE { ?x {type: ?t} }",
            "FIND(?x) WHERE { ?x {name: 5} }",
            "FIND(?x) WHERE { (?x, treats, ?y) }",
            "FIND(?x) WHERE { (?x, \"treats\") }",
            "FIND(?x) WHERE { (?x \"treats\" ?y) }",
            "FIND(?x) WHERE { (\"Aspirin\", \"treats\", ?y) }",
            "FIND(?x) WHERE { (drug, \"treats\", ?y) }",
            "FIND(?x) WHERE { (:drug, \"treats\", ?y) }",
            "FIND(?x) WHERE { (?x, \"a\" | \"b\"{1,3}, ?y) }",
            "FIND(?x) WHERE { (?x, \"a\"{1,3} | \"b\", ?y) }",
            "FIND(?x) WHERE { (?x, \"a\"{3,1}, ?y) }",
            "FIND(?x) WHERE { (?x, \"a\"{,3}, ?y) }",
            "FIND(?x) WHERE { (?x, \"a\"{1,70000}, ?y) }",
            "FIND(?x) WHERE { (?x, \"a\"+, ?y) }",
            "FIND(?x) WHERE { (?x, \"treats\", ?y, ?z) }",
        ],
    ),
    (
        "FILTER",
        &[
            "FIND(?x) WHERE { FILTER ?x.attributes.a > 3 }",
            "FIND(?x) WHERE { FILTER(?x.attributes.a = 3) }",
            "FIND(?x) WHERE { FILTER(?x.attributes.a > 3 AND ?x.attributes.b < 5) }",
            "FIND(?x) WHERE { FILTER(?x.attributes.a > 3 or ?x.attributes.b < 5) }",
            "FIND(?x) WHERE { FILTER(?x.attributes.a > 3 & ?x.attributes.b < 5) }",
            "FIND(?x) WHERE { FILTER(?x.attributes.a > 3 | ?x.attributes.b < 5) }",
            "FIND(?x) WHERE { FILTER(1 < ?x.attributes.a < 3) }",
            "FIND(?x) WHERE { FILTER(?x.attributes.active) }",
            "FIND(?x) WHERE { FILTER(?x.name <> \"a\") }",
            "FIND(?x) WHERE { FILTER(?x.name LIKE \"a%\") }",
            "FIND(?x) WHERE { FILTER(?x.name IS NULL) }",
            "FIND(?x) WHERE { FILTER(?x.name IN [\"a\"]) }",
            "FIND(?x) WHERE { FILTER(IN(?x.name, \"a\", \"b\")) }",
            "FIND(?x) WHERE { FILTER(IN(?x.name, [[\"a\"]])) }",
            "FIND(?x) WHERE { FILTER(?x.attributes == {a: 1}) }",
            "FIND(?x) WHERE { FILTER(STARTSWITH(?x.name, \"a\")) }",
            "FIND(?x) WHERE { FILTER(LOWER(?x.name) == \"a\") }",
            "FIND(?x) WHERE { FILTER(EXISTS(?x.name)) }",
            "FIND(?x) WHERE { FILTER(1 == IS_NULL(?x.name)) }",
            "FIND(?x) WHERE { FILTER(CONTAINS(?x.name)) }",
            "FIND(?x) WHERE { FILTER(x.name == \"a\") }",
            "FIND(?x) WHERE { FILTER(?x.name == Aspirin) }",
            "FIND(?x) WHERE { FILTER((?x.name == \"a\") }",
        ],
    ),
    (
        "UPSERT",
        &[
            "UPSERT { }",
            "UPSERT CONCEPT ?x { {type: \"Drug\", name: \"A\"} }",
            "UPSERT { CONCEPT x { {type: \"Drug\", name: \"A\"} } }",
            "UPSERT { CONCEPT ?x {type: \"Drug\", name: \"A\"} }",
            "UPSERT { CONCEPT ?x { {type: \"Drug\"} } }",
            "UPSERT { CONCEPT ?x { {name: \"A\"} } }",
            "UPSERT { CONCEPT ?x { {type: \"Drug\", name: null} } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} ATTRIBUTES { a: 1 } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTE { a: 1 } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET METADATA { a: 1 } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES { a: 1 } SET ATTRIBUTES { b: 1 } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES { a: 1 } EXPECT VERSION 3 } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} WITH METADATA { a: 1 } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"}, SET ATTRIBUTES { a: 1 } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES { a: 1 b: 2 } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES { a: [1 2] } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES { a: } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES { author: $self } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES { risk-level: 1 } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES { 1: 1 } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES { a: ?y.name } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET ATTRIBUTES [ 1 ] } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET PROPOSITIONS { } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET PROPOSITIONS { (?x, \"treats\", ?y) } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET PROPOSITIONS { (\"treats\", {type: \"Drug\"}) } } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} SET PROPOSITIONS { \"treats\": ?y } } }",
            "UPSERT { PROPOSITION ?x { (?a, ?p, ?b) } }",
            "UPSERT { PROPOSITION ?x { (?a, \"p\" | \"q\", ?b) } }",
            "UPSERT { PROPOSITION ?x { (?a, \"p\", ?b) SET PROPOSITIONS { (\"q\", ?c) } } }",
            "UPSERT { SET ATTRIBUTES { a: 1 } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} }, CONCEPT ?y { {id: \"C:2\"} } }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} } WITH METADATA { a: 1 }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} } } WITH METADTA { a: 1 }",
            "UPSERT { CONCEPT ?x { {id: \"C:1\"} } } DELETE CONCEPT ?x DETACH WHERE { ?x {id: \"C:1\"} }",
        ],
    ),
    (
        "DELETE",
        &[
            "DELETE ?x WHERE { ?x {type: \"Drug\"} }",
            "DELETE CONCEPTS ?x DETACH WHERE { ?x {type: \"Drug\"} }",
            "DELETE CONCEPT ?x WHERE { ?x {type: \"Drug\"} }",
            "DELETE CONCEPT x DETACH WHERE { ?x {type: \"Drug\"} }",
            "DELETE CONCEPT ?x DETACH",
            "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"Drug\", name: null} }",
            "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"Drug\"} } LIMIT 5",
            "DELETE PROPOSITION ?l WHERE { ?l (?a, \"treats\", ?b) }",
            "DELETE ATTRIBUTES [\"a\"] FROM ?x WHERE { ?x {type: \"Drug\"} }",
            "DELETE ATTRIBUTES {a} FROM ?x WHERE { ?x {type: \"Drug\"} }",
            "DELETE ATTRIBUTES {} FROM ?x WHERE { ?x {type: \"Drug\"} }",
            "DELETE ATTRIBUTES {\"a\"} OF ?x WHERE { ?x {type: \"Drug\"} }",
        ],
    ),
    (
        "DESCRIBE and SEARCH",
        &[
            "DESCRIBE",
            "DESCRIBE DOMAIN",
            "DESCRIBE CONCEPT \"Drug\"",
            "DESCRIBE CONCEPT TYPE Drug",
            "DESCRIBE CONCEPT TYPES CURSOR \"a\" LIMIT 5",
            "DESCRIBE DOMAINS LIMIT 5",
            "SEARCH \"aspirin\"",
            "SEARCH CONCEPT aspirin",
            "SEARCH CONCEPT \"aspirin\" TYPE \"Drug\"",
            "SEARCH CONCEPT \"aspirin\" LIMIT 5 WITH TYPE \"Drug\"",
            "SEARCH CONCEPT \"aspirin\" LIMIT 5 CURSOR \"a\"",
        ],
    ),
];

#[test]
fn mistakes_are_told_with_their_place_and_what_to_do() {
    let mut page = String::new();
    for (title, texts) in MISTAKES {
        page.push_str(&format!("\n{title}\n{}\n\n", "=".repeat(title.len())));
        for text in *texts {
            let error = parse(text).expect_err(text);
            page.push_str(&report(&error, text, None));
            page.push('\n');
        }
    }
    insta::assert_snapshot!("mistakes", page);
}

#[test]
fn every_mistake_says_what_to_do_about_it() {
    for text in MISTAKES.iter().flat_map(|(_, texts)| *texts) {
        let error = parse(text).expect_err(text);
        assert!(error.hint.is_some(), "{}", report(&error, text, None));
        assert!(error.span.is_some(), "{}", report(&error, text, None));
    }
}

#[test]
fn malformed_names_have_a_code_of_their_own() {
    for (text, code) in [
        ("FIND(?1) WHERE { ?x {id: \"C:1\"} }", KipCode::InvalidIdentifier),
        ("FIND(?) WHERE { ?x {id: \"C:1\"} }", KipCode::InvalidIdentifier),
        ("SEARCH CONCEPT :1", KipCode::InvalidIdentifier),
        ("SEARCH CONCEPT :a-b", KipCode::InvalidIdentifier),
        ("FIND(?x) WHERE { ?x {ty-pe: \"a\"} }", KipCode::InvalidIdentifier),
        ("FIND(?x.attributes.a-b) WHERE { ?x {id: \"C:1\"} }", KipCode::InvalidIdentifier),
        ("FIND(?x) WHERE { ?x {type: $x} }", KipCode::InvalidSyntax),
        ("FIND(?x.what) WHERE { ?x {id: \"C:1\"} }", KipCode::InvalidSyntax),
    ] {
        assert_eq!(parse(text).expect_err(text).code, code, "{text}");
    }
}
