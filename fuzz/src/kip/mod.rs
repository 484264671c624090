//! KIP: whatever text comes in, it is read or refused at a place in it; what is read is written as text that
//! reads the same, and laid out in one way only.

use cairn_kip::{format, format_text, one_line, parse, report};

/// Panics when something is wrong.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let tree = match parse(text) {
        Ok(tree) => tree,
        Err(error) => {
            let span = error.span.unwrap_or_default();
            assert!(text.get(span.range()).is_some(), "the place is in the text: {error:?}");
            assert!(report(&error, text, None).contains("hint: "));
            return;
        }
    };
    let formatted = format(&tree);
    assert_eq!(parse(&formatted).as_ref(), Ok(&tree), "{formatted}");
    assert_eq!(parse(&one_line(&tree)).as_ref(), Ok(&tree));
    assert_eq!(format_text(&formatted), Ok(format!("{formatted}\n")));
    let laid_out = format_text(text).expect("it is a command");
    assert_eq!(parse(&laid_out), Ok(tree), "{laid_out}");
    assert_eq!(format_text(&laid_out).as_ref(), Ok(&laid_out), "{text}");
}

/// The first inputs.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts: [&str; 9] = [
        "FIND(?d.name, COUNT(DISTINCT ?s)) WHERE { ?d {type: \"Drug\"} (?d, \"treats\" | \"eases\", ?s) } ORDER BY ?d.name DESC LIMIT 5",
        "FIND(?x) WHERE { ?l (?x {id: :id}, \"part_of\"{1,3}, (?a, ?p, {name: \"\\u00e9\"})) NOT { (id: \"P:1:p\") } } CURSOR :c // x",
        "FIND(?x) WHERE { UNION { ?x {name: \"a\"} } FILTER(!(?x.attributes.a >= -1.5e3 || IN(?x.name, [\"b\", null])) && IS_NULL(:p)) }",
        "EXPLAIN ANALYZE FIND(?x) WHERE { OPTIONAL { ?x {type: \"T\", name: null} } FILTER(REGEX(?x.name, \"^a\")) }",
        "UPSERT { CONCEPT ?c { {type: \"T\", name: \"N\"} EXPECT VERSION 3 SET ATTRIBUTES { a: [1, {\"b c\": true}], } } WITH METADATA { d: :e } }",
        "UPSERT { CONCEPT { {id: \"C:1\"} SET PROPOSITIONS { (\"p\", ?x), (\"q\", {type: \"T\", name: \"N\"}) WITH METADATA {} } } PROPOSITION { (?a, \"p\", ?b) } }",
        "DELETE ATTRIBUTES {\"a\", \"b\"} FROM ?x WHERE { ?x {id: \"C:1\"} }",
        "DESCRIBE CONCEPT TYPES LIMIT 5 CURSOR \"t\"",
        "SEARCH PROPOSITION \"aspirin\" WITH TYPE :t LIMIT :n",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}
