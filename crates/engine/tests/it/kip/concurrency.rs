//! Many at once: one node each, no lost key, and nobody sees half a statement.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::kit::{Kip, code, one};

const CONCEPTS: usize = 10;
const ROUNDS: usize = 25;

#[test]
fn writers_of_the_same_concepts_lose_nothing() {
    let kip = Kip::new();
    thread::scope(|scope| {
        for writer in 0..4 {
            let kip = &kip;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let blocks: String = (0..CONCEPTS)
                        .map(|number| {
                            format!(
                                r#"CONCEPT {{ {{type: "Drug", name: "D{number}"}}
                                    SET ATTRIBUTES {{ w{writer}_{round}: {number} }}
                                    SET PROPOSITIONS {{ ("treats", {{type: "Symptom", name: "Fever"}}) }} }}"#
                            )
                        })
                        .collect();
                    let answer = kip.command(&format!("UPSERT {{ {blocks} }}"));
                    assert_eq!(code(&answer), "ok", "{}", answer.to_json());
                }
            });
        }
    });
    let drugs = kip.ok(r#"FIND(?d.name, ?d.attributes, ?d.metadata._version) WHERE { ?d {type: "Drug"} FILTER(STARTS_WITH(?d.name, "D")) }"#);
    let columns: Vec<_> = drugs.as_array().unwrap().iter().map(|column| column.as_array().unwrap()).collect();
    assert_eq!(columns[0].len(), CONCEPTS);
    for (attributes, version) in columns[1].iter().zip(columns[2]) {
        assert_eq!(attributes.as_object().unwrap().len(), 4 * ROUNDS);
        assert_eq!(version.to_json(), (4 * ROUNDS).to_string());
    }
    let links = kip.ok(r#"FIND(COUNT(?l)) WHERE { ?l (?d, "treats", {type: "Symptom", name: "Fever"}) }"#);
    assert_eq!(links.to_json(), (CONCEPTS + 1).to_string());
}

#[test]
fn readers_never_see_half_a_statement() {
    let kip = Kip::new();
    let write = |number: usize| {
        format!(
            r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "Left"}} SET ATTRIBUTES {{ n: {number} }} }}
                CONCEPT {{ {{type: "Drug", name: "Right"}} SET ATTRIBUTES {{ n: {number} }} }} }}"#
        )
    };
    kip.ok(&write(0));
    let is_done = AtomicBool::new(false);
    let seen: usize = thread::scope(|scope| {
        let (kip, is_done) = (&kip, &is_done);
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(move || {
                    let mut seen = 0;
                    while !is_done.load(Ordering::Relaxed) {
                        let both = kip.ok(r#"FIND(?l.attributes.n, ?r.attributes.n) WHERE {
                                ?l {type: "Drug", name: "Left"} ?r {type: "Drug", name: "Right"} }"#);
                        let [left, right] = both.as_array().unwrap() else { panic!("{both:?}") };
                        assert_eq!(left, right);
                        seen += 1;
                    }
                    seen
                })
            })
            .collect();
        for number in 1..200 {
            kip.ok(&write(number));
        }
        is_done.store(true, Ordering::Relaxed);
        readers.into_iter().map(|reader| reader.join().unwrap()).sum()
    });
    assert!(seen > 0);
}

#[test]
fn of_many_who_expect_a_version_one_wins() {
    let kip = Kip::new();
    let request = one(
        r#"UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"} EXPECT VERSION 1 SET ATTRIBUTES { risk: 7 } } }"#,
    );
    let codes: Vec<_> = thread::scope(|scope| {
        let (kip, request) = (&kip, &request);
        let all: Vec<_> = (0..8).map(|_| scope.spawn(move || code(&kip.ask(request)))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| *code == "ok").count(), 1, "{codes:?}");
    assert!(codes.iter().all(|code| code == "ok" || code == "KIP_3005"), "{codes:?}");
}

#[test]
fn many_who_come_first_find_one_bootstrap() {
    let kip = Kip { world: crate::support::World::new() };
    thread::scope(|scope| {
        for _ in 0..8 {
            let kip = &kip;
            scope.spawn(move || assert_eq!(code(&kip.command("DESCRIBE PRIMER")), "ok"));
        }
    });
    assert_eq!(
        kip.ok(r#"FIND(COUNT(?p)) WHERE { ?p {type: "Person"} }"#).to_json(),
        "2",
        "$self and $system"
    );
}
