//! Conventions, definitions in use, and schemas that are enforced.

use cairn_base::ErrorCode;
use cairn_graph::{
    Deleted, Element, GraphError, LinkTarget, Meta, Outcome, Part, PredicateId, TypeId, known,
};

use crate::kit::{Kit, json};

fn error<T: std::fmt::Debug>(result: cairn_graph::Result<T>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn definitions_are_named_by_convention_and_instances_as_they_like() {
    let kit = Kit::new();
    let named = |kind, name: &str| kit.upsert(kind, name, "{}", "{}").unwrap_err();
    for (kind, name, right, meta) in [
        (known::CONCEPT_TYPE, "drug", "Drug", Meta::Types),
        (known::PROPOSITION_TYPE, "Treats", "treats", Meta::Predicates),
    ] {
        let GraphError::BadName { meta: found, name: given, corrected } = named(kind, name) else {
            panic!("{name}")
        };
        assert_eq!((found, given.as_str(), corrected.as_deref()), (meta, name, Some(right)));
    }
    assert!(error(kit.upsert(known::CONCEPT_TYPE, "drug", "{}", "{}")).contains("UpperCamelCase"));
    let drug = kit.define_type("Drug");
    kit.put(drug, "any name, in any SHAPE ✓", "{}");
    cairn_graph::check_type_name("Drug").unwrap();
    assert!(cairn_graph::check_predicate_name("Drug").is_err());
}

#[test]
fn the_generation_of_the_schema_grows_with_definitions_only() {
    let kit = Kit::new();
    let generation = || kit.read(|view| view.schema_generation()).unwrap();
    let first = generation();
    let drug = kit.define_type("Drug");
    assert_eq!(generation(), first + 1);
    let treats = kit.define_predicate("treats");
    kit.put(drug, "Aspirin", "{}");
    kit.put(drug, "Aspirin", r#"{"a": 1}"#);
    assert_eq!(generation(), first + 2);
    kit.upsert(known::CONCEPT_TYPE, "Drug", r#"{"description": "x"}"#, "{}").unwrap();
    kit.upsert(known::CONCEPT_TYPE, "Drug", r#"{"description": "x"}"#, "{}").unwrap();
    assert_eq!(generation(), first + 3);
    kit.write(move |writer| writer.delete_concepts(&[treats.concept()])).unwrap();
    assert_eq!(generation(), first + 4);
}

#[test]
fn a_definition_in_use_stays_and_goes_with_what_uses_it() {
    let kit = Kit::new();
    let (drug, treats) = (kit.define_type("Drug"), kit.define_predicate("treats"));
    let (aspirin, headache) = (kit.put(drug, "Aspirin", "{}"), kit.put(known::DOMAIN, "Headache", "{}"));
    kit.link(aspirin, treats, headache);
    let delete = |ids: Vec<_>| kit.write(move |writer| writer.delete_concepts(&ids));
    let refused = delete(vec![drug.concept()]);
    assert!(
        matches!(&refused, Err(GraphError::TypeInUse { meta: Meta::Types, name, count: 1 }) if name == "Drug"),
        "{refused:?}"
    );
    assert!(error(delete(vec![treats.concept()])).contains("in use by 1 link;"));
    kit.put(drug, "Ibuprofen", "{}");
    assert!(error(delete(vec![drug.concept(), aspirin])).contains("in use by 1 concept;"));
    assert!(error(delete(vec![drug.concept()])).contains("in use by 2 concepts;"));
    // All of it at once, the definitions first.
    let ibuprofen = kit.read(|view| view.find_concepts(&[(drug, "Ibuprofen")])).unwrap()[0].unwrap();
    let all = vec![drug.concept(), treats.concept(), aspirin, ibuprofen];
    assert_eq!(delete(all).unwrap(), Deleted { concepts: 4, links: 1 });
    assert_eq!(kit.read(|view| view.type_id("Drug")).unwrap(), None);
    assert!(matches!(kit.upsert(drug, "x", "{}", "{}"), Err(GraphError::NoType(_))));
    // In one statement too.
    let done = kit.write(|writer| {
        use crate::kit::concept_write;
        use cairn_graph::Target::Named;
        let (id, ..) =
            writer.upsert_concept(concept_write(Named(known::CONCEPT_TYPE, "Herb".into()), "{}", "{}"))?;
        let herb = TypeId(id.0);
        let (mint, ..) = writer.upsert_concept(concept_write(Named(herb, "Mint".into()), "{}", "{}"))?;
        assert!(matches!(writer.delete_concepts(&[id]), Err(GraphError::TypeInUse { .. })));
        writer.delete_concepts(&[mint])?;
        writer.delete_concepts(&[id])?;
        assert!(matches!(
            writer.upsert_concept(concept_write(Named(herb, "Mint".into()), "{}", "{}")),
            Err(GraphError::NoType(_))
        ));
        Ok(())
    });
    done.unwrap();
}

const DRUG: &str = r#"{
    "enforce_schema": true,
    "instance_schema": {
        "risk": {"type": "integer", "is_required": true},
        "class": {"type": "string", "is_required": true, "enum": ["NSAID", "Opioid"]},
        "aliases": {"type": "array", "item_type": "string"},
        "note": "string | null"
    }
}"#;

#[test]
fn an_enforced_schema_is_a_rule_for_every_write() {
    let kit = Kit::new();
    let (id, _) = kit.upsert(known::CONCEPT_TYPE, "Drug", DRUG, "{}").unwrap();
    let drug = TypeId(id.0);
    let put = |attributes: &str| kit.upsert(drug, "Aspirin", attributes, "{}");
    let text = error(put("{}"));
    assert!(text.contains("the Drug `Aspirin` lacks what its schema asks for: `class`, `risk`"), "{text}");
    assert!(matches!(put(r#"{"risk": 1}"#), Err(GraphError::Constraint { .. })));
    assert!(matches!(put(r#"{"risk": 1, "class": null}"#), Err(GraphError::Constraint { .. })));
    for (attributes, key) in [
        (r#"{"risk": "1", "class": "NSAID"}"#, "risk"),
        (r#"{"risk": 1.5, "class": "NSAID"}"#, "risk"),
        (r#"{"risk": 1, "class": 7}"#, "class"),
        (r#"{"risk": 1, "class": "NSAID", "aliases": ["a", 1]}"#, "aliases"),
        (r#"{"risk": 1, "class": "NSAID", "note": 1}"#, "note"),
    ] {
        let refused = put(attributes);
        assert!(
            matches!(&refused, Err(GraphError::ValueType { key: found, .. }) if found == key),
            "{attributes}: {refused:?}"
        );
    }
    let text = error(put(r#"{"risk": 1, "class": "Herb"}"#));
    assert!(text.contains(r#"may have as `class` only one of "NSAID", "Opioid""#), "{text}");
    assert_eq!(kit.read(|view| view.find_concepts(&[(drug, "Aspirin")])).unwrap(), [None]);

    let (aspirin, _) = put(r#"{"risk": 1, "class": "NSAID", "aliases": null, "extra": true}"#).unwrap();
    assert_eq!(put(r#"{"risk": 2}"#).unwrap().1, Outcome::Updated);
    assert!(put(r#"{"risk": "high"}"#).is_err());
    let remove = |part: Part, key: &str| {
        let key = key.to_owned();
        kit.write(move |writer| writer.remove_keys(aspirin.into(), part, std::slice::from_ref(&key)))
    };
    assert!(matches!(remove(Part::Attributes, "risk"), Err(GraphError::Constraint { .. })));
    assert!(remove(Part::Attributes, "extra").unwrap());
    assert_eq!(
        json(&kit.concept(aspirin).unwrap().attributes),
        r#"{"aliases":null,"class":"NSAID","risk":2}"#
    );

    // What was there before a rule keeps its place until it is written.
    kit.upsert(known::CONCEPT_TYPE, "Drug", r#"{"enforce_schema": false}"#, "{}").unwrap();
    let (odd, _) = kit.upsert(drug, "Odd", r#"{"risk": "?"}"#, "{}").unwrap();
    kit.upsert(known::CONCEPT_TYPE, "Drug", r#"{"enforce_schema": true}"#, "{}").unwrap();
    kit.upsert(drug, "Odd", "{}", r#"{"source": "x"}"#).unwrap();
    assert!(kit.upsert(drug, "Odd", r#"{"class": "NSAID"}"#, "{}").is_err());
    kit.upsert(drug, "Odd", r#"{"class": "NSAID", "risk": 1}"#, "{}").unwrap();
    assert_eq!(kit.concept(odd).unwrap().version, 3);
}

#[test]
fn a_rule_that_is_turned_on_in_a_statement_holds_in_it() {
    use crate::kit::concept_write;
    use cairn_graph::Target::Named;
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let refused = kit.write(move |writer| {
        writer.upsert_concept(concept_write(Named(drug, "a".into()), "{}", "{}"))?;
        writer.upsert_concept(concept_write(Named(known::CONCEPT_TYPE, "Drug".into()), DRUG, "{}"))?;
        writer.upsert_concept(concept_write(Named(drug, "b".into()), "{}", "{}"))
    });
    assert!(matches!(refused, Err(GraphError::Constraint { .. })));
}

#[test]
fn a_schema_that_makes_no_sense_is_refused_when_it_is_to_be_enforced() {
    let kit = Kit::new();
    let define = |attributes: &str| kit.upsert(known::CONCEPT_TYPE, "Drug", attributes, "{}");
    define(r#"{"instance_schema": {"a": {"type": "stirng"}}, "enforce_schema": null}"#).unwrap();
    let text = error(define(r#"{"enforce_schema": true}"#));
    assert!(
        text.contains("the type `Drug` cannot enforce its schema: instance_schema.a.type must be"),
        "{text}"
    );
    assert!(matches!(define(r#"{"enforce_schema": "true"}"#), Err(GraphError::ValueType { .. })));
    define(r#"{"enforce_schema": true, "instance_schema": {"a": "string"}}"#).unwrap();
    assert!(define(r#"{"instance_schema": []}"#).is_err());
    let bad = kit.upsert(
        known::PROPOSITION_TYPE,
        "treats",
        r#"{"enforce_schema": true, "subject_types": 1}"#,
        "{}",
    );
    assert_eq!(bad.unwrap_err().code(), ErrorCode::InvalidRequest);
}

#[test]
fn enforced_predicates_link_only_what_they_say() {
    let kit = Kit::new();
    let (drug, symptom) = (kit.define_type("Drug"), kit.define_type("Symptom"));
    let (aspirin, headache) = (kit.put(drug, "Aspirin", "{}"), kit.put(symptom, "Headache", "{}"));
    let define = |name: &str, attributes: &str| {
        PredicateId(kit.upsert(known::PROPOSITION_TYPE, name, attributes, "{}").unwrap().0.0)
    };
    let schema = r#"{"subject_types": ["Drug"], "object_types": ["Symptom", "PropositionLink"],
        "instance_schema": {"dose": {"type": "number", "is_required": true}}, "enforce_schema": ENFORCED}"#;
    let treats = define("treats", &schema.replace("ENFORCED", "false"));
    let link = |subject: Element, object: Element, attributes: &str| {
        kit.upsert_link(LinkTarget::Triple(subject, treats, object), attributes, "{}")
    };
    let (a, h) = (Element::from(aspirin), Element::from(headache));
    let backwards = link(h, a, "{}").unwrap().0;
    define("treats", &schema.replace("ENFORCED", "true"));
    let dose = r#"{"dose": 1}"#;
    let text = error(link(h, h, dose));
    assert!(
        text.contains("the predicate `treats` takes as its subject only Drug, and not Symptom"),
        "{text}"
    );
    assert!(matches!(link(a, a, dose), Err(GraphError::Constraint { .. })));
    assert!(matches!(link(backwards.into(), h, dose), Err(GraphError::Constraint { .. })));
    assert!(error(link(a, h, "{}")).contains("the link `treats` lacks what its schema asks for: `dose`"));
    assert!(matches!(link(a, h, r#"{"dose": "1"}"#), Err(GraphError::ValueType { .. })));
    let (fact, _) = link(a, h, dose).unwrap();
    assert_eq!(link(a, fact.into(), dose).unwrap().1, Outcome::Created);
    assert_eq!(link(a, h, r#"{"dose": 2}"#).unwrap(), (fact, Outcome::Updated));
    assert!(link(a, h, r#"{"dose": null}"#).is_err());
    let removed =
        kit.write(move |writer| writer.remove_keys(fact.into(), Part::Attributes, &["dose".into()]));
    assert!(matches!(removed, Err(GraphError::Constraint { .. })));
    // Ends were decided when the link was made.
    assert_eq!(link(h, a, dose).unwrap(), (backwards, Outcome::Updated));
}

#[test]
fn what_is_not_registered_may_have_been_meant_otherwise() {
    let kit = Kit::new();
    kit.define_type("Drug");
    kit.define_predicate("has_side_effect");
    kit.read(|view| {
        assert_eq!(view.nearest(Meta::Types, "drug").unwrap().as_deref(), Some("Drug"));
        assert_eq!(
            view.nearest(Meta::Predicates, "hasSideEffects").unwrap().as_deref(),
            Some("has_side_effect")
        );
        assert_eq!(view.nearest(Meta::Types, "has_side_effect").unwrap(), None);
        assert_eq!(view.nearest(Meta::Predicates, "xyzzy").unwrap(), None);
    });
}
