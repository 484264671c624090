//! Sleep cycles: what is past its time, doubled, without a place, or to be done.

use std::sync::Arc;
use std::time::Duration;

use cairn_access::{Action, Principal, Role};
use cairn_base::{ErrorCode, TenantId, Value};
use cairn_engine::{
    AuditOutcome, EngineError, SleepElement, SleepPolicy, SleepQuestion, SleepReport, limits,
};
use cairn_seam::{FaultPlan, FaultyStore, SeamFault, Store};

use super::kit::{ACME, Kip, code, one, send, user};
use crate::support::{NOW_MS, open};

/// The instant at which the clock of these tests stands, and one millisecond later.
const NOW: &str = "2023-11-14T22:13:20.000Z";
const LATER: &str = "2023-11-14T22:13:20.001Z";

fn question(apply: bool) -> SleepQuestion {
    SleepQuestion { space: None, apply, shown_max: 100 }
}

fn sleep_as(kip: &Kip, who: &Principal, question: &SleepQuestion) -> Result<SleepReport, EngineError> {
    kip.engine().sleep(who, who.tenant(), question, &mut |_| true)
}

fn sleep(kip: &Kip, apply: bool) -> SleepReport {
    sleep_as(kip, &kip.world.owner, &question(apply)).unwrap()
}

/// Gives a concept a time.
fn expire(kip: &Kip, kind: &str, name: &str, at: &str) {
    kip.ok(&format!(
        r#"UPSERT {{ CONCEPT {{ {{type: "{kind}", name: "{name}"}} }} WITH METADATA {{ expires_at: "{at}" }} }}"#
    ));
}

/// Gives the link from Aspirin to Fever a time.
fn expire_link(kip: &Kip, at: &str) {
    kip.ok(&format!(
        r#"UPSERT {{ PROPOSITION {{ ({{type: "Drug", name: "Aspirin"}}, "treats", {{type: "Symptom", name: "Fever"}}) }}
            WITH METADATA {{ expires_at: "{at}" }} }}"#
    ));
}

fn names(elements: &[SleepElement]) -> Vec<&str> {
    elements.iter().map(|element| element.name.as_deref().unwrap_or("link")).collect()
}

