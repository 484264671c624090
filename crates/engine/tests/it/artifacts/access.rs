//! Who sees what: four tiers, with and without an ACL, eight kinds of callers, every way to learn of an artifact.

use cairn_access::{Principal, Role};
use cairn_artifacts::{Direction, LineageRequest};
use cairn_engine::{ArtifactFilter, ArtifactOrder, ArtifactQuestion, Place};
use cairn_seam::Sha256;

use super::kit::{World, code, id, ids};

/// Callers, and whether each may read by tier: public, org, team, private; and by the ACL of the test.
fn callers(world: &World) -> Vec<(&'static str, Principal, [bool; 4], bool)> {
    let reader = &[Role::Reader][..];
    vec![
        ("anonymous", Principal::anonymous(), [true, false, false, false], false),
        ("author", world.ada(), [true; 4], true),
        ("same team", world.user("tom", reader, &["core"]), [true, true, true, false], false),
        ("same tenant", world.user("bob", reader, &[]), [true, true, false, false], false),
        ("other tenant", world.stranger("eve", &[]), [true, false, false, false], false),
        ("user of the ACL", world.user("carl", reader, &[]), [true, true, false, false], true),
        ("team of the ACL", world.stranger("dan", &["lab"]), [true, false, false, false], true),
        ("tenant admin", world.user("root", &[Role::Admin], &[]), [true, true, false, false], false),
    ]
}

const ACL: &str = r#"{"allowed_users":["carl"],"allowed_teams":["beta/lab"],"allowed_tenants":[]}"#;

#[test]
fn nobody_learns_of_an_artifact_that_is_not_shared_with_them() {
    for (at, tier) in ["public", "org", "team", "private"].into_iter().enumerate() {
        for with_acl in [false, true] {
            let world = World::new();
            // A public child and a public parent, from which the artifact could be guessed.
            world.put(1, &[("visibility", "\"public\"")]);
            let start = Place::after(world.engine.position());
            let tier_json = format!("\"{tier}\"");
            let parent = format!("{{\"parent_reports\":[\"{}\"]}}", id(1));
            let mut more = vec![
                ("visibility", &*tier_json),
                ("team", "\"core\""),
                ("lineage", &*parent),
                ("title", "\"The zanzibar plan\""),
                ("tags", "[\"secret\"]"),
            ];
            if with_acl {
                more.push(("acl", ACL));
            }
            world.put(2, &more);
            let hash = Sha256::of(b"content number 2 about kingfishers");
            for (who, principal, by_tier, by_acl) in callers(&world) {
                let may = if with_acl { by_acl } else { by_tier[at] };
                let case = format!("{tier}, acl {with_acl}, {who}");
                let hidden = match principal.tenant() == world.acme {
                    true => "Forbidden",
                    false => "NOT_FOUND",
                };
                // By id: metadata, content, lineage, verification.
                let engine = &world.engine;
                let request =
                    LineageRequest { start: id(2), direction: Direction::Both, depth: 5, limit: 50 };
                if may {
                    assert!(engine.artifact(&principal, id(2)).is_ok(), "{case}");
                    assert!(engine.artifact_content(&principal, id(2)).is_ok(), "{case}");
                    assert!(engine.artifact_lineage(&principal, request).is_ok(), "{case}");
                    assert!(engine.verify_stored(&principal, id(2), None, None).is_ok(), "{case}");
                    assert!(engine.content_by_hash(&principal, hash).is_ok(), "{case}");
                } else {
                    assert_eq!(code(engine.artifact(&principal, id(2))), hidden, "{case}");
                    assert_eq!(code(engine.artifact_content(&principal, id(2))), hidden, "{case}");
                    assert_eq!(code(engine.artifact_lineage(&principal, request)), hidden, "{case}");
                    assert_eq!(code(engine.verify_stored(&principal, id(2), None, None)), hidden, "{case}");
                    assert_eq!(code(engine.content_by_hash(&principal, hash)), "NOT_FOUND", "{case}");
                }
                // By list, search, filters, totals, order.
                let seen = if may { vec![id(2)] } else { vec![] };
                let total = u64::from(may);
                let found = world.find(&principal, "zanzibar");
                assert_eq!((ids(&found), found.total), (seen.clone(), total), "{case}");
                assert!(may || found.suggestions.is_empty(), "{case}: {:?}", found.suggestions);
                assert_eq!(
                    world.find(&principal, "title:zanzibra").suggestions.is_empty(),
                    !may,
                    "{case}: near names"
                );
                let all = world.list(&principal, ArtifactQuestion::default());
                assert_eq!((all.total, ids(&all).contains(&id(2))), (1 + total, may), "{case}");
                let tagged = ArtifactQuestion { tags: vec!["secret".into()], ..ArtifactQuestion::default() };
                assert_eq!(world.list(&principal, tagged).total, total, "{case}");
                let private =
                    ArtifactQuestion { visibility: tier.parse().ok(), ..ArtifactQuestion::default() };
                let public = u64::from(tier == "public");
                assert_eq!(world.list(&principal, private).total, total + public, "{case}");
                let cited =
                    ArtifactQuestion { order: ArtifactOrder::MostCited, ..ArtifactQuestion::default() };
                let cited = world.list(&principal, cited);
                assert_eq!(cited.items.iter().map(|item| item.citations).max(), Some(total), "{case}");
                // From its parent.
                assert_eq!(engine.artifact(&principal, id(1)).unwrap().citations, total, "{case}");
                let down = LineageRequest { start: id(1), direction: Direction::Down, depth: 5, limit: 50 };
                let (lineage, payloads) = engine.artifact_lineage(&principal, down).unwrap();
                assert_eq!(payloads.contains_key(&id(2)), may, "{case}");
                let is_of_tenant = principal.tenant() == world.acme;
                assert_eq!(lineage.descendants.contains(&id(2)), may || is_of_tenant, "{case}");
                // By events, which are the tenant's.
                let events =
                    engine.artifact_events(&principal, world.acme, start, 50, &ArtifactFilter::default());
                match is_of_tenant {
                    true => assert_eq!(events.unwrap().events.len(), usize::from(may), "{case}"),
                    false => assert!(events.is_err(), "{case}"),
                }
                // By an export.
                let mut bundle = Vec::new();
                if !principal.is_anonymous() {
                    let selection = cairn_engine::ArtifactSelection::default();
                    engine.export_artifacts(&principal, &selection, &mut bundle, &mut |_| true).unwrap();
                    let has = String::from_utf8_lossy(&bundle).contains("zanzibar");
                    assert_eq!(has, may && is_of_tenant, "{case}");
                }
                // By the name of its blob alone.
                if is_of_tenant && principal.roles().suffice_for(Role::Reader) {
                    let blob = cairn_base::ContentHash::of(b"content number 2 about kingfishers");
                    let opened = engine.open_blob(&principal, world.acme, &blob).unwrap();
                    assert_eq!(opened.is_some(), may, "{case}");
                }
            }
        }
    }
}

