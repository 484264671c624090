//! Export: what comes out, and that it goes in again.

use cairn_base::Value;
use cairn_engine::{EngineError, KipExportOptions, KipForm, KipImportOptions, KipSelection};
use cairn_graph::limits;
use cairn_seam::StoreError;
use proptest::prelude::*;

use super::bulk::{lines, text};
use super::kit::Kip;

pub(crate) fn options(form: KipForm, selection: Option<KipSelection>) -> KipExportOptions {
    KipExportOptions { space: None, form, selection }
}

impl Kip {
    fn export_with(&self, options: &KipExportOptions) -> Result<String, EngineError> {
        let owner = &self.world.owner;
        let mut out = Vec::new();
        let count = self.engine().kip_export(owner, owner.tenant(), options, &mut out, &mut |_| true)?;
        let text = String::from_utf8(out).unwrap();
        assert_eq!(count, text.lines().count() as u64);
        Ok(text)
    }

    pub(crate) fn export(&self, form: KipForm) -> String {
        self.export_with(&options(form, None)).unwrap()
    }

    fn select(&self, pattern: &str, variables: &[&str]) -> Result<String, EngineError> {
        let variables = variables.iter().map(|name| (*name).to_owned()).collect();
        let selection = KipSelection { pattern: pattern.to_owned(), variables };
        self.export_with(&options(KipForm::Text, Some(selection)))
    }

    /// A graph with nothing in it.
    fn empty() -> Kip {
        Kip { world: crate::support::World::new() }
    }
}

/// Names of concepts and predicates of links, in the order in which they come.
fn names(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| {
            let after = if line.contains("CONCEPT {") { "name: \"" } else { "}, \"" };
            line.split_once(after).and_then(|(_, rest)| rest.split_once('"')).map_or(line, |(name, _)| name)
        })
        .collect()
}

#[test]
fn definitions_come_before_concepts_and_these_before_links() {
    let kip = Kip::new();
    kip.ok(r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Late"} }
        PROPOSITION ?fact { ({type: "Drug", name: "Aspirin"}, "treats", {type: "Symptom", name: "Fever"}) SET ATTRIBUTES { dose: "500 mg" } }
        PROPOSITION { ({type: "Person", name: "$self"}, "learned", ?fact) }
        } WITH METADATA { source: "leaflet" }"#);
    insta::assert_snapshot!("export_kip", kip.export(KipForm::Text));
    insta::assert_snapshot!("export_ndjson", kip.export(KipForm::Lines));
    assert_eq!(kip.export(KipForm::Text), kip.export(KipForm::Text));
}

