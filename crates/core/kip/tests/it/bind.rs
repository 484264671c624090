//! Parameters: values in their places, and those that do not fit.

use cairn_base::Value;
use cairn_kip::{KipCode, KipError, Parameters, bind, parse};

fn parameters(json: &str) -> Parameters {
    Value::parse_json(json.as_bytes()).expect(json).as_object().expect(json).clone()
}

fn bound(text: &str, json: &str) -> Result<cairn_kip::tree::Command, KipError> {
    bind(parse(text).unwrap_or_else(|error| panic!("{text}\n{error:?}")), &parameters(json))
}

fn refused(text: &str, json: &str, code: KipCode, at: &str, message: &str, hint: &str) {
    let error = bound(text, json).expect_err(text);
    let span = error.span.expect(text).range();
    assert_eq!((error.code, &text[span]), (code, at), "{text}: {error:?}");
    assert!(error.message.contains(message) && error.advice().contains(hint), "{text}: {error:?}");
}

fn syntax(text: &str, json: &str, at: &str, message: &str, hint: &str) {
    refused(text, json, KipCode::InvalidSyntax, at, message, hint);
}

#[test]
fn values_stand_where_they_could_be_written() {
    for (text, json, written) in [
        (
            "FIND(?x) WHERE { ?x {type: :t, name: :n} } LIMIT :l CURSOR :c",
            r#"{"t":"T","n":"N","l":10,"c":"k"}"#,
            r#"FIND(?x) WHERE { ?x {type: "T", name: "N"} } LIMIT 10 CURSOR "k""#,
        ),
        (
            "FIND(?x) WHERE { (?x {id: :a}, :p, ?y (id: :b)) (?x, :p{1,2}, ?y) (?x, :p | :q, ?y) OPTIONAL { ?y {name: :a} } }",
            r#"{"a":"A","b":"B","p":"P","q":"Q"}"#,
            r#"FIND(?x) WHERE { (?x {id: "A"}, "P", ?y (id: "B")) (?x, "P"{1,2}, ?y) (?x, "P" | "Q", ?y) OPTIONAL { ?y {name: "A"} } }"#,
        ),
        (
            "SEARCH CONCEPT :t WITH TYPE :k LIMIT :l",
            r#"{"t":"a","k":"K","l":0}"#,
            r#"SEARCH CONCEPT "a" WITH TYPE "K" LIMIT 0"#,
        ),
        (
            "DESCRIBE CONCEPT TYPES LIMIT :l CURSOR :c",
            r#"{"l":2.0,"c":""}"#,
            r#"DESCRIBE CONCEPT TYPES LIMIT 2 CURSOR """#,
        ),
        ("DESCRIBE PROPOSITION TYPE :t", r#"{"t":"a"}"#, r#"DESCRIBE PROPOSITION TYPE "a""#),
        (
            "UPSERT { CONCEPT { {id: :i} EXPECT VERSION :v SET PROPOSITIONS { (:p, {id: :i}) } } PROPOSITION { (?a, :p, ?b) EXPECT VERSION :v } }",
            r#"{"i":"I","v":7,"p":"P"}"#,
            r#"UPSERT { CONCEPT { {id: "I"} EXPECT VERSION 7 SET PROPOSITIONS { ("P", {id: "I"}) } } PROPOSITION { (?a, "P", ?b) EXPECT VERSION 7 } }"#,
        ),
    ] {
        assert_eq!(bound(text, json), bound(written, "{}"), "{text}");
    }
}

#[test]
fn values_inside_of_values() {
    use cairn_kip::tree::{Block, Command};
    let text = "UPSERT { CONCEPT { {id: \"C:1\"} SET ATTRIBUTES { a: :x, b: [1, :y, {c: :x}] } } WITH METADATA { d: :y } }";
    let Ok(Command::Upsert(upserts)) = bound(text, r#"{"x":{"k":[null]},"y":"not :x"}"#) else {
        panic!("{text}")
    };
    let Block::Concept(block) = &upserts[0].blocks[0].node else { panic!("{text}") };
    let shown = |object: &Option<cairn_kip::tree::Object>| {
        Value::from(object.as_ref().expect(text).value().expect(text)).to_json()
    };
    assert_eq!(shown(&block.attributes), r#"{"a":{"k":[null]},"b":[1,"not :x",{"c":{"k":[null]}}]}"#);
    assert_eq!(shown(&block.metadata), r#"{"d":"not :x"}"#);
}

#[test]
fn conditions_take_scalars_and_lists_of_them() {
    let filter = |condition: &str| format!("FIND(?x) WHERE {{ ?x {{id: \"C:1\"}} FILTER({condition}) }}");
    for (condition, json) in [
        ("?x.name == :v && CONTAINS(?x.name, :v) || !IS_NULL(:v)", r#"{"v":null}"#),
        ("IN(?x.name, :v)", r#"{"v":[1,"a",null]}"#),
        ("IN(?x.name, :v)", r#"{"v":[]}"#),
        ("IN(?x.name, [1, :v])", r#"{"v":2}"#),
        ("?x.name == :v", r#"{"v":[1]}"#),
    ] {
        let text = filter(condition);
        assert!(bound(&text, json).is_ok(), "{text}");
    }
    for (condition, json, message) in [
        ("?x.name == :v", r#"{"v":{}}"#, "is an object"),
        ("IN(?x.name, :v)", r#"{"v":"a"}"#, "is the string \"a\""),
        ("IN(?x.name, :v)", r#"{"v":[[1]]}"#, "is an array"),
        ("IN(?x.name, [1, :v])", r#"{"v":[2]}"#, "is an array"),
    ] {
        syntax(&filter(condition), json, ":v", message, "true, false");
    }
}

#[test]
fn what_does_not_fit_is_refused_where_it_stands() {
    syntax("FIND(?x) WHERE { ?x {name: :n} }", r#"{"n":5}"#, ":n", "is the number 5, and a string", "\"n\"");
    syntax("FIND(?x) WHERE { ?x {name: :n} }", r#"{"n":null}"#, ":n", "is null", "a string");
    for value in ["-1", "1.5", "\"3\"", "null", "true", "[]"] {
        let json = format!("{{\"l\":{value}}}");
        syntax("SEARCH CONCEPT \"a\" LIMIT :l", &json, ":l", "a whole number from 0 on is needed", "\"l\"");
    }
    syntax(
        "FIND(?x) WHERE { ?x {name: :nmae} }",
        r#"{"name":"a"}"#,
        ":nmae",
        ":nmae is not given",
        "did you mean :name?",
    );
    syntax(
        "FIND(?x) WHERE { ?x {name: :what} }",
        r#"{"b":1,"a":1}"#,
        ":what",
        "not given",
        "given are :a, :b",
    );
    syntax(
        "FIND(?x) WHERE { ?x {name: :what} }",
        "{}",
        ":what",
        "not given",
        "{\"parameters\": {\"what\": ...}}",
    );
}

#[test]
fn nothing_is_put_into_strings() {
    let hint = "send the whole string";
    let find = |text: &str| format!("FIND(?x) WHERE {{ ?x {{name: {text}}} }}");
    for text in [":n", "hello :n", "(:n)", "漢 :n!", ":m :n"] {
        let quoted = format!("\"{text}\"");
        syntax(&find(&quoted), r#"{"n":"x"}"#, &quoted, "names the parameter :n", hint);
    }
    for text in ["n", ":m", ":n2", "P:9:n", "10:n", "::n", "ratio:n", "n:", ": n", ":"] {
        assert!(bound(&find(&format!("\"{text}\"")), r#"{"n":"x"}"#).is_ok(), "{text}");
    }
    for text in [
        "SEARCH CONCEPT \":n\"",
        "SEARCH CONCEPT \"a\" WITH TYPE \":n\"",
        "DELETE METADATA {\":n\"} FROM ?x WHERE { ?x {id: \"C:1\"} }",
        "FIND(?x) WHERE { (?x, \":n\", ?y) }",
        "FIND(?x) WHERE { (?x, \"a\" | \":n\", ?y) }",
        "FIND(?x) WHERE { NOT { (?x, \":n\"{1}, ?y) } }",
        "FIND(?x) WHERE { (id: \":n\") }",
        "FIND(?x) WHERE { ?x {id: \"C:1\"} } CURSOR \":n\"",
        "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(?x.name == \":n\") }",
        "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(IN(?x.name, [\"a\", \":n\"])) }",
        "FIND(?x) WHERE { ?x {id: \"C:1\"} FILTER(1 == 1 || !REGEX(?x.name, \":n\")) }",
        "UPSERT { CONCEPT { {id: \"C:1\"} SET ATTRIBUTES { a: [{b: \":n\"}] } } }",
        "UPSERT { CONCEPT { {id: \"C:1\"} SET ATTRIBUTES { a: {\":n\": 1} } } }",
        "UPSERT { CONCEPT { {id: \"C:1\"} SET PROPOSITIONS { (\":n\", ?x) } } }",
        "UPSERT { CONCEPT { {id: \"C:1\"} SET PROPOSITIONS { (\"p\", ?x) WITH METADATA { a: \":n\" } } } }",
        "UPSERT { PROPOSITION { (?a, \"p\", ?b) SET ATTRIBUTES { a: \":n\" } } }",
        "UPSERT { PROPOSITION { (?a, \"p\", ?b) } WITH METADATA { a: \":n\" } }",
        "UPSERT { PROPOSITION { (?a, \"p\", {id: \":n\"}) } }",
        "UPSERT { CONCEPT { {id: \"C:1\"} } } WITH METADATA { a: \":n\" }",
        "DESCRIBE CONCEPT TYPE \":n\"",
    ] {
        syntax(text, r#"{"n":"x"}"#, "\":n\"", "names the parameter :n", hint);
        assert!(bound(text, r#"{"m":"x"}"#).is_ok(), "{text}");
    }
}

#[test]
fn deep_values_are_refused() {
    let text = "UPSERT { CONCEPT { {id: \"C:1\"} SET ATTRIBUTES { a: :v } } }";
    let nested = |levels: usize| format!("{{\"v\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    assert!(bound(text, &nested(64)).is_ok());
    refused(text, &nested(65), KipCode::ResourceExhausted, ":v", "more than 64 levels", "flatter");
}
