//! Every decision compared with a model that fits on one screen.

use cairn_access::{
    Acl, Action, Principal, RefusalReason, Resource, Role, Roles, Sharing, Target, Visibility, authorize,
};
use cairn_base::{ErrorCode, KeyReader, SpaceId, TenantId};

const ACME: TenantId = TenantId(7);
const TENANTS: [TenantId; 3] = [TenantId::NODE, TenantId::LOCAL, ACME];
const SPACES: [SpaceId; 2] = [SpaceId::NONE, SpaceId::MEMORY];

/// What we mean, in other words than the code: names instead of tables, sets instead of branches.
fn model(principal: &Principal, action: Action, resource: Resource) -> Result<(), RefusalReason> {
    let [reader, writer, admin, operator] = Role::ALL.map(|role| principal.roles().has(role));
    let on_node = resource.tenant == TenantId(0);
    let at_home = resource.tenant == principal.tenant();
    let listed = |names: &[&str]| names.contains(&action.name());
    let for_readers = listed(&["feed.read", "turns.read", "artifact.read", "graph.read", "kb.read"]);
    let for_writers = listed(&["turns.write", "artifact.publish", "graph.write", "kb.write", "kb.delete"]);
    let for_admins = listed(&[
        "audit.read",
        "turns.prune",
        "access.read",
        "access.change",
        "artifact.list",
        "artifact.delete",
    ]);
    let in_tenants = for_readers || for_writers || for_admins;
    let may = |yes: bool, why| if yes { Ok(()) } else { Err(why) };
    match (principal.is_local_owner(), on_node, at_home) {
        (true, _, _) => may(on_node || in_tenants, RefusalReason::NotOnTenant),
        (false, false, true) if !in_tenants => Err(RefusalReason::NotOnTenant),
        (false, false, false) if !in_tenants => Err(RefusalReason::ForeignTenant),
        _ if principal.is_anonymous() => Err(RefusalReason::Anonymous),
        (false, true, _) => may(operator, RefusalReason::RoleMissing),
        (false, false, false) => Err(RefusalReason::ForeignTenant),
        (false, false, true) => {
            let yes = admin || for_writers && writer || for_readers && (reader || writer);
            may(yes, RefusalReason::RoleMissing)
        }
    }
}

fn every_principal() -> impl Iterator<Item = Principal> {
    let users = (0..16_u8).flat_map(|bits| {
        let roles = Roles::from_number(bits).expect("four roles");
        TENANTS.map(|tenant| Principal::new("somebody", tenant, roles))
    });
    users.chain([Principal::local_owner(), Principal::anonymous(), Principal::node()])
}

#[test]
fn every_decision_equals_the_model() {
    let (mut allowed, mut refused) = (0, 0);
    for principal in every_principal() {
        for action in Action::all() {
            for (tenant, space) in TENANTS.into_iter().flat_map(|tenant| SPACES.map(|space| (tenant, space)))
            {
                let resource = Resource::space(tenant, space);
                let decision = authorize(&principal, action, resource);
                let expected = model(&principal, action, resource);
                assert_eq!(
                    decision.map(drop).map_err(|no| no.reason),
                    expected,
                    "{principal:?} {action:?} {resource:?}"
                );
                match decision {
                    Ok(permit) => {
                        allowed += 1;
                        let scope = permit.scope();
                        assert_eq!((permit.action(), scope.tenant(), scope.space()), (action, tenant, space));
                    }
                    Err(refusal) => {
                        refused += 1;
                        assert_eq!((refusal.action, refusal.resource), (action, resource));
                    }
                }
            }
        }
    }
    assert_eq!(allowed + refused, (16 * 3 + 3) * Action::COUNT * 6);
    assert!(allowed > 0 && refused > 0);
}

