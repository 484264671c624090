//! Relationships: ends, pairs, lanes, circles, code.

use super::{Kb, link, plain, property, sent};
use crate::limits::UPSERT_RELATIONSHIPS_MAX;
use crate::tools::UpsertInput;
use crate::{EntityType, KbError, Relation, SymbolFacts};

#[test]
fn every_pair_of_types_is_legal_or_refused_as_the_table_says() {
    let kb = Kb::new();
    let mut legal = 0;
    for relation in Relation::ALL.iter().copied() {
        for (from, to) in
            EntityType::ALL.iter().flat_map(|from| EntityType::ALL.iter().map(move |to| (*from, *to)))
        {
            // A new entity, because nothing supersedes itself.
            let input = plain(from, "new", &[(relation, to.text())]);
            if relation.allows(from, to) {
                legal += 1;
                kb.allows(&input);
            } else {
                let refused = format!("{relation} cannot link a {from} to a {to}");
                kb.refuses(&input, &["at index 0", &refused]);
            }
        }
    }
    assert_eq!(legal, 64 + 20);
}

#[test]
fn ends_exist_and_the_source_is_the_entity() {
    let kb = Kb::new();
    kb.refuses(
        &plain(EntityType::Req, "req", &[(Relation::RelatesTo, "test"), (Relation::DependsOn, "none")]),
        &["at index 1: target none does not exist"],
    );
    let mut foreign = plain(EntityType::Req, "req", &[]);
    foreign.relationships.push(link(Relation::DependsOn, "other", "req"));
    kb.refuses(&foreign, &["relationship source must match the upserted entity req; received from=other"]);
    // Its own id is an end, also of a new entity.
    kb.allows(&plain(EntityType::Req, "new", &[(Relation::RelatesTo, "new")]));
}

#[test]
fn refusals_stay_small_however_long_the_id_is() {
    let kb = Kb::new();
    let id = "x".repeat(100_000);
    let mut input = plain(EntityType::Req, &id, &[]);
    input.relationships = vec![link(Relation::RelatesTo, "other", "req"); UPSERT_RELATIONSHIPS_MAX];
    let bytes: usize = kb.problems(&input).iter().map(String::len).sum();
    assert!(bytes < 400_000, "{bytes}");
}

#[test]
fn a_relationship_is_added_once() {
    let mut kb = Kb::new();
    let twice = [(Relation::DependsOn, "req"), (Relation::DependsOn, "req"), (Relation::RelatesTo, "req")];
    let input = plain(EntityType::Req, "R", &twice);
    assert_eq!(kb.examine(&input).plan.links.len(), 2);
    kb.put(&input);
    assert_eq!(kb.examine(&input).plan.links.len(), 0);
    let many = vec![(Relation::RelatesTo, "req"); UPSERT_RELATIONSHIPS_MAX + 1];
    kb.allows(&plain(EntityType::Req, "R", &many[1..]));
    kb.refuses(&plain(EntityType::Req, "R", &many), &["1001 are more than the 1000 allowed"]);
}

#[test]
fn metadata_has_bounds() {
    let kb = Kb::new();
    let with = |confidence: f64, at: &str| {
        let mut input = plain(EntityType::Req, "R", &[(Relation::RelatesTo, "req")]);
        input.relationships[0].confidence = Some(confidence);
        input.relationships[0].created_at = Some(at.into());
        input
    };
    let at = "2026-05-01T10:00:00Z";
    for confidence in [0.0, 0.5, 1.0] {
        kb.allows(&with(confidence, at));
    }
    for confidence in [-0.01, 1.01, f64::NAN] {
        kb.refuses(&with(confidence, at), &["confidence is not between 0 and 1"]);
    }
    kb.refuses(&with(0.5, "soon"), &["created_at", "is no time"]);
}

#[test]
fn trap_12_supersedes_goes_from_new_to_old_and_never_in_a_circle() {
    let mut kb = Kb::new();
    kb.put(&plain(EntityType::Req, "R-2", &[(Relation::Supersedes, "req")]));
    kb.put(&plain(EntityType::Req, "R-3", &[(Relation::Supersedes, "R-2")]));
    kb.refuses(
        &plain(EntityType::Req, "R-3", &[(Relation::Supersedes, "R-3")]),
        &["cannot supersede itself"],
    );
    for newer in ["R-2", "R-3"] {
        let refused = format!("{newer} supersedes req already; supersedes goes from new to old");
        kb.refuses(&plain(EntityType::Req, "req", &[(Relation::Supersedes, newer)]), &[&refused]);
    }
    kb.allows(&plain(EntityType::Req, "R-3", &[(Relation::Supersedes, "req")]));
    let current = |id: &str| kb.branch.is_current_requirement(kb.branch.find(id).unwrap().0);
    assert_eq!(["req", "R-2", "R-3"].map(current), [false, false, true]);
}

