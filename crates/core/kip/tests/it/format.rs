//! From trees to text, and text laid out anew.

use cairn_kip::arbitrary::command;
use cairn_kip::{format, format_text, one_line, parse};
use proptest::prelude::*;

use crate::kit::EXAMPLES;

fn check(text: &str, expected: &str) {
    let laid_out = format_text(text).unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    assert_eq!(laid_out, expected);
    assert_eq!(format_text(&laid_out).as_deref(), Ok(expected));
}

#[test]
fn examples_stay_what_they_are() {
    for text in EXAMPLES {
        let tree = parse(text).expect(text);
        let formatted = format(&tree);
        assert_eq!(parse(&formatted).as_ref(), Ok(&tree), "{formatted}");
        assert_eq!(parse(&format_text(text).expect(text)), Ok(tree), "{text}");
    }
}

#[test]
fn the_layout_is_one_to_read() {
    let texts = EXAMPLES.iter().map(|text| format_text(text).expect(text));
    insta::assert_snapshot!("layout", texts.collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_fits_is_one_line_and_what_does_not_is_broken() {
    let long = "x".repeat(60);
    check("FIND( ?a ) WHERE{?a{type:\"A\"}}LIMIT 5", "FIND(?a)\nWHERE { ?a {type: \"A\"} }\nLIMIT 5\n");
    check(
        &format!(
            "FIND(?a) WHERE {{ ?a {{type:\"{long}\",\"name\":\"{long}\",}} }} ORDER BY ?a ASC,COUNT( ?b )DESC"
        ),
        &format!(
            "FIND(?a)\nWHERE {{\n  ?a {{\n    type: \"{long}\",\n    name: \"{long}\"\n  }}\n}}\nORDER BY ?a ASC, COUNT(?b) DESC\n"
        ),
    );
    check(
        &format!(
            "FIND(?a) WHERE {{ FILTER(?a.name==\"{long}\"||!(?a.name!=\"{long}\"&&(1<2)) || IS_NULL(:p)) }}"
        ),
        &format!(
            "FIND(?a)\nWHERE {{\n  FILTER(\n    ?a.name == \"{long}\"\n    || !(?a.name != \"{long}\" && (1 < 2))\n    || IS_NULL(:p)\n  )\n}}\n"
        ),
    );
    check(
        "DELETE METADATA{\"a\",\"b\",}FROM ?x WHERE{NOT{(?x,\"p\"{0,},?y)(?x,\"p\" {1 , 3},:q)}}"
            .replace(":q", "?z")
            .as_str(),
        "DELETE METADATA {\"a\", \"b\"} FROM ?x\nWHERE {\n  NOT {\n    (?x, \"p\"{0,}, ?y)\n    (?x, \"p\"{1,3}, ?z)\n  }\n}\n",
    );
    check("SEARCH CONCEPT :t WITH TYPE \"a\" LIMIT :n", "SEARCH CONCEPT :t WITH TYPE \"a\" LIMIT :n\n");
}

#[test]
fn arrays_of_values_fill_lines() {
    let numbers: Vec<String> = (0..60).map(|number| number.to_string()).collect();
    let text = format!(
        "UPSERT {{ CONCEPT {{ {{id: \"C:1\"}} SET ATTRIBUTES {{ a: [{}], b: [] }} }} }}",
        numbers.join(",")
    );
    let laid_out = format_text(&text).expect(&text);
    assert!(laid_out.contains("      a: [\n        0, 1, 2, 3,"), "{laid_out}");
    assert!(laid_out.contains("      b: []\n"), "{laid_out}");
    assert!(laid_out.lines().all(|line| line.len() <= 100) && laid_out.lines().count() < 16, "{laid_out}");
}

#[test]
fn comments_and_empty_lines_stay() {
    check(
        "// top\n\n\nFIND(?a) // asked\nWHERE { // begins\n  ?a {type: \"A\"} // beside\n\n\n  // above\n  (?a, \"p\", ?b)\n  // tail\n} // after\n// end",
        "// top\n\nFIND(?a) // asked\nWHERE {\n  // begins\n  ?a {type: \"A\"} // beside\n\n  // above\n  (?a, \"p\", ?b)\n  // tail\n} // after\n// end\n",
    );
    check(
        "UPSERT{CONCEPT ?x{{type:\"A\",name:\"B\"}EXPECT VERSION 3 SET ATTRIBUTES{a:1,// one\nb:2// two\n}SET PROPOSITIONS{(\"p\",?y),// first\n(\"q\",?z)WITH METADATA{}}}}UPSERT{CONCEPT{{id:\"C:1\"}}}",
        "UPSERT {\n  CONCEPT ?x {\n    {type: \"A\", name: \"B\"} EXPECT VERSION 3\n    SET ATTRIBUTES {\n      a: 1, // one\n      b: 2 // two\n    }\n    SET PROPOSITIONS {\n      (\"p\", ?y) // first\n      (\"q\", ?z) WITH METADATA {}\n    }\n  }\n}\n\nUPSERT {\n  CONCEPT {\n    {id: \"C:1\"}\n  }\n}\n",
    );
    // In the middle of things they move above them.
    check(
        "FIND // a\n(?x // b\n.name) WHERE // c\n{ ?x // d\n{id: \"C:1\"} } LIMIT // e\n 5",
        "// a\nFIND(\n  ?x.name // b\n)\n// c\nWHERE {\n  // d\n  ?x {id: \"C:1\"}\n}\n// e\nLIMIT 5\n",
    );
}

#[test]
fn what_is_no_command_is_not_laid_out() {
    assert!(format_text("FIND(").is_err());
    assert!(format_text("").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn text_of_a_tree_is_that_tree(tree in command()) {
        for text in [format(&tree), one_line(&tree)] {
            prop_assert_eq!(parse(&text), Ok(tree.clone()), "{}", text);
        }
        let text = format(&tree);
        prop_assert_eq!(format_text(&text), Ok(format!("{text}\n")));
        prop_assert_eq!(format_text(&one_line(&tree)), Ok(format!("{text}\n")));
    }

    #[test]
    fn comments_are_never_lost(tree in command(), places in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..6)) {
        let mut words: Vec<String> = format(&tree).split(' ').map(str::to_owned).collect();
        for (number, (place, own_line)) in places.iter().enumerate() {
            let at = place.index(words.len());
            let word = &mut words[at];
            *word = if *own_line { format!("{word}\n// {number}\n") } else { format!("{word} // {number}\n") };
        }
        let text = words.join(" ");
        // A comment may have got into a string and broken it.
        prop_assume!(parse(&text).as_ref() == Ok(&tree));
        let laid_out = format_text(&text).expect("it is a command");
        prop_assert_eq!(parse(&laid_out), Ok(tree), "{}", laid_out);
        for number in 0..places.len() {
            let comment = format!("// {number}\n");
            prop_assert_eq!(laid_out.matches(&comment).count(), text.matches(&comment).count(), "{}", laid_out);
        }
        prop_assert_eq!(format_text(&laid_out), Ok(laid_out), "{}", text);
    }
}
