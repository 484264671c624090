//! Pages, orders and visitors that have enough.

use cairn_graph::{ConceptId, Element, LinkId, LinkTarget, Lookup, Meta, Part, Statistic, known, limits};
use cairn_seam::Visit;

use crate::kit::Kit;

fn found(kit: &Kit, lookups: &[Lookup]) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    kit.read(|view| {
        view.edges(lookups, &mut |place, edge| {
            found.push((place, edge.link.0));
            Visit::Continue
        })
    })
    .unwrap();
    found
}

#[test]
fn lookups_of_all_kinds_are_answered_in_their_order() {
    let kit = Kit::new();
    let (drug, p, q) = (kit.define_type("Drug"), kit.define_predicate("p"), kit.define_predicate("q"));
    let [a, b, c] = ["a", "b", "c"].map(|name| Element::from(kit.put(drug, name, "{}")));
    let [ab, ac, bc, cc] = [(a, p, b), (a, q, c), (b, p, c), (c, p, c)].map(|(s, p, o)| kit.link(s, p, o));
    let about = kit.link(Element::from(ab), q, a);
    let out = |subject, predicate| Lookup::Out { subject, predicate };
    let into = |object, predicate| Lookup::In { object, predicate };
    let exact = |subject, predicate, object| Lookup::Exact { subject, predicate, object };
    let lookups = [
        out(a, None),
        out(a, Some(q)),
        exact(b, p, c),
        exact(b, q, c),
        exact(c, p, c),
        into(c, None),
        into(c, Some(p)),
        Lookup::Predicate { predicate: p, after: None },
        Lookup::Predicate { predicate: p, after: Some((a, b)) },
        out(ab.into(), None),
        into(ab.into(), None),
    ];
    let expected = [
        (0, ab),
        (0, ac),
        (1, ac),
        (2, bc),
        (4, cc),
        (5, bc),
        (5, cc),
        (5, ac),
        (6, bc),
        (6, cc),
        (7, ab),
        (7, bc),
        (7, cc),
        (8, bc),
        (8, cc),
        (9, about),
    ];
    assert_eq!(found(&kit, &lookups), expected.map(|(place, link)| (place, link.0)));
    assert_eq!(found(&kit, &[]), []);

    kit.read(|view| {
        let mut edge = None;
        view.edges(&[exact(ab.into(), q, a)], &mut |_, found| {
            edge = Some(*found);
            Visit::Continue
        })
        .unwrap();
        let edge = edge.unwrap();
        assert_eq!((edge.link, edge.subject_type, edge.object_type), (about, None, Some(drug)));
    });

    // Enough of one, enough of all.
    let mut seen = Vec::new();
    kit.read(|view| {
        view.edges(&lookups, &mut |place, edge| {
            seen.push((place, edge.link));
            match place {
                0 | 5 => Visit::NextRange,
                7 => Visit::Stop,
                _ => Visit::Continue,
            }
        })
    })
    .unwrap();
    assert_eq!(seen, [(0, ab), (1, ac), (2, bc), (4, cc), (5, bc), (6, bc), (6, cc), (7, ab)]);
    let mut seen = Vec::new();
    kit.read(|view| {
        view.edges(&lookups, &mut |place, edge| {
            seen.push((place, edge.link));
            if place == 2 { Visit::Stop } else { Visit::Continue }
        })
    })
    .unwrap();
    assert_eq!(seen.last(), Some(&(2, bc)));
}

#[test]
fn walks_go_on_where_they_stopped() {
    let kit = Kit::new();
    let (drug, p) = (kit.define_type("Drug"), kit.define_predicate("p"));
    let ids: Vec<ConceptId> = (0..7).map(|at| kit.put(drug, &format!("n{at}"), "{}")).collect();
    for pair in ids.windows(2) {
        kit.link(pair[1], p, pair[0]);
    }
    kit.read(|view| {
        let mut pages = Vec::new();
        let mut after = None;
        loop {
            let mut page = Vec::new();
            view.concepts_of_type(drug, after, &mut |id, _| {
                page.push(id);
                if page.len() < 3 { Visit::Continue } else { Visit::NextRange }
            })
            .unwrap();
            let Some(last) = page.last() else { break };
            after = Some(*last);
            pages.push(page.len());
            assert!(page.iter().all(|id| ids.contains(id)));
        }
        assert_eq!(pages, [3, 3, 1]);

        let mut all = Vec::new();
        let mut after = None;
        loop {
            let before = all.len();
            view.all_concepts(after, &mut |id, kind| {
                all.push((id, kind));
                if all.len() < before + 4 { Visit::Continue } else { Visit::Stop }
            })
            .unwrap();
            let Some(last) = all.last().filter(|_| all.len() > before) else { break };
            after = Some(last.0);
        }
        assert!(all.is_sorted() && all.len() as u64 == 21 + 2 + 7);

        let mut links: Vec<LinkId> = Vec::new();
        let mut after = None;
        while {
            let before = links.len();
            view.edges(&[Lookup::All { after }], &mut |_, edge| {
                links.push(edge.link);
                after = Some((edge.subject, edge.predicate, edge.object));
                if links.len() < before + 5 { Visit::Continue } else { Visit::Stop }
            })
            .unwrap();
            links.len() > before
        } {}
        let count = view.count(Statistic::Predicate(p)).unwrap()
            + view.count(Statistic::Predicate(known::BELONGS_TO_DOMAIN)).unwrap();
        assert_eq!(links.len() as u64, count);

        let mut names = Vec::new();
        view.definitions(Meta::Predicates, &mut |id, name| {
            names.push(name.to_owned());
            if id == p.0 { Visit::Stop } else { Visit::Continue }
        })
        .unwrap();
        assert_eq!((names.len(), names.last().map(String::as_str)), (9, Some("p")));
        let mut rows = 0;
        view.statistics(&mut |_, count| {
            rows += 1;
            assert!(count > 0);
            if rows < 3 { Visit::Continue } else { Visit::Stop }
        })
        .unwrap();
        assert_eq!(rows, 3);
        let is_of_predicate = |of: &Statistic| {
            matches!(of, Statistic::Predicate(_) | Statistic::Subjects(_) | Statistic::Objects(_))
        };
        let (mut all, mut own) = (Vec::new(), Vec::new());
        let gather = |of: Statistic, count: u64, into: &mut Vec<(Statistic, u64)>| {
            into.push((of, count));
            Visit::Continue
        };
        view.statistics(&mut |of, count| gather(of, count, &mut all)).unwrap();
        view.predicate_statistics(&mut |of, count| gather(of, count, &mut own)).unwrap();
        all.retain(|(of, _)| is_of_predicate(of));
        assert!(own == all && !own.is_empty(), "{own:?}");
    });
}