#[test]
fn administrators_list_ids_and_nobody_else_does() {
    let world = World::new();
    world.put(1, &[("visibility", "\"private\"")]);
    world.put(2, &[]);
    let admin = world.user("root", &[Role::Admin], &[]);
    let page = world.engine.artifact_ids(&admin, world.acme, None, 1).unwrap();
    assert_eq!(page.ids, [id(1)]);
    let next = world.engine.artifact_ids(&admin, world.acme, page.next, 1).unwrap();
    assert_eq!((next.ids, next.next), (vec![id(2)], None));
    for other in [world.ada(), world.stranger("eve", &[]), Principal::anonymous()] {
        assert!(world.engine.artifact_ids(&other, world.acme, None, 1).is_err());
    }
}

#[test]
fn keys_of_authors_are_for_those_who_may_read_something_of_them() {
    let world = World::new();
    let keys = |principal: &Principal| world.engine.artifact_keys(principal, "acme", "ada");
    assert!(keys(&world.ada()).is_ok());
    assert_eq!(code(keys(&world.stranger("eve", &[]))), "NOT_FOUND");
    world.put(1, &[("visibility", "\"private\"")]);
    assert_eq!(code(keys(&world.user("bob", &[Role::Reader], &[]))), "NOT_FOUND");
    assert_eq!(code(keys(&Principal::anonymous())), "NOT_FOUND");
    world.put(2, &[("visibility", "\"public\"")]);
    assert_eq!(keys(&Principal::anonymous()).unwrap().keys.len(), 1);
    assert_eq!(code(world.engine.artifact_keys(&Principal::anonymous(), "nobody", "ada")), "NOT_FOUND");
}
