//! From publishing to deletion.

use cairn_access::Role;
use cairn_artifacts::{Attestation, Direction, LineageRequest};
use cairn_base::TenantId;
use cairn_engine::{
    ArtifactDeletion, ArtifactFilter, ArtifactHappened, ArtifactOrder, ArtifactQuery, ArtifactQuestion, Place,
};

use super::kit::{World, code, id, identity, ids};

#[test]
fn what_was_signed_is_stored_and_served_byte_for_byte() {
    let world = World::new();
    let body =
        world.signed(1, &[("unknown_field", "{\"kept\": [1, 1.0, null]}"), ("embeddings", "[0.5, 1, -2.0]")]);
    let published = world.publish(&world.ada(), &body).unwrap();
    assert!(published.is_new);
    let shown = world.engine.artifact(&world.ada(), id(1)).unwrap();
    assert!(shown.signed.contains("\"unknown_field\":{\"kept\":[1,1.0,null]}"), "{}", shown.signed);
    let key = world.ada_key.public_key();
    assert!(key.has_signed(shown.signed.as_bytes(), &shown.artifact.signature));
    assert_eq!((shown.artifact.attestation, shown.usage.reads), (Attestation::Author, 1));
    let content = world.engine.artifact_content(&world.ada(), id(1)).unwrap();
    let mut bytes = vec![0; 64];
    let count = content.reader.read_at(0, &mut bytes).unwrap();
    assert_eq!(&bytes[..count], b"content number 1 about kingfishers");
    assert!(world.engine.verify_stored(&world.ada(), id(1), None, None).unwrap().reason.is_none());
    assert!(world.engine.verify_stored(&world.ada(), id(1), Some("00"), None).unwrap().reason.is_some());
}

#[test]
fn the_same_bytes_again_change_nothing_and_other_bytes_are_a_conflict() {
    let world = World::new();
    let body = world.signed(1, &[]);
    assert!(world.publish(&world.ada(), &body).unwrap().is_new);
    let position = world.engine.position();
    assert!(!world.publish(&world.ada(), &body).unwrap().is_new);
    assert_eq!(world.engine.position(), position);
    assert_eq!(
        code(world.publish(&world.ada(), &world.signed(1, &[("title", "\"other\"")]))),
        "DUPLICATE_ID"
    );
    // An id of another tenant is taken too.
    let eve = identity(8);
    world
        .engine
        .put_user(
            &world.owner,
            world.beta,
            &cairn_access::registry::UserId::parse("eve").unwrap(),
            cairn_access::Roles::NONE.with(Role::Writer),
        )
        .unwrap();
    world.register(world.beta, "eve", &eve);
    let more = [("user_id", "\"eve\""), ("tenant_id", "\"beta\"")];
    let body = world.signed_by(&eve, 1, &more);
    let principal =
        cairn_access::Principal::new("eve", world.beta, cairn_access::Roles::NONE.with(Role::Writer))
            .known_as("beta", Vec::new());
    assert_eq!(code(world.publish(&principal, &body)), "DUPLICATE_ID");
    assert!(world.publish(&principal, &world.signed_by(&eve, 2, &more)).unwrap().is_new);
}