/// Who asks for an artifact of acme by ada of team core: tenant, name, teams.
fn readers() -> Vec<Principal> {
    let roles = [Roles::NONE, Roles::NONE.with(Role::Reader), Roles::NONE.with(Role::Writer)]
        .into_iter()
        .chain([Roles::NONE.with(Role::Admin), Roles::NONE.with(Role::Operator)]);
    let people = [
        (ACME, "acme", "ada", "core"),
        (ACME, "acme", "bob", "core"),
        (ACME, "acme", "eve", "sales"),
        (TenantId(8), "other", "ada", "core"),
        (TenantId(8), "other", "mallory", "sales"),
    ];
    let users = roles.flat_map(|roles| {
        people.map(|(tenant, tenant_name, user, team)| {
            Principal::new(user, tenant, roles).known_as(tenant_name, vec![team.into()])
        })
    });
    users.chain([Principal::anonymous(), Principal::local_owner()]).collect()
}

/// What lists there are, and whom each of them names, by tenant and user.
fn lists() -> Vec<(Acl, &'static [(&'static str, &'static str)])> {
    let list = |tenants: &[&str], users: &[&str], teams: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Acl { tenants: owned(tenants), users: owned(users), teams: owned(teams) }
    };
    vec![
        (list(&[], &["eve"], &[]), &[("acme", "eve")]),
        (list(&[], &["ada"], &[]), &[("acme", "ada")]),
        (list(&[], &["other/ada"], &[]), &[("other", "ada")]),
        (list(&[], &[], &["sales"]), &[("acme", "eve")]),
        (list(&[], &[], &["team:sales"]), &[("acme", "eve")]),
        (list(&[], &[], &["other/sales"]), &[("other", "mallory")]),
        (list(&[], &[], &["team:other/core"]), &[("other", "ada")]),
        (list(&["other"], &[], &[]), &[("other", "ada"), ("other", "mallory")]),
        (list(&["acme"], &["nobody"], &["none"]), &[("acme", "ada"), ("acme", "bob"), ("acme", "eve")]),
        (list(&["nobody"], &[], &[]), &[]),
    ]
}

#[test]
fn artifacts_are_read_by_whom_they_are_shared_with() {
    let nothing = Acl::default();
    let lists = lists();
    let every = lists.iter().map(|(acl, named)| (acl, Some(*named))).chain([(&nothing, None)]);
    for (acl, named) in every {
        for visibility in Visibility::ALL {
            for principal in readers() {
                let sharing = Sharing { tenant_name: "acme", author: "ada", visibility, team: "core", acl };
                let who = (principal.tenant_name(), principal.user_id());
                let reads = principal.roles().iter().any(|role| role != Role::Operator);
                let shared = match (named, visibility) {
                    (Some(named), _) => named.contains(&who),
                    (None, Visibility::Public) => true,
                    (None, Visibility::Org) => who.0 == "acme",
                    (None, Visibility::Team) => who.0 == "acme" && principal.is_in_team("core"),
                    (None, Visibility::Private) => false,
                };
                let to_all = named.is_none() && visibility == Visibility::Public;
                let is_author = who == ("acme", "ada");
                let expected = if principal.is_local_owner() || to_all || reads && (is_author || shared) {
                    Ok(())
                } else if who.0 == "acme" {
                    Err(ErrorCode::Forbidden)
                } else {
                    Err(ErrorCode::NotFound)
                };
                let target = Target::artifact(Resource::tenant(ACME), &sharing);
                let decision = authorize(&principal, Action::ArtifactRead, target);
                assert_eq!(
                    decision.map(drop).map_err(|refusal| refusal.code()),
                    expected,
                    "{principal:?} {sharing:?}"
                );

                // Marks decide in the same way, for lists and counts.
                let marks = sharing.marks();
                let is_marked = principal.marks().iter().any(|mark| marks.contains(mark));
                assert_eq!(
                    is_marked || principal.is_local_owner(),
                    expected.is_ok(),
                    "{principal:?} {marks:?}"
                );

                let writes = principal.roles().suffice_for(Role::Writer);
                let administers = who.0 == "acme" && principal.roles().has(Role::Admin);
                let may_delete = principal.is_local_owner() || administers || is_author && writes;
                let decision = authorize(&principal, Action::ArtifactDelete, target);
                assert_eq!(decision.is_ok(), may_delete, "{principal:?} deletes");
            }
        }
    }
}

