//! Synthetic branches for tests and benchmarks: the same parameters give the same branch.

use cairn_base::Number;

use crate::{Branch, ContentDigest, Edge, EntityType, FactFields, Node, NodeKey, Relation};

/// Parameters of a synthetic branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Synthetic {
    /// Entities.
    pub entities: usize,
    /// Relationships; about as many, because some are drawn twice.
    pub relationships: usize,
    /// Start of the pseudo-random numbers.
    pub seed: u64,
}

/// Types of entities, in hundredths of all.
const SHARES: [(EntityType, usize); 8] = [
    (EntityType::Req, 16),
    (EntityType::Scenario, 14),
    (EntityType::Test, 18),
    (EntityType::Adr, 2),
    (EntityType::Flag, 1),
    (EntityType::Event, 2),
    (EntityType::Symbol, 32),
    (EntityType::Fact, 15),
];

/// Types of relationships with the types that they link, in hundredths of all.
const LINKS: [(Relation, EntityType, EntityType, u64); 15] = [
    (Relation::SpecifiedBy, EntityType::Req, EntityType::Scenario, 12),
    (Relation::VerifiedBy, EntityType::Scenario, EntityType::Test, 10),
    (Relation::Validates, EntityType::Test, EntityType::Req, 8),
    (Relation::DependsOn, EntityType::Req, EntityType::Req, 6),
    (Relation::Implements, EntityType::Symbol, EntityType::Req, 20),
    (Relation::CoveredBy, EntityType::Symbol, EntityType::Test, 18),
    (Relation::ExecutableFor, EntityType::Symbol, EntityType::Test, 1),
    (Relation::ConstrainedBy, EntityType::Symbol, EntityType::Adr, 3),
    (Relation::Constrains, EntityType::Req, EntityType::Fact, 7),
    (Relation::RequiresProperty, EntityType::Req, EntityType::Fact, 8),
    (Relation::RequiresPredicate, EntityType::Req, EntityType::Fact, 1),
    (Relation::Guards, EntityType::Flag, EntityType::Symbol, 1),
    (Relation::Publishes, EntityType::Symbol, EntityType::Event, 2),
    (Relation::Supersedes, EntityType::Req, EntityType::Req, 1),
    (Relation::RelatesTo, EntityType::Fact, EntityType::Symbol, 2),
];

impl Synthetic {
    /// Builds the branch: mostly sound, with some violations of every rule. Keys are 1, 2, 3 and so on.
    pub fn branch(self) -> Branch {
        let mut branch = Branch::default();
        let mut random = Random(self.seed | 1);
        let mut of_type: Vec<(EntityType, Vec<NodeKey>)> = Vec::new();
        let mut next = 0;
        for (kind, share) in SHARES {
            let count = (self.entities * share / 100).max(1);
            let keys: Vec<NodeKey> = (1..=count as u64).map(|at| NodeKey(next + at)).collect();
            next += count as u64;
            for (at, key) in (0..).zip(&keys) {
                branch.put(*key, entity(kind, *key, at, &mut random));
            }
            of_type.push((kind, keys));
        }
        let keys =
            |kind: EntityType| of_type.iter().find(|(of, _)| *of == kind).map_or(&[][..], |(_, keys)| keys);
        let fill = self.relationships.saturating_sub(2 * keys(EntityType::Req).len() / 3);
        for _ in 0..fill {
            random_link(&mut branch, &keys, &mut random);
        }
        pair(&mut branch, keys(EntityType::Req), keys(EntityType::Fact));
        damage(&mut branch, keys(EntityType::Req), next);
        branch
    }
}

fn random_link<'a>(branch: &mut Branch, keys: &impl Fn(EntityType) -> &'a [NodeKey], random: &mut Random) {
    let mut at = random.below(100);
    for (relation, start, end, share) in LINKS {
        if at >= share {
            at -= share;
            continue;
        }
        let (mut from, mut to) = (random.of(keys(start)), random.of(keys(end)));
        // Newer requirements depend on older ones, and supersede them, so that there are few cycles.
        if start == end && from < to {
            (from, to) = (to, from);
        }
        let is_superseded = relation == Relation::Supersedes && random.below(4) > 0;
        if from != to && !is_superseded {
            branch.link(Edge { relation, from, to });
        }
        return;
    }
}

/// Gives each third requirement a subject and a property of it. Facts come in runs: a subject, then four properties.
fn pair(branch: &mut Branch, requirements: &[NodeKey], facts: &[NodeKey]) {
    let runs: Vec<&[NodeKey]> = facts.chunks_exact(FACT_RUN).collect();
    for (at, from) in requirements.iter().step_by(3).enumerate() {
        let Some(run) = runs.get(at % runs.len().max(1)) else { return };
        let property = run[1 + at / runs.len() % (FACT_RUN - 1)];
        branch.link(Edge { relation: Relation::Constrains, from: *from, to: run[0] });
        branch.link(Edge { relation: Relation::RequiresProperty, from: *from, to: property });
    }
}