#[test]
fn strict_facts_are_linked_by_their_own_relationship() {
    let kb = Kb::new();
    let input = |relation, to| plain(EntityType::Req, "R", &[(relation, to)]);
    kb.allows(&input(Relation::Constrains, "subject-1"));
    kb.allows(&input(Relation::RequiresProperty, "value-1"));
    kb.refuses(
        &input(Relation::Constrains, "value-1"),
        &["link it by requires_property instead of constrains"],
    );
    kb.refuses(&input(Relation::RequiresProperty, "subject-1"), &["link it by constrains instead"]);
    kb.allows(&input(Relation::Constrains, "fact"));
    kb.allows(&input(Relation::RequiresProperty, "fact"));
}

#[test]
fn a_linked_fact_keeps_a_kind_that_fits() {
    let mut kb = Kb::new();
    kb.put(&plain(EntityType::Req, "A", &[(Relation::Constrains, "subject-1")]));
    kb.put(&plain(EntityType::Req, "B", &[(Relation::RequiresProperty, "value-1")]));
    let turned = property("subject-1");
    kb.refuses(&turned, &["fact_kind: requirement A is linked to this fact by constrains"]);
    let subject = sent(EntityType::Fact, "value-1", r#"{"fact_kind":"subject"}"#);
    kb.refuses(&subject, &["requirement B is linked to this fact by requires_property"]);
    kb.allows(&sent(EntityType::Fact, "value-1", r#"{"fact_kind":"observation"}"#));
    kb.allows(&sent(EntityType::Fact, "subject-1", r#"{"fact_kind":"meta"}"#));
}

fn symbol(links: &[(Relation, &str)]) -> UpsertInput {
    let mut input = plain(EntityType::Symbol, "symbol", links);
    input.properties.0.insert("sourceFile".into(), super::json("\"src/a.ts\""));
    input
}

#[test]
fn executable_code_of_a_test_is_no_production_code() {
    for (first, then) in [
        (Relation::ExecutableFor, Relation::Implements),
        (Relation::ExecutableFor, Relation::CoveredBy),
        (Relation::Implements, Relation::ExecutableFor),
        (Relation::CoveredBy, Relation::ExecutableFor),
    ] {
        let to = |relation| if relation == Relation::Implements { "req" } else { "test" };
        let mut kb = Kb::new();
        let both = symbol(&[(Relation::RelatesTo, "req"), (first, to(first)), (then, to(then))]);
        kb.refuses(&both, &["at index 1", "cannot mix executable_for"]);
        kb.put(&symbol(&[(first, to(first))]));
        kb.refuses(&symbol(&[(then, to(then))]), &["at index 0", "cannot mix executable_for"]);
        kb.allows(&symbol(&[(Relation::RelatesTo, "req")]));
    }
    Kb::new().allows(&symbol(&[(Relation::Implements, "req"), (Relation::CoveredBy, "test")]));
}

#[test]
fn a_link_from_code_names_the_narrow_symbol() {
    let kb = Kb::new();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let facts = |behavioral: &[&str]| SymbolFacts { behavioral: names(behavioral), other: names(&["Shape"]) };
    let of = |title: &str, more: &[(&str, &str)]| {
        let mut input = symbol(&[(Relation::Implements, "req")]);
        input.properties.0.insert("title".into(), super::json(&format!("{title:?}")));
        more.iter()
            .for_each(|(name, json)| drop(input.properties.0.insert((*name).into(), super::json(json))));
        input
    };
    let check = |input: &UpsertInput, facts: Option<&SymbolFacts>| kb.examine_with(input, facts);
    let coarse = check(&of("a.ts", &[]), Some(&facts(&["run", "Job.run"]))).problems;
    let [KbError::Granularity(message)] = &coarse[..] else { panic!("{coarse:?}") };
    assert!(message.contains("run, Job.run") && message.contains("Shape"), "{message}");
    for (input, facts) in [
        (of("run", &[]), facts(&["run"])),
        (of("Shape", &[]), facts(&["run"])),
        (of("Job::run", &[]), facts(&["Job.run"])),
        (of("a.ts", &[]), facts(&[])),
        (of("a.ts", &[("granularity_reason", "\"extractor-miss\"")]), facts(&["run"])),
        (of("a.ts", &[("sourceFile", "null")]), facts(&["run"])),
    ] {
        assert!(check(&input, Some(&facts)).problems.is_empty(), "{input:?}");
    }
    let many = |count: usize| SymbolFacts { behavioral: vec!["run".to_owned(); count], other: Vec::new() };
    let max = crate::limits::SYMBOL_FACTS_MAX;
    assert!(check(&of("run", &[]), Some(&many(max))).problems.is_empty());
    let refused = check(&of("run", &[]), Some(&many(max + 1))).problems;
    assert!(matches!(refused[..], [KbError::TooLarge { .. }]), "{refused:?}");
    // Nobody has read the file: a remark.
    let unread = check(&of("a.ts", &[]), None);
    assert!(unread.problems.is_empty() && unread.warnings[0].contains("src/a.ts"), "{:?}", unread.warnings);
    let unlinked = kb.examine_with(&symbol(&[]), Some(&facts(&["run"])));
    assert!(unlinked.problems.is_empty() && unlinked.warnings.is_empty());
}
