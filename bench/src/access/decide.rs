//! What one decision takes.

use std::hint::black_box;

use anyhow::{Result, ensure};
use cairn_access::{Acl, Action, Principal, Resource, Role, Roles, Sharing, Target, Visibility, authorize};
use cairn_base::{SpaceId, TenantId};

use super::batches::PerCall;
use crate::figure::{self, Figure, Report, Unit};
use crate::measure::Setting;
use crate::random::Random;

/// Questions that are asked in turn: more than a predictor of branches remembers.
const QUESTIONS: usize = 4096;
const DECISION_US: f64 = 1.0;
const HOME: TenantId = TenantId(7);
const ELSEWHERE: TenantId = TenantId(8);

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let rounds = setting.pick(2000, 5);
    let principals = principals();
    let mut random = Random::new(1);

    let actions: Vec<Action> = Action::all().collect();
    let resources = [
        Resource::NODE,
        Resource::tenant(HOME),
        Resource::space(HOME, SpaceId(3)),
        Resource::tenant(ELSEWHERE),
    ];
    let questions: Vec<_> = (0..QUESTIONS)
        .map(|_| {
            let resource = *pick(&mut random, &resources);
            (pick(&mut random, &principals), *pick(&mut random, &actions), Target::from(resource))
        })
        .collect();
    add(report, "every action", &questions, rounds)?;

    let lists = lists();
    let shared: Vec<Sharing<'_>> = lists.iter().map(sharing).collect();
    let artifact_actions = [Action::ArtifactRead, Action::ArtifactRead, Action::ArtifactDelete];
    let questions: Vec<_> = (0..QUESTIONS)
        .map(|_| {
            let resource = Resource::tenant(*pick(&mut random, &[HOME, HOME, ELSEWHERE]));
            let target = Target::artifact(resource, pick(&mut random, &shared));
            (pick(&mut random, &principals), *pick(&mut random, &artifact_actions), target)
        })
        .collect();
    add(report, "artifacts, 8 in their list", &questions, rounds)
}

type Question<'a> = (&'a Principal, Action, Target<'a>);

fn add(report: &mut Report, what: &str, questions: &[Question<'_>], rounds: usize) -> Result<()> {
    let rounds: Vec<()> = vec![(); rounds];
    let mut allowed = Vec::with_capacity(rounds.len());
    let per_round = PerCall::of(&rounds, 1, |()| {
        let decide = |(principal, action, target): &Question<'_>| {
            let (principal, action, target) = black_box((*principal, *action, *target));
            black_box(authorize(principal, action, target)).is_ok()
        };
        allowed.push(questions.iter().filter(|question| decide(question)).count());
        Ok(())
    })?;
    let first = allowed[0];
    ensure!(allowed.iter().all(|count| *count == first), "the same question has two answers");
    ensure!(first > 0 && first < questions.len(), "{first} of {} are allowed", questions.len());
    let count = questions.len() as f64;
    report.add(
        Figure::new(format!("a decision, {what}"), per_round.median_us / count, Unit::Micros)
            .target(figure::Target::Below(DECISION_US))
            .beside(format!("{} rounds of {count} questions, {first} of them allowed", rounds.len())),
    );
    Ok(())
}

fn pick<'a, T>(random: &mut Random, from: &'a [T]) -> &'a T {
    &from[random.below(from.len() as u64) as usize]
}

fn principals() -> Vec<Principal> {
    let teams = || vec!["core".into(), "research".into(), "support".into()];
    let user = |name: &str, tenant, role| {
        let tenant_name = if tenant == HOME { "acme" } else { "other" };
        Principal::new(name, tenant, Roles::NONE.with(role)).known_as(tenant_name, teams())
    };
    vec![
        Principal::local_owner(),
        Principal::anonymous(),
        Principal::node(),
        user("ada@example.com", HOME, Role::Reader),
        user("bob@example.com", HOME, Role::Writer),
        user("eve@example.com", HOME, Role::Admin),
        user("joe@example.com", ELSEWHERE, Role::Reader),
        user("kim@example.com", ELSEWHERE, Role::Admin),
    ]
}

/// Lists that let in by their first entry, by their last one, and by none.
fn lists() -> Vec<Acl> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let strangers = ["una@example.com", "uwe@example.com", "other/una@example.com", "third/uma@example.com"];
    let acl = |tenants: &[&str], users: &[&str], teams: &[&str]| Acl {
        tenants: names(tenants),
        users: names(users),
        teams: names(teams),
    };
    vec![
        acl(&["acme", "third"], &strangers, &["sales", "team:legal"]),
        acl(&["third"], &strangers, &["sales", "team:legal", "team:core"]),
        acl(&["third"], &strangers, &["sales", "team:legal", "other/research"]),
        acl(&["third", "fourth"], &strangers, &["sales", "other/legal"]),
    ]
}

fn sharing(acl: &Acl) -> Sharing<'_> {
    Sharing {
        tenant_name: "acme",
        author: "bob@example.com",
        visibility: Visibility::Team,
        team: "core",
        acl,
    }
}