#[test]
fn names_are_found_by_type_and_without() {
    let kit = Kit::new();
    let (drug, herb) = (kit.define_type("Drug"), kit.define_type("Herb"));
    let (one, two) = (kit.put(drug, "Mint", "{}"), kit.put(herb, "Mint", "{}"));
    kit.read(|view| {
        let wanted = [
            (herb, "Mint"),
            (drug, "mint"),
            (drug, "Mint"),
            (known::PERSON, "Mint"),
            (drug, "Mint"),
            (drug, ""),
        ];
        assert_eq!(view.find_concepts(&wanted).unwrap(), [Some(two), None, Some(one), None, Some(one), None]);
        assert_eq!(view.concepts_named("Mint").unwrap(), [(drug, one), (herb, two)]);
        assert_eq!(view.concepts_named("Drug").unwrap(), [(known::CONCEPT_TYPE, drug.concept())]);
        assert_eq!(view.types_of(&[two, ConceptId(999), one]).unwrap(), [Some(herb), None, Some(drug)]);
        assert_eq!((view.type_id("Drug").unwrap(), view.type_id("drug").unwrap()), (Some(drug), None));
        assert_eq!(view.type_id("belongs_to_domain").unwrap(), None, "a predicate is no type");
        assert_eq!(view.predicate_id("belongs_to_domain").unwrap(), Some(known::BELONGS_TO_DOMAIN));
        assert_eq!(view.definition_name(herb.0).unwrap().as_deref(), Some("Herb"));
        assert_eq!(
            view.definition_name(known::BELONGS_TO_DOMAIN.0).unwrap().as_deref(),
            Some("belongs_to_domain")
        );
        assert_eq!((view.definition_name(one.0).unwrap(), view.definition_name(999).unwrap()), (None, None));
    });
}

#[test]
fn all_links_come_by_their_numbers_with_what_is_written_on_them() {
    let kit = Kit::new();
    let (drug, p) = (kit.define_type("Drug"), kit.define_predicate("p"));
    let ends = ["a", "b", "c", "d"].map(|name| Element::from(kit.put(drug, name, "{}")));
    // Not in the order of their ends, and two of them with content in a blob.
    for (number, (subject, object)) in [(3, 0), (0, 1), (2, 3), (1, 2), (0, 0)].into_iter().enumerate() {
        let long = if number % 2 == 1 { "x".repeat(limits::ELEMENT_INLINE_BYTES_MAX) } else { String::new() };
        let target = LinkTarget::Triple(ends[subject], p, ends[object]);
        let attributes = format!("{{\"n\": {number}, \"long\": \"{long}\"}}");
        kit.upsert_link(target, &attributes, "{}").unwrap();
    }
    kit.read(|view| {
        let read = |after: Option<LinkId>, most: usize| {
            let mut found = Vec::new();
            view.all_links(after, &mut |id, record| {
                let number = record.value(Part::Attributes, &["n"]).unwrap();
                found.push((id, number.map(|number| number.to_json())));
                if found.len() < most { Visit::Continue } else { Visit::Stop }
            })
            .unwrap();
            found
        };
        let all = read(None, usize::MAX);
        assert!(all.is_sorted_by_key(|(id, _)| *id));
        let numbers: Vec<_> = all.iter().filter_map(|(_, number)| number.as_deref()).collect();
        assert_eq!(numbers, ["0", "1", "2", "3", "4"]);
        let count = view.count(Statistic::Predicate(p)).unwrap()
            + view.count(Statistic::Predicate(known::BELONGS_TO_DOMAIN)).unwrap();
        assert_eq!(all.len() as u64, count, "those of the bootstrap too");
        for most in 1..4 {
            let (mut paged, mut after) = (Vec::new(), None);
            loop {
                let page = read(after, most);
                let Some((last, _)) = page.last() else { break };
                after = Some(*last);
                paged.extend(page);
            }
            assert_eq!(paged, all, "in pages of {most}");
        }
    });
}