#[test]
fn a_refusal_for_another_tenant_reads_like_nothing_there() {
    let (acl, stranger) = (Acl::default(), Principal::new("eve", TenantId(8), Roles::NONE.with(Role::Admin)));
    let sharing =
        Sharing { tenant_name: "acme", author: "ada", visibility: Visibility::Private, team: "", acl: &acl };
    let target = Target::artifact(Resource::tenant(ACME), &sharing);
    for who in [stranger, Principal::anonymous()] {
        let refusal = authorize(&who, Action::ArtifactRead, target).unwrap_err();
        assert_eq!(
            (refusal.code(), refusal.to_string().as_str()),
            (ErrorCode::NotFound, "there is no such thing here")
        );
    }
}

#[test]
fn the_local_owner_may_do_everything_on_its_node() {
    let owner = Principal::local_owner();
    for action in Action::all() {
        assert!(authorize(&owner, action, Resource::NODE).is_ok(), "{action:?}");
    }
    for action in [Action::AuditRead, Action::FeedRead, Action::TurnsWrite, Action::AccessChange] {
        for tenant in [TenantId::LOCAL, ACME] {
            assert!(authorize(&owner, action, Resource::tenant(tenant)).is_ok(), "{action:?}");
        }
    }
}

#[test]
fn keys_of_a_scope_begin_with_tenant_and_space() {
    let resource = Resource::space(TenantId::LOCAL, SpaceId(5));
    let scope = authorize(&Principal::local_owner(), Action::FeedRead, resource).unwrap().scope();
    let key = scope.key().u8(9);
    let mut parts = KeyReader::new(&key);
    assert_eq!(
        (parts.tenant(), parts.space(), parts.rest()),
        (Ok(TenantId::LOCAL), Ok(SpaceId(5)), &[9][..])
    );
}

#[test]
fn a_permit_for_a_tenant_covers_its_spaces_and_one_for_a_space_no_other() {
    let scope =
        |resource| authorize(&Principal::local_owner(), Action::GraphWrite, resource).unwrap().scope();
    let in_space = scope(Resource::space(ACME, SpaceId(5)));
    assert_eq!(scope(Resource::tenant(ACME)).of_space(SpaceId(5)), Some(in_space));
    assert_eq!(in_space.of_space(SpaceId(6)), None);
    assert_eq!(in_space.of_space(SpaceId::NONE), None);
}

#[test]
fn the_table_of_actions_is_reviewed_like_code() {
    let table: Vec<_> = Action::all()
        .map(|action| {
            let row = action.row();
            let audited = if action.is_audited() { "audited" } else { "" };
            format!("{:>2} {:<20} {:<10} {audited}", action.number(), row.name, row.needs.name())
                .trim_end()
                .to_owned()
        })
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn a_refusal_says_what_and_why() {
    let stranger = Principal::new("eve", ACME, Roles::NONE);
    let refuse =
        |who: &Principal, action, resource| authorize(who, action, resource).unwrap_err().to_string();
    insta::assert_snapshot!(
        [
            refuse(&stranger, Action::StatsRead, Resource::NODE),
            refuse(&stranger, Action::FeedRead, Resource::tenant(TenantId::LOCAL)),
            refuse(&stranger, Action::ConsumerRead, Resource::tenant(ACME)),
            refuse(&Principal::anonymous(), Action::TurnsRead, Resource::NODE),
        ]
        .join("\n")
    );
}

#[test]
fn reasons_lead_back_from_their_numbers() {
    let numbers: std::collections::BTreeSet<_> = RefusalReason::all().map(RefusalReason::number).collect();
    assert_eq!(numbers.len(), RefusalReason::all().count());
    for reason in RefusalReason::all() {
        assert_eq!(RefusalReason::from_number(reason.number()), Some(reason));
    }
    assert_eq!(RefusalReason::from_number(0), None);
}
