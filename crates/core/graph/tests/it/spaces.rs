//! Graphs beside each other.

use cairn_base::{KeyBuf, SpaceId, TenantId};
use cairn_graph::{GraphError, GraphEvent, Statistic, limits, spaces, tables};

use crate::kit::{Kit, scope};

fn create(kit: &Kit, name: &str) -> cairn_graph::Result<SpaceId> {
    let name = name.to_owned();
    kit.transact(move |tx, scope| spaces::create(tx, scope.tenant(), &name))
}

#[test]
fn spaces_get_numbers_and_keep_them() {
    let mut kit = Kit::on_disk();
    let tenant = kit.scope.tenant();
    let find = |kit: &Kit, name: &str| spaces::find(&*kit.snapshot(), tenant, name).unwrap();
    assert_eq!((find(&kit, "memory"), find(&kit, "lab")), (Some(SpaceId::MEMORY), None));
    let before = kit.store.position();
    assert_eq!(create(&kit, "memory").unwrap(), SpaceId::MEMORY);
    assert_eq!(kit.store.position(), before, "it is always there");
    assert_eq!(create(&kit, "lab").unwrap(), SpaceId(2));
    assert_eq!(create(&kit, "kb/日本/main").unwrap(), SpaceId(3));
    assert_eq!(create(&kit, "lab").unwrap(), SpaceId(2));
    assert_eq!(
        kit.events_after(before),
        [GraphEvent::SpaceCreated(SpaceId(2)), GraphEvent::SpaceCreated(SpaceId(3))]
    );
    kit.restart();
    assert_eq!(
        (find(&kit, "lab"), find(&kit, "kb/日本/main"), find(&kit, "Lab")),
        (Some(SpaceId(2)), Some(SpaceId(3)), None)
    );
    let list = |after, limit| {
        let found = spaces::list(&*kit.snapshot(), tenant, after, limit).unwrap();
        found.into_iter().map(|(id, name)| format!("{id} {name}")).collect::<Vec<_>>()
    };
    assert_eq!(list(None, 10), ["1 memory", "2 lab", "3 kb/日本/main"]);
    assert_eq!(list(None, 2), ["1 memory", "2 lab"]);
    assert_eq!((list(Some(SpaceId(1)), 1), list(Some(SpaceId(3)), 9)), (vec!["2 lab".to_owned()], vec![]));
    assert_eq!(list(None, 0), Vec::<String>::new());
    let name = |space| spaces::name_of(&*kit.snapshot(), tenant, space).unwrap();
    assert_eq!(
        (name(SpaceId(1)).as_deref(), name(SpaceId(2)).as_deref(), name(SpaceId(9))),
        (Some("memory"), Some("lab"), None)
    );

    kit.scope = scope(TenantId(7), SpaceId::MEMORY);
    assert_eq!(
        spaces::find(&*kit.snapshot(), TenantId(7), "lab").unwrap(),
        None,
        "tenants know nothing of each other"
    );
    assert_eq!(create(&kit, "other").unwrap(), SpaceId(2));
}

#[test]
fn a_hash_is_no_proof_of_the_name_of_a_space() {
    let kit = Kit::new();
    create(&kit, "lab").unwrap();
    let tenant = kit.scope.tenant();
    let by_name = move |name: &str| {
        let hash = blake3::hash(name.as_bytes());
        KeyBuf::new().tenant(tenant).space(SpaceId::NONE).fixed(hash.as_bytes().first_chunk::<16>().unwrap())
    };
    let record = cairn_seam::get(&*kit.snapshot(), tables::SPACES, &by_name("lab")).unwrap().unwrap();
    kit.transact(move |tx, _| Ok(tx.put(tables::SPACES, &by_name("other"), &record)?)).unwrap();
    assert_eq!(spaces::find(&*kit.snapshot(), tenant, "other").unwrap(), None);
    assert!(matches!(create(&kit, "other"), Err(GraphError::BadRecord { .. })));
}

#[test]
fn names_of_spaces_are_limited() {
    let kit = Kit::new();
    assert!(matches!(create(&kit, ""), Err(GraphError::Empty { .. })));
    let longest = "s".repeat(limits::SPACE_NAME_BYTES_MAX);
    create(&kit, &longest).unwrap();
    assert!(matches!(create(&kit, &format!("{longest}s")), Err(GraphError::TooLarge { .. })));
    for bad in [" lab", "lab\t", "la\u{0}b", "la\nb", "\u{85}"] {
        assert!(matches!(create(&kit, bad), Err(GraphError::BadSpaceName { .. })), "{bad:?}");
    }
}

#[test]
fn what_is_written_to_one_space_is_not_in_another() {
    let mut kit = Kit::new();
    let drug = kit.define_type("Drug");
    let aspirin = kit.put(drug, "Aspirin", "{}");
    let treats = kit.define_predicate("treats");
    let link = kit.link(aspirin, treats, aspirin);
    let home = kit.scope;
    let before = kit.store.position();
    kit.scope = scope(home.tenant(), create(&kit, "lab").unwrap());
    kit.bootstrap();
    kit.read(|view| {
        assert_eq!((view.type_id("Drug").unwrap(), view.predicate_id("treats").unwrap()), (None, None));
        assert_eq!(view.types_of(&[aspirin]).unwrap(), [None]);
        assert_eq!(view.concepts_named("Aspirin").unwrap(), []);
        assert_eq!(view.count(Statistic::Type(drug)).unwrap(), 0);
    });
    assert!(kit.whole_link(link).is_none());
    let here = kit.define_type("Herb");
    assert_eq!(here.0, drug.0, "each space counts for itself");
    assert!(
        kit.events_after(before).contains(&GraphEvent::ConceptChanged(kit.scope.space(), here.concept()))
    );
    kit.scope = home;
    assert_eq!(kit.read(|view| view.definition_name(drug.0)).unwrap().as_deref(), Some("Drug"));
    assert_eq!(kit.concept(aspirin).unwrap().name, "Aspirin");
}