#[test]
fn what_every_space_begins_with_is_left_out_until_it_is_changed() {
    let kip = Kip::empty();
    assert_eq!(kip.export(KipForm::Text), "");
    kip.ok(r#"UPSERT { CONCEPT { {type: "Person", name: "$self"} SET ATTRIBUTES { handle: "me" } }
        CONCEPT { {type: "$ConceptType", name: "Person"} SET ATTRIBUTES { display_hint: "P" } } }"#);
    let text = kip.export(KipForm::Text);
    assert_eq!(names(&text), ["Person", "$self"], "{text}");
    assert!(!text.lines().last().unwrap().contains("core_directives"), "{text}");
    let there = Kip::empty();
    there.import(&text).unwrap();
    assert_eq!(there.export(KipForm::Text), text);
    assert_eq!(
        there.ok(r#"FIND(?s.attributes) WHERE { ?s {type: "Person", name: "$self"} }"#),
        kip.ok(r#"FIND(?s.attributes) WHERE { ?s {type: "Person", name: "$self"} }"#)
    );
}

#[test]
fn a_selection_brings_what_it_needs() {
    let kip = Kip::new();
    kip.ok(r#"UPSERT { CONCEPT { {type: "$PropositionType", name: "said"} }
        CONCEPT { {type: "Person", name: "Ada"} }
        PROPOSITION { ({type: "Person", name: "Ada"}, "said", ({type: "Drug", name: "Aspirin"}, "treats", {type: "Symptom", name: "Fever"})) } }"#);
    let check = |pattern: &str, variables: &[&str], expected: &[&str]| {
        let text = kip.select(pattern, variables).unwrap();
        assert_eq!(names(&text), expected, "{pattern}\n{text}");
        let there = Kip::empty();
        there.import(&text).unwrap();
        assert_eq!(there.export(KipForm::Text), text, "{pattern}");
    };
    check(r#"?d {type: "Drug"}"#, &["?d"], &["Drug", "Aspirin", "Ibuprofen"]);
    check(r#"?d {type: "Drug"} FILTER(?d.attributes.risk > 2)"#, &["d"], &["Drug", "Ibuprofen"]);
    check(r#"?l (?d, "treats", ?s)"#, &["?l"], &["Drug", "Symptom", "treats", "Fever", "Aspirin", "treats"]);
    check(
        r#"?l (?who, "said", ?what)"#,
        &["?l", " ?who "],
        &["Drug", "Symptom", "treats", "said", "Fever", "Aspirin", "Ada", "treats", "said"],
    );
    check(r#"?d {type: "Drug"} FILTER(?d.attributes.risk > 99)"#, &["?d"], &[]);
    assert!(kip.select(r#"?d {type: "Drug", name: "Nothing"}"#, &["?d"]).is_err(), "as a FIND says");
    let code = |pattern: &str, variables: &[&str]| match kip.select(pattern, variables) {
        Err(EngineError::Kip(error)) => format!("{} {}", error.code.text(), error.message),
        other => panic!("{other:?}"),
    };
    assert!(code(r#"?d {type: "Drug"}"#, &["?x"]).starts_with("KIP_3001"));
    assert!(code(r#"?d {type: "Drug"}"#, &[]).starts_with("KIP_3001"));
    assert_eq!(
        code("?d {type: \"Drug\"}\n oops", &["?d"]).split(':').next(),
        Some("KIP_1001 line 2, column 2")
    );
    assert!(code(r#"?d {type: "Drug"} } LIMIT 1 //"#, &["?d"]).starts_with("KIP_1001"));
    for variable in ["?d.name", "COUNT(?d)", "", "d) WHERE { ?d {type: \"Drug\"} } //"] {
        assert!(code(r#"?d {type: "Drug"}"#, &[variable]).starts_with("KIP_1"), "{variable}");
    }
    assert!(code(r#"?d {type: "Durg"}"#, &["?d"]).starts_with("KIP_2001 line 1, column "));
}

#[test]
fn many_pages_are_one_export_and_what_comes_meanwhile_is_left_to_the_next() {
    let kip = Kip::new();
    kip.import(&text(5_000)).unwrap();
    let whole = kip.export(KipForm::Lines);
    assert_eq!(whole.lines().count(), 2 * 5_000 + 1 + 7);
    let (owner, engine) = (kip.world.owner.clone(), kip.engine());
    let mut export = engine.kip_export_begin(&owner, owner.tenant(), &options(KipForm::Lines, None)).unwrap();
    let (mut found, mut pages) = (String::new(), 0);
    while !export.is_done() {
        let page = engine.kip_export_page(&owner, &mut export).unwrap();
        found += std::str::from_utf8(&page).unwrap();
        pages += 1;
        // Something new with a link to it, each time; and links that go.
        kip.ok(&format!(
            r#"UPSERT {{ CONCEPT {{ {{type: "$ConceptType", name: "New{pages}"}} }}
                CONCEPT ?n {{ {{type: "Thing", name: "new {pages}"}} }}
                PROPOSITION {{ ({{type: "Thing", name: "thing 0"}}, "leads_to", ?n) }} }}"#
        ));
        kip.ok(&format!(
            r#"DELETE CONCEPT ?x DETACH WHERE {{ ?x {{type: "Thing", name: "thing {}"}} }}"#,
            4_000 + pages
        ));
    }
    assert!(pages > 5, "{pages}");
    assert!(!found.contains("\"new ") && !found.contains("\"New"), "new things are left out");
    assert!(found.lines().all(|line| whole.contains(line)));
    let there = Kip::empty();
    there.import(&found).unwrap();
    assert_eq!(there.export(KipForm::Lines), found);
}

#[test]
fn pages_that_are_full_before_their_end_leave_nothing_out() {
    let kip = Kip::empty();
    let words = "x".repeat(10_000);
    let mut lines = lines(300).replace("twelve words", &words);
    lines = lines.replace("\"weight\"", &format!("\"words\":\"{words}\",\"weight\""));
    kip.import(&lines).unwrap();
    let text = kip.export(KipForm::Lines);
    assert!(text.len() > 5 << 20, "more than fits into a page, of concepts and of links");
    assert_eq!(text.lines().count(), 2 + 300 + 299);
    let there = Kip::empty();
    there.import(&text).unwrap();
    assert_eq!(there.export(KipForm::Lines), text);
}

#[test]
fn a_long_selection_is_whole() {
    let kip = Kip::empty();
    kip.import(&text(2_500)).unwrap();
    let found = kip.select(r#"?l (?a, "leads_to", ?b)"#, &["?l"]).unwrap();
    assert_eq!(found, kip.export(KipForm::Text), "everything is an end of a link");
}

#[test]
fn an_export_can_be_stopped_and_fails_when_nobody_takes_it() {
    let kip = Kip::new();
    let (owner, all) = (&kip.world.owner, options(KipForm::Text, None));
    let mut out = Vec::new();
    let stopped = kip.engine().kip_export(owner, owner.tenant(), &all, &mut out, &mut |_| false).unwrap_err();
    assert!(matches!(stopped, EngineError::Store(StoreError::Stopped)), "{stopped}");
    let mut short = &mut [0; 10][..];
    let failed = kip.engine().kip_export(owner, owner.tenant(), &all, &mut short, &mut |_| true).unwrap_err();
    assert!(matches!(failed, EngineError::Output { .. }), "{failed}");
}

#[test]
fn a_page_ends_with_the_element_that_fills_it() {
    let kip = Kip::new();
    let mut lines = String::new();
    for n in 0..12 {
        let nulls = vec!["null"; 150_000].join(",");
        let (concept, link) =
            (format!("\"type\":\"Drug\",\"name\":\"{n}\""), "{\"type\":\"Symptom\",\"name\":\"Fever\"}");
        lines += &format!("{{\"concept\":{{{concept},\"attributes\":{{\"v\":[{nulls}]}}}}}}\n");
        lines += &format!(
            "{{\"link\":{{\"subject\":{{{concept}}},\"predicate\":\"treats\",\"object\":{link},\"attributes\":{{\"v\":[{nulls}]}}}}}}\n"
        );
    }
    kip.import(&lines).unwrap();
    let (owner, engine) = (kip.world.owner.clone(), kip.engine());
    let mut export = engine.kip_export_begin(&owner, owner.tenant(), &options(KipForm::Lines, None)).unwrap();
    let (mut whole, mut longest) = (String::new(), 0);
    while !export.is_done() {
        let page = engine.kip_export_page(&owner, &mut export).unwrap();
        longest = longest.max(page.len());
        whole += std::str::from_utf8(&page).unwrap();
    }
    assert!(longest < 2 << 20, "{longest}");
    let there = Kip::empty();
    there.import(&whole).unwrap();
    assert_eq!(there.export(KipForm::Lines), whole);
}

/// The ends of a link, given the number of the one before it.
type EndsOf<'a> = &'a dyn Fn(usize) -> [String; 2];

/// A command that makes links about links, each from what `ends` says of the one before it.
fn chain(links: usize, ends: EndsOf<'_>) -> String {
    let mut blocks = String::new();
    for n in 0..links {
        let [subject, object] = match n {
            0 => [
                r#"{type: "Drug", name: "Aspirin"}"#.to_owned(),
                r#"{type: "Symptom", name: "Fever"}"#.to_owned(),
            ],
            _ => ends(n - 1),
        };
        blocks += &format!(" PROPOSITION ?l{n} {{ ({subject}, \"said\", {object}) }}");
    }
    format!(r#"UPSERT {{ CONCEPT {{ {{type: "$PropositionType", name: "said"}} }}{blocks} }}"#)
}

#[test]
fn links_about_links_are_refused_beyond_what_an_export_can_say() {
    let deep = |n: usize| [r#"{type: "Drug", name: "Aspirin"}"#.to_owned(), format!("?l{n}")];
    let wide = |n: usize| [format!("?l{n}"), format!("?l{n}")];
    // Two inside, then six, 14, 30, 62 and 126.
    let bounds: [(usize, EndsOf<'_>); 2] = [(limits::LINK_LEVELS_MAX + 1, &deep), (6, &wide)];
    for (most, ends) in bounds {
        let kip = Kip::new();
        let answer = kip.command(&chain(most + 1, ends)).to_json();
        assert!(answer.contains("KIP_4002") && answer.contains("about links"), "{answer}");
        kip.ok(&chain(most, ends));
        for form in [KipForm::Text, KipForm::Lines] {
            let there = Kip::empty();
            there.import(&kip.export(form)).unwrap();
            assert_eq!(there.export(form), kip.export(form));
        }
    }
}

#[test]
fn values_that_no_text_of_a_command_holds_are_exported_as_lines() {
    let kip = Kip::new();
    let deep = format!("{}1{}", "[".repeat(64), "]".repeat(64));
    let line =
        format!("{{\"concept\":{{\"type\":\"Drug\",\"name\":\"deep\",\"attributes\":{{\"v\":{deep}}}}}}}\n");
    kip.import(&line).unwrap();
    let refused = kip.export_with(&options(KipForm::Text, None)).unwrap_err();
    assert!(refused.to_string().contains("`v` is nested"), "{refused}");
    assert!(kip.export(KipForm::Lines).contains(&deep));
    let just = line.replace(&deep, &format!("{}1{}", "[".repeat(61), "]".repeat(61)));
    kip.import(&just).unwrap();
    let there = Kip::empty();
    there.import(&kip.export(KipForm::Text)).unwrap();
}

/// Something that an attribute can be.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| Value::parse_json(number.to_string().as_bytes()).unwrap()),
        (-1e9_f64..1e9).prop_map(|number| Value::Number(cairn_base::Number::from_f64(number).unwrap())),
        Just(Value::parse_json(b"1.0").unwrap()),
        ".{0,12}".prop_map(Value::String),
        Just(Value::String("UPSERT { \"} // \\ \u{1}\n".to_owned())),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map(".{1,6}", inner, 0..4).prop_map(Value::Object),
        ]
    })
}

fn map() -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[a-z\" é]{1,8}", value(), 0..4).prop_map(Value::Object)
}

/// What is done to a graph, one after the other; numbers choose among what is there.
#[derive(Debug, Clone)]
enum Deed {
    Concept {
        kind: usize,
        name: usize,
        attributes: Value,
        metadata: Value,
    },
    /// Ends are concepts, or the links that were written before.
    Link {
        ends: [(bool, usize); 2],
        predicate: usize,
        attributes: Value,
        metadata: Value,
    },
    Delete {
        concept: usize,
    },
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0..3_usize, 0..6_usize, map(), map())
            .prop_map(|(kind, name, attributes, metadata)| Deed::Concept { kind, name, attributes, metadata }),
        5 => (any::<[(bool, usize); 2]>(), 0..3_usize, map(), map())
            .prop_map(|(ends, predicate, attributes, metadata)| Deed::Link { ends, predicate, attributes, metadata }),
        1 => any::<usize>().prop_map(|concept| Deed::Delete { concept }),
    ]
}

const NAMES: [&str; 6] = ["plain", "with \"quotes\"", "UPSERT { } //", "漢字 é", "\\", "a\nb"];

/// Carries out deeds.
struct Doing {
    kip: Kip,
    concepts: Vec<String>,
    links: Vec<String>,
}

impl Doing {
    fn new() -> Self {
        let kip = Kip::empty();
        let definitions = (0..3).map(|n| {
            format!(
                r#"CONCEPT {{ {{type: "$ConceptType", name: "T{n}"}} }} CONCEPT {{ {{type: "$PropositionType", name: "p{n}"}} }}"#
            )
        });
        kip.ok(&format!("UPSERT {{ {} }}", definitions.collect::<Vec<_>>().join(" ")));
        Doing { kip, concepts: Vec::new(), links: Vec::new() }
    }

    fn carry_out(&mut self, deed: &Deed) {
        match deed {
            Deed::Concept { kind, name, attributes, metadata } => {
                let name = Value::String(NAMES[*name].to_owned()).to_json();
                let reference = format!(r#"{{"type":"T{kind}","name":{name}}}"#);
                let parts = reference.trim_end_matches('}').to_owned();
                self.import(&format!(
                    "{{\"concept\":{parts},\"attributes\":{},\"metadata\":{}}}}}",
                    attributes.to_json(),
                    metadata.to_json()
                ));
                if !self.concepts.contains(&reference) {
                    self.concepts.push(reference);
                }
            }
            Deed::Link { ends, predicate, attributes, metadata } => {
                let Some([subject, object]) = self.ends(*ends) else { return };
                let triple = format!(r#"{{"subject":{subject},"predicate":"p{predicate}","object":{object}"#);
                self.import(&format!(
                    "{{\"link\":{triple},\"attributes\":{},\"metadata\":{}}}}}",
                    attributes.to_json(),
                    metadata.to_json()
                ));
                // Deeper ones are no better, and longer.
                if triple.matches("\"link\"").count() < 3 {
                    self.links.push(format!("{{\"link\":{triple}}}}}"));
                }
            }
            Deed::Delete { concept } => {
                let Some(at) = concept.checked_rem(self.concepts.len()) else { return };
                let gone = self.concepts.remove(at);
                let matcher = gone.replace("\"type\"", "type").replace("\"name\"", "name");
                self.kip.ok(&format!("DELETE CONCEPT ?x DETACH WHERE {{ ?x {matcher} }}"));
                self.links.retain(|link| !link.contains(&gone));
            }
        }
    }

    fn ends(&self, ends: [(bool, usize); 2]) -> Option<[String; 2]> {
        let one = |(is_link, number): (bool, usize)| {
            let from = if is_link && !self.links.is_empty() { &self.links } else { &self.concepts };
            Some(from[number.checked_rem(from.len())?].clone())
        };
        Some([one(ends[0])?, one(ends[1])?])
    }

    fn import(&self, line: &str) {
        self.kip.import(line).unwrap_or_else(|error| panic!("{error}\n{line}"));
    }
}

/// Everything that can be asked of concepts, without what differs from space to space.
fn content(kip: &Kip) -> Vec<String> {
    let mut found = Vec::new();
    for query in [
        "FIND(?c.type, ?c.name, ?c.attributes, ?c.metadata) WHERE { ?c {type: :t} } LIMIT 10000",
        "FIND(?l.predicate, ?l.attributes, ?l.metadata, ?a.name, ?b.name) WHERE { ?l (?a, :t, ?b) } LIMIT 10000",
    ] {
        let letter = if query.contains("?c.type") { "T" } else { "p" };
        for n in 0..3 {
            let text = Value::String(query.to_owned()).to_json();
            let request =
                format!(r#"{{"command":{text},"parameters":{{"t":"{letter}{n}"}},"format":"rows"}}"#);
            let answer = kip.ask(&request);
            let rows = answer.get("result").unwrap_or_else(|| panic!("{}", answer.to_json()));
            for row in rows.as_array().unwrap() {
                let mut row = row.clone();
                forget_own(&mut row);
                found.push(row.to_json());
            }
        }
    }
    found.sort();
    found
}

fn forget_own(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(forget_own),
        Value::Object(entries) => entries.retain(|key, _| !key.starts_with('_')),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_goes_out_comes_in_again_and_is_the_same(deeds in proptest::collection::vec(deed(), 0..30)) {
        let mut doing = Doing::new();
        deeds.iter().for_each(|deed| doing.carry_out(deed));
        let here = &doing.kip;
        let (commands, lines) = (here.export(KipForm::Text), here.export(KipForm::Lines));
        for text in [&commands, &lines] {
            let there = Kip::empty();
            there.import(text).unwrap();
            prop_assert_eq!(content(here), content(&there));
            prop_assert_eq!(&there.export(KipForm::Text), &commands);
            prop_assert_eq!(&there.export(KipForm::Lines), &lines);
            // Once more, as the other form: nothing changes.
            for again in [&commands, &lines] {
                let report = there.import(again).unwrap();
                prop_assert_eq!(report.counts.elements(), report.counts.unchanged);
            }
        }
        // And into a space of the same store.
        let into = KipImportOptions { space: Some("copy".to_owned()), ..KipImportOptions::default() };
        here.import_with(commands.as_bytes(), &into, &mut |_| true).unwrap();
        let copy = KipExportOptions { space: Some("copy".to_owned()), ..options(KipForm::Lines, None) };
        prop_assert_eq!(here.export_with(&copy).unwrap(), lines);
    }
}