#[test]
fn the_node_signs_for_an_author_whom_it_knows_and_says_so() {
    let world = World::new();
    let body = br#"{"title":"Unsigned","content":"hello","format":"text"}"#;
    let published = world.publish(&world.ada(), body).unwrap().artifact;
    assert_eq!((published.attestation, published.author.as_str()), (Attestation::Node, "ada"));
    assert_eq!(published.public_key, *identity(99).public_key().as_bytes());
    assert_eq!(published.accepted_by, published.public_key);
    let shown = world.engine.artifact(&world.ada(), published.id).unwrap();
    assert_eq!(shown.payload.public_key, Some(identity(99).public_key()));
    assert_eq!(shown.payload.visibility.name(), "private");
    for (body, field) in [
        (&br#"{"title":"x","content":"y","user_id":"eve"}"#[..], "FORBIDDEN"),
        (br#"{"title":"x","content":"y","tenant_id":"beta"}"#, "FORBIDDEN"),
        (br#"{"content":"y"}"#, "INVALID_PAYLOAD"),
        (br#"{"title":"x"}"#, "INVALID_PAYLOAD"),
        (br#"{"title":"x","content":"y","version":"2"}"#, "UNSUPPORTED_VERSION"),
    ] {
        assert_eq!(code(world.publish(&world.ada(), body)), field, "{}", String::from_utf8_lossy(body));
    }
    let reader = world.user("rita", &[Role::Reader], &[]);
    assert_eq!(code(world.publish(&reader, br#"{"title":"x","content":"y"}"#)), "Forbidden");
}

#[test]
fn a_deleted_artifact_is_gone_for_readers_and_its_id_for_ever() {
    let world = World::new();
    world.put(1, &[]);
    world.put(2, &[("lineage", &format!("{{\"parent_reports\":[\"{}\"]}}", id(1)))]);
    let (ada, bob) = (world.ada(), world.user("bob", &[Role::Writer], &[]));
    assert_eq!(world.engine.artifact(&bob, id(1)).unwrap().citations, 1);
    let nothing = ArtifactDeletion::default();
    assert_eq!(code(world.engine.delete_artifact(&bob, id(1), &nothing)), "Forbidden");
    assert_eq!(code(world.engine.delete_artifact(&world.stranger("eve", &[]), id(1), &nothing)), "NOT_FOUND");
    let write = world.engine.delete_artifact(&ada, id(1), &nothing).unwrap();
    assert_eq!(world.engine.commit(write).unwrap().value.id, id(1));
    assert_eq!(code(world.engine.delete_artifact(&ada, id(1), &nothing)), "NOT_FOUND");
    assert_eq!(code(world.engine.artifact(&ada, id(1))), "NOT_FOUND");
    assert_eq!(code(world.engine.artifact_content(&ada, id(1))), "NOT_FOUND");
    assert_eq!(ids(&world.list(&bob, ArtifactQuestion::default())), [id(2)]);
    assert_eq!(ids(&world.find(&bob, "kingfishers")), [id(2)]);
    assert_eq!(code(world.publish(&ada, &world.signed(1, &[]))), "DUPLICATE_ID");
    // Lineage still shows it.
    let request = LineageRequest { start: id(2), direction: Direction::Up, depth: 5, limit: 10 };
    let (lineage, payloads) = world.engine.artifact_lineage(&bob, request).unwrap();
    assert_eq!((lineage.nodes.len(), payloads.len()), (2, 2));
    // A deleted child is no citation.
    let write = world.engine.delete_artifact(&ada, id(2), &nothing).unwrap();
    world.engine.commit(write).unwrap();
    assert_eq!(world.list(&bob, ArtifactQuestion::default()).total, 0);
    let admin = world.user("root", &[Role::Admin], &[]);
    let trail = world.engine.audit_page(&admin, world.acme, None, 100).unwrap().lines;
    assert!(trail.iter().any(|line| line.action == cairn_access::Action::ArtifactDelete));
}

#[test]
fn content_of_a_deleted_artifact_goes_after_its_retention() {
    let world = World::new();
    world.put(1, &[]);
    let write = world.engine.delete_artifact(&world.ada(), id(1), &ArtifactDeletion::default()).unwrap();
    world.engine.commit(write).unwrap();
    let hash = cairn_base::ContentHash::of(b"content number 1 about kingfishers");
    let has_entry = || {
        let snapshot = cairn_seam::Store::snapshot(&*world.store, cairn_base::Position::START).unwrap();
        let key = cairn_base::KeyBuf::new()
            .tenant(world.acme)
            .space(cairn_base::SpaceId::NONE)
            .fixed(hash.as_bytes());
        let mut found = false;
        let range = cairn_seam::KeyRange::prefix(&key);
        cairn_seam::Reader::multi_scan(
            &*snapshot,
            cairn_artifacts::tables::CONTENT_BLOBS,
            &[range],
            &mut |_, _, _| {
                found = true;
                cairn_seam::Visit::Stop
            },
        )
        .unwrap();
        found
    };
    world.engine.upkeep_once().unwrap();
    assert!(has_entry());
    world.clock.advance(std::time::Duration::from_secs(31 * 24 * 60 * 60));
    world.engine.upkeep_once().unwrap();
    assert!(!has_entry());
}

#[test]
fn lists_filter_order_and_page() {
    let world = World::new();
    for number in 1..=9 {
        let tags = if number % 2 == 0 { "[\"even\",\"all\"]" } else { "[\"odd\",\"all\"]" };
        let parent = format!("{{\"parent_reports\":[\"{}\"]}}", id(3));
        let mut more = vec![("tags", tags)];
        if number > 6 {
            more.push(("lineage", &parent));
        }
        world.put(number, &more);
        world.clock.advance(std::time::Duration::from_secs(1));
    }
    let ada = world.ada();
    let question = ArtifactQuestion::default();
    let newest = world.list(&ada, ArtifactQuestion { limit: 2, ..question.clone() });
    assert_eq!((ids(&newest), newest.total), (vec![id(9), id(8)], 9));
    let next = world.list(&ada, ArtifactQuestion { limit: 2, offset: 2, ..question.clone() });
    assert_eq!(ids(&next), [id(7), id(6)]);
    let tagged = |tags: &[&str]| {
        let tags = tags.iter().map(ToString::to_string).collect();
        world.list(&ada, ArtifactQuestion { tags, ..question.clone() })
    };
    assert_eq!(ids(&tagged(&["even", "all"])), [id(8), id(6), id(4), id(2)]);
    assert_eq!((tagged(&["even", "odd"]).total, tagged(&["eve"]).total), (0, 0));
    let from = cairn_base::from_iso(&cairn_base::to_iso_utc(crate::support::NOW_MS + 3000)).unwrap() as u64;
    let range = ArtifactQuestion { from_ms: Some(from), to_ms: Some(from + 2000), ..question.clone() };
    assert_eq!(ids(&world.list(&ada, range)), [id(5), id(4)]);
    let cited =
        world.list(&ada, ArtifactQuestion { order: ArtifactOrder::MostCited, limit: 1, ..question.clone() });
    assert_eq!((ids(&cited), cited.items[0].citations), (vec![id(3)], 3));
    world.engine.artifact(&ada, id(5)).unwrap();
    let read =
        world.list(&ada, ArtifactQuestion { order: ArtifactOrder::MostRead, limit: 1, ..question.clone() });
    assert_eq!((ids(&read), read.items[0].usage.reads), (vec![id(5)], 1));
    for (author, total) in [("ada", 9), ("ad", 0)] {
        let by = ArtifactQuestion { author: Some(author.into()), ..question.clone() };
        assert_eq!(world.list(&ada, by).total, total);
    }
    for (tenant, total) in [("acme", 9), ("beta", 0), ("nobody", 0)] {
        let of = ArtifactQuestion { tenant: Some(tenant.into()), ..question.clone() };
        assert_eq!(world.list(&ada, of).total, total);
    }
    let found = world.find(&ada, "kingfisher");
    assert_eq!(found.total, 9);
    assert!(found.items.iter().all(|item| (0.0..=1.0).contains(&item.relevance)));
    assert!(found.items[0].preview.starts_with("content number"));
}

#[test]
fn usage_is_stored_by_upkeep_and_added_to_what_is_counted_since() {
    let world = World::new();
    world.put(1, &[]);
    let position = world.engine.position();
    for _ in 0..3 {
        world.engine.artifact(&world.ada(), id(1)).unwrap();
    }
    assert_eq!(world.engine.position(), position, "no read waits for a commit");
    world.clock.advance(std::time::Duration::from_secs(11));
    world.engine.upkeep_once().unwrap();
    assert_ne!(world.engine.position(), position);
    assert_eq!(world.engine.artifact(&world.ada(), id(1)).unwrap().usage.reads, 4);
}

#[test]
fn followers_hear_of_what_they_may_read_and_asked_for() {
    let world = World::new();
    let start = Place::after(world.engine.position());
    world.put(1, &[("tags", "[\"a\"]")]);
    world.put(2, &[("visibility", "\"private\"")]);
    world.put(3, &[("tags", "[\"b\"]"), ("title", "\"Deploying on Friday\"")]);
    let write = world.engine.delete_artifact(&world.ada(), id(1), &ArtifactDeletion::default()).unwrap();
    world.engine.commit(write).unwrap();
    let hear = |principal: &cairn_access::Principal, filter: &ArtifactFilter| -> Vec<_> {
        let page = world.engine.artifact_events(principal, world.acme, start, 100, filter).unwrap();
        page.events.into_iter().map(|news| (news.what, news.artifact.id)).collect()
    };
    use ArtifactHappened::{Deleted, Published};
    let everything = ArtifactFilter::default();
    let bob = world.user("bob", &[Role::Reader], &[]);
    assert_eq!(hear(&bob, &everything), [(Published, id(1)), (Published, id(3)), (Deleted, id(1))]);
    assert_eq!(hear(&world.ada(), &everything).len(), 4);
    let tagged = ArtifactFilter { tags: vec!["b".into()], ..ArtifactFilter::default() };
    assert_eq!(hear(&bob, &tagged), [(Published, id(3))]);
    let text = |text: &str| ArtifactFilter {
        query: Some(ArtifactQuery::parse(text).unwrap()),
        ..ArtifactFilter::default()
    };
    assert!(ArtifactQuery::parse(&"word ".repeat(10_000)).is_err(), "it is too long");
    assert_eq!(hear(&bob, &text("deploy friday")), [(Published, id(3))]);
    assert_eq!(hear(&bob, &text("deploy monday")), []);
    assert_eq!(hear(&bob, &text("deploy -friday")), []);
    assert!(
        world
            .engine
            .artifact_events(&world.stranger("eve", &[]), world.acme, start, 10, &everything)
            .is_err()
    );
    assert!(
        world
            .engine
            .artifact_events(&cairn_access::Principal::anonymous(), TenantId::NODE, start, 10, &everything)
            .is_err()
    );
}

#[test]
fn an_erased_artifact_leaves_its_id_and_an_audit_line() {
    let world = World::new();
    world.put(1, &[]);
    world.put(2, &[("lineage", &format!("{{\"parent_reports\":[\"{}\"]}}", id(1)))]);
    let job = |selector: String| cairn_seam::Maintenance::Compact {
        keep_changes: cairn_seam::KeepChanges::All,
        forget: vec![selector],
    };
    // The store in memory has no history; everything before that is done.
    let _ = world.engine.maintain(&world.owner, &job(format!("artifact:{}", id(1))), &mut |_| true);
    assert_eq!(code(world.engine.artifact(&world.owner, id(1))), "NOT_FOUND");
    assert_eq!(world.list(&world.ada(), ArtifactQuestion::default()).total, 1);
    assert_eq!(code(world.publish(&world.ada(), &world.signed(1, &[]))), "DUPLICATE_ID");
    let request = LineageRequest { start: id(2), direction: Direction::Up, depth: 5, limit: 10 };
    let (lineage, _) = world.engine.artifact_lineage(&world.ada(), request).unwrap();
    assert!(matches!(lineage.nodes[0].state, cairn_artifacts::NodeState::Missing), "{:?}", lineage.nodes[0]);
    let admin = world.user("root", &[Role::Admin], &[]);
    let trail = world.engine.audit_page(&admin, world.acme, None, 100).unwrap().lines;
    assert!(trail.iter().any(|line| line.subject == format!("erase artifact {}", id(1))));
    for wrong in ["artifact:x".to_owned(), format!("artifact:{}", id(77))] {
        assert!(world.engine.maintain(&world.owner, &job(wrong), &mut |_| true).is_err());
    }
}

#[test]
fn artifacts_are_found_beside_turns() {
    let world = World::new();
    world.put(1, &[]);
    let ask = |search_in| {
        let question = cairn_engine::SearchQuestion {
            tenant: world.acme,
            text: "kingfisher".into(),
            search_in,
            kinds: Vec::new(),
            context: None,
            since_ms: None,
            until_ms: None,
            limit: 10,
            skip: 0,
            half_life_ms: 0,
        };
        let found = world.engine.search_everywhere(&world.ada(), &question).unwrap();
        (found.artifacts.len(), found.artifacts_total, found.page.total)
    };
    use cairn_engine::SearchIn;
    assert_eq!(ask(SearchIn::Auto), (1, 1, 0));
    assert_eq!(ask(SearchIn::Artifacts), (1, 1, 1));
    assert_eq!(ask(SearchIn::Turns), (0, 0, 0));
}
