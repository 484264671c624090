//! UPSERT: what it writes, what it answers, and that a mistake anywhere leaves nothing.

use cairn_base::ManualClock;
use cairn_graph::Writer;
use cairn_graph::limits;
use cairn_kip::KipCode;
use cairn_kip::tree::Command;
use cairn_query::{Allowance, Budget};
use cairn_seam::Store;

use crate::counting::Counting;
use crate::world::{World, part};

#[test]
fn a_receipt_says_what_became_of_each_element() {
    let world = World::new();
    let first = world.ok(r#"UPSERT {
        CONCEPT ?i { {type: "Drug", name: "Ibuprofen"} SET ATTRIBUTES { risk: 3 }
            SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Fever"}) } }
        CONCEPT ?a { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk: 3 } }
        CONCEPT ?h { {type: "Symptom", name: "Headache"} }
        PROPOSITION ?p { (?a, "treats", ?h) }
        PROPOSITION { (?i, "treats", ?h) SET ATTRIBUTES { weakly: true } }
    }"#);
    assert_eq!(part(&first, "blocks"), "1");
    assert_eq!(part(&first, "created"), r#"{"concepts":1,"propositions":2}"#);
    assert_eq!(part(&first, "updated"), r#"{"concepts":1,"propositions":0}"#);
    assert_eq!(part(&first, "unchanged"), r#"{"concepts":1,"propositions":1}"#);
    assert_eq!(part(&first, "concept_outcomes"), r#"["created","updated","unchanged"]"#);
    assert_eq!(part(&first, "proposition_outcomes"), r#"["unchanged","created"]"#);
    let ids = first.get("upsert_concept_nodes").unwrap().as_array().unwrap();
    assert_eq!(ids.len(), 3);
    assert_eq!(
        world.json(r#"FIND(?d.id) WHERE { ?d {type: "Drug", name: "Ibuprofen"} }"#),
        format!("[{}]", ids[0].to_json())
    );
    assert_eq!(first.get("upsert_proposition_links").unwrap().as_array().unwrap().len(), 2);
}

#[test]
fn the_same_once_more_changes_nothing_and_answers_the_same_ids() {
    let world = World::new();
    let text = r#"UPSERT { CONCEPT ?d { {type: "Drug", name: "Naproxen"} SET ATTRIBUTES { risk: 1, tags: ["a", "b"] }
        SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Fever"}) WITH METADATA { confidence: 0.5 } } } }
        WITH METADATA { source: "twice" }"#;
    let first = world.ok(text);
    let position = world.store.position();
    let second = world.ok(text);
    assert_eq!(world.store.position(), position, "it writes nothing at all");
    assert_eq!(part(&first, "upsert_concept_nodes"), part(&second, "upsert_concept_nodes"));
    assert_eq!(part(&second, "created"), r#"{"concepts":0,"propositions":0}"#);
    assert_eq!(part(&second, "updated"), r#"{"concepts":0,"propositions":0}"#);
    assert_eq!(part(&second, "unchanged"), r#"{"concepts":1,"propositions":1}"#);
    let version = r#"FIND(?d.metadata._version) WHERE { ?d {type: "Drug", name: "Naproxen"} }"#;
    assert_eq!(world.json(version), "[1]");
}

#[test]
fn an_element_that_is_written_twice_counts_once() {
    let world = World::new();
    let receipt = world.ok(r#"UPSERT {
        CONCEPT { {type: "Drug", name: "Naproxen"} SET ATTRIBUTES { risk: 1 } }
        CONCEPT { {type: "Drug", name: "Naproxen"} SET ATTRIBUTES { risk: 2 } }
    }"#);
    assert_eq!(part(&receipt, "created"), r#"{"concepts":1,"propositions":0}"#);
    assert_eq!(part(&receipt, "updated"), r#"{"concepts":0,"propositions":0}"#);
    assert_eq!(part(&receipt, "concept_outcomes"), r#"["created","updated"]"#);
}

#[test]
fn attributes_are_merged_key_by_key_and_null_is_a_value() {
    let world = World::new();
    world.ok(r#"UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"}
            SET ATTRIBUTES { risk: null, tags: {a: 1}, new: true } } }"#);
    world.ok(r#"UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { tags: {b: 2} } } }"#);
    assert_eq!(
        world.json(r#"FIND(?d.attributes) WHERE { ?d {type: "Drug", name: "Aspirin"} }"#),
        r#"[{"form":"tablet","new":true,"risk":null,"tags":{"b":2}}]"#
    );
}

#[test]
fn inner_metadata_wins_key_by_key_and_links_take_that_of_their_concept() {
    let world = World::new();
    world.ok(r#"UPSERT {
        CONCEPT ?d { {type: "Drug", name: "Codeine"}
            SET PROPOSITIONS {
                ("treats", {type: "Symptom", name: "Headache"})
                ("treats", {type: "Symptom", name: "Fever"}) WITH METADATA { b: "link", c: null }
            } } WITH METADATA { b: "block", d: "block" }
        PROPOSITION { ({type: "Drug", name: "Codeine"}, "stated", {type: "Symptom", name: "Fever"}) }
            WITH METADATA { a: "proposition" }
    } WITH METADATA { a: "all", b: "all", c: "all" }"#);
    let of = |pattern: &str| {
        let keys = "?x.metadata.a, ?x.metadata.b, ?x.metadata.c, ?x.metadata.d";
        world.json(&format!("FIND({keys}) WHERE {{ {pattern} }}"))
    };
    let drug = r#"{type: "Drug", name: "Codeine"}"#;
    assert_eq!(of(&format!("?x {drug}")), r#"[["all"],["block"],["all"],["block"]]"#);
    assert_eq!(
        of(&format!(r#"?x ({drug}, "treats", {{name: "Headache"}})"#)),
        r#"[["all"],["block"],["all"],["block"]]"#
    );
    assert_eq!(
        of(&format!(r#"?x ({drug}, "treats", {{name: "Fever"}})"#)),
        r#"[["all"],["link"],[null],["block"]]"#
    );
    assert_eq!(
        of(&format!(r#"?x ({drug}, "stated", {{name: "Fever"}})"#)),
        r#"[["proposition"],["all"],["all"],[null]]"#
    );
}

#[test]
fn handles_are_defined_once_and_before_they_are_used() {
    let world = World::new();
    let drug =
        |handle: &str, name: &str| format!("CONCEPT {handle} {{ {{type: \"Drug\", name: \"{name}\"}} }}");
    let upsert = |blocks: &str| format!("UPSERT {{ {blocks} }}");
    let twice = upsert(&format!("{} {}", drug("?a", "A"), drug("?a", "B")));
    world.fails_at(&twice, KipCode::InvalidSyntax, "?a");
    let forward =
        upsert(&format!("PROPOSITION {{ (?a, \"treats\", ?b) }} {} {}", drug("?a", "A"), drug("?b", "B")));
    let error = world.fails_at(&forward, KipCode::ReferenceError, "?a");
    assert!(error.advice().contains("in front"), "{error:?}");
    let unknown =
        upsert(&format!("{} PROPOSITION {{ (?aspirin, \"treats\", ?asprin) }}", drug("?aspirin", "A")));
    let error = world.fails_at(&unknown, KipCode::ReferenceError, "?asprin");
    assert_eq!(error.advice(), "did you mean ?aspirin?");
    // A proposition is not there before it is written, so it cannot be about itself.
    let own = upsert(&format!("{} PROPOSITION ?p {{ (?a, \"stated\", ?p) }}", drug("?a", "A")));
    world.fails_at(&own, KipCode::ReferenceError, "?p");
    // Handles of one UPSERT are not known in the next.
    let next = format!(
        "{} {}",
        upsert(&drug("?a", "A")),
        upsert("PROPOSITION { (?a, \"treats\", {type: \"Symptom\", name: \"Fever\"}) }")
    );
    world.fails_at(&next, KipCode::ReferenceError, "?a");
}

#[test]
fn a_concept_may_be_linked_to_itself() {
    let world = World::new();
    let receipt = world.ok(
        r#"UPSERT { CONCEPT ?a { {type: "Drug", name: "Placebo"} SET PROPOSITIONS { ("treats", ?a) } } }"#,
    );
    assert_eq!(part(&receipt, "created"), r#"{"concepts":1,"propositions":1}"#);
    assert_eq!(world.json(r#"FIND(?x.name) WHERE { (?x, "treats", ?x) }"#), r#"["Placebo"]"#);
}

#[test]
fn a_target_with_a_handle_defines_it() {
    let world = World::new();
    world.ok(r#"UPSERT {
        CONCEPT ?d { {type: "Drug", name: "Codeine"}
            SET PROPOSITIONS { ("treats", ?f {type: "Symptom", name: "Fever"}) } }
        PROPOSITION ?s { (?f, "stated", ?again {type: "Symptom", name: "Fever"}) }
        PROPOSITION { (?again, "stated", ?fact (?d, "treats", ?f)) }
        PROPOSITION { (?fact, "stated", ?s) }
    }"#);
    assert_eq!(world.json(r#"FIND(COUNT(?l)) WHERE { ?l (?x, "stated", ?y) }"#), "3");
    // Saying the same twice is fine, something else is not.
    world.ok(r#"UPSERT { CONCEPT { {type: "Drug", name: "Codeine"} SET PROPOSITIONS {
        ("treats", ?f {type: "Symptom", name: "Fever"}) ("stated", ?f {type: "Symptom", name: "Fever"}) } } }"#);
    world.fails_at(
        r#"UPSERT { CONCEPT { {type: "Drug", name: "Codeine"} SET PROPOSITIONS {
        ("treats", ?f {type: "Symptom", name: "Fever"}) ("stated", ?f {type: "Symptom", name: "Headache"}) } } }"#,
        KipCode::InvalidSyntax,
        "?f",
    );
}

/// The ids of Aspirin, Headache, and the link between them.
fn ids(world: &World) -> [String; 3] {
    let one = |text: &str| {
        let found = world.ok(text);
        found.as_array().unwrap()[0].as_str().unwrap().to_owned()
    };
    [
        one(r#"FIND(?x.id) WHERE { ?x {type: "Drug", name: "Aspirin"} }"#),
        one(r#"FIND(?x.id) WHERE { ?x {type: "Symptom", name: "Headache"} }"#),
        one(r#"FIND(?x.id) WHERE { ?x ({name: "Aspirin"}, "treats", {name: "Headache"}) }"#),
    ]
}

#[test]
fn every_form_of_target_is_found() {
    let world = World::new();
    let [drug, symptom, link] = ids(&world);
    let receipt = world.ok(&format!(
        r#"UPSERT {{
            CONCEPT ?d {{ {{id: "{drug}"}} SET ATTRIBUTES {{ seen: true }} SET PROPOSITIONS {{
                ("stated", {{id: "{symptom}"}})
                ("stated", (id: "{link}"))
                ("stated", (?d, "stated", {{type: "Symptom", name: "Headache"}}))
                ("stated", ({{id: "{drug}"}}, "stated", (id: "{link}")))
            }} }}
            PROPOSITION {{ (id: "{link}") SET ATTRIBUTES {{ seen: true }} }}
        }}"#
    ));
    assert_eq!(part(&receipt, "created"), r#"{"concepts":0,"propositions":4}"#);
    assert_eq!(part(&receipt, "updated"), r#"{"concepts":1,"propositions":1}"#);
    assert_eq!(part(&receipt, "upsert_concept_nodes"), format!("[{drug:?}]"));
    assert_eq!(part(&receipt, "upsert_proposition_links"), format!("[{link:?}]"));
}

#[test]
fn what_is_referred_to_has_to_be_there() {
    let world = World::new();
    let [drug, _, link] = ids(&world);
    let with_target = |target: &str| {
        format!(
            r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "New"}} SET PROPOSITIONS {{ ("treats", {target}) }} }} }}"#
        )
    };
    for target in [
        r#"{type: "Symptom", name: "Boredom"}"#,
        r#"{id: "C:18446744073709551615"}"#,
        r#"{id: "C:999"}"#,
        r#"(id: "P:18446744073709551615:treats")"#,
        r#"(id: "P:999:treats")"#,
        r#"({type: "Drug", name: "Aspirin"}, "treats", {type: "Symptom", name: "Fever"})"#,
    ] {
        world.fails_at(&with_target(target), KipCode::NotFound, target);
    }
    let error = world.fails(&with_target(r#"{type: "Symptom", name: "Boredom"}"#), KipCode::NotFound);
    assert!(error.advice().contains(r#"SEARCH CONCEPT "Boredom""#), "{error:?}");
    // The predicate is part of a link's id.
    let other = link.replace("treats", "stated");
    world.fails_at(&with_target(&format!("(id: {other:?})")), KipCode::NotFound, &format!("(id: {other:?})"));
    // The innermost thing that is missing is named.
    let nested = r#"({type: "Drug", name: "Nothing"}, "treats", {type: "Symptom", name: "Fever"})"#;
    world.fails_at(&with_target(nested), KipCode::NotFound, r#"{type: "Drug", name: "Nothing"}"#);
    for block in [
        r#"CONCEPT { {id: "C:999"} SET ATTRIBUTES { a: 1 } }"#,
        r#"PROPOSITION { (id: "P:999:treats") }"#,
        r#"PROPOSITION { ({type: "Drug", name: "Aspirin"}, "treats", {type: "Symptom", name: "Boredom"}) }"#,
    ] {
        world.fails(&format!("UPSERT {{ {block} }}"), KipCode::NotFound);
    }
    // An id of the other kind is a mistake in the text.
    for block in [
        format!("CONCEPT {{ {{id: {link:?}}} }}"),
        format!("PROPOSITION {{ (id: {drug:?}) }}"),
        r#"CONCEPT { {id: "Aspirin"} }"#.to_owned(),
    ] {
        world.fails(&format!("UPSERT {{ {block} }}"), KipCode::InvalidSyntax);
    }
    // What is written further down is not there yet.
    let later = r#"UPSERT {
        CONCEPT { {type: "Drug", name: "New"} SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Later"}) } }
        CONCEPT { {type: "Symptom", name: "Later"} }
    }"#;
    world.fails_at(later, KipCode::NotFound, r#"{type: "Symptom", name: "Later"}"#);
}

#[test]
fn what_was_written_above_is_there() {
    let world = World::new();
    let [drug, symptom, _] = ids(&world);
    let receipt = world.ok(&format!(
        r#"UPSERT {{
            CONCEPT {{ {{type: "$ConceptType", name: "Herb"}} }}
            CONCEPT {{ {{type: "$PropositionType", name: "soothes"}} }}
            CONCEPT {{ {{type: "Herb", name: "Sage"}} }}
            PROPOSITION {{ ({{type: "Herb", name: "Sage"}}, "soothes", {{id: "{symptom}"}}) }}
            PROPOSITION {{ ({{id: "{drug}"}}, "stated",
                ({{type: "Herb", name: "Sage"}}, "soothes", {{type: "Symptom", name: "Headache"}})) }}
        }}
        UPSERT {{
            PROPOSITION {{ ({{type: "Herb", name: "Sage"}}, "soothes", {{type: "Symptom", name: "Headache"}})
                SET ATTRIBUTES {{ a: 1 }} }}
        }}"#
    ));
    assert_eq!(part(&receipt, "blocks"), "2");
    assert_eq!(part(&receipt, "created"), r#"{"concepts":3,"propositions":2}"#);
    assert_eq!(part(&receipt, "proposition_outcomes"), r#"["created","created","updated"]"#);
}

#[test]
fn types_and_predicates_are_registered_before_they_are_used() {
    let world = World::new();
    let error = world.fails_at(
        r#"UPSERT { CONCEPT { {type: "drug", name: "X"} } }"#,
        KipCode::TypeMismatch,
        r#""drug""#,
    );
    assert!(error.message.contains(r#"Did you mean "Drug"?"#), "{error:?}");
    let error = world.fails_at(
        r#"UPSERT { CONCEPT { {type: "Drug", name: "X"}
            SET PROPOSITIONS { ("treets", {type: "Symptom", name: "Fever"}) } } }"#,
        KipCode::TypeMismatch,
        r#""treets""#,
    );
    assert!(error.message.contains(r#"Did you mean "treats"?"#), "{error:?}");
    for text in [
        r#"UPSERT { PROPOSITION { ({type: "Drug", name: "Aspirin"}, "nothing", {type: "Symptom", name: "Fever"}) } }"#,
        r#"UPSERT { CONCEPT { {type: "Drug", name: "X"} SET PROPOSITIONS { ("treats", {type: "Nothing", name: "Y"}) } } }"#,
        // Defined further down.
        r#"UPSERT { CONCEPT { {type: "Herb", name: "Sage"} } CONCEPT { {type: "$ConceptType", name: "Herb"} } }"#,
    ] {
        world.fails(text, KipCode::TypeMismatch);
    }
}

#[test]
fn what_is_written_names_one_thing() {
    let world = World::new();
    for text in [
        r#"UPSERT { CONCEPT { {type: "Drug"} } }"#,
        r#"UPSERT { CONCEPT { {name: "Aspirin"} } }"#,
        r#"UPSERT { CONCEPT { {type: "Drug", name: "X"} SET PROPOSITIONS { ("treats", {name: "Fever"}) } } }"#,
        r#"UPSERT { CONCEPT ?a { {type: "Drug", name: "X"} } PROPOSITION { (?a, "treats" | "stated", ?a) } }"#,
        r#"UPSERT { CONCEPT ?a { {type: "Drug", name: "X"} } PROPOSITION { (?a, "treats"{1,2}, ?a) } }"#,
        r#"UPSERT { CONCEPT ?a { {type: "Drug", name: "X"} } PROPOSITION { (?a, ?p, ?a) } }"#,
    ] {
        world.fails(text, KipCode::InvalidSyntax);
    }
}

#[test]
fn versions_that_are_expected_have_to_be() {
    let world = World::new();
    let aspirin = |version: &str, risk: u32| {
        format!(
            r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "Aspirin"}} EXPECT VERSION {version}
                SET ATTRIBUTES {{ risk: {risk} }} }} }}"#
        )
    };
    world.fails(&aspirin("0", 7), KipCode::VersionMismatch);
    world.ok(&aspirin("1", 7));
    let error = world.fails(&aspirin("1", 8), KipCode::VersionMismatch);
    assert!(error.advice().contains("EXPECT VERSION 2"), "{error:?}");
    world.ok(&aspirin("2", 8));
    world.ok(r#"UPSERT { CONCEPT { {type: "Drug", name: "New"} EXPECT VERSION 0 } }"#);
    world.fails(
        r#"UPSERT { CONCEPT { {type: "Drug", name: "Newer"} EXPECT VERSION 1 } }"#,
        KipCode::VersionMismatch,
    );
    let link = |version: u32| {
        format!(
            r#"UPSERT {{ PROPOSITION {{ ({{type: "Drug", name: "Aspirin"}}, "treats", {{type: "Symptom", name: "Headache"}})
                EXPECT VERSION {version} SET ATTRIBUTES {{ a: {version} }} }} }}"#
        )
    };
    world.fails(&link(0), KipCode::VersionMismatch);
    world.ok(&link(1));
    world.fails(&link(1), KipCode::VersionMismatch);
    // A version of this very statement counts.
    world.ok(r#"UPSERT { CONCEPT { {type: "Drug", name: "Fresh"} EXPECT VERSION 0 SET ATTRIBUTES { a: 1 } }
            CONCEPT { {type: "Drug", name: "Fresh"} EXPECT VERSION 1 SET ATTRIBUTES { a: 2 } } }"#);
}

#[test]
fn a_mistake_in_the_last_block_leaves_nothing() {
    let world = World::new();
    let before = world.size();
    for last in [
        r#"CONCEPT { {type: "Nothing", name: "X"} }"#,
        r#"CONCEPT { {id: "C:999"} }"#,
        r#"CONCEPT { {type: "Drug", name: "Aspirin"} EXPECT VERSION 9 }"#,
        r#"CONCEPT { {type: "Drug", name: "Aspirin"} } WITH METADATA { _version: 9 }"#,
        r#"CONCEPT { {type: "$ConceptType", name: "herb"} }"#,
        r#"CONCEPT { {type: "$ConceptType", name: "$ConceptType"} SET ATTRIBUTES { a: 1 } }"#,
        r#"PROPOSITION { (?new, "treats", ?nobody) }"#,
    ] {
        let text = format!(
            r#"UPSERT {{ CONCEPT {{ {{type: "$ConceptType", name: "Herb"}} }} CONCEPT {{ {{type: "Herb", name: "Sage"}} }} }}
            UPSERT {{ CONCEPT ?new {{ {{type: "Drug", name: "New"}}
                SET PROPOSITIONS {{ ("treats", {{type: "Symptom", name: "Fever"}}) }} }} {last} }}"#
        );
        assert!(world.run(&text).is_err(), "{text}");
        assert_eq!(world.size(), before, "{text}");
        world.fails(r#"FIND(?x) WHERE { ?x {type: "Drug", name: "New"} }"#, KipCode::NotFound);
    }
}

#[test]
fn what_the_graph_refuses_has_its_code_and_its_place() {
    let world = World::new();
    for (block, code) in [
        (r#"CONCEPT { {type: "$ConceptType", name: "herb"} }"#, KipCode::InvalidIdentifier),
        (r#"CONCEPT { {type: "$PropositionType", name: "Treats"} }"#, KipCode::InvalidIdentifier),
        (
            r#"CONCEPT { {type: "Domain", name: "CoreSchema"} SET ATTRIBUTES { a: 1 } }"#,
            KipCode::ImmutableTarget,
        ),
        (
            r#"CONCEPT { {type: "Drug", name: "X"} } WITH METADATA { _score: 1 }"#,
            KipCode::ConstraintViolation,
        ),
    ] {
        let error = world.fails(&format!("UPSERT {{ {block} }}"), code);
        assert!(error.span.is_some(), "{error:?}");
    }
    let error = world
        .fails(r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "herb"} } }"#, KipCode::InvalidIdentifier);
    assert!(error.advice().contains("Herb"), "{error:?}");
}

#[test]
fn trying_says_what_would_be_and_no_ids() {
    let world = World::new();
    let text = r#"UPSERT { CONCEPT ?a { {type: "Drug", name: "New"} SET PROPOSITIONS { ("treats", ?a) } }
        CONCEPT { {type: "Drug", name: "Aspirin"} } }"#;
    let Command::Upsert(capsule) = cairn_kip::parse(text).unwrap() else { panic!("an UPSERT") };
    let scope = world.scope;
    let tried = world.transact(move |tx| {
        let mut writer = Writer::new(tx, scope, 1);
        let clock = ManualClock::new(0);
        cairn_query::try_upsert(&mut writer, &capsule, &mut Budget::new(&clock, Allowance::default()))
    });
    let tried = tried.unwrap();
    assert_eq!(part(&tried, "upsert_concept_nodes"), "[]");
    assert_eq!(part(&tried, "upsert_proposition_links"), "[]");
    assert_eq!(part(&tried, "created"), r#"{"concepts":1,"propositions":1}"#);
    assert_eq!(part(&tried, "unchanged"), r#"{"concepts":1,"propositions":0}"#);
    assert_eq!(part(&tried, "concept_outcomes"), r#"["created","unchanged"]"#);
}

#[test]
fn what_is_said_about_what_is_said_goes_on_as_long_as_an_export_can_say_it() {
    let world = World::new();
    let text = |links: usize| {
        let chain: String =
            (1..links).map(|n| format!("PROPOSITION ?p{n} {{ (?d, \"stated\", ?p{}) }}", n - 1)).collect();
        format!(
            r#"UPSERT {{ CONCEPT ?d {{ {{type: "Drug", name: "Talk"}} }} PROPOSITION ?p0 {{ (?d, "stated", ?d) }} {chain} }}"#
        )
    };
    let most = limits::LINK_LEVELS_MAX + 1;
    let refused = world.fails(&text(most + 1), KipCode::ResourceExhausted);
    assert!(refused.advice().starts_with("make a concept"), "{refused:?}");
    let all = format!(r#"{{"concepts":1,"propositions":{most}}}"#);
    assert_eq!(part(&world.ok(&text(most)), "created"), all);
    assert_eq!(part(&world.ok(&text(most)), "unchanged"), all);
    // Also in another command than the rest of them.
    world.fails(&text(most + 1), KipCode::ResourceExhausted);
}

/// Over a wire each call is a round trip: a long statement must not make one for each of its blocks.
#[test]
fn long_statements_ask_the_store_a_few_times() {
    let world = World::new();
    let concepts: String = (0..100)
        .map(|number| {
            format!(
                r#"CONCEPT ?d{number} {{ {{type: "Drug", name: "D{number}"}} SET ATTRIBUTES {{ n: {number} }}
                    SET PROPOSITIONS {{ ("treats", {{type: "Symptom", name: "Fever"}})
                        ("treats", {{type: "Symptom", name: "Headache"}}) }} }}"#
            )
        })
        .collect();
    let text = format!("UPSERT {{ {concepts} }}");
    let calls = |world: &World| {
        let Command::Upsert(capsule) = cairn_kip::parse(&text).unwrap() else { panic!("an UPSERT") };
        let scope = world.scope;
        let counted = world.transact(move |tx| {
            let mut counting = Counting::new(tx);
            let mut writer = Writer::new(&mut counting, scope, 1);
            let clock = ManualClock::new(0);
            let mut budget = Budget::new(&clock, Allowance::default());
            let receipt = cairn_query::upsert(&mut writer, &capsule, &mut budget)?;
            writer.finish()?;
            Ok((receipt, counting.reads()))
        });
        counted.unwrap()
    };
    let (receipt, reads) = calls(&world);
    assert_eq!(part(&receipt, "created"), r#"{"concepts":100,"propositions":200}"#);
    assert!(reads <= 40, "{reads} calls to make them");
    let (receipt, reads) = calls(&world);
    assert_eq!(part(&receipt, "unchanged"), r#"{"concepts":100,"propositions":200}"#);
    assert!(reads <= 40, "{reads} calls to find them unchanged");
}

/// What is said about all blocks is copied to each of them.
#[test]
fn metadata_of_all_blocks_counts_for_each_of_them() {
    let world = World::new();
    let text = |blocks: usize| {
        let blocks = r#"CONCEPT { {type: "Drug", name: "Aspirin"} } "#.repeat(blocks);
        format!("UPSERT {{ {blocks} }} WITH METADATA {{ source: \"{}\" }}", "a".repeat(500_000))
    };
    world.ok(&text(2));
    let error = world.fails(&text(2000), KipCode::ResourceExhausted);
    assert!(error.message.contains("bytes"), "{error:?}");
}

#[test]
fn a_target_that_is_not_there_may_be_another_one() {
    let world = World::new();
    let text = r#"UPSERT { CONCEPT { {type: "Drug", name: "X"} SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Fevr"}) } } }"#;
    let error = world.fails_at(text, KipCode::NotFound, r#"{type: "Symptom", name: "Fevr"}"#);
    let advice = error.advice();
    assert!(
        advice.starts_with(r#"did you mean "Fever"?"#) && advice.contains("write it in front"),
        "{advice}"
    );
}

#[test]
fn a_block_of_a_core_domain_says_to_name_it_as_the_target() {
    let world = World::new();
    for name in ["CoreSchema", "Unsorted", "Archived"] {
        let block = format!(r#"CONCEPT ?core {{ {{type: "Domain", name: "{name}"}} }}"#);
        let text = format!(
            r#"UPSERT {{ {block} CONCEPT {{ {{type: "Drug", name: "X"}} SET PROPOSITIONS {{ ("belongs_to_domain", ?core) }} }} }}
                WITH METADATA {{ source: "x" }}"#
        );
        let error = world.fails(&text, KipCode::ImmutableTarget);
        let target =
            format!(r#"SET PROPOSITIONS {{ ("belongs_to_domain", {{type: "Domain", name: "{name}"}}) }}"#);
        assert!(
            error.advice().contains("name it as the target") && error.advice().ends_with(&target),
            "{error:?}"
        );
        // What the hint says works.
        world.ok(&text
            .replace(&block, "")
            .replace("?core", &format!(r#"{{type: "Domain", name: "{name}"}}"#)));
    }
    // Other things that are protected have other hints.
    let error = world.fails(
        r#"UPSERT { CONCEPT { {type: "Person", name: "$self"} SET ATTRIBUTES { core_directives: [] } } }"#,
        KipCode::ImmutableTarget,
    );
    assert!(!error.advice().contains("target"), "{error:?}");
}
