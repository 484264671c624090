//! What stays as it is, and what is free beside it.

use cairn_graph::{ConceptId, Deleted, Element, LinkId, LinkTarget, Lookup, Outcome, Part, Target, known};
use cairn_seam::Visit;

use crate::kit::{Kit, concept_write, is_protected, json};

const FIXED: [ConceptId; 7] = [
    ConceptId(known::CONCEPT_TYPE.0),
    ConceptId(known::PROPOSITION_TYPE.0),
    ConceptId(known::DOMAIN.0),
    ConceptId(known::BELONGS_TO_DOMAIN.0),
    known::CORE_SCHEMA,
    known::UNSORTED,
    known::ARCHIVED,
];

fn write(kit: &Kit, id: ConceptId, attributes: &str, metadata: &str) -> cairn_graph::Result<Outcome> {
    let write = concept_write(Target::Id(id), attributes, metadata);
    kit.write(move |writer| Ok(writer.upsert_concept(write.clone())?.2))
}

fn remove(kit: &Kit, element: impl Into<Element>, part: Part, key: &str) -> cairn_graph::Result<bool> {
    let (element, key) = (element.into(), key.to_owned());
    kit.write(move |writer| writer.remove_keys(element, part, std::slice::from_ref(&key)))
}

fn delete(kit: &Kit, ids: &[ConceptId]) -> cairn_graph::Result<Deleted> {
    let ids = ids.to_vec();
    kit.write(move |writer| writer.delete_concepts(&ids))
}

fn links_from(kit: &Kit, subject: impl Into<Element>) -> Vec<LinkId> {
    let lookup = Lookup::Out { subject: subject.into(), predicate: None };
    let mut found = Vec::new();
    kit.read(|view| {
        view.edges(&[lookup], &mut |_, edge| {
            found.push(edge.link);
            Visit::Continue
        })
    })
    .unwrap();
    found
}

#[test]
fn core_definitions_and_domains_are_neither_written_nor_deleted() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let aspirin = kit.put(drug, "Aspirin", "{}");
    for id in FIXED {
        let before = kit.concept(id).unwrap();
        assert!(is_protected(write(&kit, id, r#"{"description": "mine"}"#, "{}")), "{id}");
        assert!(is_protected(write(&kit, id, "{}", r#"{"source": "me"}"#)), "{id}");
        assert!(is_protected(remove(&kit, id, Part::Attributes, "description")), "{id}");
        assert!(is_protected(remove(&kit, id, Part::Metadata, "source")), "{id}");
        assert!(is_protected(delete(&kit, &[id])), "{id}");
        assert!(is_protected(delete(&kit, &[aspirin, id])), "{id}");
        assert_eq!(write(&kit, id, "{}", "{}").unwrap(), Outcome::Unchanged, "naming it is not writing it");
        assert_eq!(kit.concept(id).unwrap(), before);
    }
    assert!(kit.concept(aspirin).is_some(), "one protected target keeps all others");
}

#[test]
fn a_link_is_protected_by_its_subject_and_by_nothing_else() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let aspirin = kit.put(drug, "Aspirin", "{}");
    let into_unsorted = kit.link(aspirin, known::BELONGS_TO_DOMAIN, known::UNSORTED);
    let about_it = kit.link(into_unsorted, known::BELONGS_TO_DOMAIN, known::ARCHIVED);
    for id in FIXED {
        let from = LinkTarget::Triple(id.into(), known::BELONGS_TO_DOMAIN, aspirin.into());
        assert!(is_protected(kit.upsert_link(from, "{}", "{}")), "{id}");
        for link in links_from(&kit, id) {
            assert!(is_protected(kit.write(move |writer| writer.delete_links(&[link]))), "{link}");
            assert!(
                is_protected(kit.write(move |writer| writer.delete_links(&[into_unsorted, link]))),
                "{link}"
            );
            assert!(is_protected(kit.upsert_link(LinkTarget::Id(link), "{}", r#"{"a": 1}"#)), "{link}");
            assert!(is_protected(remove(&kit, link, Part::Metadata, "source")), "{link}");
            assert_eq!(kit.upsert_link(LinkTarget::Id(link), "{}", "{}").unwrap().1, Outcome::Unchanged);
        }
    }
    assert!(kit.whole_link(about_it).is_some());
    let moved = kit.write(move |writer| writer.delete_links(&[into_unsorted]));
    assert_eq!(moved.unwrap(), 2);
    // The definition of `Drug` is an ordinary concept, also where it belongs to a core domain.
    kit.link(aspirin, known::BELONGS_TO_DOMAIN, known::CORE_SCHEMA);
    kit.link(drug.concept(), known::BELONGS_TO_DOMAIN, known::CORE_SCHEMA);
    assert_eq!(delete(&kit, &[aspirin, drug.concept()]).unwrap(), Deleted { concepts: 2, links: 2 });
    assert_eq!(delete(&kit, &[aspirin]).unwrap(), Deleted::default());
}

#[test]
fn agents_stay_with_their_directives_and_the_rest_of_them_is_free() {
    let kit = Kit::new();
    let likes = kit.define_predicate("likes");
    for id in [known::SELF, known::SYSTEM] {
        assert!(is_protected(delete(&kit, &[id])));
        assert!(is_protected(write(&kit, id, r#"{"core_directives": []}"#, "{}")));
        assert!(is_protected(write(&kit, id, r#"{"name": "Ada", "core_directives": null}"#, "{}")));
        assert!(is_protected(remove(&kit, id, Part::Attributes, "core_directives")));
        let directives = json(&kit.concept(id).unwrap().attributes.clone());
        assert!(directives.contains("core_directives"));
        assert_eq!(
            write(&kit, id, r#"{"name": "Ada", "mine": 1}"#, r#"{"core_directives": 1}"#).unwrap(),
            Outcome::Updated
        );
        assert!(remove(&kit, id, Part::Attributes, "mine").unwrap());
        assert!(remove(&kit, id, Part::Metadata, "core_directives").unwrap());
        assert_eq!(kit.concept(id).unwrap().attributes["name"].as_str(), Some("Ada"));
        let link = kit.link(id, likes, known::SELF);
        assert_eq!(kit.upsert_link(LinkTarget::Id(link), r#"{"a": 1}"#, "{}").unwrap().1, Outcome::Updated);
        assert_eq!(kit.write(move |writer| writer.delete_links(&[link])).unwrap(), 1);
    }
    // Types that the bootstrap made beside those that every space must have are like any other.
    let learned = kit.read(|view| view.predicate_id("learned")).unwrap().unwrap();
    assert_eq!(delete(&kit, &[learned.concept()]).unwrap(), Deleted { concepts: 1, links: 1 });
}

#[test]
fn types_that_every_space_must_have_may_grow_and_stay() {
    let kit = Kit::new();
    for name in ["Person", "Event", "SleepTask"] {
        let id = kit.read(|view| view.type_id(name)).unwrap().unwrap().concept();
        assert!(is_protected(delete(&kit, &[id])), "{name}");
        assert_eq!(write(&kit, id, r#"{"description": "mine"}"#, "{}").unwrap(), Outcome::Updated, "{name}");
        for link in links_from(&kit, id) {
            assert_eq!(
                kit.write(move |writer| writer.delete_links(&[link])).unwrap(),
                1,
                "members may leave"
            );
        }
    }
    // A predicate of such a name is another concept.
    let event = kit.put(known::PROPOSITION_TYPE, "event", "{}");
    assert_eq!(delete(&kit, &[event]).unwrap(), Deleted { concepts: 1, links: 0 });
}
