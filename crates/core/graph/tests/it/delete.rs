//! Deleting, and what goes with it.

use cairn_graph::{
    ConceptId, Deleted, Element, GraphError, GraphEvent, LinkId, LinkTarget, Statistic, known, limits,
};

use crate::kit::{Kit, link_write};

#[test]
fn links_about_links_go_with_them_down_to_the_end_of_the_longest_chain() {
    let kit = Kit::new();
    let (drug, says) = (kit.define_type("Drug"), kit.define_predicate("says"));
    let (aspirin, other) = (kit.put(drug, "Aspirin", "{}"), kit.put(drug, "Other", "{}"));
    let first = kit.link(aspirin, says, other);
    // Each says something about the one before, by turns as its subject and as its object.
    let chain = |links: u64| {
        kit.write(move |writer| {
            let mut last = first;
            for at in 0..links {
                let (me, fact) = (Element::Concept(known::SELF), Element::Link(last));
                let (subject, object) = if at % 2 == 0 { (me, fact) } else { (fact, me) };
                last =
                    writer.upsert_link(link_write(LinkTarget::Triple(subject, says, object), "{}", "{}"))?.0;
            }
            Ok(last)
        })
    };
    let most = limits::LINK_LEVELS_MAX as u64;
    assert!(matches!(chain(most + 1), Err(GraphError::TooManyInside { .. })));
    let last = chain(most).unwrap();
    assert!(kit.whole_link(last).is_some());
    let deleted = kit.write(move |writer| writer.delete_concepts(&[aspirin])).unwrap();
    assert_eq!(deleted, Deleted { concepts: 1, links: most + 1 });
    kit.read(|view| {
        for of in [Statistic::Predicate(says), Statistic::Subjects(says), Statistic::Objects(says)] {
            assert_eq!(view.count(of).unwrap(), 0, "{of:?}");
        }
        assert_eq!(view.count(Statistic::Type(drug)).unwrap(), 1);
    });
    assert!(kit.whole_link(last).is_none() && kit.concept(other).is_some());
}

#[test]
fn a_hub_goes_with_more_links_than_fit_into_one_page() {
    let kit = Kit::new();
    let (drug, treats) = (kit.define_type("Drug"), kit.define_predicate("treats"));
    let hub = kit.put(drug, "Hub", "{}");
    let count = 2_500_u64;
    kit.write(move |writer| {
        for at in 0..count {
            let write =
                crate::kit::concept_write(cairn_graph::Target::Named(drug, format!("n{at}")), "{}", "{}");
            let (id, ..) = writer.upsert_concept(write)?;
            let ends = if at % 2 == 0 { (hub.into(), id.into()) } else { (id.into(), hub.into()) };
            writer.upsert_link(link_write(LinkTarget::Triple(ends.0, treats, ends.1), "{}", "{}"))?;
        }
        Ok(())
    })
    .unwrap();
    kit.link(hub, treats, hub);
    kit.read(|view| {
        assert_eq!(view.count(Statistic::Predicate(treats)).unwrap(), count + 1);
        assert_eq!(view.count(Statistic::Subjects(treats)).unwrap(), count / 2 + 1);
        assert_eq!(view.count(Statistic::SubjectType(drug, treats)).unwrap(), count + 1);
    });
    let before = kit.store.position();
    let deleted = kit.write(move |writer| writer.delete_concepts(&[hub, ConceptId(999_999), hub])).unwrap();
    assert_eq!(deleted, Deleted { concepts: 1, links: count + 1 }, "each once, the one to itself too");
    assert_eq!(kit.events_after(before), [GraphEvent::ConceptDeleted(kit.scope.space(), hub)]);
    kit.read(|view| {
        assert_eq!(view.count(Statistic::Predicate(treats)).unwrap(), 0);
        assert_eq!(view.count(Statistic::Type(drug)).unwrap(), count);
    });
    assert_eq!(kit.read(|view| view.find_concepts(&[(drug, "Hub")])).unwrap(), [None]);
    let again = kit.put(drug, "Hub", "{}");
    assert!(again > hub, "numbers are not used again");
}

#[test]
fn links_that_are_named_twice_or_go_by_themselves_count_once() {
    let kit = Kit::new();
    let says = kit.define_predicate("says");
    let a = kit.link(known::SELF, says, known::SYSTEM);
    let b = kit.link(known::SELF, says, a);
    let c = kit.link(b, says, a);
    let d = kit.link(known::SYSTEM, says, known::SELF);
    let gone = LinkId(999);
    let delete = |ids: Vec<LinkId>| kit.write(move |writer| writer.delete_links(&ids)).unwrap();
    assert_eq!(delete(vec![gone]), 0);
    assert_eq!(delete(vec![c, a, a, gone, b]), 3);
    assert_eq!(delete(vec![a, b, c]), 0);
    assert_eq!(kit.whole_link(d).map(|link| link.id), Some(d));
    assert_eq!(kit.read(|view| view.count(Statistic::Predicate(says))).unwrap(), 1);
}

#[test]
fn what_goes_and_comes_back_in_one_statement_is_counted_once() {
    let kit = Kit::new();
    let says = kit.define_predicate("says");
    let (me, other) = (Element::Concept(known::SELF), Element::Concept(known::SYSTEM));
    let again = move |writer: &mut cairn_graph::Writer<'_>, subject, object| {
        Ok(writer.upsert_link(link_write(LinkTarget::Triple(subject, says, object), "{}", "{}"))?.0)
    };
    let link = kit.link(me, says, other);
    let counts = |expected: [u64; 3]| {
        kit.read(|view| {
            let of = [Statistic::Predicate(says), Statistic::Subjects(says), Statistic::Objects(says)];
            assert_eq!(of.map(|of| view.count(of).unwrap()), expected);
        });
    };
    counts([1, 1, 1]);
    let link = kit
        .write(move |writer| {
            writer.delete_links(&[link])?;
            let link = again(writer, me, other)?;
            writer.delete_links(&[link])?;
            again(writer, me, other)
        })
        .unwrap();
    counts([1, 1, 1]);
    // Gone for good, and with it a link that was not there before.
    kit.write(move |writer| {
        let new = again(writer, me, me)?;
        writer.delete_links(&[link, new])?;
        again(writer, other, me)
    })
    .unwrap();
    counts([1, 1, 1]);
    kit.write(move |writer| {
        let new = again(writer, me, other)?;
        writer.delete_links(&[new])
    })
    .unwrap();
    counts([1, 1, 1]);
}
