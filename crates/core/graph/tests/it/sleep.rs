//! Surveys of a space, and removing what has expired.

use cairn_graph::sleep::{
    SleepReport, Survey, SurveyStep, remove_expired_concepts, remove_expired_definition, remove_expired_links,
};
use cairn_graph::{Deleted, LinkTarget, known};

use crate::kit::{Kit, link_write};

/// 2023-11-14T22:13:20Z
const NOW_MS: u64 = 1_700_000_000_000;
const PAST: &str = r#"{"expires_at": "2023-01-01T00:00:00Z"}"#;
const FUTURE: &str = r#"{"expires_at": "2030-01-01T00:00:00Z"}"#;

/// Two expired concepts of a type that has expired too, and one of another type with an expired link.
fn world() -> Kit {
    let kit = Kit::new();
    let (note, drug) = (kit.define_type("Note"), kit.define_type("Drug"));
    let treats = kit.define_predicate("treats");
    kit.upsert(known::CONCEPT_TYPE, "Note", "{}", PAST).unwrap();
    for name in ["first", "second"] {
        let id = kit.upsert(note, name, "{}", PAST).unwrap().0;
        kit.link(id, treats, known::SELF);
    }
    let aspirin = kit.upsert(drug, "Aspirin", r#"{"aliases": ["ASA"]}"#, FUTURE).unwrap().0;
    kit.upsert(drug, "asa!", "{}", r#"{"expires_at": "soon"}"#).unwrap();
    kit.write(move |writer| {
        let target = LinkTarget::Triple(aspirin.into(), treats, known::SYSTEM.into());
        writer.upsert_link(link_write(target, "{}", PAST)).map(drop)
    })
    .unwrap();
    kit
}

/// Carries a survey out, with one transaction for each step.
fn run(kit: &Kit, applied: bool) -> SleepReport {
    let mut survey = Survey::new("memory", NOW_MS, applied, 10);
    loop {
        match kit.read(|view| survey.step(&view)).unwrap() {
            SurveyStep::GoOn => {}
            SurveyStep::Links(links) => {
                let removed = kit.transact(move |tx, scope| remove_expired_links(tx, scope, NOW_MS, &links));
                survey.removed(Deleted { concepts: 0, links: removed.unwrap() });
            }
            SurveyStep::Concepts(concepts) => {
                let removed = kit
                    .transact(move |tx, scope| remove_expired_concepts(tx, scope, NOW_MS, &concepts))
                    .unwrap();
                assert_eq!(removed.1, [], "all have room in one transaction");
                survey.removed(removed.0);
            }
            SurveyStep::Definition(id, kind) => {
                let removed = kit
                    .transact(move |tx, scope| remove_expired_definition(tx, scope, NOW_MS, (id, kind)))
                    .unwrap();
                let (done, left) = removed.unwrap_or_default();
                assert_eq!(left, []);
                survey.removed(done);
                survey.settle(done.concepts > 0);
            }
            SurveyStep::Done => return survey.into_report(),
        }
    }
}

#[test]
fn a_survey_says_what_its_removal_does() {
    let kit = world();
    let looked = run(&kit, false);
    assert_eq!(
        (looked.expired.total, looked.removed_concepts, looked.removed_links),
        (4, 3, 3),
        "a link, two concepts with a link each, and their type"
    );
    assert_eq!((looked.unreadable.total, looked.duplicates.total, looked.kept.total), (1, 1, 0));
    assert_eq!(looked.duplicates.shown[0].same_name, "asa");
    assert_eq!(run(&kit, false), looked, "looking changes nothing");
    let applied = run(&kit, true);
    assert_eq!(SleepReport { applied: false, ..applied }, looked);
    let after = run(&kit, true);
    assert_eq!((after.expired.total, after.removed_concepts, after.removed_links), (0, 0, 0));
    assert_eq!((after.concepts, after.links), (looked.concepts - 3, looked.links - 3));
}

#[test]
fn what_was_given_more_time_stays() {
    let kit = world();
    let mut survey = Survey::new("memory", NOW_MS, true, 10);
    let links = loop {
        if let SurveyStep::Links(links) = kit.read(|view| survey.step(&view)).unwrap() {
            break links;
        }
    };
    assert_eq!(links.len(), 1);
    let link = links[0];
    kit.write(move |writer| writer.upsert_link(link_write(LinkTarget::Id(link), "{}", FUTURE)).map(drop))
        .unwrap();
    let removed = kit.transact(move |tx, scope| remove_expired_links(tx, scope, NOW_MS, &links)).unwrap();
    assert_eq!(removed, 0);
    assert!(kit.whole_link(link).is_some());
}