/// A cycle, and relationships to entities that do not exist, for each two thousand requirements.
fn damage(branch: &mut Branch, requirements: &[NodeKey], last: u64) {
    for part in requirements.chunks(2_000).filter(|part| part.len() > 2) {
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            branch.link(Edge { relation: Relation::DependsOn, from: part[from], to: part[to] });
        }
        branch.link(Edge { relation: Relation::RelatesTo, from: part[0], to: NodeKey(last + 1) });
    }
}

const FACT_RUN: usize = 5;

fn entity(kind: EntityType, key: NodeKey, at: u64, random: &mut Random) -> Node {
    let number = key.0;
    let id = format!("{}-{number:06}", kind.text().to_uppercase());
    let status = match kind {
        EntityType::Adr if random.below(10) == 0 => "superseded",
        EntityType::Req if random.below(20) == 0 => "deprecated",
        EntityType::Req
        | EntityType::Scenario
        | EntityType::Test
        | EntityType::Adr
        | EntityType::Flag
        | EntityType::Event
        | EntityType::Symbol
        | EntityType::Fact => kind.statuses()[usize::from(kind == EntityType::Scenario)],
    };
    let is_test = kind == EntityType::Test;
    Node {
        owner: None,
        severity: None,
        title: format!("{} number {at}", kind.text()).into(),
        status: status.into(),
        source: if random.below(100) == 0 {
            "".into()
        } else {
            format!("docs/{}/{id}.md", kind.text()).into()
        },
        source_file: (kind == EntityType::Symbol).then(|| format!("src/module_{}.ts", number % 97).into()),
        priority: (kind == EntityType::Req)
            .then(|| if number.is_multiple_of(3) { "must" } else { "should" }.into()),
        tags: Box::new([format!("area-{}", number % 17).into()]),
        lacks_times: [false; 2],
        file: None,
        diverged: false,
        verification_scope: is_test
            .then(|| ["unit", "integration", "end_to_end"][number as usize % 3].into()),
        verification_perspective: None,
        symbol_role: None,
        digest: ContentDigest(number),
        fact: (kind == EntityType::Fact).then(|| Box::new(fact(at))),
        id: id.into(),
        kind,
    }
}

/// A fact of a run: a subject, then two bounds each on two of its properties. Some runs have a bound that contradicts
/// the other one.
fn fact(at: u64) -> FactFields {
    let (run, place) = (at / FACT_RUN as u64, at % FACT_RUN as u64);
    let subject_key = Some(format!("subject.{run}").into());
    if place == 0 {
        return FactFields { fact_kind: Some("subject".into()), subject_key, ..FactFields::default() };
    }
    let is_odd = place == 2 && run.is_multiple_of(10);
    let (operator, value) = match place % 2 {
        _ if is_odd => (None, 5_i64),
        0 => (Some("lte".into()), 100),
        _ => (Some("gte".into()), 10),
    };
    FactFields {
        fact_kind: Some("property_value".into()),
        subject_key,
        property_key: Some(format!("limit.{}", (place - 1) / 2).into()),
        operator,
        value_type: Some("int".into()),
        value_int: Some(Number::from(value)),
        ..FactFields::default()
    }
}

/// Pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % end.max(1)
    }

    fn of(&mut self, keys: &[NodeKey]) -> NodeKey {
        keys[self.below(keys.len() as u64) as usize]
    }
}

/// A branch in memory that payloads of `kb_upsert` are applied to, to show that plans are accepted.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct Drafts {
    branch: Branch,
    entities: Vec<crate::Entity>,
}

#[cfg(test)]
impl Drafts {
    /// Applies payloads in order; each must be accepted.
    #[track_caller]
    pub(crate) fn apply(&mut self, plan: &[crate::tools::UpsertInput]) {
        for input in plan {
            let at = self.entities.iter().position(|entity| entity.id == input.id);
            let current = at.map(|at| &self.entities[at]);
            let examined = crate::examine_upsert(&self.branch, current, input, None, 1_780_000_000_000);
            assert!(examined.problems.is_empty(), "{}: {:?}", input.id, examined.problems);
            assert_eq!(examined.warnings, Vec::<String>::new(), "{}", input.id);
            let at = at.unwrap_or(self.entities.len());
            self.branch.apply(examined.plan.changes(NodeKey(at as u64 + 1)));
            match self.entities.get_mut(at) {
                Some(entity) => *entity = examined.plan.entity,
                None => self.entities.push(examined.plan.entity),
            }
        }
    }
}