/// Everything that is there.
fn everything(kip: &Kip) -> Value {
    let concepts = kip.ok(r#"FIND(?x) WHERE { ?x {type: "Drug"} UNION { ?x {type: "Symptom"} } }"#);
    Value::Array(vec![concepts, kip.ok(r#"FIND(?l) WHERE { ?l (?s, "treats", ?o) }"#)])
}

#[test]
fn what_expires_now_has_expired_and_a_millisecond_later_has_not() {
    let kip = Kip::new();
    expire(&kip, "Drug", "Aspirin", NOW);
    expire(&kip, "Drug", "Ibuprofen", LATER);
    let report = sleep(&kip, false);
    assert_eq!(names(&report.expired.shown), ["Aspirin"]);
    assert_eq!((report.expired.total, report.at_ms), (1, NOW_MS));
    assert_eq!(report.expired.shown[0].expires_at.as_deref(), Some(NOW));
    kip.world.clock.advance(Duration::from_millis(1));
    assert_eq!(names(&sleep(&kip, false).expired.shown), ["Aspirin", "Ibuprofen"]);
}

#[test]
fn looking_changes_nothing_and_applying_does_what_it_said_once() {
    let kip = Kip::new();
    expire(&kip, "Drug", "Aspirin", NOW);
    let before = (everything(&kip), kip.engine().position(), kip.world.trail(TenantId::LOCAL).len());
    let told = sleep(&kip, false);
    assert_eq!((told.removed_concepts, told.removed_links, told.applied), (1, 1, false));
    assert_eq!((everything(&kip), kip.engine().position(), kip.world.trail(TenantId::LOCAL).len()), before);

    let done = sleep(&kip, true);
    assert_eq!(SleepReport { applied: false, ..done }, told, "it did what it said");
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Aspirin"} }"#), "KIP_3002");
    assert_eq!(kip.ok(r#"FIND(COUNT(?l)) WHERE { ?l (?s, "treats", ?o) }"#), Value::from(0u64));
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Symptom", name: "Fever"} }"#), "ok", "ends stay");
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Ibuprofen"} }"#), "ok");

    let position = kip.engine().position();
    let again = sleep(&kip, true);
    assert_eq!((again.expired.total, again.removed_concepts, again.removed_links), (0, 0, 0));
    assert_eq!(kip.engine().position(), position, "there was nothing to write, a line neither");
}

#[test]
fn links_expire_too_with_those_about_them() {
    let kip = Kip::new();
    kip.ok(r#"UPSERT {
        CONCEPT { {type: "$PropositionType", name: "doubts"} }
        CONCEPT ?drug { {type: "Drug", name: "Ibuprofen"} }
        PROPOSITION ?fact { ({type: "Drug", name: "Aspirin"}, "treats", {type: "Symptom", name: "Fever"}) }
        PROPOSITION { (?drug, "doubts", ?fact) }
    }"#);
    expire_link(&kip, NOW);
    let told = sleep(&kip, false);
    assert_eq!((told.expired.total, told.expired.shown[0].kind.as_str()), (1, "treats"));
    assert!(told.expired.shown[0].id.ends_with(":treats"), "{told:?}");
    assert_eq!((told.removed_concepts, told.removed_links), (0, 2));
    let done = sleep(&kip, true);
    assert_eq!((done.removed_concepts, done.removed_links), (0, 2));
    for predicate in ["treats", "doubts"] {
        let count = format!(r#"FIND(COUNT(?l)) WHERE {{ ?l (?s, "{predicate}", ?o) }}"#);
        assert_eq!(kip.ok(&count), Value::from(0u64), "{predicate}");
    }
}

#[test]
fn a_link_that_goes_with_its_concept_counts_once() {
    let kip = Kip::new();
    for (kind, name) in [("Drug", "Aspirin"), ("Symptom", "Fever")] {
        expire(&kip, kind, name, NOW);
    }
    expire_link(&kip, NOW);
    let told = sleep(&kip, false);
    assert_eq!((told.expired.total, told.removed_concepts, told.removed_links), (3, 2, 1));
    let done = sleep(&kip, true);
    assert_eq!(SleepReport { applied: false, ..done }, told);
}

#[test]
fn what_is_protected_or_in_use_stays() {
    let kip = Kip::new();
    expire(&kip, "Person", "$self", NOW);
    expire(&kip, "$ConceptType", "Drug", NOW);
    kip.ok(r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Unused"} } CONCEPT { {type: "$PropositionType", name: "unused"} } }
        WITH METADATA { expires_at: "2020-01-01T00:00:00Z" }"#);
    for apply in [false, true] {
        let report = sleep(&kip, apply);
        let kept: Vec<_> = report
            .kept
            .shown
            .iter()
            .map(|kept| (kept.name.as_deref(), kept.kept_because.as_deref()))
            .collect();
        assert_eq!(
            kept,
            [(Some("$self"), Some("it is protected")), (Some("Drug"), Some("something still follows it")),]
        );
        assert_eq!(names(&report.expired.shown), ["Unused", "unused"], "{apply}");
        assert_eq!(report.removed_concepts, 2);
    }
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Person", name: "$self"} }"#), "ok");
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug"} }"#), "ok");
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Unused"} }"#), "KIP_2001");
    // A type goes when everything of it goes.
    expire(&kip, "Drug", "Aspirin", NOW);
    expire(&kip, "Drug", "Ibuprofen", NOW);
    let told = sleep(&kip, false);
    assert_eq!((told.removed_concepts, told.kept.total), (3, 1));
    assert_eq!(SleepReport { applied: false, ..sleep(&kip, true) }, told);
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug"} }"#), "KIP_2001");
}

#[test]
fn what_is_no_time_is_told_of_and_stays() {
    let kip = Kip::new();
    for (name, value) in [("Aspirin", "\"tomorrow\""), ("Ibuprofen", "20231114")] {
        kip.ok(&format!(
            r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "{name}"}} }} WITH METADATA {{ expires_at: {value} }} }}"#
        ));
    }
    expire_link(&kip, "soon");
    let report = sleep(&kip, true);
    let told: Vec<_> = report.unreadable.shown.iter().map(|one| one.expires_at.as_deref()).collect();
    assert_eq!(
        (told, report.expired.total),
        (vec![Some("soon"), Some("tomorrow"), Some("20231114")], 0),
        "links come first"
    );
}

#[test]
fn pending_tasks_are_told_with_their_details_the_most_urgent_first() {
    let kip = Kip::new();
    kip.ok(r#"UPSERT {
        CONCEPT { {type: "SleepTask", name: "low"} SET ATTRIBUTES { target_type: "Drug", target_name: "Aspirin", requested_action: "review", reason: "doubtful" } }
        CONCEPT { {type: "SleepTask", name: "high"} SET ATTRIBUTES { target_type: "Drug", target_name: "Ibuprofen", requested_action: "archive", reason: "old", priority: 5, status: "pending" } }
        CONCEPT { {type: "SleepTask", name: "over"} SET ATTRIBUTES { target_type: "Drug", target_name: "x", requested_action: "archive", reason: "old", priority: 9, status: "completed" } }
    }"#);
    let report = sleep(&kip, false);
    let told: Vec<_> = report.tasks.shown.iter().map(|task| task.name.as_str()).collect();
    assert_eq!((told, report.tasks.total, report.tasks_not_pending), (vec!["high", "low"], 2, 1));
    let high = &report.tasks.shown[0];
    let details =
        [&high.requested_action, &high.target_type, &high.target_name, &high.reason, &high.priority];
    assert_eq!(details.map(|one| one.as_deref().unwrap()), ["archive", "Drug", "Ibuprofen", "old", "5"]);
    assert!(!names(&report.without_domain.shown).contains(&"high"), "tasks need no domain");
}

#[test]
fn concepts_without_a_domain_are_told_and_definitions_need_none() {
    let kip = Kip::new();
    kip.ok(r#"UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"}
        SET PROPOSITIONS { ("belongs_to_domain", {type: "Domain", name: "Unsorted"}) } } }"#);
    let report = sleep(&kip, false);
    assert_eq!(names(&report.without_domain.shown), ["Ibuprofen", "Fever"]);
    assert_eq!(report.without_domain.total, 2);
}

#[test]
fn doubles_are_found_by_name_and_alias_inside_of_a_type() {
    let kip = Kip::new();
    kip.ok(r#"UPSERT {
        CONCEPT { {type: "Drug", name: "  aspirin "} }
        CONCEPT { {type: "Drug", name: "Acetylsalicylic Acid"} SET ATTRIBUTES { aliases: ["ASA", "ASPIRIN", 7] } }
        CONCEPT { {type: "Symptom", name: "Aspirin"} }
        CONCEPT { {type: "Symptom", name: "fever!"} SET ATTRIBUTES { aliases: ["FEVER"] } }
        CONCEPT { {type: "Symptom", name: "High temperature"} SET ATTRIBUTES { aliases: "Fever" } }
    }"#);
    let report = sleep(&kip, false);
    let told: Vec<_> = report
        .duplicates
        .shown
        .iter()
        .map(|found| {
            (
                found.kind.as_str(),
                found.same_name.as_str(),
                found.concepts.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("Drug", "aspirin", vec!["Aspirin", "  aspirin ", "Acetylsalicylic Acid"]),
            ("Symptom", "fever", vec!["Fever", "fever!", "High temperature"]),
        ]
    );
    assert_eq!(report.duplicates.total, 2);
}

#[test]
fn lists_are_cut_and_counted() {
    let kip = Kip::new();
    for some in [0..600, 600..1100] {
        let many: String =
            some.map(|n| format!("CONCEPT {{ {{type: \"Drug\", name: \"d{n}\"}} }}\n")).collect();
        kip.ok(&format!("UPSERT {{ {many} }} WITH METADATA {{ expires_at: \"2020-01-01T00:00:00Z\" }}"));
    }
    let some = SleepQuestion { shown_max: 3, ..question(false) };
    let report = sleep_as(&kip, &kip.world.owner, &some).unwrap();
    assert_eq!((report.expired.shown.len(), report.expired.total), (3, 1100));
    let all = SleepQuestion { shown_max: usize::MAX, ..question(true) };
    let report = sleep_as(&kip, &kip.world.owner, &all).unwrap();
    let shown = report.expired.shown.len();
    assert_eq!((shown, report.removed_concepts), (limits::SLEEP_SHOWN_MAX, 1100), "over several pages");
    const { assert!(cairn_graph::limits::SLEEP_PAGE < 1100 && limits::SLEEP_SHOWN_MAX < 1100) };
    assert_eq!(kip.ok(r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#), Value::from(2u64));
}

#[test]
fn a_concept_with_more_links_than_a_step_takes_goes_all_the_same() {
    let kip = Kip::new();
    let count = cairn_graph::limits::SLEEP_STEP_LINKS + 10;
    for first in (0..count).step_by(1000) {
        let links: String = (first..count.min(first + 1000))
            .map(|n| format!("CONCEPT ?s{n} {{ {{type: \"Symptom\", name: \"s{n}\"}} }} PROPOSITION {{ (?hub, \"treats\", ?s{n}) }}\n"))
            .collect();
        kip.ok(&format!("UPSERT {{ CONCEPT ?hub {{ {{type: \"Drug\", name: \"Hub\"}} }} {links} }}"));
    }
    expire(&kip, "Drug", "Hub", NOW);
    let told = sleep(&kip, false);
    assert_eq!((told.removed_concepts, told.removed_links), (1, count as u64));
    let done = sleep(&kip, true);
    assert_eq!((done.removed_concepts, done.removed_links), (1, count as u64));
    assert_eq!(kip.ok(r#"FIND(COUNT(?l)) WHERE { ?l (?s, "treats", ?o) }"#), Value::from(1u64));
}

/// More links than go in one transaction, from symptoms to something. Says how many.
fn link_many(kip: &Kip, predicate: &str, kind: &str, name: &str) -> u64 {
    let count = cairn_graph::limits::SLEEP_STEP_LINKS + 10;
    for first in (0..count).step_by(1000) {
        let links: String = (first..count.min(first + 1000))
            .map(|n| format!("CONCEPT ?s{n} {{ {{type: \"Symptom\", name: \"s{n}\"}} }} PROPOSITION {{ (?s{n}, \"{predicate}\", ?hub) }}\n"))
            .collect();
        kip.ok(&format!("UPSERT {{ CONCEPT ?hub {{ {{type: \"{kind}\", name: \"{name}\"}} }} {links} }}"));
    }
    count as u64
}

fn count_links(kip: &Kip, predicate: &str) -> Value {
    kip.ok(&format!(r#"FIND(COUNT(?l)) WHERE {{ ?l (?s, "{predicate}", ?o) }}"#))
}

#[test]
fn a_definition_that_stays_keeps_its_links_however_many() {
    for (kind, name) in [("$ConceptType", "Drug"), ("$PropositionType", "treats")] {
        let kip = Kip::new();
        kip.ok(r#"UPSERT { CONCEPT { {type: "$PropositionType", name: "mentions"} } }"#);
        let count = link_many(&kip, "mentions", kind, name);
        expire(&kip, kind, name, NOW);
        // Something else that goes.
        expire(&kip, "Drug", "Ibuprofen", NOW);
        let told = sleep(&kip, false);
        assert_eq!((told.kept.total, told.removed_concepts, told.removed_links), (1, 1, 0), "{name}");
        assert_eq!(SleepReport { applied: false, ..sleep(&kip, true) }, told, "{name}");
        assert_eq!(count_links(&kip, "mentions"), Value::from(count), "{name}");
    }
}

#[test]
fn a_predicate_goes_when_every_link_that_follows_it_goes() {
    let kip = Kip::new();
    kip.ok(r#"UPSERT {
        CONCEPT { {type: "$PropositionType", name: "doubts"} }
        CONCEPT { {type: "$PropositionType", name: "heals"} }
        CONCEPT ?self_made { {type: "$PropositionType", name: "refines"} }
        CONCEPT ?fever { {type: "Symptom", name: "Fever"} }
        CONCEPT ?drug { {type: "Drug", name: "Ibuprofen"} }
        PROPOSITION ?fact { ({type: "Drug", name: "Aspirin"}, "treats", ?fever) }
        PROPOSITION { (?drug, "doubts", ?fact) }
        PROPOSITION { (?drug, "heals", ?fever) }
        PROPOSITION { (?self_made, "refines", ?self_made) }
        PROPOSITION { (?self_made, "refines", ?fever) }
    }"#);
    for name in ["treats", "doubts", "heals", "refines"] {
        expire(&kip, "$PropositionType", name, NOW);
    }
    expire(&kip, "Drug", "Aspirin", NOW);
    let told = sleep(&kip, false);
    assert_eq!(names(&told.expired.shown), ["Aspirin", "treats", "doubts", "refines"]);
    assert_eq!(names(&told.kept.shown), ["heals"]);
    assert_eq!((told.removed_concepts, told.removed_links), (4, 4));
    assert_eq!(SleepReport { applied: false, ..sleep(&kip, true) }, told, "it did what it said");
    assert_eq!(sleep(&kip, false).removed_concepts, 0, "and all of it");
}

#[test]
fn other_tenants_and_other_spaces_are_left_alone() {
    let kip = Kip::new();
    let stranger = user("ada", ACME, Role::Writer);
    let old = r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Drug"} } CONCEPT { {type: "Drug", name: "Old"} } } WITH METADATA { expires_at: "2020-01-01T00:00:00Z" }"#;
    let old = Value::String(old.to_owned()).to_json();
    kip.send(&stranger, &format!(r#"{{"command":{old}}}"#)).unwrap();
    kip.ask(&format!(r#"{{"command":{old},"space":"notes"}}"#));
    assert_eq!(sleep(&kip, true).expired.total, 0, "neither is in the owner's memory");
    let notes = SleepQuestion { space: Some("notes".to_owned()), ..question(true) };
    // The type went with its only concept.
    assert_eq!(sleep_as(&kip, &kip.world.owner, &notes).unwrap().removed_concepts, 2);
    let theirs = sleep_as(&kip, &stranger, &question(false)).unwrap();
    assert_eq!(names(&theirs.expired.shown), ["Old", "Drug"], "another tenant's is still there");
    assert!(matches!(sleep_as(&kip, &stranger, &notes), Err(EngineError::NoSpace(_))), "not its space");
    let elsewhere = kip.engine().sleep(&stranger, TenantId::LOCAL, &question(false), &mut |_| true);
    assert!(matches!(elsewhere, Err(EngineError::Refused(_))), "{elsewhere:?}");
}

#[test]
fn looking_takes_reading_and_removing_takes_writing() {
    let kip = Kip::new();
    let reader = user("eve", TenantId::LOCAL, Role::Reader);
    assert!(sleep_as(&kip, &reader, &question(false)).is_ok());
    assert!(matches!(sleep_as(&kip, &reader, &question(true)), Err(EngineError::Refused(_))));
}

#[test]
fn a_run_that_removes_something_leaves_its_lines() {
    let kip = Kip::new();
    let lines = || {
        let trail = kip.world.trail(TenantId::LOCAL);
        let ours = trail.into_iter().filter(|line| line.action == Action::GraphWrite);
        ours.map(|line| (line.subject.to_string(), line.outcome)).collect::<Vec<_>>()
    };
    sleep(&kip, true);
    assert!(lines().is_empty());
    expire(&kip, "Drug", "Aspirin", NOW);
    sleep(&kip, true);
    let subject = "sleep cycle in memory: 1 past expires_at".to_owned();
    let mut found = lines();
    found.sort_by_key(|(_, outcome)| *outcome == AuditOutcome::Done);
    assert_eq!(found, [(subject.clone(), AuditOutcome::Begun), (subject, AuditOutcome::Done)]);
}

#[test]
fn what_got_more_time_in_between_stays() {
    let kip = Kip::new();
    expire(&kip, "Drug", "Aspirin", NOW);
    let mut looks = 0;
    let report = kip.engine().sleep(&kip.world.owner, TenantId::LOCAL, &question(true), &mut |stage| {
        // After the look that changes nothing, before the one that does.
        looks += 1;
        if stage.name == "looking at links" && looks > 1 {
            expire(&kip, "Drug", "Aspirin", LATER);
        }
        true
    });
    assert_eq!(report.unwrap().removed_concepts, 0);
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Aspirin"} }"#), "ok");
}

/// Types and predicates are noted first and removed last.
#[test]
fn a_definition_that_got_more_time_in_between_stays() {
    let kip = Kip::new();
    kip.ok(r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Unused"} } }"#);
    expire(&kip, "$ConceptType", "Unused", NOW);
    let (mut looks, mut is_later) = (0, false);
    let report = kip.engine().sleep(&kip.world.owner, TenantId::LOCAL, &question(true), &mut |stage| {
        looks += u32::from(stage.name == "looking at links");
        // In the look that changes something, when the types were looked at.
        if looks == 2 && stage.name == "looking at concepts" && !std::mem::replace(&mut is_later, true) {
            expire(&kip, "$ConceptType", "Unused", LATER);
        }
        true
    });
    assert_eq!((report.unwrap().removed_concepts, is_later), (0, true));
    assert_eq!(kip.code(r#"FIND(?x) WHERE { ?x {type: "Unused"} }"#), "ok");
}

#[test]
fn a_predicate_goes_when_every_link_of_it_goes() {
    let kip = Kip::new();
    expire(&kip, "$PropositionType", "treats", NOW);
    let told = sleep(&kip, false);
    assert_eq!((told.kept.total, told.expired.total), (1, 0), "a link follows it");
    // One link expires itself, and another one goes with its drug.
    expire_link(&kip, NOW);
    kip.ok(r#"UPSERT { CONCEPT { {type: "Drug", name: "Ibuprofen"}
        SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Fever"}) } } }"#);
    assert_eq!(sleep(&kip, false).kept.total, 1);
    expire(&kip, "Drug", "Ibuprofen", NOW);
    let told = sleep(&kip, false);
    assert_eq!((told.removed_concepts, told.removed_links, told.kept.total), (2, 2, 0));
    assert_eq!(SleepReport { applied: false, ..sleep(&kip, true) }, told, "it did what it said");
    assert_eq!(kip.code(r#"FIND(?l) WHERE { ?l (?s, "treats", ?o) }"#), "KIP_2001");
}

#[test]
fn many_links_are_looked_at_and_removed_page_by_page() {
    let kip = Kip::new();
    let count = cairn_graph::limits::SLEEP_PAGE + 100;
    let ends: String =
        (0..count).map(|n| format!("CONCEPT ?s{n} {{ {{type: \"Symptom\", name: \"s{n}\"}} }}\n")).collect();
    let links: String = (0..count)
        .map(|n| format!("PROPOSITION {{ ({{type: \"Drug\", name: \"Aspirin\"}}, \"treats\", ?s{n}) }} WITH METADATA {{ expires_at: \"{NOW}\" }}\n"))
        .collect();
    kip.ok(&format!("UPSERT {{ {ends} {links} }}"));
    let told = sleep(&kip, false);
    assert_eq!((told.expired.total, told.removed_links), (count as u64, count as u64));
    let done = sleep(&kip, true);
    assert_eq!((done.removed_concepts, done.removed_links, done.links), (0, count as u64, told.links));
    assert_eq!(kip.ok(r#"FIND(COUNT(?l)) WHERE { ?l (?s, "treats", ?o) }"#), Value::from(1u64));
}

#[test]
fn there_is_one_at_a_time_and_a_node_that_found_another_one_tries_again_soon() {
    let kip = Kip::new();
    expire(&kip, "Drug", "Aspirin", NOW);
    kip.engine().set_sleep(SleepPolicy { every: Some(Duration::from_secs(60)), apply: true });
    kip.world.clock.advance(Duration::from_secs(60));
    let mut refused = 0;
    let report = kip.engine().sleep(&kip.world.owner, TenantId::LOCAL, &question(false), &mut |_| {
        let second = sleep_as(&kip, &kip.world.owner, &question(false));
        refused += u32::from(matches!(second, Err(EngineError::SleepRunning)));
        kip.engine().upkeep_once().unwrap();
        true
    });
    assert_eq!((report.unwrap().expired.total, refused > 0), (1, true));
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Aspirin"} }"#), "ok");
    kip.engine().upkeep_once().unwrap();
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Aspirin"} }"#), "KIP_3002");
}

#[test]
fn nothing_is_removed_without_a_line_whatever_fails() {
    for n in 0.. {
        let kip = Kip::new();
        expire(&kip, "Drug", "Aspirin", NOW);
        let inner = Arc::clone(&kip.world.store) as Arc<dyn Store>;
        let faulty = Arc::new(FaultyStore::new(inner, FaultPlan::at(n, SeamFault::Fail)));
        let outcome = open(Arc::clone(&faulty) as Arc<dyn Store>, &kip.world.clock).and_then(|engine| {
            engine.sleep(&kip.world.owner, TenantId::LOCAL, &question(true), &mut |_| true)
        });
        let is_gone = kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Aspirin"} }"#) != "ok";
        let trail = kip.world.trail(TenantId::LOCAL);
        let is_begun = trail
            .iter()
            .any(|line| line.subject.contains("sleep cycle") && line.outcome == AuditOutcome::Begun);
        assert!(is_begun || !is_gone, "operation {n}: {outcome:?}");
        if faulty.operations() <= n {
            assert!(n > 10 && outcome.is_ok() && is_gone, "{n}: {outcome:?}");
            break;
        }
    }
}

#[test]
fn a_concept_that_gets_more_time_while_its_links_go_keeps_the_others_and_what_went_is_counted() {
    let kip = Kip::new();
    kip.ok(r#"UPSERT { CONCEPT { {type: "$PropositionType", name: "mentions"} } }"#);
    let count = link_many(&kip, "mentions", "Drug", "Hub");
    expire(&kip, "Drug", "Hub", NOW);
    let mut removing = 0;
    let report = kip.engine().sleep(&kip.world.owner, TenantId::LOCAL, &question(true), &mut |stage| {
        if stage.name == "removing" {
            removing += 1;
            expire(&kip, "Drug", "Hub", LATER);
        }
        true
    });
    let report = report.unwrap();
    let gone = cairn_graph::limits::SLEEP_STEP_LINKS as u64;
    assert_eq!((report.removed_concepts, report.removed_links), (0, gone));
    assert_eq!(count_links(&kip, "mentions"), Value::from(count - gone));
    assert_eq!(kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Hub"} }"#), "ok");
    assert_eq!(removing, 2, "it was looked at again, and left alone");
}

#[test]
fn it_can_be_stopped() {
    let kip = Kip::new();
    let stopped = kip.engine().sleep(&kip.world.owner, TenantId::LOCAL, &question(false), &mut |_| false);
    assert!(matches!(stopped, Err(EngineError::Store(cairn_seam::StoreError::Stopped))), "{stopped:?}");
    assert_eq!(sleep(&kip, false).expired.total, 0, "and begun again");
}

#[test]
fn a_node_goes_to_sleep_by_itself_only_if_it_is_told_to() {
    let kip = Kip::new();
    let stranger = user("ada", ACME, Role::Writer);
    let old = r#"UPSERT { CONCEPT { {type: "Domain", name: "Old"} } } WITH METADATA { expires_at: "2020-01-01T00:00:00Z" }"#;
    kip.send(&stranger, &one(old)).unwrap();
    expire(&kip, "Drug", "Aspirin", NOW);
    let is_there = || kip.code(r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Aspirin"} }"#) == "ok";
    let hour = Duration::from_secs(3600);
    let pass = |time| {
        kip.world.clock.advance(time);
        kip.engine().upkeep_once().unwrap();
        is_there()
    };
    assert!(pass(24 * hour), "off");
    kip.engine().set_sleep(SleepPolicy { every: Some(24 * hour), apply: false });
    assert!(pass(24 * hour), "only told of");
    kip.engine().set_sleep(SleepPolicy { every: Some(24 * hour), apply: true });
    assert!(pass(23 * hour), "not yet");
    assert!(!pass(hour), "now");
    let theirs = sleep_as(&kip, &stranger, &question(false)).unwrap();
    assert_eq!(theirs.expired.total, 0, "every tenant's");
    assert!(kip.world.trail(ACME).iter().any(|line| line.subject.contains("sleep cycle in memory")));
}

#[test]
fn nobody_keeps_others_from_a_run_elsewhere() {
    let kip = Kip::new();
    let (ada, eve) = (user("ada", ACME, Role::Writer), user("eve", TenantId::LOCAL, Role::Reader));
    let old = r#"UPSERT { CONCEPT { {type: "Domain", name: "Old"} } } WITH METADATA { expires_at: "2020-01-01T00:00:00Z" }"#;
    let old = Value::String(old.to_owned()).to_json();
    kip.send(&ada, &format!(r#"{{"command":{old}}}"#)).unwrap();
    kip.ask(&format!(r#"{{"command":{old},"space":"notes"}}"#));
    expire(&kip, "Drug", "Aspirin", NOW);
    kip.engine().set_sleep(SleepPolicy { every: Some(Duration::from_secs(3600)), apply: true });
    kip.world.clock.advance(Duration::from_secs(3600));
    let left = |who: &Principal, space: Option<&str>| {
        let wanted = SleepQuestion { space: space.map(str::to_owned), ..question(false) };
        sleep_as(&kip, who, &wanted).map(|report| report.expired.total)
    };
    let mut is_first = true;
    let report = kip.engine().sleep(&eve, TenantId::LOCAL, &question(false), &mut |_| {
        if std::mem::take(&mut is_first) {
            assert_eq!(left(&ada, None).unwrap(), 1, "another tenant");
            assert_eq!(left(&kip.world.owner, Some("notes")).unwrap(), 1, "another space");
            let here = left(&kip.world.owner, None).unwrap_err();
            assert_eq!(here.code(), ErrorCode::Conflict);
            assert!(here.to_string().contains("sleep cycle"), "{here}");
            // The node's own round does what it can.
            kip.engine().upkeep_once().unwrap();
            assert_eq!(left(&ada, None).unwrap(), 0);
            assert_eq!(left(&kip.world.owner, Some("notes")).unwrap(), 0);
            kip.send(&ada, &format!(r#"{{"command":{old}}}"#)).unwrap();
        }
        true
    });
    assert_eq!(report.unwrap().expired.total, 1);
    kip.engine().upkeep_once().unwrap();
    assert_eq!(left(&kip.world.owner, None).unwrap(), 0, "what was busy is done later");
    assert_eq!(left(&ada, None).unwrap(), 1, "and nothing is done again for it");
}

/// A process that is started anew every night goes to sleep all the same.
#[test]
fn the_first_sleep_of_a_process_comes_soon_and_the_others_when_it_is_time() {
    let kip = Kip::new();
    let (minute, day) = (Duration::from_secs(60), Duration::from_secs(24 * 3600));
    for night in 0..3 {
        kip.world.clock.advance(day);
        let engine = kip.world.reopen();
        engine.set_sleep(SleepPolicy { every: Some(7 * day), apply: true });
        let ask = |text: &str| {
            let answer = send(&engine, &kip.world.owner, TenantId::LOCAL, &one(text)).unwrap();
            code(&answer)
        };
        let write = || {
            let old = r#"UPSERT { CONCEPT { {type: "Drug", name: "Old"} } } WITH METADATA { expires_at: "2020-01-01T00:00:00Z" }"#;
            assert_eq!(ask(old), "ok");
        };
        let is_there_after = |time| {
            kip.world.clock.advance(time);
            engine.upkeep_once().unwrap();
            ask(r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Old"} }"#) == "ok"
        };
        write();
        assert!(is_there_after(4 * minute), "{night}: not at once");
        assert!(!is_there_after(minute), "{night}: soon");
        write();
        assert!(is_there_after(6 * day), "{night}: not again");
        assert!(!is_there_after(day), "{night}: only when it is time");
        write();
        engine.set_sleep(SleepPolicy { every: Some(minute), apply: true });
        assert!(!is_there_after(minute), "{night}");
    }
}
